import type { Queryable } from '../db/database.ts';

export interface Health {
  readonly isReady: boolean;
  readonly database: boolean;
  readonly feed: boolean;
  readonly settlement: boolean;
  /** Whether any product has a price. None may have one for a while, outside of their hours: this alone makes nothing unready. */
  readonly prices: boolean;
}

/** A feed or engine that is silent for this long is down; both beat several times a second. */
const SILENCE_MS = 3_000;

/** Whether the log grows, and all that is due is settled: right after a crash recent rows come from a dead process, so beats must advance. */
export class HealthProbe {
  readonly #db: Queryable;
  readonly #feed = new Pulse();
  readonly #engine = new Pulse();
  #isLeaving = false;

  constructor(db: Queryable) {
    this.#db = db;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  async check(): Promise<Health> {
    let row: Signs | undefined;
    try {
      row = (await this.#db.query<Signs>(SIGNS)).rows[0];
    } catch {
      return { ...DOWN, database: false };
    }
    if (!row) return DOWN;
    const feed = this.#feed.isFelt(row.feed_beat) && row.silence_ms < SILENCE_MS;
    const settlement = this.#engine.isFelt(row.engine_beat) && row.settled_behind_ms < SILENCE_MS;
    const isReady = feed && settlement && !this.#isLeaving;
    return { isReady, database: true, feed, settlement, prices: row.has_prices };
  }
}

const DOWN: Health = { isReady: false, database: true, feed: false, settlement: false, prices: false };

type Signs = {
  silence_ms: number;
  settled_behind_ms: number;
  feed_beat: string | null;
  engine_beat: string | null;
  has_prices: boolean;
};

const SIGNS = {
  query_timeout: SILENCE_MS,
  text: `
  select (extract(epoch from clock_timestamp()) * 1000 + h.offset_ms - h.time_ms)::float8 as silence_ms,
    (h.time_ms - s.settled_before_ms)::float8 as settled_behind_ms,
    case when h.holder is not null then h.epoch || ':' || h.beat end as feed_beat,
    (select epoch || ':' || beat from leases where name = 'engine' and holder is not null) as engine_beat,
    exists (select from product_states p where p.gap_reason is null and p.tick_ms > h.time_ms - 60000) as has_prices
  from log_head h, settlement_head s`,
};

class Pulse {
  #beat: string | null = null;
  #movedMs = Number.NEGATIVE_INFINITY;

  /** Whether the beat has advanced since the last sample, or was seen to advance lately. */
  isFelt(beat: string | null): boolean {
    const nowMs = performance.now();
    if (beat !== null && this.#beat !== null && beat !== this.#beat) this.#movedMs = nowMs;
    this.#beat = beat;
    return beat !== null && nowMs - this.#movedMs < SILENCE_MS;
  }
}
