import type { Points } from '@fairtick/money';
import type { Direction } from './direction.ts';
import type { VoidReason } from './void-reasons.ts';

/** `none`: the price did not move, or the order was void. */
export type Result = 'profit' | 'loss' | 'none';

/** The prices of the fixes at the opening and at the settlement time. */
export interface FixedPrices {
  readonly open: Points;
  readonly settle: Points;
}

/**
 * The result for each direction, independent of stakes: all orders of a batch with the same product, opening time and cycle share
 * it.
 */
export type Verdict = Readonly<
  Record<Direction, { readonly result: Result; readonly voidReason: VoidReason | null }>
>;

/** Rules 4 and 6 of an order. Up wins when the settlement price is above the opening price, down when it is below; equal returns the stake. */
export function decideSettlement({ open, settle }: FixedPrices): Verdict {
  const resultOf = (direction: Direction): Result => {
    if (settle === open) return 'none';
    return settle > open === (direction === 'up') ? 'profit' : 'loss';
  };
  return {
    up: { result: resultOf('up'), voidReason: null },
    down: { result: resultOf('down'), voidReason: null },
  };
}

/** How good a result is for the customer. */
const RANK: Readonly<Record<Result, number>> = { loss: 0, none: 1, profit: 2 };

/** The better of two results for each direction: after a fix was closed with another price, an order counts by the better one. */
export function betterOf(first: Verdict, corrected: Verdict): Verdict {
  const better = (direction: Direction) =>
    RANK[corrected[direction].result] > RANK[first[direction].result]
      ? corrected[direction]
      : first[direction];
  return { up: better('up'), down: better('down') };
}

/** The verdict of an order that is void for any price. */
export function voidVerdict(reason: VoidReason): Verdict {
  const nothing = { result: 'none', voidReason: reason } as const;
  return { up: nothing, down: nothing };
}

/** The verdict of an order without a fix {@link MOST_FIX_WAIT_MS} after its time: it wins. */
export const UNFIXED: Verdict = {
  up: { result: 'profit', voidReason: null },
  down: { result: 'profit', voidReason: null },
};

/** Opening time + cycle; both are whole seconds (rule 1). */
export function settlementTime(opensAtMs: number, minutes: number): number {
  return opensAtMs + minutes * 60_000;
}
