import type { OfficeData } from '@fairtick/protocol/office';
import { type Pool, type Queryable, sqlState, transaction } from '../db/database.ts';
import { RefusalError } from '../http/context.ts';
import { ms } from '../recharge/office-cases.ts';

type Result = OfficeData<'ledger/violations'>;

/** The office waits 10 s for an answer. */
const LIMIT_MS = 8_000;
const CANCELLED = '57014';
const SHOWN = 200;

/** The whole ledger against itself. It reads everything, so whoever asks while one check is under way shares its result. */
export class LedgerCheck {
  readonly #pool: Pool;
  #running: Promise<Result> | null = null;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws RefusalError when it takes longer than anybody waits */
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
 * Work that reads the whole ledger while somebody waits for it.
 * @throws RefusalError when it takes longer than anybody waits
 */
export async function whileWaiting<T>(pool: Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  try {
    return await transaction(pool, async (client) => {
      await client.query(`set local statement_timeout = ${LIMIT_MS}`);
      // Nor does it take a processor for each of several helpers from those who place orders meanwhile.
      await client.query('set local max_parallel_workers_per_gather = 0');
      return work(client);
    });
  } catch (error) {
    if (sqlState(error) === CANCELLED) throw new RefusalError('LEDGER_TOO_LARGE');
    throw error;
  }
}
