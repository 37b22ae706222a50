import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { namedAlike } from './alike-references.ts';
import { functionsOfSchema } from './schema-files.ts';
import { UnfitDatabaseError } from './unfit-database.ts';

const FOLDER = join(import.meta.dirname, '../../../migrations');
const { version: VERSION } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string };
/**
 * The oldest version of the program that can use this version's database. It stays while migrations and functions only add; a version
 * that removes or changes what older programs use sets its own number.
 */
const OLDEST_BESIDE = '0.2.0';

/**
 * Brings the database up to date: runs numbered migrations, which change tables, then applies the functions of `schema/` whose
 * text has changed. Changes nothing in a database of a newer version. Several processes may call it at once; they wait for one another.
 * @throws UnfitDatabaseError when the database is of a newer version that this one can't run beside, or of none that was released, or
 *   when two of its payments have references that look alike
 */
export async function migrate(
  address: pg.ClientConfig,
  say: (text: string) => void = () => {},
): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(7020)');
    await refuseUnreleased(client);
    await client.query(`
      create schema if not exists migrations;
      create table if not exists migrations.functions (file text primary key, hash text not null, version text not null);
      create table if not exists migrations.oldest_beside (one boolean primary key default true check (one), version text not null)`);
    const newer = await newerParts(client);
    if (newer.length > 0) {
      await refuseUnfit(client, newer);
      say(`the database is of a newer version (${newer.join(', ')}) and is used as it is`);
      return;
    }
    // Before the first change, so that an upgrade that breaks off lets no older program in.
    await client.query(
      `insert into migrations.oldest_beside (version) values ($1)
       on conflict (one) do update set version = excluded.version where oldest_beside.version <> excluded.version`,
      [OLDEST_BESIDE],
    );
    const startedMs = performance.now();
    const taken = () => `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
    // Read when the package is loaded: without it, the package makes a cache for TypeScript in node_modules.
    process.env.JITI_FS_CACHE = 'false';
    const { runner } = await import('node-pg-migrate');
    const run = await runner({
      dbClient: client,
      dir: FOLDER,
      direction: 'up',
      migrationsSchema: 'migrations',
      migrationsTable: 'applied',
      noLock: true,
      singleTransaction: true,
      // An error is thrown, too.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    }).catch(async (error: unknown) => {
      throw await namedAlike(client, error);
    });
    for (const { name } of run) say(`migration ${name} was run, after ${taken()}`);
    const files = await applyFunctions(client);
    if (files > 0) say(`functions of ${files} files of schema/ were applied, after ${taken()}`);
  } finally {
    await client.end();
  }
}

/**
 * Checks for a command, or a start without the owner's address, which do not migrate, that this version can use the database as it is, and changes nothing.
 * @throws UnfitDatabaseError as {@link migrate} does, and when the database is empty or older than this version
 */
export async function refuseOtherVersions(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  try {
    await client.connect();
    await refuseUnreleased(client);
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('migrations.applied') is not null and to_regclass('migrations.functions') is not null as found`,
    );
    if (!rows[0]?.found)
      throw new UnfitDatabaseError('the database is empty: the first start of the server makes its tables');
    const newer = await newerParts(client);
    if (newer.length > 0) await refuseUnfit(client, newer);
    else await refuseOlder(client);
  } finally {
    await client.end();
  }
}

async function refuseOlder(client: pg.Client): Promise<void> {
  const applied = new Set(await appliedMigrations(client));
  const missing = migrations().filter((name) => !applied.has(name));
  const hashes = await appliedFunctions(client);
  const changed = functionsOfSchema().filter(({ file, hash }) => hashes.get(file) !== hash);
  if (missing.length + changed.length === 0) return;
  const named = [...missing, ...changed.map(({ file }) => `schema/${file}.sql`)].slice(0, 3).join(', ');
  throw new UnfitDatabaseError(
    `the database is older than version ${VERSION} (it lacks ${named}): start the server of this version once, which brings it up to date`,
  );
}

const migrations = (): string[] => readdirSync(FOLDER).map((file) => basename(file, '.sql'));

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations.applied') is not null as found`,
  );
  if (!found[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>('select name from migrations.applied order by id');
  return rows.map(({ name }) => name);
}

async function appliedFunctions(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ file: string; hash: string }>(
    'select file, hash from migrations.functions',
  );
  return new Map(rows.map(({ file, hash }) => [file, hash]));
}

