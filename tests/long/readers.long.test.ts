import { mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from '@fairtick/kit/load/crowd.ts';
import type { CrowdTask } from '@fairtick/kit/load/stream-crowd.ts';
import { openSymbols } from '@fairtick/kit/load/trading.ts';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { type FrontDoor, openFrontDoor } from '@fairtick/kit/processes/haproxy.ts';
import { NatsServer } from '@fairtick/kit/processes/nats.ts';
import { processorMsOf } from '@fairtick/kit/processes/process-figures.ts';
import {
  type Installation,
  openInstallation,
  type RoleProcess,
} from '@fairtick/kit/processes/role-processes.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { median, percentile, printTable } from '../../bench/kit/measure.ts';

/**
 * Readers of the stream behind HAProxy, with the shipped limits, at a twentieth, a quarter and all of READERS: what each costs, and how old
 * a price is at its arrival. With NOTIFY=1 notices go through the database. Each reader follows the price and the minute of one
 * product, as the screen of a product does.
 */
const READERS = Number(process.env.READERS ?? 20_000);
const SECONDS = Number(process.env.SECONDS ?? 20);
const SIZES = [READERS / 20, READERS / 4, READERS].map(Math.round);
const PRODUCTS = 20;
/** Readers whose prices are timed, of each size. */
const TIMED = 100;
/** A balancer or a client takes so many, for an environment that allows 20 000 open files to a process. */
const OF_ONE_PROCESS = 7_000;
const AGE_MS = 300;
/** With less of the processor free, the machine is what delays: it carries the readers, too. */
const FREE = 0.1;

let house: Installation;
let nats: NatsServer | null = null;
let apis: RoleProcess[];
let symbols: string[];
const doors: FrontDoor[] = [];
const crowds: Crowd[] = [];
beforeAll(async () => {
  ensurePackages('/usr/sbin/haproxy', 'haproxy');
  if (process.env.NOTIFY !== '1') {
    ensurePackages('/usr/sbin/nats-server', 'nats-server');
    nats = await NatsServer.open();
  }
  house = await openInstallation();
  const environment = { TRUST_PROXY: '1', ...(nats && { NATS_URL: nats.url }) };
  const started = await Promise.all(
    ['feed', 'engine', 'api', 'api'].map((role) => house.start(role, environment)),
  );
  await Promise.all(started.map((each) => each.untilReady()));
  apis = started.slice(2);
  for (let place = 0; place < Math.ceil((READERS + SIZES.length * TIMED) / OF_ONE_PROCESS); place += 1) {
    const folder = join(house.dataDir, `balancer-${place}`);
    mkdirSync(folder);
    doors.push(
      await openFrontDoor(
        folder,
        apis.map(({ origin }) => origin),
        { needsBounds: true },
      ),
    );
  }
  symbols = await openSymbols((doors[0] as FrontDoor).origin, PRODUCTS);
});
afterAll(async () => {
  for (const crowd of crowds) await crowd.leave();
  for (const door of doors) await door.close();
  await house?.close();
  await nats?.kill();
});

/** Those who begin to follow prices at a size, and among them timed ones, who do so last: all others are sent theirs before. */
interface Comers {
  readonly crowds: readonly Crowd[];
  readonly timed: Crowd;
}

/** All join before any follows a price: a process that sends prices to thousands takes few new ones. */
async function joinAll(): Promise<Comers[]> {
  let joined = 0;
  const all: Comers[] = [];
  for (const [place, readers] of SIZES.entries()) {
    const comers: Crowd[] = [];
    while (joined < readers) {
      const door = Math.floor(joined / OF_ONE_PROCESS);
      const count = Math.min(readers, (door + 1) * OF_ONE_PROCESS) - joined;
      comers.push(await joinBy(doors[door], { readers: count, first: joined }));
      joined += count;
    }
    const first = 1_000_000 + place * 1_000;
    const timed = await joinBy(doors.at(-1), { readers: TIMED, first, isTimed: true });
    crowds.push(...comers, timed);
    all.push({ crowds: comers, timed });
  }
  return all;
}

const joinBy = (door: FrontDoor | undefined, readers: Pick<CrowdTask, 'readers' | 'first' | 'isTimed'>) =>
  Crowd.join({
    port: Number(new URL(door?.origin ?? '').port),
    path: '/api/stream',
    topics: symbols.map((symbol) => [`quote:${symbol}`, `candle:${symbol}:1m`]),
    atOnce: 20,
    ...readers,
  });

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const processorOf = (pids: readonly (number | null)[]) =>
  sum(pids.map((pid) => (pid === null ? 0 : processorMsOf(pid))));
const idleMs = () => sum(cpus().map(({ times }) => times.idle));
const memoryOf = ({ pid }: RoleProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
async function transactions(): Promise<number> {
  const { rows } = await house.db.query(
    'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
  );
  return rows[0].n;
}

/** The past that charts show is made in threads of the APIs, one product after the other. */
async function isPastMade(): Promise<boolean> {
  const before = processorOf(apis.map(({ pid }) => pid));
  await sleep(3_000);
  return processorOf(apis.map(({ pid }) => pid)) - before < 600;
}

interface Size {
  readonly readers: number;
  /** Readers that were closed, since they were too slow or the machine was. */
  readonly ended: number;
  /** Of the event loops of both APIs, and of the balancers: cores. */
  readonly api: number;
  readonly balancer: number;
  readonly clients: number;
  readonly free: number;
  readonly memory: number;
  readonly bytes: number;
  readonly transactions: number;
  readonly ages: readonly number[];
}

async function measure(readers: number, timed: Crowd): Promise<Size> {
  await sleep(3_000);
  const read = async () => ({
    api: sum(apis.map(({ pid }) => processorMsOf(pid, pid))),
    balancer: processorOf(doors.map(({ pid }) => pid)),
    clients: processorOf(crowds.map(({ pid }) => pid)),
    free: idleMs() / cpus().length,
    transactions: await transactions(),
    atMs: performance.now(),
  });
  await Promise.all(crowds.map((crowd) => crowd.figures()));
  const before = await read();
  await sleep(SECONDS * 1_000);
  const after = await read();
  const { ages, bytes } = await timed.figures();
  const others = crowds.filter((crowd) => crowd !== timed);
  const figures = await Promise.all(others.map((crowd) => crowd.figures()));
  const ms = after.atMs - before.atMs;
  return {
    ended: sum(figures.map(({ ended }) => ended)),
    readers,
    api: (after.api - before.api) / ms,
    balancer: (after.balancer - before.balancer) / ms,
    clients: (after.clients - before.clients) / ms,
    free: (after.free - before.free) / ms,
    transactions: ((after.transactions - before.transactions) * 1_000) / ms,
    memory: sum(apis.map(memoryOf)),
    bytes: ((bytes + sum(figures.map((one) => one.bytes))) * 1_000) / ms,
    ages,
  };
}

/** What one more reader takes, by least squares. */
function slope(sizes: readonly Size[], of: (size: Size) => number): number {
  const meanOf = (value: (size: Size) => number) => sum(sizes.map(value)) / sizes.length;
  const [x, y] = [meanOf(({ readers }) => readers), meanOf(of)];
  return meanOf((size) => (size.readers - x) * (of(size) - y)) / meanOf(({ readers }) => (readers - x) ** 2);
}

function print(sizes: readonly Size[]): void {
  printTable(
    [
      ...['readers', 'ended', 'API cores', 'balancer cores', 'client cores', 'free', 'API MB', 'MB/s'],
      ...['transactions/s', 'price age p50, p99 ms'],
    ],
    sizes.map((size) => [
      size.readers,
      size.ended,
      ...[size.api, size.balancer, size.clients, size.free].map((cores) => cores.toFixed(2)),
      Math.round(size.memory / 1e6),
      (size.bytes / 1e6).toFixed(1),
      Math.round(size.transactions),
      `${median(size.ages)}, ${percentile(size.ages, 0.99)}`,
    ]),
  );
}

test(`prices reach ${READERS} readers in time, and each costs as much as the one before`, async () => {
  if (READERS >= 1_000) await seen(isPastMade, { withinMs: 900_000, what: 'the past of all products' });
  const sizes: Size[] = [];
  for (const [place, { crowds: comers, timed }] of (await joinAll()).entries()) {
    await Promise.all(comers.map((crowd) => crowd.subscribe()));
    await timed.subscribe();
    sizes.push(await measure((SIZES[place] as number) + (place + 1) * TIMED, timed));
    print(sizes);
  }
  const of = {
    'API cores': slope(sizes, ({ api }) => api),
    'balancer cores': slope(sizes, ({ balancer }) => balancer),
    'MB/s': slope(sizes, ({ bytes }) => bytes) / 1e6,
  };
  printTable(
    ['', 'a reader', '100 000', 'a million'],
    Object.entries(of).map(([what, each]) => [
      what,
      ...[each, each * 1e5, each * 1e6].map((value) => value.toPrecision(2)),
    ]),
  );
  for (const { readers, ended, bytes, free, ages } of sizes) {
    expect(bytes / readers).toBeGreaterThan(100);
    if (free >= FREE) expect([readers, ended, percentile(ages, 0.99) <= AGE_MS]).toEqual([readers, 0, true]);
  }
}, 1_800_000);
