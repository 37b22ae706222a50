import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

const HERE = dirname(fileURLToPath(import.meta.url));

/** The ledger's own migrations run first; the server's build on them. */
const SETS = [
  { dir: join(HERE, '../../../../packages/ledger/migrations'), table: 'ledger_migrations' },
  { dir: join(HERE, '../../migrations'), table: 'server_migrations' },
];

/**
 * Brings the schema up to date. Several processes may call it at once; they wait for one another.
 * @throws Error when the schema is of a newer version than this program
 */
export async function migrate(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7020)');
    await client.query('create schema if not exists migrations');
    for (const set of SETS) await refuseNewer(client, set);
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

/** An older program does not know a newer schema's demands: rows that it must write, columns whose meaning has changed. */
async function refuseNewer(client: pg.Client, { dir, table }: (typeof SETS)[number]): Promise<void> {
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations.${table}') is not null as found`,
  );
  if (!found[0]?.found) return;
  const { rows } = await client.query<{ name: string }>(`select name from migrations.${table} order by id`);
  const known = new Set(readdirSync(dir).map((file) => basename(file, '.sql')));
  const unknown = rows.map(({ name }) => name).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Error(
    `the database is of a newer version (${unknown.join(', ')}): start that version, or restore a backup from before the upgrade`,
  );
}
