import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { actingHash, actingUnder } from '../../../apps/server/src/platform/db/acting-staff.ts';
import { createPool, type Pool } from '../../../apps/server/src/platform/db/database.ts';
import { staffTokenHash, staffTokens } from '../people/staff.ts';
import { PATIENCE_MS, until } from '../waiting/until.ts';

export interface TestDatabase {
  readonly name: string;
  /** Addresses for the schema's owner, and for the server, which acts for the staff that a call names first (people/staff.ts). */
  readonly ownerAddress: pg.ClientConfig;
  readonly serverAddress: pg.ClientConfig;
  readonly chainAddress: pg.ClientConfig;
  readonly owner: Pool;
  readonly server: Pool;
  /** As the watcher of chains. */
  readonly chain: Pool;
  drop(): Promise<void>;
}

/** A database of its own: migrated, seeded, empty of customers; or a clone of another template, `template0` being empty. */
export async function createTestDatabase(template = 'fairtick_template'): Promise<TestDatabase> {
  const host = process.env.FAIRTICK_TEST_SOCKET;
  if (!host) throw new Error('the test database is started by the global setup');
  const name = `t_${randomBytes(6).toString('hex')}`;
  await asSuperuser(
    host,
    `create database ${name} template ${template} strategy file_copy owner fairtick_owner`,
  );
  const ownerAddress = { host, user: 'fairtick_owner', database: name };
  const serverAddress = { host, user: 'fairtick_server', database: name };
  const chainAddress = { host, user: 'fairtick_chain', database: name };
  // Tests hold locks and delay commits for as long as they need.
  const maxIdleInTransactionMs = 30_000;
  const owner = createPool(ownerAddress, { max: 4, name: 'test owner', maxIdleInTransactionMs });
  const server = createPool(serverAddress, { max: 16, name: 'test server', maxIdleInTransactionMs });
  const chain = createPool(chainAddress, { max: 4, name: 'test chain', maxIdleInTransactionMs });
  // Tests call a hundred times at once, and each call waits for a connection.
  for (const pool of [owner, server, chain]) pool.options.connectionTimeoutMillis = PATIENCE_MS;
  actForFirst(server, name);
  return {
    name,
    ownerAddress,
    serverAddress,
    chainAddress,
    owner,
    server,
    chain,
    drop: async () => {
      await owner.end();
      await server.end();
      await chain.end();
      await asSuperuser(host, `drop database ${name} with (force)`);
    },
  };
}

/** A statement whose first value is a staff id runs under that person's session. */
function actForFirst(pool: Pool, database: string): void {
  const query = pool.query.bind(pool) as (text: unknown, values?: unknown) => unknown;
  const acting = (text: unknown, values?: unknown) => {
    const named = values ?? (text as { values?: unknown }).values;
    const first: unknown = Array.isArray(named) ? named[0] : undefined;
    if (actingHash() || typeof first !== 'string' || !/^[1-9]\d\d$/.test(first)) return query(text, values);
    const tokenHash = staffTokens.get(`${database}:${first}`) ?? staffTokenHash(first);
    return actingUnder(tokenHash, () => query(text, values));
  };
  Object.assign(pool, { query: acting });
}

/** Runs a statement as PostgreSQL's superuser, such as one that makes or drops a database. */
export async function asSuperuser(host: string, statement: string): Promise<void> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** How many transactions `work` took, on the pool that it is given and on all other connections of the database. */
export async function transactionsOf(db: TestDatabase, work: (pool: Pool) => Promise<void>): Promise<number> {
  const before = await countTransactions(db);
  const pool = createPool(db.serverAddress, { max: 4, name: 'counted' });
  await work(pool);
  await pool.end();
  await until(async () => {
    const { rows } = await db.owner.query(
      `select from pg_stat_activity where application_name = 'fairtick counted'`,
    );
    return rows.length === 0;
  });
  const after = await countTransactions(db);
  // Counting takes transactions too: one for each connection that flushes its statistics.
  return after.count - before.count - after.asked;
}

/** Connections report their statistics only after a long idle time, at their end, or on request; so each flushes first. */
async function countTransactions(db: TestDatabase): Promise<{ count: number; asked: number }> {
  const clients = await Promise.all(
    [db.owner, db.server].flatMap((pool) => Array.from({ length: pool.totalCount }, () => pool.connect())),
  );
  // A statement that reads no table would leave no statistics to report.
  for (const client of clients) await client.query('select pg_stat_force_next_flush() from log_head');
  for (const client of clients) client.release();
  const { rows } = await db.owner.query<{ count: number }>(
    `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`,
  );
  return { count: rows[0]?.count as number, asked: clients.length };
}
