import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

const ASK_EVERY_MS = 60_000;

/**
 * Ends requests that were not decided in time (`schema/money/requests.sql`). Several processes may try: the database lets one at a time do it,
 * one request per transaction, so that the next run continues where a stopped one ended.
 */
export class RequestLapse extends RecurringJob {
  readonly #pool: Pool;

  constructor(pool: Pool, log: Logger) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'requests could not be let lapse', isAtOnce: false });
    this.#pool = pool;
  }

  /** @returns the requests that it ended, such as `deposit:17` */
  async run(): Promise<string[]> {
    const ended: string[] = [];
    while (!this.isStopped) {
      const { rows } = await this.#pool.query<{ ended: string | null }>(
        'select request_lapse_one() as ended',
      );
      const one = rows[0]?.ended ?? null;
      if (one === null) break;
      ended.push(one);
    }
    return ended;
  }
}
