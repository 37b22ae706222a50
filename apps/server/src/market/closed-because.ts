import type { ClosedReason } from '@fairtick/protocol';
import { SETTLE_IN_MS, type TradingPeriod } from '@fairtick/trading';
import type { MarketRow } from './market-view.ts';
import type { Product } from './products.ts';
import { TradingHours } from './trading-hours.ts';

/** A product that nobody watches ticks every 5 s; one that did not tick for this long has no reliable price. */
const SILENT_MS = 15_000;

export interface StateParts {
  /** The feed's name in the setting `FEED`. */
  readonly feed: string;
  /** The log's time. */
  readonly nowMs: () => number;
}

/**
 * The state of a product, which every screen shows: why it takes no orders, or null while it takes them. The door of placement
 * decides by itself and is stricter in one point: a tick must be at most 500 ms old.
 */
export function closedBecause(
  row: Pick<MarketRow, 'product' | 'rules' | 'gap' | 'priceMs' | 'ordersFromMs'>,
  { feed, nowMs }: StateParts,
): ClosedReason | null {
  const { product, rules, gap } = row;
  if (feed === 'live' && (!rules || gap === 'end' || !hasLiveSource(product))) return withoutSource(product);
  if (!rules) return 'no_source';
  if (gap === 'end') return 'ended';
  const hours = TradingHours.of(rules.rules.schedule);
  const period = hours.periodAt(nowMs());
  if (!period || gap === 'session')
    return product.closesOn && hours.opensAt(nowMs()) === null ? 'ended' : 'hours';
  if (gap === 'halt') return 'halt';
  return isPriceReliable(row, period, nowMs()) ? null : 'no_price';
}

/** Whether enough sources give a price now, and have done so since before orders are taken again. */
function isPriceReliable(
  { gap, priceMs, ordersFromMs }: Pick<MarketRow, 'gap' | 'priceMs' | 'ordersFromMs'>,
  period: TradingPeriod,
  nowMs: number,
): boolean {
  if (gap !== null || priceMs === null || ordersFromMs === null) return false;
  return nowMs >= Math.max(ordersFromMs, period.startMs + SETTLE_IN_MS) && nowMs - priceMs <= SILENT_MS;
}

const hasLiveSource = ({ listing }: Product): boolean => Object.keys(listing.sources).length > 0;

/** The names and values of indices belong to their makers: without a licence no source may be used. */
const withoutSource = ({ assetClass }: Product): ClosedReason =>
  assetClass === 'index' ? 'no_licence' : 'no_source';
