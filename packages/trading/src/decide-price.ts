import type { Points } from '@fairtick/money';
import type { ProductRules } from './rules.ts';
import type { JudgedQuote, Quote } from './tick.ts';

type PriceRules = Pick<ProductRules, 'quorum' | 'staleMs' | 'outlierBps'>;

export interface PriceQuestion {
  /** The latest quote of each source, at most one per source. */
  readonly quotes: readonly Quote[];
  readonly timeMs: number;
  /** The product's previous tick, if it ever had one. */
  readonly previous: { readonly price: Points; readonly timeMs: number } | null;
  readonly rules: PriceRules;
}

export type PriceAnswer =
  | {
      readonly kind: 'price';
      readonly price: Points;
      readonly isNew: boolean;
      readonly quotes: readonly JudgedQuote[];
    }
  | { readonly kind: 'no-quorum'; readonly quotes: readonly JudgedQuote[] };

/**
 * The price of a product at one moment: the median of its current quotes without the outliers. A quote is current when the older of
 * its source time and its receive time is within `staleMs`; an outlier is further than `outlierBps` from the median of the current
 * quotes. If no used quote arrived since the previous tick, the answer restates that tick's price (`isNew` false).
 */
export function decidePrice({ quotes, timeMs, previous, rules }: PriceQuestion): PriceAnswer {
  const sorted = [...quotes].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0));
  const isCurrent = (quote: Quote) =>
    timeMs - Math.min(quote.sourceMs, quote.receivedMs) <= rules.staleMs && quote.receivedMs <= timeMs;
  const current = sorted.filter(isCurrent);
  const centre = current.length > 0 ? medianOf(current, previous?.price ?? null) : null;
  const judged: JudgedQuote[] = sorted.map((quote) => ({
    ...quote,
    use: !isCurrent(quote)
      ? 'stale'
      : isOutlier(quote.price, centre as Points, rules.outlierBps)
        ? 'outlier'
        : 'use',
  }));
  const used = judged.filter((quote) => quote.use === 'use');
  if (used.length < Math.max(1, rules.quorum)) return { kind: 'no-quorum', quotes: judged };
  const isNew = previous === null || used.some((quote) => quote.receivedMs > previous.timeMs);
  const price = isNew ? medianOf(used, previous?.price ?? null) : (previous as { price: Points }).price;
  return { kind: 'price', price, isNew, quotes: judged };
}

/**
 * Median; for an even count, the middle value nearer to the previous price, or the lower one on a tie or without a previous
 * price.
 */
function medianOf(quotes: readonly Quote[], previous: Points | null): Points {
  const prices = quotes.map((quote) => quote.price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = prices[prices.length >> 1] as Points;
  if (prices.length % 2 === 1) return upper;
  const lower = prices[(prices.length >> 1) - 1] as Points;
  if (previous === null) return lower;
  return distance(upper, previous) < distance(lower, previous) ? upper : lower;
}

function isOutlier(price: Points, centre: Points, outlierBps: number): boolean {
  return distance(price, centre) * 10_000n > centre * BigInt(outlierBps);
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}
