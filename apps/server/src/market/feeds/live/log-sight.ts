import type { Logger } from 'pino';
import type { Pool } from '../../../platform/db/database.ts';
import { RecurringJob } from '../../../platform/db/recurring-job.ts';

const CLOCK_EVERY_MS = 2_000;

/** The log's time as this process sees it: the database's reading, carried on by a clock that can't be set. */
export class LogSight {
  readonly #job: RecurringJob;
  #logMs: number;
  #readMs: number;
  #last = 0;

  private constructor(pool: Pool, first: { logMs: number; readMs: number }, log: Logger) {
    this.#logMs = first.logMs;
    this.#readMs = first.readMs;
    this.#job = RecurringJob.of(
      async () => {
        const { logMs, readMs } = await readLogTime(pool);
        this.#logMs = logMs;
        this.#readMs = readMs;
      },
      log,
      { everyMs: CLOCK_EVERY_MS, complaint: 'the log’s time could not be read', isAtOnce: false },
    );
  }

  static async start(pool: Pool, log: Logger): Promise<LogSight> {
    const sight = new LogSight(pool, await readLogTime(pool), log);
    sight.#job.start();
    return sight;
  }

  nowMs(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#logMs + performance.now() - this.#readMs));
    return this.#last;
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }
}

async function readLogTime(pool: Pool): Promise<{ logMs: number; readMs: number }> {
  const askedMs = performance.now();
  const { rows } = await pool.query<{ now: string }>('select log_now() as now');
  // Read somewhere between question and answer.
  return { logMs: Number(rows[0]?.now), readMs: (askedMs + performance.now()) / 2 };
}
