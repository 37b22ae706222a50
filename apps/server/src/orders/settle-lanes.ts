import { sqlState } from '../db/database.ts';
import {
  FROM_THE_MARK,
  type Lane,
  SETTLE_CHUNK,
  type SettlementParts,
  settleDueOrders,
} from './settle-orders.ts';

/** Chunks of so many disjoint sets of customers are settled side by side. */
const LANES = 2;

/** Settles all that is due, chunk by chunk; when it ends or throws, no lane is under way any more. `onChunk` runs after each full one: a long catch-up must not look like death. */
export async function settleAllDue(
  parts: SettlementParts,
  options: { isStopped: () => boolean; onChunk: () => Promise<unknown> },
): Promise<void> {
  const lanes = Array.from({ length: LANES }, (_, number) => ({ number, count: LANES }));
  const ends = await Promise.allSettled(lanes.map((lane) => settleLane(parts, lane, options)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function settleLane(
  parts: SettlementParts,
  lane: Lane,
  { isStopped, onChunk }: { isStopped: () => boolean; onChunk: () => Promise<unknown> },
): Promise<void> {
  let from = FROM_THE_MARK;
  while (!isStopped()) {
    const { settled, next } = await retried(() => settleDueOrders(parts, { lane, from }));
    if (settled < SETTLE_CHUNK) return;
    from = next;
    await onChunk();
  }
}

/** Deadlocks with a placement batch are rare and harmless: once more. */
export async function retried<T>(work: () => Promise<T>, tries = 3): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== '40P01' || attempt >= tries) throw error;
    }
  }
}
