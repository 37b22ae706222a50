import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import { readPublished } from '@fairtick/kit/judges/log-judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { DebianPostgres } from '@fairtick/kit/processes/debian-postgres.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';

/** How old an answer may be: a second, and the time that the log's step and a busy machine take. */
const MOST_BEHIND_MS = 2_500;
const PHASE_MS = 8_000;
const installation = new Installation();
const servers: DebianPostgres[] = [];
afterAll(async () => {
  await installation.close();
  for (const server of servers) server.close();
});

test('reads leave the primary, and none is old while the standby is late, killed and back', async () => {
  const primary = await DebianPostgres.create();
  servers.push(primary);
  primary.start({ max_connections: '240' });
  const admin = new pg.Client(primary.admin);
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  const standby = await primary.standby();
  servers.push(standby);
  standby.start({ max_connections: '240' });
  const metricsPort = String(await freePort());
  const house = await installation.startReady({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: `postgres://fairtick_server@127.0.0.1:${standby.port}/fairtick`,
    METRICS_PORT: metricsPort,
  });
  const reads = async (by: 'primary' | 'standby'): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^fairtick_reads_by_${by} (\\d+)`, 'm').exec(text)?.[1]);
  };
  const db = new pg.Pool({ ...primary.address, max: 2 });
  /** Reads for a while. @returns answers of each server, and the faults seen */
  const read = async () => {
    const before = { primary: await reads('primary'), standby: await reads('standby') };
    const faults: string[] = [];
    let last = 0;
    for (const endMs = Date.now() + PHASE_MS; Date.now() < endMs; await sleep(50)) {
      const askedMs = Date.now();
      const { size } = (await readPublished(house.origin)).checkpoint;
      if (size < last) faults.push(`the log had ${last} entries, now ${size}`);
      last = Math.max(last, size);
      const { rows } = await db.query('select time_ms from log_entries where index = $1', [size - 1]);
      const behindMs = askedMs - Number(rows[0]?.time_ms);
      if (behindMs > MOST_BEHIND_MS) faults.push(`an answer is ${behindMs} ms old`);
      const answer = await fetch(`${house.origin}/api/product/candles?symbol=BTC/USDT&period=1m&limit=40`);
      if (answer.status !== 200) faults.push(`candles: ${answer.status}`);
    }
    const [byPrimary, byStandby] = [await reads('primary'), await reads('standby')];
    return { primary: byPrimary - before.primary, standby: byStandby - before.standby, faults };
  };
  const says = async () => {
    await readPublished(house.origin);
    return (await reads('standby')) > 0;
  };
  await seen(says, { withinMs: 60_000, everyMs: 200, what: 'an answer of the standby' });

  const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
  const client = new LoadClient(house.origin, journal);
  await client.register(8);
  const stop = new AbortController();
  const trading = client.trade(['BTC/USDT', 'ETH/USDT'], stop.signal);
  const inTime = await read();
  console.log(`in time: ${inTime.standby} answers of the standby, ${inTime.primary} of the primary`);
  expect(inTime.faults).toEqual([]);
  expect(inTime.standby).toBeGreaterThan(inTime.primary);

  const replay = new pg.Client(standby.admin);
  await replay.connect();
  await replay.query('select pg_wal_replay_pause()');
  const late = await read();
  await replay.query('select pg_wal_replay_resume()');
  await replay.end();
  console.log(`late: ${late.standby} of the standby, ${late.primary} of the primary`);
  expect(late.faults).toEqual([]);
  expect(late.primary).toBeGreaterThan(late.standby);

  standby.stop('immediate');
  const gone = await read();
  expect(gone).toMatchObject({ standby: 0, faults: [] });
  standby.start({ max_connections: '240' });
  await sleep(2_000);
  const back = await read();
  expect(back.faults).toEqual([]);
  expect(back.standby).toBeGreaterThan(back.primary);

  stop.abort();
  await trading;
  const open = async () => (await db.query('select from ledger.balances where held > 0')).rowCount === 0;
  await seen(open, { withinMs: 150_000, everyMs: 500, what: 'the settlement of all orders' });
  expect(await judge(db, journal.read())).toEqual([]);
  client.close();
  journal.close();
  await Promise.all([db.end(), admin.end()]);
}, 600_000);
