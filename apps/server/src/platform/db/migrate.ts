import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { VERSION } from '../build.ts';
import { passTransactions } from './pass-transactions.ts';
import { numberedMigrations, runMigrations } from './run-migrations.ts';
import { functionsOfSchema, initialTables } from './schema-files.ts';
import { SERVER_ROLE } from './server-login.ts';
import { UnfitDatabaseError } from './unfit-database.ts';
import { withClient } from './with-client.ts';

const TURN_MS = 200;
/** The oldest version that can use this version's database: raised when a migration removes or changes what older programs use. */
const OLDEST_BESIDE = '1.0.0';

/**
 * Brings the database up to date: tables of an empty one, numbered migrations, then functions whose text has changed. Changes nothing in a
 * database of a newer version. Several processes may call it at once.
 * @throws UnfitDatabaseError when the database is of a newer version that this one can't run beside, or of none that was released
 */
export function migrate(address: pg.ClientConfig, say: (text: string) => void = () => {}): Promise<void> {
  return withClient(address, 'migrate', async (client) => {
    await waitForTurn(client);
    await refuseUnreleased(client);
    await client.query(`
      create schema if not exists migrations;
      create table if not exists migrations.functions (file text primary key, hash text not null, version text not null);
      create table if not exists migrations.oldest_beside (one boolean primary key default true check (one), version text not null)`);
    const newer = await newerParts(client);
    if (newer.length > 0) {
      await refuseUnfit(client, newer);
      say(`the database is of a newer version (${newer.join(', ')}) and is used as it is`);
      await passTransactions(client, say);
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
    if ((await appliedMigrations(client)).length === 0) {
      await makeTables(client);
      say(`the tables were made, after ${taken()}`);
    }
    for (const name of await runMigrations(client)) say(`migration ${name} was run, after ${taken()}`);
    const files = await applyFunctions(client);
    await client.query('select row_partitions_keep()');
    await passTransactions(client, say);
    await resetRoleSettings(client);
    if (files > 0) say(`functions of ${files} files of schema/ were applied, after ${taken()}`);
  });
}

/** For what does not migrate. @throws UnfitDatabaseError as {@link migrate} does, and for an empty or older database */
export function refuseOtherVersions(address: pg.ClientConfig): Promise<void> {
  return withClient(address, 'start', async (client) => {
    await refuseUnreleased(client);
    if (!(await hasTable(client, 'migrations.functions')))
      throw new UnfitDatabaseError('the database is empty: the first start of the server makes its tables');
    const newer = await newerParts(client);
    if (newer.length > 0) await refuseUnfit(client, newer);
    else await refuseOlder(client);
    await resetRoleSettings(client);
  });
}

/** A role may set defaults for itself (`alter role … set`) that stop later connections, or make commits that a crash loses. */
async function resetRoleSettings(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ reset: string; settings: string }>(
    `select format('alter role %I%s reset all', r.rolname, case when s.setdatabase <> 0 then format(' in database %I', current_database()) end) as reset,
       array_to_string(s.setconfig, ', ') as settings
     from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
     where r.rolname = '${SERVER_ROLE}' and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
  );
  for (const { reset, settings } of rows)
    await client.query(reset).catch((error: Error) => {
      throw new UnfitDatabaseError(
        `${SERVER_ROLE} has settings of its own (${settings}), which this login can't take back (${error.message}): run "${reset}" as a superuser`,
      );
    });
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

/** A waiting statement would hold a snapshot, for which an index that is built concurrently waits. */
async function waitForTurn(client: pg.Client): Promise<void> {
  const isOurs = async () =>
    (await client.query<{ ours: boolean }>('select pg_try_advisory_lock(7020) as ours')).rows[0]?.ours ===
    true;
  while (!(await isOurs())) await sleep(TURN_MS);
}

const migrations = (): string[] => [initialTables().name, ...numberedMigrations()];

async function makeTables(client: pg.Client): Promise<void> {
  const { name, sql } = initialTables();
  await client.query('begin; set local check_function_bodies = off');
  // As node-pg-migrate makes it.
  await client.query(`create table if not exists migrations.applied
    (id serial primary key, name varchar(255) not null, run_on timestamp not null)`);
  await client.query(sql);
  // The text of the tables has what the numbered migrations bring.
  await client.query(
    'insert into migrations.applied (name, run_on) select name, now() from unnest($1::text[]) name',
    [[name, ...numberedMigrations()]],
  );
  await client.query('commit');
}

async function hasTable(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    table,
  ]);
  return rows[0]?.found === true;
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  if (!(await hasTable(client, 'migrations.applied'))) return [];
  const { rows } = await client.query<{ name: string }>('select name from migrations.applied order by id');
  return rows.map(({ name }) => name);
}

async function appliedFunctions(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ file: string; hash: string }>(
    'select file, hash from migrations.functions',
  );
  return new Map(rows.map(({ file, hash }) => [file, hash]));
}

/** Before the first release tables change without migrations: a database with other tables can't be upgraded. */
async function refuseUnreleased(client: pg.Client): Promise<void> {
  const isOld =
    (await hasTable(client, 'migrations.ledger_migrations')) ||
    (await hasTable(client, 'public.staff_changes'));
  const [first] = await appliedMigrations(client);
  if (isOld || (first !== undefined && first !== initialTables().name))
    throw new UnfitDatabaseError(
      'the database was made by a build that was not released, whose tables no version upgrades: go on with that build, or start this version with an empty DATA_DIR or database',
    );
}

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

/** A newer database says which older programs can use it. */
async function refuseUnfit(client: pg.Client, newer: readonly string[]): Promise<void> {
  const { rows } = (await hasTable(client, 'migrations.oldest_beside'))
    ? await client.query<{ version: string }>('select version from migrations.oldest_beside')
    : { rows: [] };
  const oldest = rows[0]?.version;
  if (oldest !== undefined && !isNewer(oldest, VERSION)) return;
  throw new UnfitDatabaseError(
    `the database is of a newer version (${newer.join(', ')}), which version ${VERSION} can't use${oldest === undefined ? '' : `; ${oldest} is the oldest that can`}: start the newer version again, or restore a backup to a moment before the upgrade (docs/OPERATIONS.md, Going back)`,
  );
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/** Functions may name later ones, so all are applied in one transaction. @returns the number of changed files */
async function applyFunctions(client: pg.Client): Promise<number> {
  const applied = await appliedFunctions(client);
  const all = functionsOfSchema();
  const changed = all.filter(({ file, hash }) => applied.get(file) !== hash);
  if (changed.length === 0) return 0;
  await client.query('begin');
  await client.query(`set local check_function_bodies = off; set local client_min_messages = warning`);
  for (const { file, sql, hash } of all) {
    // The server may call a new function only once `rights.sql` has been applied again, so that file always is.
    if (applied.get(file) === hash && file !== 'rights') continue;
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
