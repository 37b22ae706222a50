import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { judgeMoment } from '@fairtick/kit/judges/judgement.ts';
import { readPublished } from '@fairtick/kit/judges/log-judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { asPostgres, DebianPostgres, ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';

/**
 * Promise 20 for an operator's own database server: the commands of docs/OPERATIONS.md, "pgBackRest", on a PostgreSQL 15 under
 * load. Restored to a moment in the past, and with the lost server's last WAL to the last commit.
 */
const installation = new Installation();
let postgres: DebianPostgres | null = null;
let journal: Journal | null = null;
let client: LoadClient | null = null;
afterAll(async () => {
  await installation.close();
  client?.close();
  journal?.close();
  postgres?.close();
});

test('pgBackRest restores the server’s own PostgreSQL to a moment and to the last commit', async () => {
  ensurePackages('/usr/bin/pgbackrest', 'pgbackrest');
  const server = await DebianPostgres.create();
  postgres = server;
  const backrest = configure(server);
  server.start(archiving(server));
  await makeDatabase(server);
  backrest('stanza-create');
  backrest('check');
  const house = await installation.startReady({ DATABASE_URL: server.url });
  journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
  client = new LoadClient(house.origin, journal);
  await client.register(24);
  const stop = new AbortController();
  const trading = client.trade(['BTC/USDT', 'ETH/USDT'], stop.signal);
  await sleep(1_000);
  backrest('--type=full', 'backup');
  await sleep(1_000);
  const acknowledged = journal.read();
  const pastMs = Date.now() + 1;
  await sleep(2_000);
  await query(server, 'select pg_switch_wal()');
  await sleep(1_000);
  const published = await readPublished(house.origin);
  // The whole server dies at once, while customers trade.
  server.stop('immediate');
  stop.abort();
  await trading;
  await house.kill();
  const sent = journal.read();
  const last = [...sent.values()].filter(({ outcome }) => outcome === 'ok').length;
  expect(last).toBeGreaterThan([...acknowledged.values()].filter(({ outcome }) => outcome === 'ok').length);

  renameSync(server.cluster, `${server.cluster}.lost`);
  makeEmpty(server);
  const target = `--target=${new Date(pastMs).toISOString().replace('T', ' ').replace('Z', '+00')}`;
  backrest('--type=time', target, '--target-action=promote', 'restore');
  server.start(archiving(server, 'off'));
  await untilWritable(server);
  expect(await judged(server, acknowledged, sent)).toEqual([]);
  const [row] = await query(server, 'select count(*)::int as count from orders');
  expect(row?.count).toBeLessThan(last);
  server.stop();

  rmSync(server.cluster, { recursive: true });
  makeEmpty(server);
  backrest('restore');
  // WAL that the lost server had not archived yet.
  const lostWal = join(`${server.cluster}.lost`, 'pg_wal');
  asPostgres('/bin/sh', ['-c', `cp -n ${lostWal}/0* ${server.cluster}/pg_wal/`]);
  server.start(archiving(server, 'off'));
  await untilWritable(server);
  expect(await judged(server, sent, sent)).toEqual([]);
  const again = await installation.startReady({ DATABASE_URL: server.url, PORT: String(house.port) });
  const now = await readPublished(again.origin);
  expect(now.verifierKey).toBe(published.verifierKey);
  expect(now.checkpoint.size).toBeGreaterThanOrEqual(published.checkpoint.size);
});

/** Configures it as the guide says, in the test's folders. @returns `pgbackrest`, run as the user postgres */
function configure(server: DebianPostgres): (...args: string[]) => string {
  const own = join(server.folder, 'own');
  const file = join(own, 'pgbackrest.conf');
  writeFileSync(
    file,
    `[global]
repo1-path=${join(own, 'repository')}
repo1-retention-full=7
repo1-cipher-type=none
start-fast=y
compress-type=zst
log-path=${own}
lock-path=${own}
[fairtick]
pg1-path=${server.cluster}
pg1-port=${server.port}
pg1-socket-path=${server.folder}
`,
  );
  return (...args) => asPostgres('/usr/bin/pgbackrest', [`--config=${file}`, '--stanza=fairtick', ...args]);
}

function archiving(server: DebianPostgres, mode: 'on' | 'off' = 'on'): Record<string, string> {
  const file = join(server.folder, 'own/pgbackrest.conf');
  return {
    archive_mode: mode,
    archive_command: `pgbackrest --config=${file} --stanza=fairtick archive-push %p`,
    archive_timeout: '30s',
  };
}

async function makeDatabase(server: DebianPostgres): Promise<void> {
  const admin = new pg.Client(server.admin);
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  await admin.end();
}

function makeEmpty(server: DebianPostgres): void {
  asPostgres('/bin/mkdir', ['-m', '700', server.cluster]);
}

async function query(server: DebianPostgres, text: string): Promise<Record<string, unknown>[]> {
  const connection = new pg.Client({ ...server.admin, database: 'fairtick' });
  await connection.connect();
  try {
    return (await connection.query(text)).rows;
  } finally {
    await connection.end();
  }
}

async function untilWritable(server: DebianPostgres): Promise<void> {
  await expect
    .poll(() => query(server, 'select pg_is_in_recovery() as recovers'), { timeout: 60_000 })
    .toEqual([{ recovers: false }]);
}

async function judged(
  server: DebianPostgres,
  acknowledged: ReturnType<Journal['read']>,
  sent: ReturnType<Journal['read']>,
): Promise<string[]> {
  const db = new pg.Pool({ ...server.admin, database: 'fairtick', max: 1 });
  try {
    return await judgeMoment(db, { acknowledged, sent });
  } finally {
    await db.end();
  }
}
