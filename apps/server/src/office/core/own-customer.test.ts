import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  newPayee,
  type Payee,
  payByHand,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { StaffRole } from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';

let cashier: string;
let approver: string;
/** Promise 16: staff who are also a customer decide nothing about that customer, with any of their accounts. */
const db = ownDatabase();
beforeAll(async () => {
  cashier = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
});

const declare = (staff: string, { id }: { id: string }) => ask(db, 'staff_declare_customer', [staff, id]);

/** A staff account of this customer, declared through another account of the same person. */
async function themselves(customer: Payee, role: StaffRole): Promise<string> {
  const [declaring, acting] = [await installStaff(db.owner, 'support'), await installStaff(db.owner, role)];
  await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
    declaring,
    acting,
  ]);
  await declare(declaring, customer);
  return acting;
}

describe('a member of staff who is also the customer', () => {
  test('can’t claim, find, approve or refuse their own deposit', async () => {
    const customer = await newPayee(db);
    const mine = await themselves(customer, 'cashier');
    const agreeing = await themselves(customer, 'approver');
    const id = await deposit(db, customer, usdt(6_000));
    expect(await ask(db, 'request_claim', [mine, 'deposit', id])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'deposit_find', [mine, id, usdt(6_000), 'tx-1'])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'deposit_refuse', [mine, id, 'failure', 'not_received', null])).toBe(
      'ABOUT_ONESELF',
    );
    expect(await ask(db, 'deposit_find', [cashier, id, usdt(6_000), 'tx-1'])).toBe('review');
    const content = await contentOf(db, 'deposit', id);
    expect(await ask(db, 'deposit_approve', [agreeing, id, content])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'deposit_approve', [approver, id, content])).toBe('success');
  });

  test('can’t propose, approve, pay or refuse their own withdrawal', async () => {
    const customer = await newPayee(db, usdt(100));
    const mine = await themselves(customer, 'cashier');
    const agreeing = await themselves(customer, 'approver');
    const id = await withdrawal(db, customer, usdt(50));
    expect(await ask(db, 'withdrawal_propose', [mine, id, ''])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'withdrawal_refuse', [mine, id, 'security', null])).toBe('ABOUT_ONESELF');
    await ask(db, 'withdrawal_propose', [cashier, id, '']);
    const content = await contentOf(db, 'withdrawal', id);
    expect(await approveRequest(db, 'withdrawal', [agreeing, id, content])).toBe('ABOUT_ONESELF');
    expect(await approveRequest(db, 'withdrawal', [approver, id, content])).toBe('approved');
    expect(await payByHand(db, mine, id, 'ref-1')).toBe('ABOUT_ONESELF');
    expect(await payByHand(db, cashier, id, 'ref-1')).toBe('');
  });

  test('can’t propose, approve or set aside a correction of their own balance', async () => {
    const customer = await newPayee(db, usdt(100));
    const mine = await themselves(customer, 'cashier');
    const agreeing = await themselves(customer, 'approver');
    const propose = (by: string) => ask(db, 'correction_propose', [by, customer.id, 2, usdt(1), 'a reason']);
    expect(await propose(mine)).toBe('ABOUT_ONESELF');
    const id = await propose(cashier);
    expect(await ask(db, 'proposal_approve', [agreeing, ['correction'], id])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'proposal_refuse', [mine, ['correction'], id])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'proposal_approve', [approver, ['correction'], id])).toBe('done');
  });

  test('can’t claim or decide the verification of their own name', async () => {
    const customer = await newPayee(db);
    const mine = await themselves(customer, 'verification');
    const other = await installStaff(db.owner, 'verification');
    const { rows } = await db.owner.query<{ id: string }>(
      `with pictures as (
         insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
         select nextval('personal_data_ids'), $1::bigint, p, substr(md5($1::bigint::text || p) || md5(p), 1, 32), '\\x00000001', 1, 1, 1, sha256('')
         from unnest(array['id_front', 'id_back']) p returning id
       )
       insert into verifications (id, customer_id, sealed, document_index, name_index, is_restricted_country, front_id, back_id)
       select nextval('personal_data_ids'), $1::bigint, '\\x0100000001', sha256('d'), sha256('n'), false, min(id), max(id) from pictures
       returning id`,
      [customer.id],
    );
    const id = rows[0]?.id;
    expect(await ask(db, 'verification_claim', [mine, id])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'verification_decide', [mine, id, null, null])).toBe('ABOUT_ONESELF');
    expect(await ask(db, 'verification_claim', [other, id])).toBe('');
  });

  test('no longer counts as an approver once the link is known', async () => {
    const customer = await newPayee(db, usdt(100));
    const agreeing = await installStaff(db.owner, 'approver');
    const id = await withdrawal(db, customer, usdt(50));
    await ask(db, 'withdrawal_propose', [cashier, id, '']);
    expect(
      await approveRequest(db, 'withdrawal', [agreeing, id, await contentOf(db, 'withdrawal', id)]),
    ).toBe('approved');
    await declare(agreeing, customer);
    expect(await payByHand(db, cashier, id, 'ref-2')).toBe('APPROVALS_MISSING');
  });
});

describe('the link', () => {
  test('can be made by two other people, and can be removed only by two other people', async () => {
    const customer = await newPayee(db);
    const [ann, bob] = [
      await installStaff(db.owner, 'administrator'),
      await installStaff(db.owner, 'administrator'),
    ];
    const propose = (by: string, kind: string, whom: string) =>
      ask(db, 'staff_propose', [by, kind, whom, null, customer.id]);
    const carryOut = (by: string, change: string) =>
      ask(db, 'proposal_approve', [by, ['staff_change'], change]);
    const claim = (id: string) => ask(db, 'request_claim', [cashier, 'deposit', id]);
    const id = await deposit(db, customer, usdt(100));
    expect(await propose(ann, 'unlink', cashier)).toBe('NOTHING_NEW');
    const link = await propose(ann, 'link', cashier);
    expect(await carryOut(ann, link)).toBe('OWN_EDIT');
    expect(await carryOut(bob, link)).toBe('done');
    expect(await claim(id)).toBe('ABOUT_ONESELF');
    expect(await declare(cashier, customer)).toBe('NOTHING_NEW');
    expect(await propose(ann, 'link', cashier)).toBe('NOTHING_NEW');
    expect(await carryOut(bob, await propose(ann, 'unlink', cashier))).toBe('done');
    expect(await claim(id)).toBeInstanceOf(Date);
    // Administrators can't take back their own declaration either.
    await declare(ann, customer);
    expect(await propose(ann, 'unlink', ann)).toBe('ABOUT_ONESELF');
    const mine = await propose(bob, 'unlink', ann);
    expect(await carryOut(ann, mine)).toBe('ABOUT_ONESELF');
  });

  test('is refused for an account that is off and for an unknown customer', async () => {
    const off = await installStaff(db.owner, 'support');
    await db.owner.query('update staff set is_active = false where id = $1', [off]);
    expect(await declare(off, await newPayee(db))).toBe('NOTHING_NEW');
    expect(await declare(cashier, { id: '999999999' })).toBe('23503');
  });
});
