import { inEachLanguage, localised } from '@fairtick/protocol/languages';
import { type CatalogueProduct, termsOf } from './catalogue-product.ts';
import { CURRENCIES, type Currency } from './currencies.ts';

/** Between the two names of a pair. */
const SLASH = localised('/', '/', ' / ');

type Shared = Pick<CatalogueProduct, 'assetClass' | 'liveHours'> &
  Partial<Pick<CatalogueProduct, 'group' | 'outlierBps'>>;

/** @param decimals of each quote, or of each base, by its code; others have five */
function pairs(
  shared: Shared,
  symbols: string,
  decimals: Readonly<Record<string, number>>,
): CatalogueProduct[] {
  return symbols.split(' ').map((symbol) => {
    const [base, quote] = symbol.split('/').map((code) => CURRENCIES.get(code)) as [Currency, Currency];
    return {
      symbol,
      // The quote of all coins is the same.
      names:
        shared.assetClass === 'crypto'
          ? base.names
          : inEachLanguage((language) => base.names[language] + SLASH[language] + quote.names[language]),
      decimals: decimals[base.code] ?? decimals[quote.code] ?? 5,
      hours: 'round-the-clock',
      group: groupOf(symbol),
      model: { kind: 'pair', base: base.code, quote: quote.code },
      ...termsOf(shared.assetClass),
      ...shared,
    };
  });
}

/** The group is the side of the pair that it shares most of its risk through. */
function groupOf(symbol: string): string {
  const shared = ['JPY', 'USD', 'EUR', 'GBP'].find((code) => symbol.split('/').includes(code));
  return `fx-${shared?.toLowerCase() ?? 'commodity'}`;
}

const FX = { assetClass: 'forex', liveHours: 'currency-dealers' } as const;
const MAJOR: Shared = { ...FX, outlierBps: 25 };
const CROSS: Shared = { ...FX, outlierBps: 40 };
const EMERGING: Shared = { ...CROSS, group: 'fx-em' };
const FX_DECIMALS = { JPY: 3, HUF: 3, THB: 3, MXN: 4, ZAR: 4, TRY: 4 };

export const FOREX: readonly CatalogueProduct[] = [
  ...pairs(MAJOR, 'EUR/USD GBP/USD USD/JPY USD/CHF AUD/USD USD/CAD NZD/USD', FX_DECIMALS),
  ...pairs(CROSS, 'EUR/GBP EUR/JPY EUR/CHF EUR/AUD EUR/CAD EUR/NZD', FX_DECIMALS),
  ...pairs(CROSS, 'GBP/JPY GBP/CHF GBP/AUD GBP/CAD GBP/NZD', FX_DECIMALS),
  ...pairs(CROSS, 'AUD/JPY AUD/CAD AUD/CHF AUD/NZD NZD/JPY NZD/CAD NZD/CHF', FX_DECIMALS),
  ...pairs(CROSS, 'CAD/JPY CAD/CHF CHF/JPY', FX_DECIMALS),
  ...pairs(CROSS, 'USD/SGD SGD/JPY USD/NOK USD/SEK USD/DKK EUR/NOK EUR/SEK', FX_DECIMALS),
  ...pairs(EMERGING, 'USD/CNH USD/HKD USD/MXN USD/ZAR USD/TRY USD/PLN EUR/PLN USD/HUF USD/THB', FX_DECIMALS),
];

/** Prices are dollars per ounce. Metals are modelled as currencies, so that they move against the dollar too. */
export const METALS: readonly CatalogueProduct[] = pairs(
  { assetClass: 'metal', liveHours: 'day-long', group: 'metal' },
  'XAU/USD XAG/USD XPT/USD XPD/USD',
  { XAU: 2, XAG: 3, XPT: 2, XPD: 2 },
);

export const CRYPTO: readonly CatalogueProduct[] = pairs(
  { assetClass: 'crypto', liveHours: 'round-the-clock', group: 'crypto' },
  'BTC/USDT ETH/USDT BNB/USDT SOL/USDT XRP/USDT DOGE/USDT ADA/USDT AVAX/USDT LTC/USDT TRX/USDT',
  { BTC: 2, ETH: 2, BNB: 2, SOL: 3, XRP: 4, AVAX: 3, LTC: 2 },
);
