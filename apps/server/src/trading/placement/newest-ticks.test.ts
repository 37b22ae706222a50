import { setTimeout as sleep } from 'node:timers/promises';
import { post, register } from '@fairtick/kit/clients/api-client.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { GRID_MS } from '@fairtick/trading';
import { expect, test } from 'vitest';

/** EUR/USD is quoted all the time. Nobody watches GBP/USD, whose price is current and ticks only every five seconds. */
const floor = ownFloor();

const order = (token: string, symbol: string) =>
  post(
    floor.origin,
    'order/create',
    { symbol, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' },
    { token },
  );

/** Lets the log go on by itself while `run` is under way. */
async function whileLogGoesOn<T>(run: () => Promise<T>): Promise<T> {
  let isDone = false;
  const goOn = async () => {
    while (!isDone) await Promise.all([floor.tick({ 'EUR/USD': '1.08400' }), sleep(GRID_MS)]);
  };
  const going = goOn();
  try {
    return await run();
  } finally {
    isDone = true;
    await going;
  }
}

async function ticksOf(symbol: string): Promise<number> {
  const { rows } = await floor.house.db.server.query<{ n: string }>(
    'select last_n as n from product_states where product_id = $1',
    [floor.house.product(symbol).id],
  );
  return Number(rows[0]?.n);
}

test('the first orders for a product that nobody watches are taken, and share one wait for its tick', async () => {
  const { house, feed } = floor;
  const traders = await Promise.all(Array.from({ length: 20 }, () => register(floor.origin)));
  feed.price(house.product('GBP/USD'), '1.27000', floor.at(GRID_MS));
  await floor.tick({ 'EUR/USD': '1.08400' });
  await whileLogGoesOn(async () => {
    await sleep(1_500);
    expect(await ticksOf('GBP/USD')).toBe(1);
    const answers = await Promise.all(traders.map(({ token }) => order(token, 'GBP/USD')));
    expect(answers.map(({ body }) => body.error ?? 'taken')).toEqual(traders.map(() => 'taken'));
  });
});

test('an order waits a second for a tick that does not come, and is refused', async () => {
  const { token } = await register(floor.origin);
  await floor.tick({ 'EUR/USD': '1.08400' });
  await sleep(600);
  const startedMs = performance.now();
  expect((await order(token, 'EUR/USD')).body.error).toBe('PRICE_UNAVAILABLE');
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});

test('an order for a product whose prices have stopped is refused at once', async () => {
  const { token } = await register(floor.origin);
  await floor.house.stepBy(6_000);
  const startedMs = performance.now();
  expect((await order(token, 'EUR/USD')).body.error).toBe('PRICE_UNAVAILABLE');
  expect(performance.now() - startedMs).toBeLessThan(900);
});
