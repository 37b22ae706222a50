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

/** An accepted price of one product. `n` rises by exactly one with every tick or gap of the product. */
export interface Tick {
  readonly kind: 'tick';
  readonly n: number;
  readonly timeMs: number;
  readonly price: Points;
  /** `true`: at least one used quote arrived since the previous tick; `false`: that tick's price restated. */
  readonly isNew: boolean;
  readonly quotes: readonly JudgedQuote[];
}

export const GAP_REASONS = ['quorum', 'clock', 'restart', 'session', 'halt', 'end'] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** Prices stopped here. The gap takes the product's next number, so that an omitted gap is detected. */
export interface Gap {
  readonly kind: 'gap';
  readonly n: number;
  readonly timeMs: number;
  readonly reason: GapReason;
}

export type SymbolEntry = Tick | Gap;
