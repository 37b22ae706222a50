import type { Points } from '@fairtick/money';
import type { GapReason, ListedQuote, ListedRecord } from '@fairtick/trading';

/** The facts that a tick or a gap states at a grid time. */
export type StatedPrice = { readonly timeMs: number; readonly quotes: readonly ListedQuote[] } & (
  | { readonly kind: 'tick'; readonly price: Points }
  | { readonly kind: 'gap'; readonly reason: GapReason }
);

/** An entry to be appended: its columns, and the text that they represent. */
export type DraftEntry =
  | (StatedPrice & {
      readonly productId: number;
      readonly n: number;
      readonly rulesId: number;
      readonly sources: readonly string[];
      readonly text: string;
    })
  | {
      readonly kind: 'fix' | 'close';
      readonly productId: number;
      readonly n: number;
      readonly timeMs: number;
      readonly fixMs: number;
      readonly price: Points;
      readonly isThin: boolean;
      /** A record is open, or a source has none: a `close` may follow. */
      readonly isOpen: boolean;
      readonly records: readonly ListedRecord[];
      readonly text: string;
    }
  | {
      readonly kind: 'orders';
      readonly timeMs: number;
      readonly firstBatch: number;
      readonly lastBatch: number;
      readonly text: string;
    }
  | {
      readonly kind: 'rules';
      readonly timeMs: number;
      readonly productId: number;
      readonly n: number;
      readonly text: string;
    }
  | { readonly kind: 'text'; readonly timeMs: number; readonly text: string };

/** A product's state after the entries so far; a row of product_states. */
export interface ProductState {
  readonly productId: number;
  readonly lastN: number;
  /** Time of its last tick or gap; 0 before the first. */
  readonly lastMs: number;
  readonly tick: {
    readonly n: number;
    readonly timeMs: number;
    readonly price: Points;
    readonly index: number;
  } | null;
  /** Since when prices have stopped and why; null while they have not. */
  readonly gap: { readonly reason: GapReason; readonly timeMs: number } | null;
  readonly ordersFromMs: number | null;
  readonly rulesId: number | null;
}
