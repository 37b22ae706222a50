import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../platform/db/database.ts';

/** A delay of settlement up to this is normal: one grid step, and one chunk. */
const ON_TIME_MS = 1_000;
/** For each further step of delay, placement pauses for as long as its last batch took. */
const STEP_MS = 500;
const MAX_SHARES = 3;
const MAX_REST_MS = 1_000;
const LOOK_EVERY_MS = 250;

/**
 * Settlement has priority over new orders: accepted orders must settle in time, while a new order can be refused with 503.
 * Placement pauses between batches while settlement is behind the log. The pause is bounded, so that orders are still taken when
 * the engine is down.
 */
export class SettlementPace {
  readonly #db: Queryable;
  #behindMs = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** @param batchMs how long the last batch took */
  async rest(batchMs: number): Promise<void> {
    await this.#look();
    const restMs = restAfter(batchMs, this.#behindMs);
    if (restMs > 0) await sleep(restMs);
  }

  async #look(): Promise<void> {
    if (performance.now() - this.#lookedMs < LOOK_EVERY_MS) return;
    this.#lookedMs = performance.now();
    // A failed read means no pause: the next batch reports its own errors.
    this.#behindMs = await readSettlementDelay(this.#db).catch(() => 0);
  }
}

/** How long placement pauses after a batch of `batchMs`, with settlement `behindMs` behind; ms, 0 or more. */
export function restAfter(batchMs: number, behindMs: number): number {
  const shares = Math.min(Math.max(0, behindMs - ON_TIME_MS) / STEP_MS, MAX_SHARES);
  return Math.min(shares * batchMs, MAX_REST_MS);
}

/** How long the first order that is due has waited for its settlement, by the log's time; ms, 0 where none is due. */
export async function readSettlementDelay(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ behind_ms: number | null }>({
    name: 'settlement-delay',
    text: `select (h.time_ms - o.settles_at_ms)::float8 as behind_ms from log_head h, settlement_head s
      cross join lateral (
        select settles_at_ms from orders_and_results
        where settles_at_ms >= s.settled_before_ms and settles_at_ms < h.time_ms and settled_at_ms is null
        order by settles_at_ms limit 1
      ) o`,
  });
  return rows[0]?.behind_ms ?? 0;
}
