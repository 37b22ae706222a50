import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { addSettledOrders } from '@fairtick/kit/installation/settled-orders.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { expect, test } from 'vitest';

const still = forFile(() => StillHouse.open({ quietMs: 120_000 }));
let nextId = 1_024_000;

/** A new customer with orders of a minute each that settled since yesterday; `everyMs` lies between two acceptances. */
async function customerWith(results: readonly number[], everyMs = 63_000): Promise<string> {
  const customer = await still.house.customer();
  const fromMs = Math.floor((Date.now() - 86_400_000) / 60_000) * 60_000;
  await addSettledOrders(still.house.db.owner, { customer, afterId: nextId, results, everyMs, fromMs });
  nextId += results.length + 1;
  return customer;
}

const wins = (won: number, lost: number) => [...Array(won).fill(1), ...Array(lost).fill(-1)];

test('wins that chance can’t explain make a task; luck, few orders and many in one minute do not', async () => {
  for (const honest of [wins(60, 40), wins(29, 0), wins(0, 100)]) await customerWith(honest);
  await customerWith(wins(100, 0), 400);
  const found = () => ask(still.house.db, 'flag_tasks_find', ['improbable_wins']);
  expect(await found()).toBe(0);
  const ann = await customerWith(wins(70, 30));
  expect(await found()).toBe(1);
  const { rows } = await still.house.db.owner.query('select customer_id, facts from flag_tasks');
  expect(rows).toEqual([{ customer_id: ann, facts: { orders: 100, won: 70, score: 4 } }]);
});
