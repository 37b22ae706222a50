import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

/** How often to check whether a day is over. */
const ASK_EVERY_MS = 5_000;
/** Accounts that are booked in one transaction; their balances are locked for some tens of milliseconds. */
const CHUNK = 2_000;

/**
 * Calls `earning_accrue` (`schema/money/interest.sql`) once a day is over: it computes and books the day's interest, in chunks. The
 * progress is stored in the database: one process at a time continues from it, and one that crashes leaves nothing half done.
 */
export class EarningAccrual extends RecurringJob {
  readonly #pool: Pool;
  readonly #chunk: number;

  constructor(pool: Pool, log: Logger, options: { chunk?: number } = {}) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'interest could not be booked' });
    this.#pool = pool;
    this.#chunk = options.chunk ?? CHUNK;
  }

  /**
   * Books all that is due.
   * @returns how many days of accounts earned interest here; another process may have booked others meanwhile
   */
  async run(): Promise<number> {
    let earned = 0;
    const { rows } = await this.#pool.query<{ is_due: boolean }>(
      'select day < earning_today() as is_due from earning_head',
    );
    if (rows[0]?.is_due !== true) return earned;
    while (!this.isStopped) {
      const step = await this.#pool.query<{ worked: boolean; earned: number }>(
        'select worked, earned from earning_accrue($1)',
        [this.#chunk],
      );
      if (step.rows[0]?.worked !== true) break;
      earned += step.rows[0].earned;
    }
    if (earned > 0) this.log.info({ accounts: earned }, 'interest was booked');
    return earned;
  }
}
