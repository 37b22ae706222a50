import { transactionsOf } from '@fairtick/kit/database/database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { describe, expect, test } from 'vitest';
import { settleAllDue } from '../settlement/settle-lanes.ts';
import { PlacementQueue } from './placement-queue.ts';

const still = forFile(() => pricedHouse(), closeAudited);

describe('a crowd', () => {
  test('of 256 customers with an order each at once is served in at most 16 transactions', async () => {
    const customers = await still.customers(256);
    const requests = customers.map((customer) =>
      still.house.request(customer, { symbol: 'EUR/USD', amount: '10' }),
    );
    let accepted = 0;
    const transactions = await transactionsOf(still.house.db, async (pool) => {
      const queue = new PlacementQueue({ ...still.placement, pool });
      const answers = await Promise.all(requests.map((request) => queue.place(request)));
      accepted = answers.filter(({ kind }) => kind === 'accepted').length;
    });
    expect(accepted).toBe(256);
    expect(await still.orders()).toHaveLength(256);
    expect(transactions).toBeLessThanOrEqual(16);
  });

  test('of 10 000 orders of one second is settled in at most 20 transactions', async () => {
    const customers = await still.customers(1_000);
    for (let round = 0; round < 10; round += 1) {
      const requests = customers.map((customer, place) =>
        still.house.request(customer, {
          symbol: 'EUR/USD',
          amount: '10',
          minutes: 3,
          direction: place % 2 === 0 ? 'up' : 'down',
        }),
      );
      const answers = await still.place(requests);
      expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1_000);
    }
    const settlesAtMs = (await still.orders()).at(-1)?.settlesAtMs as number;
    // All orders open at the next price, and then the price rises.
    await still.tick('EUR/USD', '1.08410');
    await still.leapTo(settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08420');
    await still.stepBy(250);
    let settled = 0;
    const transactions = await transactionsOf(still.house.db, async (pool) => {
      settled = await settleAllDue(pool);
    });
    expect(settled).toBe(256 + 10_000);
    expect(transactions).toBeLessThanOrEqual(20);
    const together = (await still.orders()).filter((order) => order.settlesAtMs === settlesAtMs);
    expect(together.filter(({ result }) => result === 'profit')).toHaveLength(5_000);
    expect(together.filter(({ result }) => result === 'loss')).toHaveLength(5_000);
    // Ten stakes of 10 at 82 %: one half of the customers won them, the other half lost them.
    expect(await still.house.balance(customers[0] as string)).toEqual({
      available: 10_082_000_000n,
      held: 0n,
    });
    expect(await still.house.balance(customers[1] as string)).toEqual({
      available: 9_900_000_000n,
      held: 0n,
    });
  });
});
