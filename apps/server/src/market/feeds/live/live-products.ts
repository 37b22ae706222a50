import type { Listing } from './quote-board.ts';
import type { Venue } from './venue.ts';

/** Which venues have a market of a crypto product against USDT; markets against dollars are another price and never mixed in. */
const ALL = ['binance', 'bitstamp', 'bybit', 'coinbase', 'kraken', 'okx'];
const FIVE = ['binance', 'bybit', 'coinbase', 'kraken', 'okx'];
const THREE = ['binance', 'bybit', 'okx'];

/** Sources by product. A product that is not here has none and is closed with live prices. */
export const LIVE_SOURCES: Readonly<Record<string, readonly string[]>> = {
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

/** How many sources a price needs: more than half. */
export const quorumOf = (sources: readonly string[]): number => Math.floor(sources.length / 2) + 1;

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
