import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

/** A level that time raises is raised within the hour. */
const EVERY_MS = 30 * 60_000;
/** Most chunks of a statement per run; the rest waits for the next run. */
const MOST_CHUNKS = 100;

/**
 * Raises levels that are due, and deletes rows that are no longer of use. Several processes may run it at once; each row
 * is processed once.
 */
export class IdentityTidying extends RecurringJob {
  readonly #pool: Pool;

  constructor(pool: Pool, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'levels could not be advanced' });
    this.#pool = pool;
  }

  async run(): Promise<void> {
    for (const statement of ['select levels_advance() as done', 'select identity_tidy() as done']) {
      for (let chunk = 0; chunk < MOST_CHUNKS && !this.isStopped; chunk += 1) {
        const { rows } = await this.#pool.query<{ done: number }>(statement);
        if (!rows[0]?.done) break;
      }
    }
  }
}
