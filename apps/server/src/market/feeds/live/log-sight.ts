import type { Logger } from 'pino';
import type { Pool } from '../../../platform/db/database.ts';
import { RecurringJob } from '../../../platform/db/recurring-job.ts';

const CLOCK_EVERY_MS = 2_000;

/** The log's time as this process sees it: the database's reading, carried on by a clock that can't be set. */
export interface LogSight {
  nowMs(): number;
  stop(): Promise<void>;
}

export async function watchLogTime(pool: Pool, log: Logger): Promise<LogSight> {
  let read = await readLogTime(pool);
  let lastMs = 0;
  const job = RecurringJob.of(
    async () => {
      read = await readLogTime(pool);
    },
    log,
    { everyMs: CLOCK_EVERY_MS, complaint: 'the log’s time could not be read', isAtOnce: false },
  );
  job.start();
  return {
    nowMs() {
      lastMs = Math.max(lastMs, Math.floor(read.logMs + performance.now() - read.readMs));
      return lastMs;
    },
    stop: () => job.stop(),
  };
}

async function readLogTime(pool: Pool): Promise<{ logMs: number; readMs: number }> {
  const askedMs = performance.now();
  const { rows } = await pool.query<{ now: string }>('select log_now() as now');
  // Read somewhere between question and answer.
  return { logMs: Number(rows[0]?.now), readMs: (askedMs + performance.now()) / 2 };
}
