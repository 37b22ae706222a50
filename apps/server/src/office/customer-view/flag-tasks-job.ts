import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

const EVERY_MS = 3_600_000;

/** Makes tasks for staff from the rules that are on (`schema/customers/flag-rules.sql`). Two processes at once make each task once. */
export class FlagTasks extends RecurringJob {
  readonly #pool: Pool;

  constructor(pool: Pool, log: Logger) {
    super(log, {
      everyMs: EVERY_MS,
      complaint: 'the rules that flag customers could not run',
      isAtOnce: false,
    });
    this.#pool = pool;
  }

  /** @returns the number of new tasks */
  async run(): Promise<number> {
    let found = 0;
    const { rows } = await this.#pool.query<{ rule: string }>(
      'select rule from flag_rules where is_on order by rule',
    );
    for (const { rule } of rows) {
      if (this.isStopped) break;
      const made = await this.#pool.query<{ found: number }>('select flag_tasks_find($1) as found', [rule]);
      found += made.rows[0]?.found ?? 0;
    }
    return found;
  }
}
