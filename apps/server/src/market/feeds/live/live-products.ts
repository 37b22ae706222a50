import { PYTH_FEEDS } from '@fairtick/proof';
import type { AssetClass } from '@fairtick/protocol';
import type { ProductRules } from '@fairtick/trading';
import { FOREX, METALS } from '../../catalogue/pairs.ts';
import type { Product } from '../../products.ts';
import type { SourceMarket } from './record-history.ts';
import { accessOf, type SourcesFile } from './sources-file.ts';
import type { Venue } from './venue.ts';
import { VENUES } from './venues.ts';

/** Which exchanges have a market of a crypto product against USDT; markets against dollars are another price and never mixed in. */
const FOUR = ['binance', 'coinbase', 'kraken', 'okx'];
const TWO = ['binance', 'okx'];

/** Stocks of New York. */
const STOCKS = Object.keys(PYTH_FEEDS).filter((symbol) => !symbol.includes('/'));
const VENDOR_SYMBOLS = [...FOREX, ...METALS].map(({ symbol }) => symbol);

type Sources = Readonly<Record<string, readonly string[]>>;

/** Exchanges by product of cryptocurrency. */
export const EXCHANGE_SOURCES: Sources = {
  'BTC/USDT': FOUR,
  'ETH/USDT': FOUR,
  'SOL/USDT': FOUR,
  'XRP/USDT': FOUR,
  'DOGE/USDT': FOUR,
  'ADA/USDT': FOUR,
  'AVAX/USDT': FOUR,
  'LTC/USDT': FOUR,
  'BNB/USDT': TWO,
  'TRX/USDT': TWO,
};

/**
 * Sources by product that the program ships, whose records anybody can look up: they settle. The table of products begins with them. A
 * product without any is closed with live prices.
 */
export const LIVE_SOURCES: Sources = {
  ...EXCHANGE_SOURCES,
  ...Object.fromEntries(
    [...VENDOR_SYMBOLS.filter((symbol) => symbol in PYTH_FEEDS), ...STOCKS].map((symbol) => [
      symbol,
      ['pyth'],
    ]),
  ),
};

/** Sources by product that settle nothing: no new orders are taken while the records differ from them. */
export const GUARD_SOURCES: Sources = {
  ...Object.fromEntries(
    Object.keys(EXCHANGE_SOURCES).map((symbol) => [
      symbol,
      symbol === 'BTC/USDT' || symbol === 'ETH/USDT' ? ['bitstamp', 'bybit'] : ['bybit'],
    ]),
  ),
  ...Object.fromEntries(VENDOR_SYMBOLS.map((symbol) => [symbol, ['oanda', 'tiingo']])),
};

/** In live mode money is at stake, and one source has no other that shows its error. */
const LEAST_SOURCES = { demo: 1, live: 2 } as const;

/** A product and its markets at its sources. */
export type Sourced = Pick<Product, 'symbol'> & {
  readonly listing: Pick<Product['listing'], 'sources' | 'guards'>;
};

/** How many sources a price needs: more than half. */
export const quorumOf = (sources: readonly string[]): number => Math.floor(sources.length / 2) + 1;

/**
 * The product's sources that settle, that the operator has and may use. None if they are too few for the mode: money needs two of them, or all
 * that a product has and a guard. The product is closed then.
 */
export function usableSources(product: Sourced, file: SourcesFile, mode: 'demo' | 'live'): readonly string[] {
  const listed = hadOf(product.listing.sources, product.symbol, file);
  const mayUse = (source: string) =>
    mode === 'demo' || (file[source]?.mayPublish === true && file[source].maySettle === true);
  const usable = listed.filter(mayUse);
  const all = usable.length + guardsOf(product, file).length;
  const least = LEAST_SOURCES[mode];
  return usable.length > 0 && usable.length >= Math.min(least, listed.length) && all >= least ? usable : [];
}

/** The product's guards that the operator has. They are neither published nor settle, so no right is asked for. */
export const guardsOf = ({ symbol, listing }: Sourced, file: SourcesFile): readonly string[] =>
  hadOf(listing.guards, symbol, file);

function hadOf(markets: Readonly<Record<string, string>>, symbol: string, file: SourcesFile): string[] {
  return VENUES.filter((venue) => accessOf(venue, file) !== null)
    .map(({ source }) => source)
    .filter((source) => Object.hasOwn(markets, source) && !file[source]?.without?.includes(symbol));
}

type Terms = Pick<ProductRules, 'quietMs' | 'waitMs' | 'outlierBps'>;

const OF_EXCHANGES: Terms = { quietMs: 5_000, waitMs: 5_000, outlierBps: 50 };
/** Pyth signs each second. */
const OF_PYTH: Terms = { quietMs: 3_000, waitMs: 5_000, outlierBps: 25 };

/** How old a record may be that decides, how long a fix waits for every source, and which record is an outlier. */
export const liveTermsOf = (assetClass: AssetClass): Terms =>
  assetClass === 'crypto' ? OF_EXCHANGES : OF_PYTH;

/** The markets of these products at a venue. */
export function listingsOf(
  venue: Venue,
  products: readonly (Sourced & { readonly id: number; readonly decimals: number })[],
): Map<string, SourceMarket> {
  return new Map(
    products.map(({ id, symbol, decimals, listing }) => {
      const market = listing.sources[venue.source] ?? listing.guards[venue.source] ?? '';
      return [market, { productId: id, decimals, symbol, market }];
    }),
  );
}
