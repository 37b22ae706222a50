import pg from 'pg';
import type { DatabaseAddress } from '../../apps/server/src/platform/db/database.ts';

/** Database settings that {@link StatementProfile} needs. */
export const PROFILE_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_utility': 'off',
} as const;

/** The database's time by statement, including statements inside functions. */
export class StatementProfile {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(database: DatabaseAddress): Promise<StatementProfile> {
    const host = database.embedded?.socketDir;
    if (!host) throw new Error('the profile is taken on the embedded server');
    const client = new pg.Client({ host, user: 'postgres', database: 'fairtick' });
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    return new StatementProfile(client);
  }

  async reset(): Promise<void> {
    await this.#client.query('select pg_stat_statements_reset()');
  }

  /** Prints µs per `unit` of each statement that takes over a hundredth. A function's line includes its statements. */
  async print(units: number, unit: string): Promise<void> {
    const { rows } = await this.#client.query<{ text: string; ms: number; calls: string; is_outer: boolean }>(
      `select left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as text, total_exec_time as ms, calls, toplevel as is_outer
       from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = 'fairtick'
       where query !~ 'pg_stat_statements' order by total_exec_time desc limit 24`,
    );
    const whole = rows.filter((row) => row.is_outer).reduce((sum, row) => sum + row.ms, 0);
    for (const { text, ms, calls, is_outer } of rows) {
      if (ms < whole / 100) continue;
      const us = ((ms * 1000) / units).toFixed(1).padStart(7);
      console.log(`${us} µs per ${unit} ${calls.padStart(7)} calls ${is_outer ? '' : '    '}${text}`);
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
