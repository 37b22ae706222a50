import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DebianPostgres } from '@fairtick/kit/processes/debian-postgres.ts';
import { SlowLine } from '@fairtick/kit/processes/slow-line.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { pino } from 'pino';
import { Notifier } from '../apps/server/src/platform/bus/notifier.ts';
import { BY_NOTIFY } from '../apps/server/src/platform/bus/postgres-wire.ts';
import type { Pool } from '../apps/server/src/platform/db/database.ts';
import { aDayAgoMs, openBusyParts, openBusyWriter } from './kit/busy-writer.ts';
import { type BenchDatabase, openOwnDatabase } from './kit/installation.ts';
import { median, percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * The log's step, a grid time of all products, beside clients that commit a row each as fast as they can (pgbench), on PostgreSQL 15 with a
 * synchronous standby whose WAL comes 2 ms late: without notices, with NOTIFY in each transaction, and with the outbox.
 *   npm run bench -- notices [CLIENTS…]
 */
const CLIENTS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : sized([2, 32], [2]);
const SECONDS = sized(20, 2);
const STEP_EVERY_MS = 100;
const DELAY_MS = 2;
const PGBENCH = '/usr/lib/postgresql/15/bin/pgbench';
const TELLS = {
  'no notice': '',
  'NOTIFY within the transaction': `select pg_notify('chat', '1:');`,
  outbox: `select tell('chat', '1:');`,
} as const;

const primary = await DebianPostgres.create();
primary.start({ max_connections: '120' });
const line = await SlowLine.open(primary.port, DELAY_MS);
const admin = new pg.Client(primary.admin);
await admin.connect();
await admin.query('create role fairtick_owner login createrole');
await admin.query('create database fairtick owner fairtick_owner');
const standby = await primary.standby(line.port);
try {
  standby.start({ max_connections: '120' });
  await admin.query(`alter system set synchronous_standby_names = '*'`);
  await admin.query('select pg_reload_conf()');
  await seen(
    async () =>
      (await admin.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1,
  );
  const database = await openOwnDatabase(primary.url);
  try {
    await measureAll(database);
  } finally {
    await database.close();
  }
} finally {
  await admin.end();
  standby.close();
  line.close();
  primary.close();
}

async function measureAll(database: BenchDatabase): Promise<void> {
  await database.owner.query('create table bench_rows (a int)');
  await openBusyWriter(database, aDayAgoMs());
  const writer = await database.server.connect();
  // Its statements are of one transaction where the step notifies within it.
  const parts = await openBusyParts({ ...database, server: writer as unknown as Pool }, aDayAgoMs());
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    for (const [name, tell] of Object.entries(TELLS)) {
      const isWithin = name.startsWith('NOTIFY');
      const step = async () => {
        const draft = parts.draft(1);
        const beganMs = performance.now();
        await writer.query('begin');
        await parts.append(draft);
        if (isWithin) await writer.query(`select pg_notify('log', '1')`);
        const writtenMs = performance.now();
        await writer.query('commit');
        const ms = { step: performance.now() - beganMs, commit: performance.now() - writtenMs };
        if (name === 'outbox') await BY_NOTIFY.send(writer, [{ channel: 'log', payload: '1' }]);
        return ms;
      };
      const notifier = new Notifier(
        database.server,
        { ...BY_NOTIFY, confirm: async () => {} },
        pino({ level: 'silent' }),
      );
      if (name === 'outbox') notifier.start();
      const load = startLoad(clients, tell);
      await sleep(500);
      const took: { step: number; commit: number }[] = [];
      for (const endMs = performance.now() + SECONDS * 1_000; performance.now() < endMs; ) {
        const ms = await step();
        took.push(ms);
        await sleep(Math.max(0, STEP_EVERY_MS - ms.step));
      }
      const rate = await load;
      await notifier.stop();
      const said = (ms: number[]) => `${median(ms).toFixed(1)} and ${percentile(ms, 0.99).toFixed(1)} ms`;
      rows.push([
        String(clients),
        name,
        String(Math.round(rate)),
        said(took.map(({ commit }) => commit)),
        said(took.map(({ step }) => step)),
      ]);
    }
  }
  writer.release();
  printTable(
    ['clients', '', 'commits a second', 'commit of the step, p50 and p99', 'whole step, p50 and p99'],
    rows,
  );
}

/** @returns commits a second */
async function startLoad(clients: number, tell: string): Promise<number> {
  const file = join(primary.folder, 'load.sql');
  writeFileSync(file, `begin;\ninsert into bench_rows values (1);\n${tell}\ncommit;\n`);
  const args = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'fairtick_owner', '-n', '-f', file];
  const child: ChildProcess = spawn(
    PGBENCH,
    [...args, '-c', String(clients), '-j', '1', '-T', String(SECONDS + 1), 'fairtick'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const said = await text(child.stdout as NodeJS.ReadableStream);
  await ended;
  const rate = Number(/^tps = ([\d.]+)/m.exec(said)?.[1]);
  if (!(rate > 0)) throw new Error(`pgbench said no rate:\n${said}`);
  return rate;
}
