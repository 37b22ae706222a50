import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  newPayee,
  payByHand,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { expect, test } from 'vitest';
import { readYear } from './year-statement.ts';

const still = forFile(tradedHouse);
/** Whenever the test runs, its own movements are of this year. */
const YEAR = new Date().getUTCFullYear();

const yearOf = (customerId: string, year = YEAR, zone = 'UTC') =>
  readYear(still.house.db.server, still.house.assets, { customerId, account: 'ann', year, zone });

const NOTHING = {
  deposits: '0',
  withdrawals: '0',
  fees: '0',
  result: '0',
  interest: '0',
  other: '0',
  stakes: '0',
};
const sums = (decimals: number, some: Partial<typeof NOTHING>) =>
  Object.fromEntries(
    Object.entries({ ...NOTHING, ...some }).map(([name, sum]) => [name, Number(sum).toFixed(decimals)]),
  );

test('a year has the stakes, results and practice money of orders, and closes at the ledger’s balance', async () => {
  const { rows } = await still.house.db.owner.query<{ id: string; result: number | null }>(
    'select customer_id as id, result from orders_and_results order by id',
  );
  const found = new Map<number | null, Awaited<ReturnType<typeof yearOf>>>();
  for (const { id, result } of rows) found.set(result, await yearOf(id));
  const demo = (closing: string, some: Partial<typeof NOTHING>) => [
    { asset: 'DEMO', opening: '0.000000', closing, sums: sums(6, { other: '10000', ...some }) },
  ];
  expect(found.get(1)?.assets).toMatchObject(demo('10080.000000', { stakes: '100', result: '80' }));
  expect(found.get(-1)?.assets).toMatchObject(demo('9900.000000', { stakes: '100', result: '-100' }));
  // The stake of an open order is held, and still the customer's.
  expect(found.get(null)?.assets).toMatchObject(demo('10000.000000', { stakes: '50' }));
});

test('deposits, withdrawals, fees and interest are those of the year, in the months of its zone', async () => {
  const { db } = still.house;
  const ann = await newPayee(db);
  const [clerk, chief] = [await installStaff(db.owner, 'cashier'), await installStaff(db.owner, 'approver')];
  const paidIn = await deposit(db, ann, usdt(500));
  await ask(db, 'deposit_find', [clerk, paidIn, usdt(500), 'tx 1']);
  const paidOut = await withdrawal(db, ann, usdt(200));
  await ask(db, 'withdrawal_propose', [clerk, paidOut, '']);
  await approveRequest(db, 'withdrawal', [chief, paidOut, await contentOf(db, 'withdrawal', paidOut)]);
  expect(await payByHand(db, clerk, paidOut, 'out 1')).toBe('');
  await db.owner.query(
    `select ledger.pay_interest('interest:1', sha256('i'), array[$1::bigint], array[2::smallint], array[1500000::bigint], 20250101)`,
    [ann.id],
  );
  // The deposit came on the last evening of the year before last, in UTC; the payout in February; interest a year later.
  for (const [kind, at] of [
    ['deposit', '2024-12-31T20:00:00Z'],
    ['hold', '2024-12-31T21:00:00Z'],
    ['payout', '2025-02-28T23:59:59.999Z'],
    ['interest', '2026-01-01T00:00:00Z'],
  ])
    await db.owner.query(
      `update ledger.transfers set created_at = $3 where kind = $2 and id in (select transfer_id from ledger.postings where owner_id = $1)`,
      [ann.id, kind, at],
    );
  const [inUtc] = (await yearOf(ann.id, 2025)).assets;
  expect(inUtc).toEqual({
    asset: 'USDT',
    opening: '500.000000',
    closing: '300.000000',
    sums: sums(6, { withdrawals: '-199', fees: '-1' }),
    months: [{ month: 2, balance: '300.000000', sums: sums(6, { withdrawals: '-199', fees: '-1' }) }],
  });
  // In Shanghai it was the new year already when the deposit came, March at the payout, and the same year at the interest.
  const [inShanghai] = (await yearOf(ann.id, 2025, 'Asia/Shanghai')).assets;
  expect(inShanghai).toMatchObject({ opening: '0.000000', closing: '300.000000' });
  expect(inShanghai?.months.map(({ month, balance }) => [month, balance])).toEqual([
    [1, '500.000000'],
    [3, '300.000000'],
  ]);
  expect((await yearOf(ann.id, 2026)).assets).toMatchObject([
    { opening: '300.000000', closing: '301.500000', sums: sums(6, { interest: '1.5' }) },
  ]);
  expect((await yearOf(ann.id, 2023)).assets).toEqual([]);
});

test('no statement is made of postings that do not lead to the balance', async () => {
  const { db } = still.house;
  const ann = await newPayee(db, usdt(10));
  await db.owner.query('update ledger.balances set available = available + 1 where owner_id = $1', [ann.id]);
  await expect(yearOf(ann.id)).rejects.toThrow('lead to 10000000, not 10000001');
  await db.owner.query('update ledger.balances set available = available - 1 where owner_id = $1', [ann.id]);
});
