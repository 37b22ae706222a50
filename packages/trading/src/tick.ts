import type { Points } from '@fairtick/money';

/** One source's price as the feed received it. Times are Unix ms of the log's clock (`sourceMs`: the source's). */
export interface Quote {
  readonly source: string;
  readonly price: Points;
  readonly sourceMs: number;
  readonly sourceSeq: bigint;
  readonly receivedMs: number;
}

export type QuoteUse = 'use' | 'stale' | 'outlier';

/** A quote in a tick, with the price rule's verdict on it. */
export interface JudgedQuote extends Quote {
  readonly use: QuoteUse;
}

/** A source that the rules name and that has sent no quote yet. */
export interface AbsentQuote {
  readonly source: string;
  readonly use: 'none';
}

/** What an entry lists for one source. */
export type ListedQuote = JudgedQuote | AbsentQuote;

/** A price of one product for screens and charts; orders are decided by fixes. `n` rises by exactly one with every tick or gap of the product, and `timeMs` rises too. */
export interface Tick {
  readonly kind: 'tick';
  readonly n: number;
  readonly timeMs: number;
  readonly price: Points;
  /** One quote for each source that the rules name, ascending by source. */
  readonly quotes: readonly ListedQuote[];
}

export const GAP_REASONS = ['quorum', 'clock', 'restart', 'session', 'halt', 'end'] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** Prices stopped here. The gap takes the product's next number, so that an omitted gap is detected. */
export interface Gap {
  readonly kind: 'gap';
  readonly n: number;
  readonly timeMs: number;
  readonly reason: GapReason;
  /** As in a tick; always listed where the reason is `quorum`, else possibly empty. */
  readonly quotes: readonly ListedQuote[];
}
