import type { Direction } from './direction.ts';
import type { Worth } from './tick-worth.ts';
import type { VoidReason } from './void-reasons.ts';

/** `none`: the price did not move, or the order was void. */
export type Result = 'profit' | 'loss' | 'none';

export interface SettlementQuestion {
  /** What the opening tick is worth at the opening. */
  readonly open: Worth;
  /** What the product's tick of exactly the settlement time is worth at the settlement; null: there is none, or it is not current. */
  readonly settle: Worth | null;
}

/**
 * The result for each direction, independent of stakes: all orders of a batch with the same product, opening time and cycle share
 * it.
 */
export type Verdict = Readonly<
  Record<Direction, { readonly result: Result; readonly voidReason: VoidReason | null }>
>;

/**
 * Rules 4, 5 and 7 of an order. Up wins when the settlement price is above the opening price, down when it is below; equal returns
 * the stake. Without a current tick of exactly the settlement time the order wins, so that silence only costs the house.
 */
export function decideSettlement({ open, settle }: SettlementQuestion): Verdict {
  const resultOf = (direction: Direction): Result => {
    if (settle === null) return 'profit';
    const moved = settle[direction] - open[direction];
    if (moved === 0n) return 'none';
    return moved > 0n === (direction === 'up') ? 'profit' : 'loss';
  };
  return {
    up: { result: resultOf('up'), voidReason: null },
    down: { result: resultOf('down'), voidReason: null },
  };
}

/** The verdict of an order that is void for any price. */
export function voidVerdict(reason: VoidReason): Verdict {
  const nothing = { result: 'none', voidReason: reason } as const;
  return { up: nothing, down: nothing };
}

/** Opening time + cycle, rounded up to a whole second (rule 1). */
export function settlementTime(opensAtMs: number, minutes: number): number {
  return Math.ceil((opensAtMs + minutes * 60_000) / 1000) * 1000;
}
