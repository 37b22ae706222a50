import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';

/** A level that time raises is raised within the hour. */
const EVERY_MS = 30 * 60_000;
/** Most chunks of a statement per run; the rest waits for the next run. */
const MOST_CHUNKS = 100;

/**
 * Raises levels that are due, and deletes rows that are no longer of use. Several processes may run it at once; each row
 * is processed once.
 */
export async function tidyIdentity(pool: Pool): Promise<void> {
  for (const statement of ['select levels_advance() as done', 'select identity_tidy() as done']) {
    for (let chunk = 0; chunk < MOST_CHUNKS; chunk += 1) {
      const { rows } = await pool.query<{ done: number }>(statement);
      if (!rows[0]?.done) break;
    }
  }
}

/** Runs at once and then periodically. */
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