/** Neither version 0.1.0 nor the builds after it were released. Their tables were made by other migrations. */
async function refuseUnreleased(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations.ledger_migrations') is not null or to_regclass('public.staff_changes') is not null as found`,
  );
  if (rows[0]?.found)
    throw new UnfitDatabaseError(
      'the database was made by version 0.1.0 or a build before 0.2.0, which cannot be upgraded: start with an empty DATA_DIR or database',
    );
  const { rows: log } = await client.query<{ found: boolean }>(
    `select to_regclass('public.rules') is not null and to_regclass('public.order_refusals') is null as found`,
  );
  const { rows: old } = log[0]?.found ? await client.query('select from public.rules limit 1') : { rows: [] };
  if (old.length > 0)
    throw new UnfitDatabaseError(
      'the public log in the database is of a former format, which no released version wrote and this one can’t go on with: start with an empty DATA_DIR or database',
    );
  // The migrations of these builds were replaced by 0001-initial. A newer version only adds numbers above the known ones.
  const known = migrations();
  const last = Math.max(...known.map((name) => Number.parseInt(name, 10)));
  const replaced = (await appliedMigrations(client)).find(
    (name) => !known.includes(name) && (/^\d{3}_/.test(name) || Number.parseInt(name, 10) <= last),
  );
  if (replaced !== undefined)
    throw new UnfitDatabaseError(
      `the database was made by a build before 0.2.0 (its migration ${replaced} was replaced by 0001-initial), which cannot be upgraded: start with an empty DATA_DIR or database`,
    );
}

/** Names of migrations, and versions of functions, that this program does not know; none: the database is not newer. */
async function newerParts(client: pg.Client): Promise<string[]> {
  const applied = await appliedMigrations(client);
  const { rows: versions } = await client.query<{ version: string }>(
    'select distinct version from migrations.functions',
  );
  const known = new Set(migrations());
  return [
    ...applied.filter((name) => !known.has(name)),
    ...versions.map(({ version }) => version).filter((version) => isNewer(version, VERSION)),
  ];
}

/** A newer database says which older programs can use it. All others lack what its tables demand. */
async function refuseUnfit(client: pg.Client, newer: readonly string[]): Promise<void> {
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations.oldest_beside') is not null as found`,
  );
  const { rows } = found[0]?.found
    ? await client.query<{ version: string }>('select version from migrations.oldest_beside')
    : { rows: [] };
  const oldest = rows[0]?.version;
  if (oldest !== undefined && !isNewer(oldest, VERSION)) return;
  throw new UnfitDatabaseError(
    `the database is of a newer version (${newer.join(', ')}), which version ${VERSION} can't use${oldest === undefined ? '' : `; ${oldest} is the oldest that can`}: start the newer version again, or restore a backup to a moment before the upgrade (docs/OPERATIONS.md, Going back)`,
  );
}

/** Compares versions like 0.2.10, number by number. */
function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/**
 * Applies changed functions, and after them all rights, in one transaction. Function bodies may name later functions.
 * @returns the number of files whose functions have changed
 */
async function applyFunctions(client: pg.Client): Promise<number> {
  const applied = await appliedFunctions(client);
  const all = functionsOfSchema();
  const changed = all.filter(({ file, hash }) => applied.get(file) !== hash);
  if (changed.length === 0) return 0;
  await client.query('begin');
  await client.query(`set local check_function_bodies = off; set local client_min_messages = warning`);
  for (const { file, sql, hash } of all) {
    // New functions belong to nobody before the rights are given again.
    if (applied.get(file) === hash && file !== 'roles') continue;
    await client.query(sql);
    await client.query(
      `insert into migrations.functions values ($1, $2, $3)
       on conflict (file) do update set hash = excluded.hash, version = excluded.version`,
      [file, hash, VERSION],
    );
  }
  // A start with the server's address alone reads the version of the database.
  await client.query(`grant usage on schema migrations to fairtick_server;
    grant select on all tables in schema migrations to fairtick_server`);
  await client.query('commit');
  return changed.length;
}
