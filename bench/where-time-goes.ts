import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectAllSettled } from './kit/books.ts';
import { makeDueOrders } from './kit/due-orders.ts';
import { openHouse } from './kit/house.ts';
import { PROFILE_SETTINGS, StatementProfile } from './kit/profile.ts';
import { sized } from './kit/size.ts';
import { placeFor } from './placement.ts';
import { settleAll } from './settlement.ts';

/**
 * Time by part of placement (256 requesters) and of settlement: `npm run bench -- where-time-goes`, with `node --cpu-prof` for this
 * process. Counting statements costs a few hundredths itself.
 */
const REQUESTERS = sized(256, 16);
const DUE = sized(100_000, 3_000);

const house = await openHouse({ settings: PROFILE_SETTINGS });
try {
  const profile = await StatementProfile.open(house.database);
  const products = await house.openProducts();
  const queue = new PlacementQueue(house.placement);
  await placeFor(house, queue, { products, requesters: REQUESTERS, seconds: sized(3, 1) });
  await profile.reset();
  const placed = await placeFor(house, queue, { products, requesters: REQUESTERS, seconds: sized(8, 1) });
  const orders = placed.latencies.length;
  console.log(
    `placement, ${orders} orders: CPU ${placed.spent.databaseUs.toFixed(0)} µs database + ${placed.spent.nodeUs.toFixed(0)} µs Node each`,
  );
  await profile.print(orders, 'order');
  const due = await makeDueOrders(house, DUE);
  await profile.reset();
  const settled = await settleAll(house, DUE);
  console.log(
    `settlement, ${DUE} orders: CPU ${settled.spent.databaseUs.toFixed(0)} µs database + ${settled.spent.nodeUs.toFixed(0)} µs Node each`,
  );
  await profile.print(DUE, 'order');
  await profile.close();
  await expectAllSettled(house, due);
} finally {
  await house.close();
}
