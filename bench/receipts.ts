import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Api, type Customer, newKey, openSymbol, register } from '@fairtick/kit/clients/api.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { openBusyParts, openBusyWriter } from './busy-writer.ts';
import { openInstallation } from './installation.ts';
import { percentile, printTable } from './measure.ts';

/**
 * How long the answer with a receipt takes with a long log below it: 50 million real ticks of all products, three sources each,
 * within the last day, against a hundredth of them. On top of each a whole server, whose customers' orders settle as they do;
 * the receipts are then fetched over HTTP, no two of one order in a row: first of one process that does everything, then of one
 * that answers requests alone, beside another that does the rest. One house at a time: the feed of another would have its steps
 * measured as well.
 *   npm run bench:receipts [-- TICKS]
 */
const TICKS = Number(process.argv[2] ?? 50_000_000);
const PART = 100;
const ORDERS = 200;
const CALLS = 3_000;
const CALLS_PER_COLLECTION = 25;
const GRID_TIMES = 7;
const SETTINGS = { PUBLIC_ORIGIN: 'http://bench.invalid' };
const A_DAY_MS = 86_400_000;
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

/** How long a receipt takes above so many ticks: ms at p50, p95 and p99. */
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
    // It answers nobody; whoever answers is ready once it works.
    await installation.start({ ...SETTINGS, ROLE: 'engine,feed' });
    return { together, apart: await shares(await installation.startReady({ ...SETTINGS, ROLE: 'api' })) };
  } finally {
    await installation.close();
  }
}

/** A server on so many ticks, with orders of one customer that are settled and whose receipts can be had. */
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

/** @returns the folder of an installation that has stopped */
async function writeTicks(ticks: number): Promise<string> {
  const bench = await openInstallation({ max_wal_size: '8GB' });
  const startMs = Math.floor((Date.now() - A_DAY_MS) / 60_000) * 60_000;
  await openBusyWriter(bench, startMs);
  const { draft, append } = await openBusyParts(bench, startMs);
  for (let written = 0; written < ticks; ) written += await append(draft(GRID_TIMES));
  // As if the archive had kept up, as it does: here it would have hours of work beside the measurement.
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
    // A busy machine prices late, and says so.
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

/** @returns times in ms, the first calls after the start not counted */
async function measure({ origin }: ServerProcess, { customer, orders }: Filled): Promise<number[]> {
  const times: number[] = [];
  // The code is compiled and the caches are filled before it counts.
  for (let call = -orders.length; call < CALLS; call += 1) {
    const id = orders.at(call % orders.length) as string;
    // What this process leaves lying about is taken away between calls: else each hundredth would wait for that.
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
