import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isOfQuestion, type Pool, type Queryable } from './database.ts';

/** A standby that has not been found up to date for this long is not read. */
const MOST_BEHIND_MS = 1_000;
const LOOK_EVERY_MS = 400;
const LOOK_AGAIN_MS = 20;
const AFTER_FAILURE_MS = 1_000;

interface ReadersOptions {
  readonly primary: Pool;
  /** Null: the primary answers everything. */
  readonly standby: Pool | null;
}

/**
 * Answers what is the same for everybody and does not change once it is written: candles, the log, news, transparency. A standby answers
 * while it has all that the primary had less than a second ago, and the log as far as customers have been shown it; else, and where it
 * fails, the primary does. Money and open orders are never read here.
 */
export class Readers implements Queryable {
  /** Answers by each. */
  readonly answered = { primary: 0, standby: 0 };
  readonly #primary: Pool;
  readonly #standby: Pool | null;
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;
  /** The standby had all of this moment, and a log of this size. */
  #had = { atMs: Number.NEGATIVE_INFINITY, size: 0 };
  #shownSize = 0;
  #isLate = Promise.withResolvers<void>();

  constructor({ primary, standby }: ReadersOptions) {
    this.#primary = primary;
    this.#standby = standby;
    this.#looking = standby === null ? Promise.resolve() : this.#keepLooking(standby);
  }

  /** Customers have been shown a log of this size: whoever has an older one is not asked. */
  shown(size: number): void {
    this.#shownSize = Math.max(this.#shownSize, size);
    if (size > this.#had.size) this.#isLate.resolve();
  }

  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
  query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>>;
  async query<R extends pg.QueryResultRow>(
    question: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>> {
    const ask = (pool: Pool) =>
      typeof question === 'string' ? pool.query<R>(question, values) : pool.query<R>(question);
    if (this.#standby !== null && this.#isFresh()) {
      try {
        const answer = await ask(this.#standby);
        this.answered.standby += 1;
        return answer;
      } catch (error) {
        // A standby ends statements that hinder its recovery, and may be gone; the primary would refuse a wrong question as well.
        if (isOfQuestion(error)) throw error;
        this.#had = { ...this.#had, atMs: Number.NEGATIVE_INFINITY };
      }
    }
    const answer = await ask(this.#primary);
    this.answered.primary += 1;
    return answer;
  }

  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await Promise.all([this.#primary.end(), this.#standby?.end()]);
  }

  #isFresh(): boolean {
    return performance.now() - this.#had.atMs < MOST_BEHIND_MS && this.#had.size >= this.#shownSize;
  }

  async #keepLooking(standby: Pool): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const waitMs = await this.#look(standby).catch(() => AFTER_FAILURE_MS);
      this.#isLate = Promise.withResolvers<void>();
      const waited = sleep(waitMs, undefined, { ref: false, signal }).catch(() => {});
      // A log that grows is looked at in the standby at once, but a standby that failed is not.
      await (waitMs === LOOK_EVERY_MS ? Promise.race([waited, this.#isLate.promise]) : waited);
    }
  }

  /** @returns how long until the next look, ms */
  async #look(standby: Pool): Promise<number> {
    const atMs = performance.now();
    const { rows } = await this.#primary.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
    while (performance.now() - atMs < MOST_BEHIND_MS && !this.#stopping.signal.aborted) {
      const { rows: standing } = await standby.query<{ has: boolean; size: string }>(HAS, [rows[0]?.lsn]);
      const { has, size } = standing[0] as { has: boolean; size: string };
      if (has) {
        this.#had = { atMs, size: Number(size) };
        return this.#isFresh() ? LOOK_EVERY_MS : LOOK_AGAIN_MS;
      }
      await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
    }
    return LOOK_AGAIN_MS;
  }
}

/** Whether the server has all up to a place of the primary's WAL. One that was promoted follows nobody. */
const HAS = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end) >= $1::pg_lsn as has,
  size from log_head`;
