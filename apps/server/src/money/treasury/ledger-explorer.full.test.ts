import { register } from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { type OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { credit } from '@fairtick/kit/people/money.ts';
import type { StaffRole } from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';

const staff = {} as Record<StaffRole, OfficeClient & { readonly staffId: string }>;
/** Every movement leads to its cause and back; the ledger is checked against itself; bounds of withdrawals. */
const db = auditedDatabase();
const api = ownOffice(db);
beforeAll(async () => {
  for (const role of ['cashier', 'approver', 'auditor', 'support'] as const)
    staff[role] = await staffOf(db, api.officeOrigin, role);
});

const causeOf = (of: string) => dataOf(staff.auditor.get('ledger/cause', { of }));
const transfers = async (filter: Record<string, string>) =>
  (await dataOf(staff.auditor.get('ledger/transfers', filter))).items;
const factsOf = ({ facts }: { facts: { name: string; value: string | number }[] }) =>
  Object.fromEntries(facts.map(({ name, value }) => [name, value]));
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

describe('every movement leads to its cause, and the cause to its movements', () => {
  test('a deposit and a correction show their facts and their movements', async () => {
    const ann = await register(api.origin);
    const { id } = (await submitDeposit(api.origin, ann.token, '80', { channelId: '2' })).body.data;
    await dataOf(staff.cashier.post('deposit/find', { id, amount: '80', evidence: 'tx of ann' }));
    const [deposit] = await transfers({ customerId: ann.id, kind: 'deposit' });
    expect(deposit.postings[0].cause).toBe(`deposit:${id}`);
    const cause = await causeOf(deposit.postings[0].cause);
    expect(cause.customer).toMatchObject({ id: ann.id });
    expect(factsOf(cause)).toMatchObject({
      status: 'success',
      asset: 'USDT',
      amount: '80.000000',
      found: '80.000000',
      evidence: 'tx of ann',
      channel: '2 v1',
      submittedAt: expect.any(Number),
    });
    expect(cause.transfers).toEqual([deposit]);

    const change = { customerId: ann.id, asset: 'USDT', direction: 'down', amount: '3', reason: 'Too much' };
    const proposed = await dataOf(staff.cashier.post('correction/propose', change));
    const before = await causeOf(`correction:${proposed.id}`);
    expect([factsOf(before).status, before.transfers]).toEqual(['proposed', []]);
    await dataOf(staff.approver.post('correction/approve', { id: proposed.id }));
    const after = await causeOf(`correction:${proposed.id}`);
    expect(factsOf(after)).toMatchObject({ status: 'done', amount: '-3.000000', reason: 'Too much' });
    expect(after.transfers.map(({ kind }: { kind: string }) => kind)).toEqual(['correction']);
  });

  test('a withdrawal shows all its movements, and none of another cause with the same number', async () => {
    const bob = await apiPayee(api.origin, db, 100_000_000n);
    const { id } = (await withdraw(api.origin, bob, '20')).body.data;
    await db.owner.query(
      `select ledger.deposit('same number', sha256('s'), $1, 2::smallint, 5000000, 0, $2)`,
      [bob.id, id],
    );
    const held = await causeOf(`withdrawal:${id}`);
    expect(held.transfers.map(({ kind }: { kind: string }) => kind)).toEqual(['hold']);
    expect(factsOf(held)).toMatchObject({ status: 'review', amount: '20.000000', arrives: '19.000000' });
    expect(held.transfers[0].postings).toMatchObject([
      { from: `customer ${bob.id} available`, to: `customer ${bob.id} held`, cause: `withdrawal:${id}` },
    ]);
  });

  test('an order shows the movement that it shares with other orders of its batch', async () => {
    const [cat, dan] = [await register(api.origin), await register(api.origin)];
    // As placement and settlement do it: one movement for two customers, then one for one of them.
    const order = 7 * 1024;
    const stakes = [
      [cat.id, dan.id],
      [1, 1],
      [1000, 2000],
    ];
    await db.owner.query(`select ledger.reserve('orders 7', sha256('7'), $1, $2, $3, $4)`, [
      ...stakes,
      [order, order + 1],
    ]);
    await db.owner.query(
      `insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id,
         payout_rate_bps, product_id, asset_id, minutes, direction)
       select $1, $2, 'key-hash', 'in--hash', 1000, 3000, 63000, 1000, 850, 1, 8500, min(id), 1, 1, 1 from products`,
      [order, cat.id],
    );
    const [moved] = await transfers({ customerId: cat.id, kind: 'reserve' });
    expect(moved.postings.map(({ cause }: { cause: string }) => cause)).toEqual([`order:${order}`]);
    const cause = await causeOf(`order:${order}`);
    expect(cause.transfers).toEqual([moved]);
    expect(factsOf(cause)).toMatchObject({
      status: 'open',
      direction: 'up',
      payoutRate: '0.85',
      acceptedAt: 1000,
    });
    expect(factsOf(cause)).not.toHaveProperty('settledAt');
    await db.owner.query(`select ledger.resolve('back 7', sha256('8'), $1, $2, $3, $3, $4)`, [
      [cat.id, dan.id],
      [1, 1],
      [1000, 2000],
      [order, order + 1],
    ]);
    await db.owner.query('delete from orders where id = $1', [order]);
  });

  test('practice money and capital are causes themselves', async () => {
    const eve = await register(api.origin);
    const [practice] = await transfers({ customerId: eve.id });
    const cause = await causeOf(practice.postings[0].cause);
    expect(cause).toMatchObject({ cause: `practice:${practice.id}`, customer: { id: eve.id } });
    expect([factsOf(cause).key, cause.transfers]).toEqual([practice.key, [practice]]);
    const [capital] = await transfers({ kind: 'capital', limit: '1' });
    expect(await causeOf(`capital:${capital.id}`)).toMatchObject({
      customer: null,
      transfers: [{ id: capital.id }],
    });
  });

  test('an unknown cause and a movement of another kind are not found, and a malformed cause is refused', async () => {
    const [capital] = await transfers({ kind: 'capital', limit: '1' });
    for (const cause of ['deposit:1', 'withdrawal:1', 'correction:1', 'order:1', `practice:${capital.id}`])
      expect([cause, await errorOf(staff.auditor.get('ledger/cause', { of: cause }))]).toEqual([
        cause,
        'REQUEST_NOT_FOUND',
      ]);
    for (const cause of ['deposit', 'king:1', 'order:1 or true', `order:${'9'.repeat(19)}`])
      expect([cause, await errorOf(staff.auditor.get('ledger/cause', { of: cause }))]).toEqual([
        cause,
        'INVALID_VALUE',
      ]);
  });
});

test('movements are found by customer, asset, kind and time', async () => {
  const fay = await register(api.origin);
  await credit(db, fay.id, 4_000_000n);
  const all = await transfers({ customerId: fay.id });
  expect(all.map(({ postings }: { postings: { asset: string }[] }) => postings[0]?.asset)).toEqual([
    'USDT',
    'DEMO',
  ]);
  const [money, practice] = all;
  expect(idsOf(await transfers({ customerId: fay.id, asset: 'USDT' }))).toEqual([money.id]);
  expect(idsOf(await transfers({ asset: 'DEMO', limit: '1' }))).toEqual([practice.id]);
  expect(idsOf(await transfers({ customerId: fay.id, kind: 'practice' }))).toEqual([practice.id]);
  // Times are shown in whole milliseconds, so each bound is one millisecond wider.
  const during = (from: number, to: number) =>
    transfers({ customerId: fay.id, from: String(from), to: String(to) });
  expect(idsOf(await during(practice.time - 1, money.time + 1))).toEqual([money.id, practice.id]);
  expect(await during(0, practice.time - 1)).toEqual([]);
  expect(await during(money.time + 1, money.time + 60_000)).toEqual([]);
  expect(await errorOf(staff.auditor.get('ledger/transfers', { asset: 'GOLD' }))).toBe('ASSET_NOT_ACCEPTED');
});

test('the check of the whole ledger reports what breaks its rules', async () => {
  const gus = await register(api.origin);
  const [one, other] = await Promise.all([
    dataOf(staff.auditor.get('ledger/violations')),
    dataOf(staff.cashier.get('ledger/violations')),
  ]);
  expect([one.violations, other.violations]).toEqual([[], []]);
  const change = (by: number) =>
    db.owner.query(
      'update ledger.balances set available = available + $2 where owner_id = $1 and asset_id = 2',
      [gus.id, by],
    );
  await change(1);
  const { violations } = await dataOf(staff.auditor.get('ledger/violations'));
  await change(-1);
  expect(violations.map(({ rule }: { rule: string }) => rule).sort()).toEqual([
    'balance = sum of postings',
    'sum over an asset = 0',
  ]);
});

describe('bounds of withdrawals', () => {
  const terms = { asset: 'USDT', min: '15', max: '40', fee: '2' };
  const propose = (change: Record<string, string> = {}) =>
    staff.cashier.post('limit/propose', { ...terms, ...change });
  const usdt = async () =>
    (await dataOf(staff.auditor.get('limit/list'))).find(({ asset }: { asset: string }) => asset === 'USDT');

  test('bounds are changed by two people and apply to later requests only', async () => {
    const payee = await apiPayee(api.origin, db, 100_000_000n);
    const before = (await withdraw(api.origin, payee, '12')).body.data.id;
    const { id } = await dataOf(propose());
    expect(await errorOf(propose())).toBe('NOTHING_NEW');
    expect(await usdt()).toMatchObject({ min: '10.000000' });
    expect(await errorOf(staff.cashier.post('limit/decide', { id, verdict: 'agree' }))).toBe('ROLE_MISSING');
    expect(await dataOf(staff.approver.post('limit/decide', { id, verdict: 'agree' }))).toEqual({
      status: 'done',
    });
    expect(await errorOf(staff.approver.post('limit/decide', { id, verdict: 'agree' }))).toBe(
      'REQUEST_CLOSED',
    );
    expect(await usdt()).toEqual({ asset: 'USDT', min: '15.000000', max: '40.000000', fee: '2.000000' });
    expect((await withdraw(api.origin, payee, '12')).body.error).toBe('WITHDRAWAL_TOO_SMALL');
    expect(factsOf(await causeOf(`withdrawal:${before}`)).fee).toBe('1.000000');
    expect(await errorOf(propose())).toBe('NOTHING_NEW');
    const [change] = (await dataOf(staff.auditor.get('limit/changes'))).items;
    expect(change).toMatchObject({ id, status: 'done', proposedBy: { id: staff.cashier.staffId } });
    const { items } = await dataOf(staff.auditor.get('audit/list', { subject: `limit:${id}` }));
    expect(items.map(({ action }: { action: string }) => action)).toEqual(['limit.done', 'limit.propose']);
  });

  test('bounds can’t be approved by their proposer, also with the approver’s role', async () => {
    const both = await staffOf(db, api.officeOrigin, 'cashier');
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [both.staffId],
    );
    const { id } = await dataOf(both.post('limit/propose', { ...terms, max: '41' }));
    expect(await errorOf(both.post('limit/decide', { id, verdict: 'agree' }))).toBe('OWN_EDIT');
    expect(await dataOf(staff.cashier.post('limit/decide', { id, verdict: 'refuse' }))).toEqual({
      status: 'refused',
    });
    expect(await usdt()).toMatchObject({ max: '40.000000' });
  });

  test.each([
    [{ max: '14' }, 'max'],
    [{ fee: '15' }, 'fee'],
    [{ fee: '-1' }, 'fee'],
    [{ min: '0.0000001' }, 'min'],
  ])('impossible bounds can’t be proposed: %o', async (change, field) => {
    const { body } = await propose(change);
    expect([body.error, Object.keys(body.fields)]).toEqual(['INVALID_AMOUNT', [field]]);
    expect(await errorOf(propose({ asset: 'DEMO' }))).toBe('ASSET_NOT_ACCEPTED');
  });
});

test('staff without a treasury role can’t read the treasury, and staff who may only read can’t change it', async () => {
  const READS = ['transfers', 'trialBalance', 'violations'].map((name) => `ledger/${name}`);
  for (const path of [...READS, 'reconciliation/list', 'limit/list', 'limit/changes'] as const) {
    expect([path, await errorOf(staff.support.get(path))]).toEqual([path, 'ROLE_MISSING']);
    for (const role of ['cashier', 'approver', 'auditor'] as const)
      expect([path, role, await errorOf(staff[role].get(path))]).toEqual([path, role, undefined]);
  }
  const refused: [OfficeClient, string][] = [
    [staff.auditor, 'limit/propose'],
    [staff.auditor, 'limit/decide'],
    [staff.approver, 'limit/propose'],
    [staff.support, 'limit/decide'],
  ];
  for (const [who, path] of refused) expect(await errorOf(who.post(path))).toBe('ROLE_MISSING');
});
