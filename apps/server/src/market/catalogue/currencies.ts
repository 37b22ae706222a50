import { type Localised, localised, type Texts } from '@fairtick/protocol/languages';
import { ASIAN_MONEY, COIN, type Driver, EUROPEAN_MONEY, type Rhythm } from './drivers.ts';

/** A currency or a metal of a pair. `usd` is its value in dollars on the reference date; its driver moves it from there. */
export interface Currency {
  /** The code within a symbol: `EUR`, `XAU`, `BTC`. */
  readonly code: string;
  readonly names: Localised;
  readonly usd: number;
  readonly driver: Driver;
}

const idOf = (code: string): string => `currency:${code}`;

function currencies(rhythm: Rhythm) {
  return (
    code: string,
    names: Texts,
    usd: number,
    volatility: number,
    follows: Readonly<Record<string, number>> = {},
  ): Currency => ({
    code,
    names: localised(...names),
    usd,
    driver: {
      id: idOf(code),
      volatility,
      rhythm,
      follows: Object.entries(follows).map(([leader, weight]) => ({ id: idOf(leader), weight })),
    },
  });
}

const money = currencies(EUROPEAN_MONEY);
const asian = currencies(ASIAN_MONEY);
const coin = currencies(COIN);

/**
 * A volatility is that of the currency alone: a pair's is the root of the sum of both squares. A currency that follows another
 * moves less against it (a peg follows with weight 1), which keeps EUR/CHF or AUD/NZD as calm as in reality. English names are
 * short because a row holds two of them.
 */
const ALL = [
  money('USD', ['美元', '美元', 'US Dollar'], 1, 0.052),
  money('EUR', ['欧元', '歐元', 'Euro'], 1.162, 0.042),
  money('GBP', ['英镑', '英鎊', 'Pound'], 1.322, 0.045, { EUR: 0.5 }),
  money('CHF', ['瑞郎', '瑞郎', 'Franc'], 1.2455, 0.04, { EUR: 0.6 }),
  asian('JPY', ['日元', '日圓', 'Yen'], 1 / 155.4, 0.075),
  asian('AUD', ['澳元', '澳幣', 'AU Dollar'], 0.6552, 0.07),
  asian('NZD', ['纽元', '紐幣', 'NZ Dollar'], 0.5731, 0.045, { AUD: 0.8 }),
  money('CAD', ['加元', '加幣', 'CA Dollar'], 1 / 1.3985, 0.045, { USD: 0.5, AUD: 0.25 }),
  asian('CNH', ['离岸人民币', '離岸人民幣', 'Yuan (CNH)'], 1 / 7.074, 0.025, { USD: 0.7 }),
  asian('HKD', ['港元', '港幣', 'HK Dollar'], 1 / 7.783, 0.005, { USD: 1 }),
  asian('SGD', ['新加坡元', '新加坡幣', 'SG Dollar'], 1 / 1.2962, 0.025, { USD: 0.5 }),
  asian('THB', ['泰铢', '泰銖', 'Baht'], 1 / 32.15, 0.055, { USD: 0.4 }),
  money('MXN', ['墨西哥比索', '墨西哥披索', 'Peso (MX)'], 1 / 18.34, 0.09, { USD: 0.2 }),
  money('ZAR', ['南非兰特', '南非幣', 'Rand'], 1 / 17.12, 0.11, { AUD: 0.4 }),
  money('TRY', ['土耳其里拉', '土耳其里拉', 'Lira'], 1 / 42.48, 0.09, { USD: 0.3 }),
  money('NOK', ['挪威克朗', '挪威克朗', 'Krone (NO)'], 1 / 10.13, 0.065, { EUR: 0.6 }),
  money('SEK', ['瑞典克朗', '瑞典克朗', 'Krona (SE)'], 1 / 9.452, 0.055, { EUR: 0.6 }),
  money('DKK', ['丹麦克朗', '丹麥克朗', 'Krone (DK)'], 1.162 / 7.4685, 0.002, { EUR: 1 }),
  money('PLN', ['波兰兹罗提', '波蘭茲羅提', 'Zloty'], 1 / 3.645, 0.05, { EUR: 0.8 }),
  money('HUF', ['匈牙利福林', '匈牙利福林', 'Forint'], 1 / 328.6, 0.07, { EUR: 0.8 }),

  money('XAU', ['黄金', '黃金', 'Gold'], 4185, 0.19),
  money('XAG', ['白银', '白銀', 'Silver'], 54.3, 0.22, { XAU: 1.1 }),
  money('XPT', ['铂金', '鉑金', 'Platinum'], 1642, 0.25, { XAU: 0.6 }),
  money('XPD', ['钯金', '鈀金', 'Palladium'], 1448, 0.31, { XAU: 0.5 }),

  // The quote currency of every coin: nearly a dollar.
  coin('USDT', ['USDT', 'USDT', 'USDT'], 1, 0.002, { USD: 1 }),
  coin('BTC', ['比特币', '比特幣', 'Bitcoin'], 91_400, 0.45),
  coin('ETH', ['以太坊', '以太幣', 'Ethereum'], 3040, 0.38, { BTC: 1.05 }),
  coin('BNB', ['币安币', '幣安幣', 'BNB'], 884, 0.28, { BTC: 0.8 }),
  coin('SOL', ['索拉纳', '索拉納', 'Solana'], 138.2, 0.48, { BTC: 1.1 }),
  coin('XRP', ['瑞波币', '瑞波幣', 'XRP'], 2.182, 0.5, { BTC: 0.9 }),
  coin('DOGE', ['狗狗币', '狗狗幣', 'Dogecoin'], 0.1489, 0.52, { BTC: 1.15 }),
  coin('ADA', ['艾达币', '艾達幣', 'Cardano'], 0.431, 0.48, { BTC: 1.1 }),
  coin('AVAX', ['雪崩币', '雪崩幣', 'Avalanche'], 14.6, 0.52, { BTC: 1.1 }),
  coin('LTC', ['莱特币', '萊特幣', 'Litecoin'], 84.5, 0.38, { BTC: 0.9 }),
  coin('TRX', ['波场', '波場', 'Tron'], 0.2812, 0.28, { BTC: 0.5 }),
];

export const CURRENCIES: ReadonlyMap<string, Currency> = new Map(ALL.map((each) => [each.code, each]));
