import { inclusionProof, leafHash, rootOf, toHex } from '@fairtick/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StillHouse } from '../../test/still-house.ts';
import { OrderFinder } from './order-finder.ts';

let still: StillHouse;
beforeAll(async () => {
  still = await StillHouse.open();
  await still.tick('EUR/USD', '1.08400');
});
afterAll(() => still.close());

/** Orders of so many customers, placed as one batch. */
async function placeBatch(count: number): Promise<{ customerId: string; orderId: number }[]> {
  const customers = await still.customers(count);
  const answers = await still.place(
    customers.map((customerId) => still.house.request(customerId, { symbol: 'EUR/USD', amount: '10' })),
  );
  return answers.map((answer, place) => {
    if (answer.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    return { customerId: customers[place] as string, orderId: answer.orderId };
  });
}

test('whoever asks in one turn gets an order of their own, with its own proof', async () => {
  const placed = await placeBatch(37);
  const finder = new OrderFinder(await still.queryParts());
  const orders = await Promise.all(placed.map((wish) => finder.find(wish)));
  expect(orders.map((order) => order?.id)).toEqual(placed.map(({ orderId }) => String(orderId)));
  const leaves = orders.map((order) => leafHash(order?.acceptance.text ?? ''));
  for (const [place, order] of orders.entries()) {
    expect(order?.acceptance).toMatchObject({
      index: place,
      size: 37,
      proof: inclusionProof(leaves, place).map(toHex),
    });
    const root = Buffer.from(rootOf(leaves)).toString('base64');
    expect(order?.acceptance.signed).toContain(`\n37\n${root}\n`);
  }
});

test('nobody finds an order of somebody else, nor one that is not there', async () => {
  const [mine, theirs] = (await placeBatch(2)) as [
    { customerId: string; orderId: number },
    { customerId: string; orderId: number },
  ];
  const finder = new OrderFinder(await still.queryParts());
  const found = await Promise.all([
    finder.find(mine),
    finder.find({ customerId: mine.customerId, orderId: theirs.orderId }),
    finder.find({ customerId: mine.customerId, orderId: mine.orderId + 500 }),
  ]);
  expect(found.map((order) => order?.id ?? null)).toEqual([String(mine.orderId), null, null]);
});

test('an order that can not be shown costs nobody else theirs', async () => {
  const placed = await placeBatch(5);
  await still.house.db.owner.query('update orders set asset_id = 99 where id = $1', [placed[2]?.orderId]);
  const finder = new OrderFinder(await still.queryParts());
  const found = await Promise.allSettled(placed.map((wish) => finder.find(wish)));
  expect(found.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});
