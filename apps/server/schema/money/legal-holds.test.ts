import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, moneyOf, USDT, usdt } from '@fairtick/kit/people/money.ts';
import { OwnRequests } from '@fairtick/kit/people/own-rules.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, expect, test } from 'vitest';

/** Holds that a court or an authority has ordered: two people place and lift them, by the ledger. */
const db = auditedDatabase();
let [cashier, approver] = ['', ''];
beforeAll(async () => {
  [cashier, approver] = [await installStaff(db.owner, 'cashier'), await installStaff(db.owner, 'approver')];
});

let orders = 0;
const propose = ({ payee }: OwnRequests, amount: bigint, reference?: string) => {
  orders += 1;
  const order = ['District Court', reference ?? `3 K ${orders}`, 'letter of today'];
  return ask(db, 'legal_hold_propose', [cashier, payee.id, USDT, amount, ...order]);
};
const lift = (hold: string) => ask(db, 'legal_hold_propose_lift', [cashier, hold, 'the court lifted it']);
const agree = (proposal: string, by = approver) =>
  ask(db, 'proposal_approve', [by, ['legal_hold'], proposal]);
const ledgerIsWell = async () =>
  expect((await db.owner.query('select * from ledger.violations()')).rows).toEqual([]);

test('a sum is held and given back, each by two people, and the customer spends the rest alone', async () => {
  const ann = await OwnRequests.of(db);
  const hold = await propose(ann, usdt(300));
  expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 1_000, held: 0 });
  expect(await agree(hold, cashier)).toBe('ROLE_MISSING');
  expect(await agree(hold)).toBe('done');
  expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 700, held: 300 });
  expect(await ann.withdraw(usdt(701))).toBe('INSUFFICIENT_BALANCE');
  expect(await ann.withdraw(usdt(700))).toBeNull();
  await ledgerIsWell();
  const back = await lift(hold);
  expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 0, held: 1_000 });
  expect(await agree(back)).toBe('done');
  expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 300, held: 700 });
  expect([await lift(hold), await agree(back)]).toEqual(['REQUEST_NOT_FOUND', 'REQUEST_CLOSED']);
  await ledgerIsWell();
  const { rows } = await db.owner.query(
    `select kind, parameters ->> 'reference' as reference from notices where customer_id = $1 and kind like 'hold.%' order by id`,
    [ann.payee.id],
  );
  expect(rows).toMatchObject([{ kind: 'hold.placed', reference: '3 K 1' }, { kind: 'hold.lifted' }]);
});

test('no more is held than is available, at the proposal and at the approval, and an order holds once', async () => {
  const ann = await OwnRequests.of(db);
  expect(await propose(ann, usdt(1_001))).toBe('BALANCE_SMALLER');
  const hold = await propose(ann, usdt(1_000), 'twice');
  expect(await propose(ann, usdt(1), 'twice')).toBe('NOTHING_NEW');
  expect(await ann.withdraw(usdt(40))).toBeNull();
  expect(await agree(hold)).toBe('BALANCE_SMALLER');
  expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 960, held: 40 });
  expect(await ann.cancel('withdrawal', await ann.newest('withdrawal'))).toBeNull();
  expect(await agree(hold)).toBe('done');
  expect(await propose(ann, usdt(1), 'twice')).not.toBe('done');
});

test('a customer whose money is held can’t close the account', async () => {
  const ann = await OwnRequests.of(db);
  expect(await agree(await propose(ann, usdt(1_000)))).toBe('done');
  expect(await ask(db, 'customer_close', [ann.payee.tokenHash])).toMatchObject({
    refused: 'ACCOUNT_NOT_EMPTY',
    assets: 'USDT',
  });
});
