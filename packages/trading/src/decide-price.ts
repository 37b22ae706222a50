import { type Points, points } from '@fairtick/money';
import type { ProductRules } from './rules.ts';
import type { JudgedQuote, ListedQuote, Quote } from './tick.ts';

export interface PriceQuestion {
  /** The latest quote of each source, at most one per source. Sources that the rules don't name are ignored. */
  readonly quotes: readonly Quote[];
  readonly timeMs: number;
  readonly rules: Pick<ProductRules, 'sources' | 'quorum' | 'lagMs' | 'staleMs' | 'outlierBps'>;
}

export interface PriceAnswer {
  /** Null where fewer quotes than the quorum are of use. */
  readonly price: Points | null;
  /** One quote for each source that the rules name, ascending by source. */
  readonly quotes: readonly ListedQuote[];
}

/**
 * The price of a product at one moment: the median of its current quotes without the outliers. A quote is current when the older of
 * its source time and its receive time is within `staleMs`, it was received by `timeMs`, and its source time is at least `lagMs` before
 * that; an outlier is further than `outlierBps`
 * from the median of the current quotes. No earlier price enters.
 */
export function decidePrice({ quotes, timeMs, rules }: PriceQuestion): PriceAnswer {
  const bySource = new Map(quotes.map((quote) => [quote.source, quote]));
  const isCurrent = (quote: Quote) =>
    timeMs - Math.min(quote.sourceMs, quote.receivedMs) <= rules.staleMs &&
    quote.receivedMs <= timeMs &&
    quote.sourceMs <= timeMs - rules.lagMs;
  const named = [...rules.sources].sort();
  const current = named.flatMap((source) => bySource.get(source) ?? []).filter(isCurrent);
  const centre = current.length > 0 ? medianOf(current) : null;
  const judge = (quote: Quote): JudgedQuote => {
    if (centre === null || !isCurrent(quote)) return { ...quote, use: 'stale' };
    return { ...quote, use: isOutlier(quote.price, centre, rules.outlierBps) ? 'outlier' : 'use' };
  };
  const listed = named.map((source): ListedQuote => {
    const quote = bySource.get(source);
    return quote ? judge(quote) : { source, use: 'none' };
  });
  const used = listed.filter((quote): quote is JudgedQuote => quote.use === 'use');
  const hasQuorum = used.length >= Math.max(1, rules.quorum);
  return { price: hasQuorum ? medianOf(used) : null, quotes: listed };
}

/** Median; for an even count, the mean of the middle two, rounded down to a unit of the last decimal. */
function medianOf(quotes: readonly Quote[]): Points {
  const prices = quotes.map((quote) => quote.price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = prices[prices.length >> 1] as Points;
  if (prices.length % 2 === 1) return upper;
  return points(((prices[(prices.length >> 1) - 1] as Points) + upper) / 2n);
}

function isOutlier(price: Points, centre: Points, outlierBps: number): boolean {
  const distance = price > centre ? price - centre : centre - price;
  return distance * 10_000n > centre * BigInt(outlierBps);
}
