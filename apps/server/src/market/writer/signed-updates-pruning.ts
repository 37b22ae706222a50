import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

const EVERY_MS = 60_000;
/** Updates of the last minute stay: the next ones show which of them are needed. */
const YOUNG_MS = 60_000;
/** The first turn looks back this far. */
const LOOK_BACK_MS = 3_600_000;

/** Deletes signed updates that no order's opening or settlement needs, each minute those of the minute before. */
export class SignedUpdatesPruning extends RecurringJob {
  readonly #pool: Pool;
  #prunedMs: number | null = null;

  constructor(pool: Pool, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'signed updates were not deleted', isAtOnce: false });
    this.#pool = pool;
  }

  /** @returns how many were deleted */
  async run(): Promise<number> {
    const { rows } = await this.#pool.query<{ now_ms: string }>('select log_now() as now_ms');
    const beforeMs = Number(rows[0]?.now_ms) - YOUNG_MS;
    const fromMs = this.#prunedMs ?? beforeMs - LOOK_BACK_MS;
    const pruned = await this.#pool.query<{ count: number }>('select signed_updates_prune($1, $2) as count', [
      fromMs,
      beforeMs,
    ]);
    this.#prunedMs = beforeMs;
    return pruned.rows[0]?.count ?? 0;
  }
}
