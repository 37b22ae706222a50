/** What an order has to come to: by the recording where that is certain, else by the order of the log's entries. */

import type { PriceHistory } from './price-history.ts';
import type { LoggedOrders, LoggedPrice } from './read-log.ts';

/** What the house says that it took. Amounts are in the asset's smallest unit. */
export interface TakenOrder {
  readonly id: number;
  readonly batch: number;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly acceptedMs: number;
  readonly settlesMs: number;
}

export interface Outcome {
  readonly openPrice: bigint | null;
  readonly settlePrice: bigint | null;
  readonly result: 'profit' | 'loss' | 'none';
  readonly credited: bigint;
  /** `null` unless the order is void. */
  readonly voidReason: string | null;
}

/** An order that finds no price in this time after its acceptance is void. */
const OPENS_WITHIN_MS = 5_000;
/** Replays: how old the last price may be at settlement. */
const SETTLE_BOUND_MS = 300_000;
const LOGGED_WITHIN_MS = 2_000;
/** Closer than this to a planned quote, it hangs on milliseconds which came first. */
const CLOSE_MS = 100;

/** Acceptance and cycle, rounded up to a whole second. */
export function settlesAt({ acceptedMs, minutes }: Pick<TakenOrder, 'acceptedMs' | 'minutes'>): number {
  return Math.ceil((acceptedMs + minutes * 60_000) / 1000) * 1000;
}

/** Whether the recording alone can't say: a quote is planned close to the acceptance or the settlement. */
export function hangsOnTheLog(order: TakenOrder, history: PriceHistory): boolean {
  return history.isNear(order.acceptedMs, CLOSE_MS) || history.isNear(order.settlesMs, CLOSE_MS);
}

/**
 * By the recording.
 * @param dueTimes ascending: settlement times of all orders, at which the last price is said again
 */
export function judgeByRecording(
  order: TakenOrder,
  history: PriceHistory,
  dueTimes: readonly number[],
): Outcome {
  const { acceptedMs, settlesMs } = order;
  const open = history.firstFrom(acceptedMs);
  const opensBy = Math.min(acceptedMs + OPENS_WITHIN_MS, settlesMs);
  const quarterMs = open?.quarterMs ?? Number.POSITIVE_INFINITY;
  const stopMs = history.stopBetween(acceptedMs, Math.min(quarterMs, opensBy + 1));
  if (stopMs !== null) return voided(order, 'gap');
  if (open === null || quarterMs > opensBy) return voided(order, 'no_open');
  const last = history.lastAt(settlesMs);
  if (last === null) throw new Error('an order opened that has no price before its end');
  const again = history.saidAgain(dueTimes.filter((dueMs) => dueMs >= last.plannedMs && dueMs <= settlesMs));
  const saidMs = again.findLast(({ timeMs }) => timeMs <= settlesMs)?.timeMs ?? last.quarterMs;
  return settled(order, open.price, last.price, settlesMs - saidMs);
}

/** By the log's entries of this product, as they were rendered. */
export function judgeByLog(
  order: TakenOrder,
  prices: readonly LoggedPrice[],
  batches: readonly LoggedOrders[],
): Outcome {
  const { acceptedMs, settlesMs } = order;
  const logged = batches.find(({ first, last }) => first <= order.batch && order.batch <= last);
  if (!logged || logged.timeMs > acceptedMs + LOGGED_WITHIN_MS) return voided(order, 'not_logged');
  const opensBy = Math.min(acceptedMs + OPENS_WITHIN_MS, settlesMs);
  let open: LoggedPrice | null = null;
  for (const price of prices) {
    if (price.index < logged.index) continue;
    if (price.timeMs > opensBy) return voided(order, 'no_open');
    if (price.value === null) return voided(order, 'gap');
    const late = price.receivedMs.filter((receivedMs) => receivedMs >= acceptedMs);
    if (price.timeMs < acceptedMs || late.length * 2 <= price.receivedMs.length) continue;
    open = price;
    break;
  }
  if (open === null) return voided(order, 'no_open');
  const settle = prices.findLast((price) => price.value !== null && price.timeMs <= settlesMs);
  if (!settle) throw new Error('an order opened that has no price before its end');
  return settled(order, open.value as bigint, settle.value as bigint, settlesMs - settle.timeMs);
}

function voided(order: TakenOrder, voidReason: string): Outcome {
  return { openPrice: null, settlePrice: null, result: 'none', credited: order.stake, voidReason };
}

function settled(order: TakenOrder, openPrice: bigint, settlePrice: bigint, ageMs: number): Outcome {
  const isRight = order.direction === 'up' ? settlePrice > openPrice : settlePrice < openPrice;
  if (isRight) {
    const income = (order.stake * BigInt(order.payoutRateBps)) / 10_000n;
    return { openPrice, settlePrice, result: 'profit', credited: order.stake + income, voidReason: null };
  }
  const kept = { openPrice, settlePrice };
  if (ageMs > SETTLE_BOUND_MS) return { ...kept, result: 'none', credited: order.stake, voidReason: 'stale' };
  if (settlePrice === openPrice) return { ...kept, result: 'none', credited: order.stake, voidReason: null };
  return { ...kept, result: 'loss', credited: 0n, voidReason: null };
}
