import { HeldCommits } from '@fairtick/kit/database/pools.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendWaiting } from '../../platform/bus/notifier.ts';
import { PostgresWire } from '../../platform/bus/postgres-wire.ts';
import { SEPARATOR } from '../../platform/bus/wire.ts';

let notices: string[];
const still = forTest(() => pricedHouse({ quietMs: 2_600 }));
beforeEach(async () => {
  notices = [];
});
const listener = forTest(() => new pg.Client(still.house.db.serverAddress));
beforeEach(async () => {
  listener.on('notification', ({ channel, payload }) => {
    if (channel === 'orders') notices.push(payload ?? '');
  });
  await listener.connect();
  await listener.query('listen orders');
});
afterEach(async () => {
  await listener.end();
});

/** Sends what waits; after a round trip, all notifications that were sent before it have arrived. */
async function send(): Promise<void> {
  await sendWaiting(listener, new PostgresWire(still.house.db.serverAddress, pino({ level: 'silent' })));
  await listener.query('select 1');
}

/** Every `customer:order` of the notices since the last call. */
async function told(): Promise<string[]> {
  await send();
  return notices.splice(0).flatMap((notice) => notice.replaceAll(SEPARATOR, ',').split(','));
}

describe('a listener for orders', () => {
  test('gets the customer and order of each placement and each settlement', async () => {
    const customer = await still.house.customer();
    const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
    expect(await told()).toEqual([`${customer}:${orderId}`]);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo((await still.order(orderId)).settlesAtMs + 250);
    expect(await still.settle()).toBe(1);
    expect(await told()).toEqual([`${customer}:${orderId}`]);
  });

  test('gets an order that is void early', async () => {
    const customer = await still.house.customer();
    const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
    await told();
    await still.stepBy(8_000);
    expect(await still.settle()).toBe(1);
    expect(await told()).toEqual([`${customer}:${orderId}`]);
  });

  test('gets no uncommitted and no refused orders', async () => {
    const [ann, bob] = (await still.customers(2)) as [string, string];
    const held = new HeldCommits(still.placement.pool);
    const placing = still.place([still.house.request(ann, { symbol: 'EUR/USD', amount: '100' })], {
      pool: held.pool,
    });
    await held.reached;
    await send();
    expect(notices).toEqual([]);
    held.release();
    await placing;
    expect(await told()).toHaveLength(1);
    await still.place([still.house.request(bob, { symbol: 'EUR/USD', amount: '1' })]);
    await send();
    expect(notices).toEqual([]);
  });

  test('gets each of a thousand orders exactly once, in notices of less than 8 000 characters', async () => {
    const customers = await still.customers(1_000);
    const answers = await still.place(
      customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '10' })),
    );
    const expected = answers.map((answer, place) =>
      answer.kind === 'accepted' ? `${customers[place]}:${answer.orderId}` : 'not accepted',
    );
    await send();
    expect(Math.max(...notices.map((notice) => notice.length))).toBeLessThan(8_000);
    expect((await told()).toSorted()).toEqual(expected.toSorted());
    await still.tick('EUR/USD', '1.08427');
    await still.stepBy(63_000);
    expect(await still.settle()).toBe(1_000);
    expect((await told()).toSorted()).toEqual(expected.toSorted());
  });
});
