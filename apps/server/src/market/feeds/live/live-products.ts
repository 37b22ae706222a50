import { PYTH_FEEDS } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import { FOREX } from '../../catalogue/forex.ts';
import { METALS } from '../../catalogue/metals.ts';
import type { AssetClass } from '../../products.ts';
import type { Listing } from './quote-board.ts';
import { accessOf, type SourcesFile } from './sources-file.ts';
import type { Venue } from './venue.ts';
import { VENUES } from './venues.ts';

/** Which exchanges have a market of a crypto product against USDT; markets against dollars are another price and never mixed in. */
const ALL = ['binance', 'bitstamp', 'bybit', 'coinbase', 'kraken', 'okx'];
const FIVE = ['binance', 'bybit', 'coinbase', 'kraken', 'okx'];
const THREE = ['binance', 'bybit', 'okx'];

/** Vendors of currencies and metals. */
const vendorsOf = (symbol: string) => ['oanda', ...(symbol in PYTH_FEEDS ? ['pyth'] : []), 'tiingo'];
/** Stocks of New York. */
const STOCKS = Object.keys(PYTH_FEEDS).filter((symbol) => !symbol.includes('/'));

type Sources = Readonly<Record<string, readonly string[]>>;

/** Exchanges by product of cryptocurrency. */
export const EXCHANGE_SOURCES: Sources = {
  'BTC/USDT': ALL,
  'ETH/USDT': ALL,
  'SOL/USDT': FIVE,
  'XRP/USDT': FIVE,
  'DOGE/USDT': FIVE,
  'ADA/USDT': FIVE,
  'AVAX/USDT': FIVE,
  'LTC/USDT': FIVE,
  'BNB/USDT': THREE,
  'TRX/USDT': THREE,
};

/** Sources by product. A product that is not here has none and is closed with live prices. */
export const LIVE_SOURCES: Sources = {
  ...EXCHANGE_SOURCES,
  ...Object.fromEntries([...FOREX, ...METALS].map(({ symbol }) => [symbol, vendorsOf(symbol)])),
  ...Object.fromEntries(STOCKS.map((symbol) => [symbol, ['pyth']])),
};

/** In live mode money is at stake, and one source has no other that shows its error. */
const LEAST_SOURCES = { demo: 1, live: 2 } as const;

/** How many sources a price needs: more than half. */
export const quorumOf = (sources: readonly string[]): number => Math.floor(sources.length / 2) + 1;

/**
 * The product's sources that the operator has and may use. None if those are no quorum of all that the operator has, or too few for the
 * mode: the product is closed then.
 */
export function usableSources(symbol: string, file: SourcesFile, mode: 'demo' | 'live'): readonly string[] {
  const had = VENUES.filter((venue) => accessOf(venue, file) !== null).map(({ source }) => source);
  const listed = (LIVE_SOURCES[symbol] ?? []).filter(
    (source) => had.includes(source) && !file[source]?.without?.includes(symbol),
  );
  const mayUse = (source: string) =>
    mode === 'demo' || (file[source]?.mayPublish === true && file[source].maySettle === true);
  const usable = listed.filter(mayUse);
  return usable.length >= Math.max(quorumOf(listed), LEAST_SOURCES[mode]) ? usable : [];
}

type Terms = Pick<ProductRules, 'freshMs' | 'staleMs' | 'openWithinMs' | 'outlierBps'>;

/** Exchanges prove their prices each second or two. */
const OF_EXCHANGES: Terms = { freshMs: 1_500, staleMs: 5_000, openWithinMs: 1_000, outlierBps: 50 };
/** Pyth's times are whole seconds, and a vendor's frames of other markets prove a quiet one. */
const OF_VENDORS: Terms = { freshMs: 3_000, staleMs: 10_000, openWithinMs: 2_000, outlierBps: 25 };

/** How old a quote may be that decides, how late an order may open, and which quote is an outlier. */
export const liveTermsOf = (assetClass: AssetClass): Terms =>
  assetClass === 'crypto' ? OF_EXCHANGES : OF_VENDORS;

/** The markets of these products at a venue. */
export function listingsOf(
  venue: Venue,
  products: readonly { readonly id: number; readonly symbol: string; readonly decimals: number }[],
): Map<string, Listing> {
  return new Map(
    products.map(({ id, symbol, decimals }) => {
      const [base = '', quote = ''] = symbol.split('/');
      return [venue.marketOf(base, quote), { productId: id, decimals }];
    }),
  );
}
