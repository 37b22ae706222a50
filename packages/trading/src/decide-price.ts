import type { Points } from '@fairtick/money';
import { isOutlier, medianOf } from './median.ts';
import type { ProductRules } from './rules.ts';
import type { JudgedQuote, ListedQuote, Quote } from './tick.ts';

export interface PriceQuestion {
  /** The latest quote of each source, at most one per source. Sources that the rules don't name are ignored. */
  readonly quotes: readonly Quote[];
  readonly timeMs: number;
  readonly rules: Pick<ProductRules, 'sources' | 'quorum' | 'quietMs' | 'outlierBps'>;
}

export interface PriceAnswer {
  /** Null where fewer quotes than the quorum are of use. */
  readonly price: Points | null;
  /** One quote for each source that the rules name, ascending by source. */
  readonly quotes: readonly ListedQuote[];
}

/**
 * The price of a tick, which screens show and which decides nothing: the median of its current quotes without the outliers. A quote
 * is current when the older of its source time and its receive time is within `quietMs`, and neither is after the tick; an outlier is
 * further than `outlierBps` from the median of the current quotes. No earlier price enters.
 */
export function decidePrice({ quotes, timeMs, rules }: PriceQuestion): PriceAnswer {
  const bySource = new Map(quotes.map((quote) => [quote.source, quote]));
  const isCurrent = (quote: Quote) =>
    timeMs - Math.min(quote.sourceMs, quote.receivedMs) <= rules.quietMs &&
    quote.receivedMs <= timeMs &&
    quote.sourceMs <= timeMs;
  const named = [...rules.sources].sort();
  const current = named.flatMap((source) => bySource.get(source) ?? []).filter(isCurrent);
  const centre = current.length > 0 ? medianOf(current.map(({ price }) => price)) : null;
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
  return { price: hasQuorum ? medianOf(used.map(({ price }) => price)) : null, quotes: listed };
}
