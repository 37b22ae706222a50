import type { OfficeData } from '@fairtick/protocol/office';
import { failureOf, type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { ms } from '../../platform/office-queries.ts';

type Result = OfficeData<'ledger/violations'>;

/** Statement timeout, ms; the office waits 10 s for an answer. */
const LIMIT_MS = 8_000;
const CANCELLED = '57014';
const SHOWN = 200;

/** Checks the whole ledger against itself. It reads everything, so concurrent callers share one check. */
export class LedgerCheck {
  readonly #pool: Pool;
  #running: Promise<Result> | null = null;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws RefusalError when it takes longer than the office waits */
  run(): Promise<Result> {
    this.#running ??= this.#check().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #check(): Promise<Result> {
    return whileWaiting(this.#pool, async (client) => {
      const { rows } = await client.query<Result>(
        `select ${ms('now()')} as time, (select coalesce(json_agg(v), '[]')
           from (select rule, detail from ledger.violations() limit ${SHOWN}) v) as violations`,
      );
      return rows[0] as Result;
    });
  }
}

/**
 * Runs work that reads the whole ledger while a member of staff waits.
 * @throws RefusalError when it takes longer than the office waits
 */
export async function whileWaiting<T>(pool: Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  try {
    return await transaction(pool, async (client) => {
      await client.query(`set local statement_timeout = ${LIMIT_MS}`);
      // No parallel workers, which would take processors away from placement.
      await client.query('set local max_parallel_workers_per_gather = 0');
      return work(client);
    });
  } catch (error) {
    if (failureOf(error) === CANCELLED) throw new RefusalError('LEDGER_TOO_LARGE');
    throw error;
  }
}
