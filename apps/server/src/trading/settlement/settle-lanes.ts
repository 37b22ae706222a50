import { failureOf, type Pool } from '../../platform/db/database.ts';
import { traced } from '../../platform/tracing.ts';
import { dueOrders, FROM_THE_MARK, type Lane, SETTLE_CHUNK, settleOrders } from './settle-orders.ts';

/** How many chunks, of disjoint sets of customers, are settled concurrently. */
const LANES = 2;
/** Due orders that one look lists. A look goes over all orders of its first product and second, settled or not. */
const LISTED = 250_000;

interface LaneOptions {
  /** How many orders the next transaction settles. */
  readonly size?: { now(): Promise<number> };
  readonly isStopped?: () => boolean;
  readonly onChunk?: () => Promise<unknown>;
}

/**
 * Settles all that is due, chunk by chunk; no lane runs any more when it returns or throws. `onChunk` runs between chunks, so
 * that the lease is renewed during a long catch-up.
 * @returns how many orders were settled
 */
export async function settleAllDue(pool: Pool, options: LaneOptions = {}): Promise<number> {
  const lanes = Array.from({ length: LANES }, (_, number) => ({ number, count: LANES }));
  const ends = await Promise.allSettled(lanes.map((lane) => settleLane(pool, lane, options)));
  let settled = 0;
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    settled += end.value;
  }
  return settled;
}

/** Settles what is due of one lane, until another engine settles it. @returns how many orders were settled */
export async function settleLane(pool: Pool, lane: Lane, options: LaneOptions = {}): Promise<number> {
  const { size = { now: async () => SETTLE_CHUNK }, isStopped = () => false, onChunk } = options;
  let all = 0;
  for (let from = FROM_THE_MARK; ; ) {
    const before = all;
    const { ids, next } = await dueOrders(pool, { limit: LISTED, lane, from });
    for (let at = 0; at < ids.length; ) {
      if (isStopped()) return all;
      const chunk = ids.slice(at, at + (await size.now()));
      const settled = await traced('settle orders', { lane: lane.number }, () =>
        retried(() => settleOrders(pool, chunk, lane)),
      );
      if (settled === null) return all;
      all += settled;
      at += chunk.length;
      if (at < ids.length || next !== null) await onChunk?.();
    }
    if (next === null || all === before) return all;
    from = next;
  }
}

/** From this rate of accepted orders per second on, chunks are small. */
const BUSY_RATE = 200;
const BUSY_CHUNK = 200;
const LOOK_EVERY_MS = 100;

/**
 * How many orders a chunk settles. A batch of orders nearly always needs a balance that a chunk has locked, and waits for the
 * chunk to end. While customers place orders chunks are small, which settles fewer per second but still more than are placed.
 * Keep one instance for the engine's lifetime: one turn of settlement is too short to measure the rate.
 */
export class ChunkSize {
  readonly #pool: Pool;
  #seen: { readonly batch: number; readonly ms: number } | null = null;
  #isBusy = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async now(): Promise<number> {
    const nowMs = performance.now();
    if (this.#seen === null || nowMs - this.#seen.ms >= LOOK_EVERY_MS) await this.#look(nowMs);
    return this.#isBusy ? BUSY_CHUNK : SETTLE_CHUNK;
  }

  /** Measures the rate of accepted orders since the last look. */
  async #look(nowMs: number): Promise<void> {
    const since = this.#seen;
    const { rows } = await this.#pool.query<{ next_batch: string; accepted: string }>({
      name: 'placing',
      text: `select next_batch, (select coalesce(sum(accepted), 0) from order_batches where number >= $1) as accepted
        from placement_head`,
      values: [since?.batch ?? Number.MAX_SAFE_INTEGER],
    });
    this.#seen = { batch: Number(rows[0]?.next_batch), ms: nowMs };
    if (since !== null) this.#isBusy = (Number(rows[0]?.accepted) * 1000) / (nowMs - since.ms) > BUSY_RATE;
  }
}

/** Retries what is rare and harmless: a deadlock with a placement batch. */
export async function retried<T>(work: () => Promise<T>, tries = 3): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (failureOf(error) !== '40P01' || attempt >= tries) throw error;
    }
  }
}
