import { inEachLanguage, type Localised, localised, type Texts } from '@fairtick/protocol/languages';
import type { Currency } from './catalogue-product.ts';
import { ASIAN_MONEY, COIN, EUROPEAN_MONEY, type Rhythm } from './drivers.ts';

type Follows = readonly (readonly [leader: Currency, weight: number])[];

/** Between the two names of a pair. */
const SLASH = localised('/', '/', ' / ');

/** The names of a pair. */
export const pairNames = (base: Currency, quote: Currency): Localised =>
  inEachLanguage((language) => base.names[language] + SLASH[language] + quote.names[language]);

function currencies(rhythm: Rhythm) {
  return (code: string, names: Texts, usd: number, volatility: number, follows: Follows = []): Currency => ({
    code,
    names: localised(...names),
    usd,
    driver: {
      id: `currency:${code}`,
      volatility,
      rhythm,
      follows: follows.map(([leader, weight]) => ({ driver: leader.driver, weight })),
    },
  });
}

const money = currencies(EUROPEAN_MONEY);
const asian = currencies(ASIAN_MONEY);
const coin = currencies(COIN);

// A volatility is that of the currency alone: a pair's is the root of the sum of both squares. A currency that follows another
// moves less against it (a peg follows with weight 1), which keeps EUR/CHF or AUD/NZD as calm as in reality. English names are
// short because a row holds two of them.
export const USD = money('USD', ['美元', '美元', 'US Dollar'], 1, 0.052);
export const EUR = money('EUR', ['欧元', '歐元', 'Euro'], 1.162, 0.042);
export const GBP = money('GBP', ['英镑', '英鎊', 'Pound'], 1.322, 0.045, [[EUR, 0.5]]);
export const CHF = money('CHF', ['瑞郎', '瑞郎', 'Franc'], 1.2455, 0.04, [[EUR, 0.6]]);
export const JPY = asian('JPY', ['日元', '日圓', 'Yen'], 1 / 155.4, 0.075);
export const AUD = asian('AUD', ['澳元', '澳幣', 'AU Dollar'], 0.6552, 0.07);
export const NZD = asian('NZD', ['纽元', '紐幣', 'NZ Dollar'], 0.5731, 0.045, [[AUD, 0.8]]);
export const CAD = money('CAD', ['加元', '加幣', 'CA Dollar'], 1 / 1.3985, 0.045, [
  [USD, 0.5],
  [AUD, 0.25],
]);
export const CNH = asian('CNH', ['离岸人民币', '離岸人民幣', 'Yuan (CNH)'], 1 / 7.074, 0.025, [[USD, 0.7]]);
export const HKD = asian('HKD', ['港元', '港幣', 'HK Dollar'], 1 / 7.783, 0.005, [[USD, 1]]);
export const SGD = asian('SGD', ['新加坡元', '新加坡幣', 'SG Dollar'], 1 / 1.2962, 0.025, [[USD, 0.5]]);
export const THB = asian('THB', ['泰铢', '泰銖', 'Baht'], 1 / 32.15, 0.055, [[USD, 0.4]]);
export const MXN = money('MXN', ['墨西哥比索', '墨西哥披索', 'Peso (MX)'], 1 / 18.34, 0.09, [[USD, 0.2]]);
export const ZAR = money('ZAR', ['南非兰特', '南非幣', 'Rand'], 1 / 17.12, 0.11, [[AUD, 0.4]]);
export const TRY = money('TRY', ['土耳其里拉', '土耳其里拉', 'Lira'], 1 / 42.48, 0.09, [[USD, 0.3]]);
export const NOK = money('NOK', ['挪威克朗', '挪威克朗', 'Krone (NO)'], 1 / 10.13, 0.065, [[EUR, 0.6]]);
export const SEK = money('SEK', ['瑞典克朗', '瑞典克朗', 'Krona (SE)'], 1 / 9.452, 0.055, [[EUR, 0.6]]);
export const DKK = money('DKK', ['丹麦克朗', '丹麥克朗', 'Krone (DK)'], 1.162 / 7.4685, 0.002, [[EUR, 1]]);
export const PLN = money('PLN', ['波兰兹罗提', '波蘭茲羅提', 'Zloty'], 1 / 3.645, 0.05, [[EUR, 0.8]]);
export const HUF = money('HUF', ['匈牙利福林', '匈牙利福林', 'Forint'], 1 / 328.6, 0.07, [[EUR, 0.8]]);

export const XAU = money('XAU', ['黄金', '黃金', 'Gold'], 4185, 0.19);
export const XAG = money('XAG', ['白银', '白銀', 'Silver'], 54.3, 0.22, [[XAU, 1.1]]);
export const XPT = money('XPT', ['铂金', '鉑金', 'Platinum'], 1642, 0.25, [[XAU, 0.6]]);
export const XPD = money('XPD', ['钯金', '鈀金', 'Palladium'], 1448, 0.31, [[XAU, 0.5]]);

/** The quote currency of every coin: nearly a dollar. */
export const USDT = coin('USDT', ['USDT', 'USDT', 'USDT'], 1, 0.002, [[USD, 1]]);
export const BTC = coin('BTC', ['比特币', '比特幣', 'Bitcoin'], 91_400, 0.45);
export const ETH = coin('ETH', ['以太坊', '以太幣', 'Ethereum'], 3040, 0.38, [[BTC, 1.05]]);
export const BNB = coin('BNB', ['币安币', '幣安幣', 'BNB'], 884, 0.28, [[BTC, 0.8]]);
export const SOL = coin('SOL', ['索拉纳', '索拉納', 'Solana'], 138.2, 0.48, [[BTC, 1.1]]);
export const XRP = coin('XRP', ['瑞波币', '瑞波幣', 'XRP'], 2.182, 0.5, [[BTC, 0.9]]);
export const DOGE = coin('DOGE', ['狗狗币', '狗狗幣', 'Dogecoin'], 0.1489, 0.52, [[BTC, 1.15]]);
export const ADA = coin('ADA', ['艾达币', '艾達幣', 'Cardano'], 0.431, 0.48, [[BTC, 1.1]]);
export const AVAX = coin('AVAX', ['雪崩币', '雪崩幣', 'Avalanche'], 14.6, 0.52, [[BTC, 1.1]]);
export const LTC = coin('LTC', ['莱特币', '萊特幣', 'Litecoin'], 84.5, 0.38, [[BTC, 0.9]]);
export const TRX = coin('TRX', ['波场', '波場', 'Tron'], 0.2812, 0.28, [[BTC, 0.5]]);
