import type { Pool } from '../../../apps/server/src/db/database.ts';
import { stand } from '../installation/stand-in.ts';
import { until } from '../waiting/until.ts';

/**
 * A pool whose transactions stop before their COMMIT until the test lets them go: the moment in which a slow disk, a frozen
 * process or a crash can fall. Everything before and after is the pool's own.
 */
export class HeldCommits {
  readonly pool: Pool;
  readonly #reached = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  constructor(pool: Pool) {
    const connect = async () => {
      const client = await pool.connect();
      const query = async (...args: Parameters<typeof client.query>) => {
        if ((args as unknown[])[0] === 'commit') {
          this.#reached.resolve();
          await this.#released.promise;
        }
        return client.query(...args);
      };
      return stand(client, { query });
    };
    this.pool = stand(pool, { connect });
  }

  /** Settles when a transaction stands before its COMMIT. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  release(): void {
    this.#released.resolve();
  }
}

/** Waits until somebody in this database waits for a lock. */
export async function untilBlocked(pool: Pool, waiters = 1): Promise<void> {
  await until(async () => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and a.datname = current_database()`,
    );
    return (rows[0]?.count ?? 0) >= waiters;
  }, 10_000);
}
