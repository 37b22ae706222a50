import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectAllSettled, expectOpened } from './kit/books.ts';
import { makeDueOrders } from './kit/due-orders.ts';
import { openHouse } from './kit/house.ts';
import { percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { baselineOf, Tpcb } from './kit/tpcb.ts';
import { placeFor } from './placement.ts';
import { settleAll } from './settlement.ts';

/**
 * Placement by 256 requesters during the settlement of orders that are due in one second, against TPC-B on the same server: `npm run
 * bench -- together [300000]`. Placement is timed while settlement lasts.
 */
const COUNT = Number(process.argv[2] ?? sized(300_000, 3_000));
const REQUESTERS = sized(256, 16);
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));

const house = await openHouse();
try {
  const tpcb = await Tpcb.open(house.database);
  const due = await makeDueOrders(house, COUNT);
  const queue = new PlacementQueue(house.placement);
  const products = await house.openProducts();
  await placeFor(house, queue, { products, requesters: REQUESTERS, seconds: sized(3, 1) });
  const baselines = [tpcb.measure(SECONDS)];
  const settling = settleAll(house, COUNT);
  const isSettled = { value: false };
  void settling.then(() => {
    isSettled.value = true;
  });
  const placed = await placeFor(house, queue, {
    products,
    requesters: REQUESTERS,
    seconds: 600,
    until: () => isSettled.value,
  });
  const settled = await settling;
  baselines.push(tpcb.measure(SECONDS));
  const baseline = baselineOf(baselines).tps;
  const times = (rate: number) => `${rate.toFixed(0)}/s = ${(rate / baseline).toFixed(1)} × tpcb`;
  const latency = (q: number) => percentile(placed.latencies, q).toFixed(0);
  console.log(
    `together: placement ${times(placed.rate)}, p50 ${latency(0.5)} ms, p99 ${latency(0.99)} ms; settlement ${times(settled.rate)}`,
  );
  await expectAllSettled(house, due);
  await expectOpened(house);
} finally {
  await house.close();
}
