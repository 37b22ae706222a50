import type { Points } from '@fairtick/money';
import type { VoidReason } from './decide-opening.ts';

export const DIRECTIONS = ['up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** `none`: the price did not move, or the order was void; the stake went back. */
export type Result = 'profit' | 'loss' | 'none';

export interface SettlementQuestion {
  readonly openPrice: Points;
  /** The product's last tick at or before the settlement time. */
  readonly settleTick: { readonly price: Points; readonly timeMs: number };
  readonly settlesAtMs: number;
  /** How old that tick may be at the settlement time. */
  readonly settleBoundMs: number;
}

/**
 * What a settlement means for each direction, before any stake is looked at: an order of a whole batch with the same
 * product, acceptance and cycle shares it.
 */
export type Verdict = Readonly<
  Record<Direction, { readonly result: Result; readonly voidReason: VoidReason | null }>
>;

/**
 * Rules 4 to 6 of an order. Up wins when the settlement price is above the opening price, down when it is below; equal
 * returns the stake. If the settlement tick is too old it decides only where it pays the customer: stopping the feed
 * can only cost the house.
 */
export function decideSettlement(question: SettlementQuestion): Verdict {
  const { openPrice, settleTick, settlesAtMs, settleBoundMs } = question;
  if (settleTick.timeMs > settlesAtMs) throw new Error('a settlement tick after the settlement time');
  const isStale = settlesAtMs - settleTick.timeMs > settleBoundMs;
  const rose = settleTick.price > openPrice;
  const fell = settleTick.price < openPrice;
  const verdictFor = (wins: boolean, loses: boolean) => {
    if (wins) return { result: 'profit', voidReason: null } as const;
    if (isStale) return { result: 'none', voidReason: 'stale' } as const;
    return { result: loses ? 'loss' : 'none', voidReason: null } as const;
  };
  return { up: verdictFor(rose, fell), down: verdictFor(fell, rose) };
}

/** The verdict of an order that is void whatever the price did. */
export function voidVerdict(reason: VoidReason): Verdict {
  const nothing = { result: 'none', voidReason: reason } as const;
  return { up: nothing, down: nothing };
}

/** Acceptance + cycle, rounded up to a whole second (rule 1). */
export function settlementTime(acceptedAtMs: number, minutes: number): number {
  return Math.ceil((acceptedAtMs + minutes * 60_000) / 1000) * 1000;
}
