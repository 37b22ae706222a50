import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { makeDueOrders } from './due-orders.ts';
import { openHouse } from './house.ts';
import { placeFor } from './placement.ts';
import { PROFILE_SETTINGS, StatementProfile } from './profile.ts';
import { settleAll } from './settlement.ts';

/**
 * Time by part of placement (256 requesters) and of settlement: `npm run bench -- where-time-goes`, with `node --cpu-prof` for this
 * process. Counting statements costs a few hundredths itself.
 */
const DUE = 100_000;

const house = await openHouse({ customers: 100_000, settings: PROFILE_SETTINGS });
try {
  const profile = await StatementProfile.open(house.database);
  const products = await house.openProducts();
  const queue = new PlacementQueue(house.placement);
  await placeFor(house, queue, { products, requesters: 256, seconds: 3 });
  await profile.reset();
  const placed = await placeFor(house, queue, { products, requesters: 256, seconds: 8 });
  const orders = placed.latencies.length;
  console.log(
    `placement, ${orders} orders: CPU ${placed.databaseUs.toFixed(0)} µs database + ${placed.nodeUs.toFixed(0)} µs Node each`,
  );
  await profile.print(orders, 'order');
  await makeDueOrders(house, DUE);
  await profile.reset();
  const settled = await settleAll(house, DUE);
  console.log(
    `settlement, ${DUE} orders: CPU ${settled.databaseUs.toFixed(0)} µs database + ${settled.nodeUs.toFixed(0)} µs Node each`,
  );
  await profile.print(DUE, 'order');
  await profile.close();
} finally {
  await house.close();
}
