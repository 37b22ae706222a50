import { get, post } from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { usdt } from '@fairtick/kit/people/money.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { expect, test } from 'vitest';
import { readOrders } from './customer-queries.ts';

/** A customer as staff see them, and the record of views as the customer sees it. */
const db = ownDatabase();
const api = ownOffice(db);
const support = ownStaff(db, api, 'support');
const verification = ownStaff(db, api, 'verification');

test('staff see a customer’s facts, balances and orders but nothing sealed, and the customer is told of each view', async () => {
  const ann = await apiPayee(api.origin, db, usdt(500));
  await db.owner.query(`update customers set real_status = 'none' where id = $1`, [ann.id]);
  expect((await submitReal(api.origin, ann.token)).body.error).toBeUndefined();
  await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [ann.id]);
  const nickname = '<img src=x>';
  await dataOf(post(api.origin, 'user/setUserName', { nickname }, { token: ann.token }));
  const deposit = (await submitDeposit(api.origin, ann.token, '120')).body.data.id;
  const withdrawal = (await withdraw(api.origin, ann, '200')).body.data.id;
  const detail = await dataOf(support.get('customer/detail', { id: ann.id }));
  expect(detail).toMatchObject({
    id: ann.id,
    account: ann.account,
    // Returned unchanged; a client escapes it.
    nickname,
    realStatus: 'verified',
    documents: [{ state: 'pending', decidedAt: null, reason: null }],
    destinations: [{ kind: 'address', asset: 'USDT', label: 'TRC20', isRemoved: false }],
    requests: [
      { kind: 'withdrawal', id: withdrawal, amount: '200.000000', status: 'review' },
      { kind: 'deposit', id: deposit, amount: '120.000000', status: 'review' },
    ],
  });
  expect(detail.balances.find(({ asset }: { asset: string }) => asset === 'USDT')).toEqual({
    asset: 'USDT',
    available: '300.000000',
    held: '200.000000',
    earning: '0.000000',
  });
  const limits = detail.limits.find(({ asset }: { asset: string }) => asset === 'USDT');
  expect(Object.keys(limits)).toEqual(['asset', 'min', 'max', 'fee']);
  for (const secret of ['张三丰', 'E1234567X', 'TJRabP', 'Raffles']) {
    expect([secret, JSON.stringify(detail).includes(secret)]).toEqual([secret, false]);
  }
  const funds = await dataOf(support.get('customer/funds', { id: ann.id, limit: '2' }));
  const own = await dataOf(get(api.origin, 'fund/log', { limit: '2' }, { token: ann.token }));
  expect(funds).toEqual(own);
  const rest = await dataOf(support.get('customer/funds', { id: ann.id, cursor: funds.nextCursor ?? '1' }));
  expect(rest.items).not.toContainEqual(funds.items[0]);
  expect(await dataOf(support.get('customer/orders', { id: ann.id }))).toEqual({
    items: [],
    nextCursor: null,
  });
  const told = await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }));
  expect(told.items.map(({ what, staff }: { what: string; staff: string }) => [what, staff])).toEqual(
    Array(4).fill(['account', support.staffId]),
  );
  // The same list in the office, with names; reading it is not recorded as a view.
  expect(await dataOf(support.get('customer/views', { id: ann.id }))).toEqual({
    ...told,
    items: told.items.map((item: object) => ({ ...item, name: support.account })),
  });
  expect((await dataOf(support.get('customer/views', { id: ann.id }))).items).toHaveLength(4);
});

test('a role without a part in money sees no history of money, and an unknown number finds no customer', async () => {
  const ann = await apiPayee(api.origin, db);
  expect(await errorOf(verification.get('customer/detail', { id: ann.id }))).toBeUndefined();
  expect(await errorOf(verification.get('customer/funds', { id: ann.id }))).toBe('ROLE_MISSING');
  expect(await errorOf(verification.get('customer/orders', { id: ann.id }))).toBe('ROLE_MISSING');
  for (const path of ['customer/detail', 'customer/funds', 'customer/orders', 'customer/views']) {
    for (const id of ['0', '999999999', 'x', '-1']) {
      expect([path, id, await errorOf(support.get(path, { id }))]).toEqual([path, id, 'CUSTOMER_NOT_FOUND']);
    }
  }
  for (const path of ['customer/funds', 'customer/orders', 'customer/views']) {
    expect([path, await errorOf(support.get(path, { id: ann.id, cursor: 'x' }))]).toEqual([
      path,
      'INVALID_CURSOR',
    ]);
  }
});

test('an order is shown as it was bought and with its outcome', async () => {
  const still = await StillHouse.open();
  try {
    await still.stepBy(750);
    await still.tick('EUR/USD', '1.08400');
    const customer = await still.house.customer();
    const id = await still.buy(customer, { symbol: 'EUR/USD', amount: '10', minutes: 1 });
    const { opensAtMs, settlesAtMs } = await still.order(id);
    const read = () => readOrders(still.house.db.server, { customerId: customer, limit: 5 });
    const bought = {
      id: String(id),
      symbol: 'EUR/USD',
      direction: 'up',
      minutes: 1,
      asset: 'DEMO',
      amount: '10.000000',
    };
    expect(await read()).toMatchObject([{ ...bought, settlesAt: settlesAtMs, result: null, credited: null }]);
    await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08451');
    await still.stepBy(250);
    await still.settle();
    expect(await read()).toMatchObject([{ ...bought, result: 'profit' }]);
    expect(
      await readOrders(still.house.db.server, { customerId: customer, cursor: String(id), limit: 5 }),
    ).toEqual([]);
  } finally {
    await still.close();
  }
});
