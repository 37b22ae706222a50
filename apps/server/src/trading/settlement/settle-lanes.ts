import { failureOf, type Pool } from '../../platform/db/database.ts';
import { FROM_THE_MARK, type Lane, SETTLE_CHUNK, settleDueOrders } from './settle-orders.ts';

/** How many chunks, of disjoint sets of customers, are settled concurrently. */
const LANES = 2;

interface LaneOptions {
  readonly size: ChunkSize;
  readonly isStopped: () => boolean;
  readonly onChunk: () => Promise<unknown>;
}

/**
 * Settles all that is due, chunk by chunk; no lane runs any more when it returns or throws. `onChunk` runs after each full chunk,
 * so that the lease is renewed during a long catch-up.
 */
export async function settleAllDue(pool: Pool, options: LaneOptions): Promise<void> {
  const lanes = Array.from({ length: LANES }, (_, number) => ({ number, count: LANES }));
  const ends = await Promise.allSettled(lanes.map((lane) => settleLane(pool, lane, options)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function settleLane(pool: Pool, lane: Lane, { size, isStopped, onChunk }: LaneOptions): Promise<void> {
  let from = FROM_THE_MARK;
  while (!isStopped()) {
    const limit = await size.now();
    const { settled, next } = await retried(() => settleDueOrders(pool, { limit, lane, from }));
    if (settled < limit) return;
    from = next;
    await onChunk();
  }
}

/** From this rate of accepted orders per second on, chunks are small. */
const BUSY_RATE = 200;
const BUSY_CHUNK = 250;
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

/**
 * Retries what is rare and harmless: a deadlock with a placement batch, and an outcome that a `close` has changed since it was
 * decided.
 */
export async function retried<T>(work: () => Promise<T>, tries = 3): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!['40P01', 'NOT_BY_THE_RULES'].includes(failureOf(error) ?? '') || attempt >= tries) throw error;
    }
  }
}
