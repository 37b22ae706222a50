import { tokenHashOf } from '@fairtick/kit/people/traders.ts';
import { minor } from '@fairtick/money';
import type { OrderRequest } from '../apps/server/src/trading/placement/placement-parts.ts';
import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectOpened, expectRightBooks } from './kit/books.ts';
import { type BenchHouse, DEMO, openHouse } from './kit/house.ts';
import { median, percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { type Spent, spentNow, spentSince, spentText } from './kit/spent.ts';
import { type Baseline, baselineOf, Tpcb } from './kit/tpcb.ts';

/**
 * Placement, from the queue to the committed and signed acceptance, against TPC-B on the same server: `npm run bench -- placement`.
 * Rounds of both take turns; the ratio is of their medians.
 */
const REQUESTERS = (process.env.REQUESTERS ?? sized('64,256,1024', '16')).split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? sized(3, 1));
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));

/** Refusals that depend on the moment. */
const PASSING = new Set(['LATE', 'PRICE_UNAVAILABLE']);

async function main(): Promise<void> {
  const house = await openHouse({ customers: sized(100_000, 1_000) });
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
        rounds.push(await placeFor(house, queue, { products, requesters, seconds: SECONDS }));
      }
    }
    const baseline = baselineOf(baselines);
    console.log(
      `tpcb ${baseline.tps.toFixed(0)}/s (${baselines.map(({ tps }) => tps.toFixed(0)).join(', ')})`,
    );
    for (const [requesters, rounds] of results) report(requesters, rounds, baseline);
    await expectOpened(house);
    await expectRightBooks(house);
  } finally {
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

/** Runs so many requesters, each of which sends its next order when the last one is answered. */
export async function placeFor(
  house: BenchHouse,
  queue: PlacementQueue,
  options: { products: readonly number[]; requesters: number; seconds: number; until?: () => boolean },
): Promise<Round> {
  const { products, requesters, seconds } = options;
  const latencies: number[] = [];
  let accepted = 0;
  const refusals: Record<string, number> = {};
  const before = await spentNow(house);
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  await Promise.all(
    Array.from({ length: requesters }, async () => {
      for (let now = performance.now(); now < endMs && !options.until?.(); ) {
        const answer = await queue.place(randomOrder(house.customers, products));
        const answeredMs = performance.now();
        latencies.push(answeredMs - now);
        if (answer.kind === 'accepted') accepted += 1;
        else if (answer.kind === 'refused' && PASSING.has(answer.code))
          refusals[answer.code] = (refusals[answer.code] ?? 0) + 1;
        else throw new Error(`an order was not placed: ${JSON.stringify(answer)}`);
        now = answeredMs;
      }
    }),
  );
  if (accepted === 0) throw new Error(`no order was accepted: ${JSON.stringify(refusals)}`);
  const rate = (accepted / (performance.now() - startedMs)) * 1000;
  return {
    rate,
    latencies,
    refused: Object.values(refusals).reduce((sum, count) => sum + count, 0),
    spent: await spentSince(house, before, accepted),
  };
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

if (import.meta.main) await main();
