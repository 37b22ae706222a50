import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { expect, test } from 'vitest';
import { listOrders } from './order-queries.ts';

const still = forFile(() => StillHouse.open());

async function openOrders(customerId: string): Promise<number[]> {
  const orders = await listOrders(await still.queryParts(), { customerId, isSettled: false, limit: 50 });
  return orders.map(({ id }) => Number(id));
}

// The query skips orders of batches that are too old to be open; the longest cycle decides how old that is.
test('an order of the longest cycle counts as open until it settles, however much was settled since', async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  const customer = await still.house.customer();
  const order = { symbol: 'EUR/USD', amount: '10' };
  const first = await still.buy(customer, { ...order, minutes: 1 });
  const long = await still.buy(customer, { ...order, minutes: 60 });
  await still.tick('EUR/USD', '1.08427');
  const { settlesAtMs } = await still.order(long);

  for (let atMs = still.nowMs + 90_000; atMs < settlesAtMs - 60_000; atMs += 300_000) {
    await still.leapTo(atMs);
    await still.tick('EUR/USD', '1.08430');
    await still.settle();
    expect(await openOrders(customer)).toEqual([long]);
  }
  await still.leapTo(settlesAtMs - 500);
  await still.tick('EUR/USD', '1.08451');
  expect(await still.settle()).toBe(0);
  expect(await openOrders(customer)).toEqual([long]);
  await still.stepBy(250);
  expect(await still.settle()).toBe(1);
  expect(await openOrders(customer)).toEqual([]);

  // Two hours later the bound has passed those two; an order bought then is open.
  await still.stepTo(settlesAtMs + 7_200_000);
  for (let seconds = 0; seconds < 18; seconds += 3) {
    await still.tick('EUR/USD', '1.08452');
    await still.stepBy(2_750);
  }
  await still.tick('EUR/USD', '1.08452');
  await still.settle();
  const later = await still.buy(customer, { ...order, minutes: 1 });
  expect(await openOrders(customer)).toEqual([later]);
  expect((await still.order(first)).settledAtMs).not.toBeNull();
});
