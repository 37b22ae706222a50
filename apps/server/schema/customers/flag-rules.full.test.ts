import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { expect, test } from 'vitest';

const still = forFile(() => StillHouse.open({ quietMs: 120_000 }));
let nextId = 1_024_000;

/** A new customer with orders of a minute each that settled since yesterday; `everyMs` lies between two acceptances. */
async function customerWith(results: readonly number[], everyMs = 63_000): Promise<string> {
  const customer = await still.house.customer();
  await still.house.db.owner.query(
    `insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id, payout_rate_bps,
       product_id, asset_id, minutes, direction, settled_at_ms, result, credited, open_index, open_price, settle_index, settle_price)
     select $1::bigint + n, $2, sha256(n::text::bytea), sha256(''), at_ms, opens_ms, opens_ms + 60000, 100, 80, 1, 8000, 1, 1, 1, 1,
       opens_ms + 60000, result, case result when 1 then 180 else 0 end, 1, 100, 2, 100 + result
     from unnest($3::int[]) with ordinality r (result, n),
       lateral (select $5::bigint + n * $4::bigint as at_ms) o, lateral (select (at_ms + 2999) / 1000 * 1000 as opens_ms) p`,
    [nextId, customer, results, everyMs, Math.floor((Date.now() - 86_400_000) / 60_000) * 60_000],
  );
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
