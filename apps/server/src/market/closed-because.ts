import type { ClosedReason } from '@fairtick/protocol';
import { LIVE_SOURCES } from './feeds/live/live-products.ts';
import type { MarketRow } from './market-view.ts';
import type { Product } from './products.ts';

/**
 * Why a product takes no orders; null while it is open. Too few current sources do not close a product: its prices stop, and come
 * back by themselves.
 * @param feed the name in the setting `FEED`  @param isInHours whether a trading period of its rules is under way
 */
export function closedBecause(
  { product, rules, gap }: Pick<MarketRow, 'product' | 'gap'> & { readonly rules: object | null },
  { feed, isInHours }: { feed: string; isInHours: boolean },
): ClosedReason | null {
  if (feed === 'live' && (!rules || gap === 'end' || !Object.hasOwn(LIVE_SOURCES, product.symbol)))
    return withoutSource(product);
  if (!rules) return 'no_source';
  if (gap === 'end') return 'ended';
  if (!isInHours || gap === 'session') return 'hours';
  return gap === 'halt' ? 'halt' : null;
}

/** The names and values of indices belong to their makers: without a licence no source may be used. */
const withoutSource = ({ assetClass }: Product): ClosedReason =>
  assetClass === 'index' ? 'no_licence' : 'no_source';
