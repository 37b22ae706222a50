/** The expected outcome of an order: by the recording where it is certain, else by the order of the log's entries. */

import {
  type LoggedOrders,
  type LoggedPrice,
  lastOpening,
  type NaiveOrder,
  outcomeByLog,
  resultOf,
} from '../../judges/naive-settlement.ts';
import type { PriceHistory } from './price-history.ts';
import { pointsOf } from './quotes-of-rows.ts';

/** An order as the product recorded it. */
export interface TakenOrder extends Omit<NaiveOrder, 'delayMs' | 'openWithinMs'> {
  readonly id: number;
  readonly acceptedMs: number;
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

/** The rules of replays, whatever the log says. */
const RULES = { delayMs: 2_000, openWithinMs: 5_000 };
const QUARTER_MS = 250;
/** Closer than this to a planned quote, milliseconds decide which came first. */
const CLOSE_MS = 100;

/** The opening time of an order that names none: the first quarter second at or after acceptance + D. */
export const opensAt = ({ acceptedMs }: Pick<TakenOrder, 'acceptedMs'>): number =>
  Math.ceil((acceptedMs + RULES.delayMs) / QUARTER_MS) * QUARTER_MS;

/** Opening time plus cycle, rounded up to a whole second. */
export function settlesAt(order: Pick<TakenOrder, 'acceptedMs' | 'minutes'>): number {
  return Math.ceil((opensAt(order) + order.minutes * 60_000) / 1000) * 1000;
}

/** Whether the recording alone can't decide: a quote is planned close to the acceptance or the settlement. */
export function hangsOnTheLog(order: TakenOrder, history: PriceHistory): boolean {
  return history.isNear(order.opensMs - RULES.delayMs, CLOSE_MS) || history.isNear(order.settlesMs, CLOSE_MS);
}

/** The outcome by the recording, if the log has a tick at every quarter second from the acceptance to the settlement, except after stops. */
export function judgeByRecording(order: TakenOrder, history: PriceHistory): Outcome {
  const { opensMs, settlesMs } = order;
  const untilMs = lastOpening({ ...RULES, opensMs, settlesMs });
  const last = history.lastAt(settlesMs);
  const beforeMs = history.lastAt(opensMs - QUARTER_MS)?.plannedMs ?? 0;
  for (let timeMs = opensMs; timeMs <= untilMs; timeMs += QUARTER_MS) {
    if (history.stopBetween(beforeMs, timeMs + 1) !== null) return voided(order, 'gap');
    const open = history.lastAt(timeMs);
    if (open === null || open.plannedMs < opensMs - RULES.delayMs) continue;
    if (last === null) throw new Error('an order opened that has no price before its end');
    const isStopped = history.stopBetween(last.plannedMs, settlesMs + 1) !== null;
    return settled(order, open.price, isStopped ? null : last.price);
  }
  return voided(order, 'no_open');
}

/** The outcome by the log's entries of this product, as they were rendered. */
export function judgeByLog(
  order: TakenOrder,
  { prices, batches }: { prices: readonly LoggedPrice[]; batches: readonly LoggedOrders[] },
  decimals: number,
): Outcome {
  const { result, credited, reason, ...by } = outcomeByLog({ ...order, ...RULES }, prices, batches);
  const points = (price: string | null) => (price === null ? null : pointsOf(price, decimals));
  const [openPrice, settlePrice] = [points(by.openPrice), points(by.settlePrice)];
  return { openPrice, settlePrice, result, credited, voidReason: reason };
}

function voided(order: TakenOrder, voidReason: string): Outcome {
  const credited = order.stake + order.stake / 10n;
  return { openPrice: null, settlePrice: null, result: 'none', credited, voidReason };
}

function settled(order: TakenOrder, openPrice: bigint, settlePrice: bigint | null): Outcome {
  const moved = settlePrice === null ? null : Number(settlePrice - openPrice);
  const { result, credited, reason } = resultOf({ ...order, ...RULES }, moved);
  return { openPrice, settlePrice, result, credited, voidReason: reason };
}
