import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  letADayPass,
  moneyOf,
  newPayee,
  payByHand,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { audit } from '../../transparency/audit/audit-checks.ts';
import { MONEY_CHECKS } from '../../transparency/audit/audit-money-checks.ts';

let cashier: string;
let approver: string;
let other: string;
/**
 * The bounds of four eyes count all decisions of 24 hours for one customer and by one person: 5 000 USDT, in whatever
 * pieces.
 */
const db = auditedDatabase();
beforeAll(async () => {
  await db.server.query(`select log_begin('test.invalid')`);
  approver = await installStaff(db.owner, 'approver');
  other = await installStaff(db.owner, 'approver');
});
beforeEach(async () => {
  cashier = await installStaff(db.owner, 'cashier');
});
afterAll(async () => {
  const client = await db.owner.connect();
  const found = await audit(client).finally(() => client.release());
  const names = MONEY_CHECKS.map(({ name }) => name).filter((name) => /approvals|corrections?/.test(name));
  expect(found.filter(({ name, count }) => count > 0 && names.includes(name))).toEqual([]);
});

let evidence = 0;
const find = async (id: string, amount: bigint, by = cashier) =>
  ask(db, 'deposit_find', [by, id, amount, `sum ${++evidence}`]);
const approve = async (kind: 'deposit' | 'withdrawal', id: string, by: string) =>
  approveRequest(db, kind, [by, id, await contentOf(db, kind, id)]);
const neededFor = async (kind: string, id: string) => (await ask(db, `${kind}_standing`, [id])).needed;
/** Another account of the same person. */
async function secondAccountOf(staff: string): Promise<string> {
  const id = await installStaff(db.owner, 'cashier');
  await db.owner.query('update staff set person = (select person from staff where id = $2) where id = $1', [
    id,
    staff,
  ]);
  return id;
}

