import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import type { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { openSymbols } from '@fairtick/kit/load/trading.ts';
import { openInstallation, type RoleProcess } from '@fairtick/kit/processes/role-processes.ts';
import { faultsOfLog, openLoad, openSix, type Six } from '@fairtick/kit/processes/six-processes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Promise 9: the clocks of the database and of the server's processes jump by an hour, forwards and backwards, together and
 * apart, while customers trade. Only wall clocks are faked; monotonic clocks can't be set on any machine. No rule is broken, and
 * every order settles. (A session stays fresh for an hour by the database's clock: when that jumps ahead, customers enter their
 * password again, as these do.)
 */
const LIBRARY = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((path) => existsSync(path));
const CUSTOMERS = 12;
/**
 * A customer must not run out of money in the minute before the first orders settle, because that would be refused for any clock.
 */
const MAX_PAUSE_MS = 400;
const HOUR = 3_600;
/** Duration of each state, and the limit for accepting orders again after a jump, in ms. */
const STATE_MS = 15_000;
const TAKEN_AGAIN_WITHIN_MS = 10_000;
/** How far the log's clock may be off a clock that is never set, in ms. */
const LOG_OFF_MS = 5_000;
/** An order opens at the first step of the grid after `delayMs`, and settles at the first whole second a minute later. */
const LONGEST_ORDER_MS = 2_000 + 250 + 60_000 + 1_000;

/** Seconds off the true time: of the database, and of the server's processes. */
const STATES: readonly (readonly [database: number, server: number])[] = [
  [HOUR, 0],
  [0, 0],
  [0, HOUR],
  [-HOUR, HOUR],
  [HOUR, -HOUR],
  [-HOUR, -HOUR],
  [0, 0],
];

let six: Six;
let journal: Journal;
let client: LoadClient;
let symbols: string[];
const fileOf = (dataDir: string, who: string) => join(dataDir, `clock-of-${who}`);
const setClock = (dataDir: string, who: string, seconds: number) =>
  writeFileSync(fileOf(dataDir, who), `${seconds < 0 ? '' : '+'}${seconds}\n`);

/** Environment variables that give a process the fake clock of a file. */
function falseClock(dataDir: string, who: string): Record<string, string> {
  if (LIBRARY === undefined) throw new Error('libfaketime is needed: apt-get install faketime');
  setClock(dataDir, who, 0);
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: fileOf(dataDir, who),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

beforeAll(async () => {
  const house = await openInstallation({ fsync: 'off' }, (dataDir) => falseClock(dataDir, 'database'));
  six = await openSix(falseClock(house.dataDir, 'server'), Promise.resolve(house));
  const { origin } = six.apis[0] as RoleProcess;
  ({ journal, client } = await openLoad(six.house, origin, CUSTOMERS));
  symbols = await openSymbols(origin);
});
afterAll(async () => {
  client?.close();
  journal?.close();
  await six?.house.close();
});

async function accepted(): Promise<number> {
  const { rows } = await six.house.db.query<{ count: string }>('select count(*) as count from orders');
  return Number(rows[0]?.count);
}

async function askAgain(): Promise<void> {
  const open = [...journal.read().values()].filter(
    ({ outcome }) => outcome === 'unknown' || outcome === 'sent',
  );
  await Promise.all(open.map((entry) => client.place(entry)));
}

/** How far the database's clock is off this process's, in seconds. */
async function databaseSkew(): Promise<number> {
  const { rows } = await six.house.db.query<{ at: number }>(
    'select extract(epoch from clock_timestamp())::float8 as at',
  );
  return Math.round((rows[0]?.at ?? 0) - Date.now() / 1000);
}

/** How far the log's clock is ahead of this process's monotonic one, ms; only differences of two answers mean anything. */
async function logAhead(): Promise<number> {
  const { rows } = await six.house.db.query<{ ms: string }>('select time_ms as ms from log_head');
  return Number(rows[0]?.ms) - performance.now();
}

test('clocks that jump by an hour break no rule and leave no order open', async () => {
  let stop = new AbortController();
  let trading = client.trade(symbols, stop.signal, MAX_PAUSE_MS);
  const waited: number[] = [];
  const logOff: number[] = [];
  const aheadAtFirst = await logAhead();
  for (const [database, server] of STATES) {
    setClock(six.house.dataDir, 'database', database);
    setClock(six.house.dataDir, 'server', server);
    const jumpedMs = performance.now();
    // Check that the jump really happened.
    expect(Math.abs((await databaseSkew()) - database)).toBeLessThanOrEqual(1);
    await sleep(300);
    // Orders without an answer at the jump are sent again with their keys; then trading continues.
    stop.abort();
    await trading;
    await askAgain();
    const before = await accepted();
    stop = new AbortController();
    trading = client.trade(symbols, stop.signal, MAX_PAUSE_MS);
    while ((await accepted()) <= before && performance.now() - jumpedMs < STATE_MS) await sleep(50);
    waited.push(Math.round(performance.now() - jumpedMs));
    await sleep(Math.max(0, STATE_MS - (performance.now() - jumpedMs)));
    logOff.push(Math.round((await logAhead()) - aheadAtFirst));
  }
  stop.abort();
  await trading;
  await askAgain();
  // Orders run on the log's clock, which no jump affects.
  const deadline = performance.now() + 120_000;
  let open = -1;
  while (open !== 0 && performance.now() < deadline) {
    const { rows } = await six.house.db.query<{ open: string }>(
      'select count(*) as open from orders_and_results where settled_at_ms is null',
    );
    open = Number(rows[0]?.open);
    await sleep(500);
  }
  const { rows } = await six.house.db.query<{ reason: string; count: string }>(
    `select coalesce(void_reason, 'by price') as reason, count(*) from orders_and_results group by 1 order by 1`,
  );
  console.log(
    `${await accepted()} orders (${rows.map(({ reason, count }) => `${count} ${reason}`).join(', ')}); taken again after ${waited.join(', ')} ms; the log's clock off by ${logOff.join(', ')} ms`,
  );
  expect(open).toBe(0);
  for (const ms of waited) expect(ms).toBeLessThan(TAKEN_AGAIN_WITHIN_MS);
  expect(await judge(six.house.db, journal.read())).toEqual([]);
  expect(await faultsOfLog(six.house)).toEqual([]);
  // A minute by the log must be a minute by a clock that is never set, and an order's time goes by the log alone.
  for (const ms of logOff) expect(Math.abs(ms)).toBeLessThan(LOG_OFF_MS);
  const { rows: late } = await six.house.db.query(
    'select id from orders_and_results where settled_at_ms - settles_at_ms > 30000 or settles_at_ms - accepted_at_ms >= $1',
    [LONGEST_ORDER_MS],
  );
  expect(late).toEqual([]);
}, 600_000);
