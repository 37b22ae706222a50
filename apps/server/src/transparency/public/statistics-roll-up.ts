import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

const EVERY_MS = 15_000;
/** Maximum steps of one run; after a long pause the next run continues. */
const MOST_STEPS = 50;

/** Counts the public statistics in small steps; the database lets one process at a time do it. */
export class StatisticsRollUp extends RecurringJob {
  readonly #pool: Pool;

  constructor(pool: Pool, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'the public statistics were not counted' });
    this.#pool = pool;
  }

  async run(): Promise<void> {
    for (let step = 0; step < MOST_STEPS && !this.isStopped; step += 1) {
      const { rows } = await this.#pool.query<{ more: boolean }>('select statistics_advance() as more');
      if (!rows[0]?.more) return;
    }
  }
}
