import type { Closed, ClosedReason } from '@fairtick/protocol';
import { SETTLE_IN_MS, type TradingPeriod } from '@fairtick/trading';
import type { MarketRow } from './market-view.ts';
import type { OrderStops } from './order-stops.ts';
import type { Product } from './products.ts';
import { TradingHours } from './trading-hours.ts';

/** A product that nobody watches ticks every 5 s; one that did not tick for this long has no reliable price. */
const SILENT_MS = 15_000;
/** Some product ticks at each grid time; a log that is silent for this long has no writer. */
const LOG_SILENT_MS = 5_000;

export interface StateParts {
  /** The feed's name in the setting `FEED`. */
  readonly feed: string;
  /** The log's time. */
  readonly nowMs: () => number;
  /** The time of the log's last entry; null: unknown. */
  readonly logMs: () => number | null;
  readonly stops: () => OrderStops;
}

type StateRow = Pick<MarketRow, 'product' | 'rules' | 'gap' | 'priceMs' | 'ordersFromMs' | 'sourcesNow'>;

/**
 * The state of a product, which every screen shows: why it takes no orders, or null while it takes them. The door of placement
 * decides by itself and is stricter in one point: a tick must be at most 500 ms old.
 */
export function closedOf(row: StateRow, parts: StateParts): Closed | null {
  const { nowMs, stops } = parts;
  const { product, rules, priceMs } = row;
  const because = closedBecause(row, parts);
  if (because === null) return null;
  const closed: Closed = { because, since: null, until: null, reason: null, sources: null, assets: null };
  switch (because) {
    case 'hours': {
      if (!rules) return closed;
      const hours = TradingHours.of(rules.rules.schedule);
      return {
        ...closed,
        since: hours.closedAt(nowMs()),
        until: hours.opensAt(nowMs()),
      };
    }
    case 'halt': {
      const halt = stops().all ?? stops().halted.get(product.id);
      return { ...closed, since: halt?.sinceMs ?? null, reason: halt?.reason ?? null };
    }
    case 'no_price':
      return { ...closed, since: priceMs, sources: countOf(row) };
    case 'maintenance':
    case 'disagreement':
      return { ...closed, since: priceMs };
    case 'full':
      return { ...closed, assets: stops().full.get(product.id) ?? [] };
    default:
      return closed;
  }
}

/** The first reason that holds; what closes a product for longer is told first. */
function closedBecause(row: StateRow, { feed, nowMs, logMs, stops }: StateParts): ClosedReason | null {
  const { product, rules, gap } = row;
  if (feed === 'live' && (!rules || gap === 'end' || !hasLiveSource(product))) return withoutSource(product);
  if (!rules) return 'no_source';
  if (gap === 'end') return 'ended';
  const hours = TradingHours.of(rules.rules.schedule);
  const period = hours.periodAt(nowMs());
  if (!period || gap === 'session')
    return product.closesOn && hours.opensAt(nowMs()) === null ? 'ended' : 'hours';
  const { all, halted, full } = stops();
  if (all || halted.has(product.id)) return 'halt';
  const logged = logMs();
  if (logged !== null && nowMs() - logged > LOG_SILENT_MS) return 'maintenance';
  if (gap === 'restart' || gap === 'clock') return 'maintenance';
  if (gap === 'halt') return 'disagreement';
  if (!isPriceReliable(row, period, nowMs())) return 'no_price';
  return full.has(product.id) ? 'full' : null;
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

const countOf = ({ rules, sourcesNow }: StateRow): Closed['sources'] =>
  rules && sourcesNow !== null && sourcesNow < rules.rules.quorum
    ? { now: sourcesNow, all: rules.rules.sources.length, needed: rules.rules.quorum }
    : null;

const hasLiveSource = ({ listing }: Product): boolean => Object.keys(listing.sources).length > 0;

/** The names and values of indices belong to their makers: without a licence no source may be used. */
const withoutSource = ({ assetClass }: Product): ClosedReason =>
  assetClass === 'index' ? 'no_licence' : 'no_source';
