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
import { cpuMsOf } from '../../bench/kit/measure.ts';

/** How old an answer may be: a second, and the time that the log's step and a busy machine take. */
const MOST_BEHIND_MS = 2_500;
const PHASE_MS = 8_000;
const BUSY_MS = Number(process.env.BUSY_SECONDS ?? 30) * 1_000;
const VISITORS = 6;
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

  const measured = await busyTimes({ house, client, databases: { primary, standby } });
  console.log(
    `busy, ${measured.visits} visits beside customers who trade: ${measured.primaryMs} ms of the processor in sessions of the primary, ${measured.standbyMs} ms in the standby's: ` +
      `${((100 * measured.standbyMs) / (measured.primaryMs + measured.standbyMs)).toFixed(0)} % have left the primary`,
  );
  expect(measured.faults).toEqual([]);
  expect(measured.standbyMs).toBeGreaterThan(0);

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

/** CPU time of a server's sessions so far, ms. Those of the house stay open. */
async function sessionsMs(server: DebianPostgres): Promise<number> {
  const client = new pg.Client(server.admin);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = 'fairtick' and backend_type = 'client backend'`,
  );
  await client.end();
  return rows.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
}

interface Busy {
  readonly house: { readonly origin: string };
  readonly client: LoadClient;
  readonly databases: { readonly primary: DebianPostgres; readonly standby: DebianPostgres };
}

/**
 * Customers trade, and others open the app: three charts, the board, news, statistics, the newest tiles of the log, the list of orders and the receipt of
 * a settled one.
 */
async function busyTimes({ house, client, databases }: Busy) {
  const faults: string[] = [];
  const get = async (path: string, token?: string) => {
    const answer = await fetch(`${house.origin}/api/${path}`, { headers: token ? { token } : {} });
    const body = (await answer.json()) as { code: number; data: unknown; error?: string };
    if (body.code !== 1 && body.error !== 'RECEIPT_NOT_READY') faults.push(`${path}: ${body.error}`);
    return body.data;
  };
  const tokens = client.sessions.map(([, token]) => token);
  const settled = async () => {
    const list = (await get('order/list?status=settled&limit=20', tokens[0])) as { items: { id: string }[] };
    return list.items.map(({ id }) => id);
  };
  await seen(async () => (await settled()).length > 0, {
    withinMs: 150_000,
    everyMs: 1_000,
    what: 'a settled order',
  });
  const ids = await settled();
  const at = { visits: 0 };
  const visit = async () => {
    const symbols = ['BTC/USDT', 'ETH/USDT', 'EUR/USD'].map(encodeURIComponent);
    await Promise.all(
      symbols.map((symbol, n) =>
        get(`product/candles?symbol=${symbol}&period=${['1m', '5m', '1h'][n]}&limit=300`),
      ),
    );
    await Promise.all([get('product/list'), get('news/list'), get('transparency/stats')]);
    await readPublished(house.origin);
    await get('order/list?limit=20', tokens[at.visits % tokens.length]);
    await get(`order/receipt?id=${ids[at.visits % ids.length]}`, tokens[0]);
    at.visits += 1;
  };
  const before = {
    primary: await sessionsMs(databases.primary),
    standby: await sessionsMs(databases.standby),
  };
  const endMs = Date.now() + BUSY_MS;
  await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      for (; Date.now() < endMs; await sleep(200)) await visit();
    }),
  );
  return {
    faults: faults.slice(0, 5),
    visits: at.visits,
    primaryMs: (await sessionsMs(databases.primary)) - before.primary,
    standbyMs: (await sessionsMs(databases.standby)) - before.standby,
  };
}
