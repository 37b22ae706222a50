import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool, StandbyError, transaction, UnknownOutcomeError } from './database.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { tuningDifference } from './server-tuning.ts';

/** A separate server, because it waits for a standby that never comes, which would block other tests' commits. */
let dataDir: string;
let postgres: EmbeddedPostgres;
let admin: pg.Client;
let pool: Pool;
let address: pg.ClientConfig;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fairtick-standby-'));
  // Modes that an earlier version or a lax umask may have left.
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'postgres.log'), '', { mode: 0o644 });
  const foreign = { jit: 'on', timezone: 'America/St_Johns' };
  postgres = await startEmbedded(dataDir, () => {}, { fsync: 'off', max_wal_size: '1GB', ...foreign });
  address = { host: postgres.socketDir, user: 'postgres', database: 'postgres' };
  admin = new pg.Client(address);
  await admin.connect();
  await admin.query('create table notes (text text)');
  pool = createPool(address, { max: 1, name: 'standby test' });
});
afterAll(async () => {
  await pool.end();
  await admin.end();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the database’s files are private, and its log names no person', async () => {
  const log = join(dataDir, 'postgres.log');
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([dataDir, postgres.socketDir, log].map(modeOf)).toEqual(['700', '700', '600']);
  await admin.query('create table people (name text primary key, age int check (age > 0))');
  const insert = (name: string, age: number) =>
    admin.query('insert into people values ($1, $2)', [name, age]);
  await insert('Rotkehlchen', 40);
  await expect(insert('Rotkehlchen', 41)).rejects.toThrow('duplicate key');
  await expect(insert('Nachtigall', 0)).rejects.toThrow('violates check constraint');
  const text = readFileSync(log, 'utf8');
  expect(text).toMatch(/duplicate key[\s\S]*violates check constraint/);
  expect(text).not.toMatch(/Rotkehlchen|Nachtigall/);
});

test('connections switch off what slows short statements, and a start names what else differs from the measured server', async () => {
  expect(await tuningDifference(address)).toMatch(/in brackets\): max_wal_size 1GB \(2GB\)$/);
  expect((await admin.query('show jit')).rows).toEqual([{ jit: 'on' }]);
  expect((await pool.query('show jit')).rows).toEqual([{ jit: 'off' }]);
  expect((await pool.query('show timezone')).rows).toEqual([{ TimeZone: 'UTC' }]);
});

test('a commit that no standby has confirmed has an unknown outcome if its wait is cancelled', async () => {
  await admin.query(`alter system set synchronous_standby_names to 'nobody'`);
  await admin.query('select pg_reload_conf()');
  // The new setting reaches the server's processes a moment after the reload; until then no commit waits.
  let commits = 0;
  const commitUntilOneWaits = async (): Promise<unknown> => {
    for (;;) {
      commits += 1;
      const work = transaction(pool, (client) => client.query(`insert into notes values ('here only')`));
      const outcome = await work.then(() => 'done').catch((error: unknown) => error);
      if (outcome !== 'done') return outcome;
    }
  };
  const outcome = commitUntilOneWaits();
  await until(async () => {
    const { rowCount } = await admin.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where wait_event = 'SyncRep' and application_name = 'fairtick standby test'`,
    );
    return rowCount === 1;
  });
  expect(await outcome).toBeInstanceOf(UnknownOutcomeError);
  const { rows } = await admin.query('select text from notes');
  expect(rows).toEqual(Array(commits).fill({ text: 'here only' }));
  await admin.query('alter system reset synchronous_standby_names');
  await admin.query('select pg_reload_conf()');
});

test('a server that ends by itself is started again by its owner process', async () => {
  const startedMs = async () => {
    const { rows } = await pool.query('select extract(epoch from pg_postmaster_start_time()) * 1000 as ms');
    return Number(rows[0].ms);
  };
  const before = await startedMs();
  admin.on('error', () => {});
  const postmaster = Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  process.kill(postmaster, 'SIGQUIT');
  await until(() =>
    startedMs().then(
      (ms) => ms > before,
      () => false,
    ),
  );
});

test('a standby server is refused, so that money is never read from it', async () => {
  await postgres.stop();
  writeFileSync(join(dataDir, 'postgres/standby.signal'), '');
  postgres = await startEmbedded(dataDir, () => {}, { fsync: 'off', jit: 'on', max_wal_size: '1GB' });
  await expect(pool.query('select 1')).rejects.toBeInstanceOf(StandbyError);
});