describe('deposits', () => {
  test('of one customer each need an approver after 5 000 in a day, whoever finds them', async () => {
    const ann = await newPayee(db);
    const pieces = await Promise.all([3_000, 2_000, 10, 20].map((whole) => deposit(db, ann, usdt(whole))));
    const [first, second, third, fourth] = pieces as [string, string, string, string];
    expect(await find(first, usdt(3_000))).toBe('success');
    expect(await find(second, usdt(2_000), await installStaff(db.owner, 'cashier'))).toBe('success');
    expect(await find(third, usdt(10), await installStaff(db.owner, 'cashier'))).toBe('review');
    // The office's screens show the same number.
    expect(await neededFor('deposit', third)).toBe(1);
    expect(await approve('deposit', third, approver)).toBe('success');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 5_010, held: 0 });
    await letADayPass(db);
    expect(await find(fourth, usdt(20))).toBe('success');
  });

  test('of 5 000 for twelve customers, found by one cashier, each need an approver after the first', async () => {
    const answers: string[] = [];
    for (let piece = 0; piece < 12; piece += 1) {
      const id = await deposit(db, await newPayee(db), usdt(5_000));
      // Two accounts of one person count as one person.
      answers.push(await find(id, usdt(5_000), piece % 2 === 0 ? cashier : await secondAccountOf(cashier)));
    }
    expect(answers).toEqual(['success', ...Array(11).fill('review')]);
  });

  test('that differ from their claim need two approvers once the sum has passed the bound', async () => {
    const ann = await newPayee(db);
    expect(await find(await deposit(db, ann, usdt(4_990)), usdt(4_990))).toBe('success');
    const id = await deposit(db, ann, usdt(20));
    expect(await find(id, usdt(19))).toBe('review');
    expect(await approve('deposit', id, approver)).toBe('review');
    expect(await approve('deposit', id, other)).toBe('success');
  });

  test.each(['for one customer', 'by one cashier'])(
    'found ten at once %s do not exceed the bound without an approver',
    async (whose) => {
      const ann = await newPayee(db);
      const ids = await Promise.all(
        Array.from({ length: 10 }, async () =>
          deposit(db, whose === 'by one cashier' ? await newPayee(db) : ann, usdt(2_000)),
        ),
      );
      const finders = await Promise.all(
        ids.map(async () => (whose === 'by one cashier' ? cashier : installStaff(db.owner, 'cashier'))),
      );
      const answers = await Promise.all(ids.map((id, place) => find(id, usdt(2_000), finders[place])));
      expect(answers.filter((answer) => answer === 'success')).toHaveLength(2);
      expect(answers.filter((answer) => answer === 'review')).toHaveLength(8);
    },
  );

  test('can’t be found in a repeatable-read transaction, whose snapshot may lack other deposits', async () => {
    const id = await deposit(db, await newPayee(db), usdt(50));
    const client = await db.server.connect();
    try {
      await client.query('begin isolation level repeatable read');
      const found = client.query('select deposit_find($1, $2, $3, $4)', [cashier, id, usdt(50), 'early']);
      await expect(found).rejects.toThrow('what is committed');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('withdrawals', () => {
  const proposed = async (amount: number, payee = newPayee(db, usdt(20_000)), by = cashier) => {
    const id = await withdrawal(db, await payee, usdt(amount));
    expect(await ask(db, 'withdrawal_propose', [by, id, ''])).toBeInstanceOf(Buffer);
    return id;
  };
  const pay = (id: string) => payByHand(db, cashier, id, `payment ${id}`);

  test('that one cashier proposes need two approvers once 5 000 are approved in a day', async () => {
    const first = await proposed(3_000);
    const second = await proposed(3_000);
    expect(await approve('withdrawal', first, approver)).toBe('approved');
    expect(await neededFor('withdrawal', second)).toBe(2);
    expect(await approve('withdrawal', second, approver)).toBe('review');
    expect(await approve('withdrawal', second, other)).toBe('approved');
    // The approvals that were enough at the time are still enough, and the audit agrees.
    expect(await pay(first)).toBe('');
    expect(await pay(second)).toBe('');
  });

  test('of one customer need two approvers once 3 000 are approved, whoever proposes them', async () => {
    const ann = newPayee(db, usdt(20_000));
    const first = await proposed(3_000, ann);
    expect(await approve('withdrawal', first, approver)).toBe('approved');
    const second = await proposed(3_000, ann, await installStaff(db.owner, 'cashier'));
    expect(await approve('withdrawal', second, approver)).toBe('review');
  });

  test('that failed no longer count', async () => {
    const first = await proposed(3_000);
    expect(await approve('withdrawal', first, approver)).toBe('approved');
    expect(await ask(db, 'withdrawal_refuse', [cashier, first, 'payout_returned', null])).toBe('');
    expect(await approve('withdrawal', await proposed(3_000), approver)).toBe('approved');
  });

  test('approved at once do not exceed the bound without a second approver', async () => {
    const ids = [await proposed(3_000), await proposed(3_000), await proposed(3_000)];
    const answers = await Promise.all(ids.map((id) => approve('withdrawal', id, approver)));
    expect(answers.sort()).toEqual(['approved', 'review', 'review']);
  });
});

test('corrections of one proposer, up and down alike, need two approvers once they pass 5 000 in a day', async () => {
  const ann = await newPayee(db, usdt(10_000));
  const propose = (amount: bigint) =>
    ask(db, 'correction_propose', [cashier, ann.id, 2, amount, 'A wrong sum']);
  const [up, down] = [await propose(usdt(3_000)), await propose(-usdt(3_000))];
  expect(await ask(db, 'proposal_approve', [approver, ['correction'], up])).toBe('done');
  expect(await neededFor('correction', down)).toBe(2);
  expect(await ask(db, 'proposal_approve', [approver, ['correction'], down])).toBe('proposed');
  expect(await ask(db, 'proposal_approve', [other, ['correction'], down])).toBe('done');
});
