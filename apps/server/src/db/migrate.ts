import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

const HERE = dirname(fileURLToPath(import.meta.url));

/** The ledger owns its migrations; the server's stand on them. */
const SETS = [
  { dir: join(HERE, '../../../../packages/ledger/migrations'), table: 'ledger_migrations' },
  { dir: join(HERE, '../../migrations'), table: 'server_migrations' },
];

/** Brings the schema up to date. Several processes may call it at once: they wait for one another. */
export async function migrate(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7020)');
    await client.query('create schema if not exists migrations');
    for (const { dir, table } of SETS) {
      await runner({
        dbClient: client,
        dir,
        direction: 'up',
        migrationsSchema: 'migrations',
        migrationsTable: table,
        noLock: true,
        singleTransaction: true,
        logger: { debug() {}, info() {}, warn() {}, error: console.error },
      });
    }
  } finally {
    await client.end();
  }
}
