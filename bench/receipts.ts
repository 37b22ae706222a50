import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Api, type Customer, newKey, openSymbol, register } from '@fairtick/kit/clients/api.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { aDayAgoMs, openBusyParts, openBusyWriter } from './kit/busy-writer.ts';
import { openInstallation } from './kit/installation.ts';
import { percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Response time of a receipt with a long log below it: 50 million real ticks of all products, three sources each, within the last
 * day, against a hundredth of them. A complete server runs on each, and its customers' orders settle as usual. The receipts are
 * then fetched over HTTP, no two of one order in a row: first from one process with all roles, then from an API process beside
 * another with the other roles. One installation runs at a time, because the feed of another would disturb the measurement.
 *   npm run bench -- receipts [TICKS]
 */
const TICKS = Number(process.argv[2] ?? sized(50_000_000, 200_000));
const PART = 100;
const ORDERS = sized(200, 3);
const CALLS = sized(3_000, 20);
const CALLS_PER_COLLECTION = 25;
const GRID_TIMES = 7;
const SETTINGS = { PUBLIC_ORIGIN: 'http://bench.invalid' };
const LATER = new Set(['LATE', 'PRICE_UNAVAILABLE', 'NOT_READY']);
const SETTLED_WITHIN_MS = 150_000;

interface Filled {
  readonly installation: Installation;
  readonly customer: Customer;
  readonly orders: readonly string[];
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const small = await figuresOf(TICKS / PART);
const large = await figuresOf(TICKS);
const inMs = (figures: readonly number[]) => figures.map((ms) => ms.toFixed(2));
const over = (ms: readonly number[], baseline: readonly number[]) =>
  ms.map((each, place) => (each / (baseline[place] as number)).toFixed(2));
for (const [title, of] of [
  ['one process', 'together'],
  ['requests apart', 'apart'],
] as const) {
  printTable(
    [`ticks (${title})`, 'p50 ms', 'p95 ms', 'p99 ms'],
    [
      [String(TICKS / PART), ...inMs(small[of])],
      [String(TICKS), ...inMs(large[of])],
      ['×', ...over(large[of], small[of])],
    ],
  );
}

/** Response time of a receipt above so many ticks: ms at p50, p95 and p99. */
interface Figures {
  readonly together: readonly number[];
  readonly apart: readonly number[];
}

async function figuresOf(ticks: number): Promise<Figures> {
  const filled = await open(ticks);
  const { installation } = filled;
  const shares = async (server: ServerProcess) => {
    const times = await measure(server, filled);
    return [0.5, 0.95, 0.99].map((share) => percentile(times, share));
  };
  try {
    const all = await installation.startReady(SETTINGS);
    const together = await shares(all);
    await all.stop();
    // This process answers no requests; the API process gets ready once this one works.
    await installation.start({ ...SETTINGS, ROLE: 'engine,feed' });
    return { together, apart: await shares(await installation.startReady({ ...SETTINGS, ROLE: 'api' })) };
  } finally {
    await installation.close();
  }
}

/** A server on so many ticks, with one customer's settled orders whose receipts are available. */
async function open(ticks: number): Promise<Filled> {
  const startedMs = performance.now();
  const dataDir = await writeTicks(ticks);
  console.log(`${ticks} ticks written in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  const installation = new Installation(dataDir);
  try {
    const server = await installation.startReady(SETTINGS);
    const api = await Api.open(server.origin);
    const customer = await register(api);
    const orders: string[] = [];
    for (let placed = 0; placed < ORDERS; placed += 1) orders.push(await place(api, customer));
    await untilReceipts(api, customer, orders);
    await server.stop();
    return { installation, customer, orders };
  } catch (error) {
    await installation.close();
    throw error;
  }
}

/** @returns the folder of a stopped installation */
async function writeTicks(ticks: number): Promise<string> {
  const bench = await openInstallation({ max_wal_size: '8GB' });
  const startMs = aDayAgoMs();
  await openBusyWriter(bench, startMs);
  const { draft, append } = await openBusyParts(bench, startMs);
  for (let written = 0; written < ticks; ) written += await append(draft(GRID_TIMES));
  // Marks the log as archived, as in normal operation; otherwise the archive would work for hours beside the measurement.
  await bench.owner.query(
    `insert into log_bundles (number, body) select size / 256 - 1, '' from log_head where size >= 256`,
  );
  return bench.leave();
}

async function place(api: Api, { token }: Customer): Promise<string> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { body } = await api.post(
      'order/create',
      { symbol: await openSymbol(api), direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' },
      { token, key: newKey() },
    );
    if (body.code === 1) return body.data.id;
    // On a busy machine prices can be late; the order is then sent again.
    if (!LATER.has(body.error ?? '')) throw new Error(`an order was refused: ${body.error}`);
    await sleep(250);
  }
  throw new Error('prices did not come in time');
}

async function untilReceipts(api: Api, { token }: Customer, orders: readonly string[]): Promise<void> {
  const untilMs = performance.now() + SETTLED_WITHIN_MS;
  for (const id of orders) {
    while ((await api.get('order/receipt', { id }, { token })).body.code !== 1) {
      if (performance.now() > untilMs) throw new Error(`order ${id} has no receipt yet`);
      await sleep(500);
    }
  }
}

/** @returns times in ms, without the first calls after the start */
async function measure({ origin }: ServerProcess, { customer, orders }: Filled): Promise<number[]> {
  const times: number[] = [];
  // Warm-up: code is compiled and caches are filled before calls count.
  for (let call = -orders.length; call < CALLS; call += 1) {
    const id = orders.at(call % orders.length) as string;
    // Collects this process's garbage between calls; otherwise one call in a hundred would wait for it.
    if (call % CALLS_PER_COLLECTION === 0) collectGarbage();
    const startMs = performance.now();
    const answer = await fetch(`${origin}/api/order/receipt?id=${id}&lang=en`, {
      headers: { token: customer.token },
    });
    const text = await answer.text();
    if (call >= 0) times.push(performance.now() - startMs);
    const { code } = JSON.parse(text) as { code: number };
    if (code !== 1) throw new Error('a receipt was refused');
  }
  return times;
}
