import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tokenHashOf } from '@fairtick/kit/people/traders.ts';
import { minor } from '@fairtick/money';
import type { OrderRequest } from '../apps/server/src/trading/placement/placement-parts.ts';
import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectOpened, expectRightBooks } from './kit/books.ts';
import { type BenchHouse, DEMO, openHouse, placementParts } from './kit/house.ts';
import { joinInstallation } from './kit/installation.ts';
import { median, percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { type Spent, spentNow, spentSince, spentText } from './kit/spent.ts';
import { type Baseline, baselineOf, Tpcb } from './kit/tpcb.ts';

/**
 * Placement, from the queue to the committed and signed acceptance, against TPC-B on the same server: `npm run bench -- placement`.
 * Rounds of both take turns; the ratio is of their medians. `CUSTOMERS` are 100 000 by default. With `PROCESSES=2` half of the
 * requesters place in a second process with a queue of its own, as with two API processes.
 */
const REQUESTERS = (process.env.REQUESTERS ?? sized('64,256,1024', '16')).split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? sized(3, 1));
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));
const PROCESSES = Number(process.env.PROCESSES ?? 1);

/** Refusals that depend on the moment. */
const PASSING = new Set(['LATE', 'PRICE_UNAVAILABLE']);

async function main(): Promise<void> {
  const house = await openHouse();
  const second = PROCESSES === 2 ? fork(import.meta.filename, [house.dataDir]) : null;
  try {
    const tpcb = await Tpcb.open(house.database);
    const products = await house.openProducts();
    console.log(`${house.customers.length} customers, ${products.length} products open`);
    const queue = new PlacementQueue(house.placement);
    await placeFor(house, queue, { products, requesters: sized(256, 16), seconds: sized(3, 1) });
    const baselines: Baseline[] = [];
    const results = new Map(REQUESTERS.map((requesters) => [requesters, [] as Round[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [requesters, rounds] of results) {
        baselines.push(tpcb.measure(SECONDS));
        rounds.push(await placeFor(house, queue, { products, requesters, seconds: SECONDS, second }));
      }
    }
    const baseline = baselineOf(baselines);
    console.log(
      `tpcb ${baseline.tps.toFixed(0)}/s (${baselines.map(({ tps }) => tps.toFixed(0)).join(', ')})`,
    );
    for (const [requesters, rounds] of results) report(requesters, rounds, baseline);
    second?.disconnect();
    await expectOpened(house);
    await expectRightBooks(house);
  } finally {
    second?.kill();
    await house.close();
  }
}

function report(requesters: number, rounds: readonly Round[], baseline: Baseline): void {
  const rate = median(rounds.map((round) => round.rate));
  const latency = (q: number) => median(rounds.map((round) => percentile(round.latencies, q))).toFixed(0);
  const spent = (name: keyof Spent) => median(rounds.map((round) => round.spent[name]));
  console.log(
    [
      `placement, ${requesters} requesters: ${rate.toFixed(0)}/s = ${(rate / baseline.tps).toFixed(1)} × tpcb`,
      `p50 ${latency(0.5)} ms, p99 ${latency(0.99)} ms`,
      spentText(
        {
          databaseUs: spent('databaseUs'),
          nodeUs: spent('nodeUs'),
          walBytes: spent('walBytes'),
          diskBytes: spent('diskBytes'),
        },
        baseline.cpuUs,
      ),
      `refused ${rounds.map((round) => round.refused).join(', ')}`,
    ].join('; '),
  );
}

export interface Round {
  readonly rate: number;
  readonly latencies: readonly number[];
  /** Because the machine was too busy, or the product's prices had stopped meanwhile. */
  readonly refused: number;
  /** By an order; this process's CPU includes the requesters. */
  readonly spent: Spent;
}

interface Load {
  readonly products: readonly number[];
  readonly requesters: number;
  readonly seconds: number;
  readonly until?: () => boolean;
}

/** The answers to all requesters, counted. */
interface Placed {
  readonly accepted: number;
  readonly latencies: readonly number[];
  readonly refused: number;
  /** CPU of this process. */
  readonly nodeUs: number;
}

/** Runs so many requesters, half of them in the second process if there is one. */
export async function placeFor(
  house: BenchHouse,
  queue: PlacementQueue,
  { second = null, ...load }: Load & { second?: ChildProcess | null },
): Promise<Round> {
  const { products, seconds } = load;
  const requesters = second ? load.requesters / 2 : load.requesters;
  const before = await spentNow(house);
  const startedMs = performance.now();
  second?.send({ products, requesters, seconds });
  const [own, [other]] = await Promise.all([
    requestOrders(queue, house.customers, { ...load, requesters }),
    second ? (once(second, 'message') as Promise<[Placed]>) : [],
  ]);
  const all = other ? [own, other] : [own];
  const sum = (name: 'accepted' | 'refused' | 'nodeUs') => all.reduce((total, each) => total + each[name], 0);
  const accepted = sum('accepted');
  if (accepted === 0) throw new Error('no order was accepted');
  const rate = (accepted / (performance.now() - startedMs)) * 1000;
  const spent = await spentSince(house, before, accepted);
  const othersUs = (sum('nodeUs') - own.nodeUs) / accepted;
  return {
    rate,
    latencies: all.flatMap(({ latencies }) => latencies),
    refused: sum('refused'),
    spent: { ...spent, nodeUs: spent.nodeUs + othersUs },
  };
}

/** Each requester sends its next order when the last one is answered. */
async function requestOrders(
  queue: PlacementQueue,
  customers: readonly string[],
  { products, requesters, seconds, until }: Load,
): Promise<Placed> {
  const latencies: number[] = [];
  let accepted = 0;
  let refused = 0;
  const cpu = process.cpuUsage();
  const endMs = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: requesters }, async () => {
      for (let now = performance.now(); now < endMs && !until?.(); ) {
        const answer = await queue.place(randomOrder(customers, products));
        const answeredMs = performance.now();
        latencies.push(answeredMs - now);
        if (answer.kind === 'accepted') accepted += 1;
        else if (answer.kind === 'refused' && PASSING.has(answer.code)) refused += 1;
        else throw new Error(`an order was not placed: ${JSON.stringify(answer)}`);
        now = answeredMs;
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { accepted, latencies, refused, nodeUs: user + system };
}

/** The second process: places as its parent tells it, until the parent disconnects. */
async function placeBeside(dataDir: string): Promise<void> {
  const pool = await joinInstallation(dataDir);
  const { rows } = await pool.query<{ id: string }>('select id from customers order by id');
  const customers = rows.map(({ id }) => id);
  const queue = new PlacementQueue(await placementParts(pool, dataDir));
  process.on('message', async (load: Load) => {
    process.send?.(await requestOrders(queue, customers, load));
  });
  process.on('disconnect', () => process.exit());
}

/** Made as cheaply as possible, because real requesters run on other machines. */
function randomOrder(customers: readonly string[], products: readonly number[]): OrderRequest {
  const customerId = customers[below(customers.length)] as string;
  const keyHash = Buffer.allocUnsafe(32);
  for (let at = 0; at < 32; at += 4) keyHash.writeUInt32LE(below(2 ** 32), at);
  return {
    customerId,
    tokenHash: tokenOf(customerId),
    keyHash,
    inputHash: keyHash,
    productId: products[below(products.length)] as number,
    assetId: DEMO,
    direction: below(2) ? 'up' : 'down',
    minutes: ([1, 3, 5] as const)[below(3)] as number,
    stake: minor(10_000_000n + BigInt(below(1_000_000))),
    notAfterMs: null,
    named: null,
    seen: null,
  };
}

const tokens = new Map<string, Buffer>();
function tokenOf(customerId: string): Buffer {
  const known = tokens.get(customerId) ?? tokenHashOf(customerId);
  tokens.set(customerId, known);
  return known;
}

const below = (limit: number): number => Math.floor(Math.random() * limit);

if (import.meta.main) await (process.send && process.argv[2] ? placeBeside(process.argv[2]) : main());
