/** The expected outcome of an order, by the recording alone: an order settles on what the source has on record. */
import type { PriceHistory } from './price-history.ts';

/** An order as the product recorded it. */
export interface TakenOrder {
  readonly id: number;
  readonly direction: 'up' | 'down';
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly acceptedMs: number;
  readonly opensMs: number;
  readonly settlesMs: number;
  readonly minutes: number;
}

export interface Outcome {
  readonly openPrice: bigint | null;
  readonly settlePrice: bigint | null;
  readonly result: 'profit' | 'loss' | 'none';
  readonly credited: bigint;
  /** `null` unless the order is void. */
  readonly voidReason: string | null;
}

/** D of replays, and how old a row may be at an opening. */
const DELAY_MS = 2_000;
const QUIET_MS = 300_000;

/** The opening time of an order that names none: the first whole second at or after acceptance + D. */
export const opensAt = ({ acceptedMs }: Pick<TakenOrder, 'acceptedMs'>): number =>
  Math.ceil((acceptedMs + DELAY_MS) / 1000) * 1000;

export const settlesAt = (order: Pick<TakenOrder, 'acceptedMs' | 'minutes'>): number =>
  opensAt(order) + order.minutes * 60_000;

/** The outcome by the last rows planned at or before both times. */
export function judgeByRecording(order: TakenOrder, history: PriceHistory): Outcome {
  const { opensMs, settlesMs, direction, stake, payoutRateBps } = order;
  const [open, settle] = [history.lastAt(opensMs), history.lastAt(settlesMs)];
  if (open === null || settle === null) throw new Error('an order was taken before the recording began');
  if (opensMs - open.plannedMs > QUIET_MS)
    return { openPrice: null, settlePrice: null, result: 'none', credited: stake, voidReason: 'no_price' };
  const ended = (result: Outcome['result'], credited: bigint): Outcome => ({
    openPrice: open.price,
    settlePrice: settle.price,
    result,
    credited,
    voidReason: null,
  });
  if (settle.price === open.price) return ended('none', stake);
  const hasWon = settle.price > open.price === (direction === 'up');
  return hasWon ? ended('profit', stake + (stake * BigInt(payoutRateBps)) / 10_000n) : ended('loss', 0n);
}
