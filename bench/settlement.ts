import { ChunkSize, settleAllDue } from '../apps/server/src/trading/settlement/settle-lanes.ts';
import { expectAllSettled } from './kit/books.ts';
import { makeDueOrders } from './kit/due-orders.ts';
import { type BenchHouse, openHouse } from './kit/house.ts';
import { sized } from './kit/size.ts';
import { type Spent, spentNow, spentSince, spentText } from './kit/spent.ts';
import { baselineOf, Tpcb } from './kit/tpcb.ts';

/**
 * Settlement of orders that are all due in one second, as the engine does it, against TPC-B on the same server: `npm run bench --
 * settlement [100000 1000000]`. `SHARED_BUFFERS=4GB` gives the database the memory that docs/OPERATIONS.md advises for a
 * dedicated server, and room in its log.
 */
const COUNTS =
  process.argv.length > 2 ? process.argv.slice(2).map(Number) : sized([100_000, 1_000_000], [3_000]);
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));
const { SHARED_BUFFERS } = process.env;
const SETTINGS = SHARED_BUFFERS ? { shared_buffers: SHARED_BUFFERS, max_wal_size: '8GB' } : {};

export interface Settled {
  readonly rate: number;
  readonly spent: Spent;
}

/** Settles all orders that are due. */
export async function settleAll(house: BenchHouse, count: number): Promise<Settled> {
  const before = await spentNow(house);
  const startedMs = performance.now();
  await settleAllDue(house.pool, { size: new ChunkSize(house.pool) });
  const tookMs = performance.now() - startedMs;
  return { rate: (count / tookMs) * 1000, spent: await spentSince(house, before, count) };
}

async function main(): Promise<void> {
  const house = await openHouse({ settings: SETTINGS });
  try {
    const tpcb = await Tpcb.open(house.database);
    for (const count of COUNTS) {
      const due = await makeDueOrders(house, count);
      await house.owner.query('checkpoint').catch(() => {});
      const baselines = [tpcb.measure(SECONDS)];
      const { rate, spent } = await settleAll(house, count);
      baselines.push(tpcb.measure(SECONDS));
      const { tps, cpuUs } = baselineOf(baselines);
      console.log(
        `settlement of ${count}: ${rate.toFixed(0)}/s = ${(rate / tps).toFixed(1)} × tpcb (${baselines.map((one) => one.tps.toFixed(0)).join(', ')}); ${spentText(spent, cpuUs)}`,
      );
      await expectAllSettled(house, due);
    }
  } finally {
    await house.close();
  }
}

if (import.meta.main) await main();
