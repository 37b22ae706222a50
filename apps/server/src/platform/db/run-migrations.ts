import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationBuilder } from 'node-pg-migrate';
import type pg from 'pg';

const FOLDER = join(import.meta.dirname, '../../../migrations');
/** First line of a file whose statements run one by one, each outside of a transaction, as `create index concurrently` needs. */
const SINGLY = '-- Up Migration, no transaction\n';
const EACH = /^-- each partition of (\S+) without (\S+)$/m;
/** A migration that waits for a lock makes all others of the table wait, so it gives up soon and tries again. */
const LOCK_MS = 2_000;
const PAUSE_MS = 1_000;
const TRIES = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/** In the order in which they run. */
export const numberedMigrations = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => basename(file, '.sql'))
    .sort();

/** Runs the migrations that a database lacks, each in a transaction of its own. @returns their names */
export async function runMigrations(client: pg.Client): Promise<string[]> {
  const before = await namesOfApplied(client);
  for (let left = TRIES; ; left -= 1) {
    try {
      await runAll(client);
      break;
    } catch (error) {
      await client.query('rollback');
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE || left === 0) throw error;
      await sleep(PAUSE_MS);
    }
  }
  await client.query('reset lock_timeout');
  return (await namesOfApplied(client)).slice(before.length);
}

async function runAll(client: pg.Client): Promise<void> {
  // Read when the package is loaded: without it, the package makes a cache for TypeScript in node_modules.
  process.env.JITI_FS_CACHE = 'false';
  const { runner } = await import('node-pg-migrate');
  await runner({
    dbClient: client,
    dir: FOLDER,
    ignorePattern: '.*\\.(md|txt)',
    direction: 'up',
    migrationsSchema: 'migrations',
    migrationsTable: 'applied',
    // The name of the initial tables is that of no file.
    checkOrder: false,
    noLock: true,
    singleTransaction: false,
    migrationLoaderStrategies: [{ extensions: ['.sql'], loader: async (files) => files.map(unitOf) }],
    // An error is thrown, too.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
}

function unitOf(file: string) {
  const text = readFileSync(file, 'utf8');
  const up = async (builder: MigrationBuilder) => {
    if (!text.startsWith(SINGLY)) return builder.sql(`set local lock_timeout = ${LOCK_MS}; ${text}`);
    builder.noTransaction();
    builder.sql('set lock_timeout = 0');
    for (const statement of text.split(/;\n/).filter((part) => part.trim() !== ''))
      for (const one of await repeated(statement, builder)) builder.sql(one);
  };
  return { id: file, filePaths: [file], actions: { up, down: false as const } };
}

/** A statement after `-- each partition of TABLE without INDEX` once for each whose index is not attached to this one yet. */
async function repeated(statement: string, builder: MigrationBuilder): Promise<string[]> {
  const [, table, index] = EACH.exec(statement) ?? [];
  if (table === undefined) return [statement];
  const partitions: { partition: string; name: string }[] = await builder.db.select(
    `select p.inhrelid::regclass::text as partition, c.relname as name from pg_inherits p join pg_class c on c.oid = p.inhrelid where p.inhparent = '${table}'::regclass and not exists (
       select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
       where i.inhparent = '${index}'::regclass and x.indrelid = p.inhrelid)`,
  );
  return partitions.map(({ partition, name }) =>
    statement.replaceAll('{partition}', partition).replaceAll('{name}', name),
  );
}

async function namesOfApplied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations.applied order by id');
  return rows.map(({ name }) => name);
}
