import type { Points } from '@fairtick/money';
import type { VoidReason } from './void-reasons.ts';

export const DIRECTIONS = ['up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** `none`: the price did not move, or the order was void; the stake goes back. */
export type Result = 'profit' | 'loss' | 'none';

export interface SettlementQuestion {
  readonly openPrice: Points;
  /** The product's last tick at or before the settlement time. */
  readonly settleTick: { readonly price: Points; readonly timeMs: number };
  readonly settlesAtMs: number;
}

/**
 * The result for each direction, independent of stakes: all orders of a batch with the same product, acceptance and cycle share
 * it.
 */
export type Verdict = Readonly<
  Record<Direction, { readonly result: Result; readonly voidReason: VoidReason | null }>
>;

/**
 * Rules 4 to 6 of an order. Up wins when the settlement price is above the opening price, down when it is below; equal returns
 * the stake. A tick of exactly the settlement time decides. An earlier one decides only if it pays the customer, so that silence
 * can only cost the house.
 */
export function decideSettlement(question: SettlementQuestion): Verdict {
  const { openPrice, settleTick, settlesAtMs } = question;
  if (settleTick.timeMs > settlesAtMs) throw new Error('a settlement tick after the settlement time');
  const isExact = settleTick.timeMs === settlesAtMs;
  const rose = settleTick.price > openPrice;
  const fell = settleTick.price < openPrice;
  const verdictFor = (wins: boolean, loses: boolean) => {
    if (wins) return { result: 'profit', voidReason: null } as const;
    if (!isExact) return { result: 'none', voidReason: 'no_settle' } as const;
    return { result: loses ? 'loss' : 'none', voidReason: null } as const;
  };
  return { up: verdictFor(rose, fell), down: verdictFor(fell, rose) };
}

/** The verdict of an order that is void for any price. */
export function voidVerdict(reason: VoidReason): Verdict {
  const nothing = { result: 'none', voidReason: reason } as const;
  return { up: nothing, down: nothing };
}

/** Acceptance + cycle, rounded up to a whole second (rule 1). */
export function settlementTime(acceptedAtMs: number, minutes: number): number {
  return Math.ceil((acceptedAtMs + minutes * 60_000) / 1000) * 1000;
}
