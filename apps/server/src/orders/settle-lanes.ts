import { type Pool, sqlState } from '../db/database.ts';
import {
  FROM_THE_MARK,
  type Lane,
  SETTLE_CHUNK,
  type SettlementParts,
  settleDueOrders,
} from './settle-orders.ts';

/** Chunks of so many disjoint sets of customers are settled side by side. */
const LANES = 2;
/** Customers who place orders make more batches a second than this; a few orders now and then don't. */
const BUSY_BATCHES = 20;
const LOOK_EVERY_MS = 40;

interface LaneOptions {
  readonly isStopped: () => boolean;
  readonly onChunk: () => Promise<unknown>;
}

/** Settles all that is due, chunk by chunk; when it ends or throws, no lane is under way any more. `onChunk` runs after each full one: a long catch-up must not look like death. */
export async function settleAllDue(parts: SettlementParts, options: LaneOptions): Promise<void> {
  const lanes = Array.from({ length: LANES }, (_, number) => ({ number, count: LANES }));
  const turns = new Turns(parts.pool);
  const ends = await Promise.allSettled(lanes.map((lane) => settleLane(parts, lane, { ...options, turns })));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function settleLane(
  parts: SettlementParts,
  lane: Lane,
  { isStopped, onChunk, turns }: LaneOptions & { readonly turns: Turns },
): Promise<void> {
  let from = FROM_THE_MARK;
  while (!isStopped()) {
    const { settled, next } = await turns.take(() => retried(() => settleDueOrders(parts, { lane, from })));
    if (settled < SETTLE_CHUNK) return;
    from = next;
    await onChunk();
  }
}

/**
 * Lanes work side by side while nobody places orders, and one after the other while customers do: what is due is paid a little
 * later, but who waits for an answer has half the machine.
 */
class Turns {
  readonly #pool: Pool;
  #last: Promise<unknown> = Promise.resolve();
  #seen: { readonly batch: number; readonly ms: number } | null = null;
  #isBusy = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async take<T>(chunk: () => Promise<T>): Promise<T> {
    await this.#look();
    if (!this.#isBusy) return chunk();
    const mine = this.#last.then(chunk);
    // Whoever comes next waits for the end of this one, however it ended; how, the lane is told.
    this.#last = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  async #look(): Promise<void> {
    const { rows } = await this.#pool.query<{ next_batch: string }>({
      name: 'placing',
      text: 'select next_batch from placement_head',
    });
    const seen = { batch: Number(rows[0]?.next_batch), ms: performance.now() };
    const since = this.#seen;
    if (since !== null && seen.ms - since.ms < LOOK_EVERY_MS) return;
    this.#seen = seen;
    if (since !== null)
      this.#isBusy = ((seen.batch - since.batch) * 1000) / (seen.ms - since.ms) > BUSY_BATCHES;
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
