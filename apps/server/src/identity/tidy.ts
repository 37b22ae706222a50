import type { Logger } from 'pino';
import type { Pool } from '../db/database.ts';

/** A level that time raises is raised within the hour. */
const EVERY_MS = 30 * 60_000;
/** So many chunks at most in one go; what is left waits for the next. */
const MOST_CHUNKS = 100;

/**
 * Raises the levels that have become due, and deletes what is of no use any more. Any number of processes may do it at once:
 * each row is done once.
 */
export async function tidyIdentity(pool: Pool): Promise<void> {
  for (const statement of ['select levels_advance() as done', 'select identity_tidy() as done']) {
    for (let chunk = 0; chunk < MOST_CHUNKS; chunk += 1) {
      const { rows } = await pool.query<{ done: number }>(statement);
      if (!rows[0]?.done) break;
    }
  }
}

/** Does so now and from time to time. */
export function keepIdentityTidy(pool: Pool, log: Logger): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const run = () => {
    running = tidyIdentity(pool).catch((error: unknown) =>
      log.warn({ err: error }, 'levels could not be advanced'),
    );
  };
  run();
  const timer = setInterval(run, EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
