import type pg from 'pg';
import { migrate } from '../db/migrate.ts';
import { withClient } from '../db/with-client.ts';
import { type Copied, copyTables } from './copy-tables.ts';

const OLDEST = 15;
const NEWEST = 18;
/** Forms of values in the copied text; waiting and copying take as long as they take. */
const SESSION = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex';
  set extra_float_digits = 1; set client_encoding = 'UTF8'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`;
const OTHERS = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename like 'fairtick%'`;

/**
 * Copies a database that no process uses into an empty one of a server of one's own.
 * @throws Error when a process uses the old one, or the new one is not empty or not fit; the old one is never changed
 */
export function moveDatabase(
  from: pg.ClientConfig,
  to: pg.ClientConfig,
  say: (text: string) => void,
): Promise<Copied> {
  return withClient(from, 'move', (source) =>
    withClient(to, 'move', async (target) => {
      for (const client of [source, target]) await client.query(SESSION);
      await refuseUnfitTarget(target);
      await refuseOthers(source);
      say('making the tables');
      await migrate(to, say);
      // A process that starts meanwhile waits for these locks. They are taken before the snapshot.
      await source.query('begin isolation level repeatable read');
      await source.query('lock table log_head, leases in exclusive mode');
      await target.query('begin');
      const copied = await copyTables(source, target, say);
      await refuseOthers(source);
      await target.query('commit');
      await source.query('commit');
      await target.query('analyze');
      return copied;
    }),
  );
}

async function refuseOthers(source: pg.Client): Promise<void> {
  const { rows } = await source.query<{ count: number }>(OTHERS);
  if (rows[0]?.count !== 0)
    throw new Error('a process uses the database: stop every process of the installation first');
}

async function refuseUnfitTarget(target: pg.Client): Promise<void> {
  const { rows } = await target.query<{ major: number; encoding: string; tables: number }>(
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding,
       (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p')
        and n.nspname !~ '^pg_' and n.nspname <> 'information_schema') as tables`,
  );
  const { major, encoding, tables } = rows[0] as { major: number; encoding: string; tables: number };
  if (major < OLDEST || major > NEWEST)
    throw new Error(`the new server is PostgreSQL ${major}: ${OLDEST} to ${NEWEST} are supported`);
  if (encoding !== 'UTF8')
    throw new Error(`the new database has the encoding ${encoding}: make one with UTF8`);
  if (tables > 0)
    throw new Error(`the new database has ${tables} tables: name an empty one, or drop it and make it again`);
}
