import { randomBytes } from 'node:crypto';
import { manyDeposits } from '@fairtick/kit/clients/money-api.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  ask,
  contentOf,
  deposit,
  moneyOf,
  newPayee,
  newProof,
  statusOf,
  usdt,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import type { Pool, PoolClient } from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

let cashier: string;
let approver: string;
/** Deposits as the database decides them, called with the server's role. */
const db = auditedDatabase();
beforeAll(async () => {
  approver = await installStaff(db.owner, 'approver');
});
// A cashier's findings add up over a day, so each test has its own cashier.
beforeEach(async () => {
  cashier = await installStaff(db.owner, 'cashier');
});

let found = 0;
const find = (id: string, amount: bigint, staff = cashier, evidence = `tx ${++found}`) =>
  ask(db, 'deposit_find', [staff, id, amount, evidence]);
const approve = async (id: string, staff = approver) =>
  ask(db, 'deposit_approve', [staff, id, await contentOf(db, 'deposit', id)]);

describe('a deposit', () => {
  test('a deposit within the limit that is found as claimed needs one cashier and is credited at once (S4-10, S4-17)', async () => {
    const ann = await newPayee(db);
    const id = await deposit(db, ann, usdt(5_000));
    expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 0 });
    expect(await find(id, usdt(5_000))).toBe('success');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 5_000, held: 0 });
    const { rows } = await db.server.query(
      `select step, actor, staff_id, from_status, to_status from request_events where kind = 'deposit' and request_id = $1
       order by id`,
      [id],
    );
    const staff = { actor: 'staff', staff_id: cashier, from_status: 'review' };
    expect(rows).toEqual([
      { step: 'submitted', actor: 'customer', staff_id: null, from_status: null, to_status: 'review' },
      { ...staff, step: 'found', to_status: 'review' },
      { ...staff, step: 'credited', to_status: 'success' },
    ]);
    expect(
      (
        await db.server.query(
          `select kind from notices where kind not like 'security.%' and customer_id = $1`,
          [ann.id],
        )
      ).rows,
    ).toEqual([{ kind: 'deposit.success' }]);
  });

  test('a deposit whose found amount differs from its claim needs a second person, and the found amount is credited', async () => {
    const ann = await newPayee(db);
    const id = await deposit(db, ann, usdt(100));
    expect(await find(id, usdt(99))).toBe('review');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 0 });
    expect(await approve(id, cashier)).toBe('ROLE_MISSING');
    expect(await approve(id)).toBe('success');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 99, held: 0 });
  });

  test('a deposit above the limit needs a second person, and a third if its amount differs, too', async () => {
    const ann = await newPayee(db);
    const other = await installStaff(db.owner, 'approver');
    const exact = await deposit(db, ann, usdt(5_001));
    expect(await find(exact, usdt(5_001))).toBe('review');
    expect(await approve(exact)).toBe('success');
    // Less was found than claimed: the larger amount decides how many approve.
    const differing = await deposit(db, ann, usdt(5_001));
    expect(await find(differing, usdt(20))).toBe('review');
    expect(await approve(differing)).toBe('review');
    expect(await approve(differing)).toBe('review');
    expect(await approve(differing, other)).toBe('success');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 5_021, held: 0 });
  });

  test('an edit after an approval voids the approval', async () => {
    const ann = await newPayee(db);
    const other = await installStaff(db.owner, 'approver');
    const id = await deposit(db, ann, usdt(6_000));
    await find(id, usdt(5_990));
    const before = await contentOf(db, 'deposit', id);
    expect(await approve(id)).toBe('review');
    // Each new finding voids the approvals before it, even with the same amount and evidence.
    await find(id, usdt(5_990), cashier, 'the same');
    await find(id, usdt(5_990), cashier, 'the same');
    expect(await ask(db, 'deposit_approve', [other, id, before])).toBe('CONTENT_CHANGED');
    expect(await approve(id, other)).toBe('review');
    expect(await approve(id)).toBe('success');
  });

  test('staff who once recorded the found amount can’t approve the deposit, also after another finding', async () => {
    const both = await installStaff(db.owner, 'cashier');
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [both],
    );
    const ann = await newPayee(db);
    const id = await deposit(db, ann, usdt(6_000));
    await find(id, usdt(6_000), both);
    expect(await approve(id, both)).toBe('OWN_EDIT');
    // Another cashier finds a different amount: another rule applies, to the same deposit.
    await find(id, usdt(5_999));
    expect(await approve(id, both)).toBe('OWN_EDIT');
    expect(await statusOf(db, 'deposit', id)).toBe('review');
  });

  test('a deposit is credited once, also by 20 concurrent cashiers, and one payment is not credited for two claims', async () => {
    const ann = await newPayee(db);
    const id = await deposit(db, ann, usdt(50));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => find(id, usdt(50), cashier, `parallel ${place}`)),
    );
    expect(answers.filter((answer) => answer === 'success')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'REQUEST_CLOSED')).toHaveLength(19);
    expect(await moneyOf(db, ann.id)).toEqual({ available: 50, held: 0 });
    const [first, second] = [await deposit(db, ann, usdt(50)), await deposit(db, ann, usdt(50))];
    expect(await find(first, usdt(50), cashier, 'one transfer')).toBe('success');
    expect(await find(second, usdt(50), cashier, 'one transfer')).toBe('EVIDENCE_USED');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 100, held: 0 });
  });

  test('a payment is not credited again under a look-alike of its reference', async () => {
    const ann = await newPayee(db);
    const [first, second] = [await deposit(db, ann, usdt(50)), await deposit(db, ann, usdt(50))];
    expect(await find(first, usdt(50), cashier, 'PAY-20.a0 71')).toBe('success');
    for (const same of ['pay20a071', 'PAY_20.A0-71', 'ＰＡＹ-20.a０ 71', 'PAY-2O.a0 7l', 'PAY-20.a0\u00a071'])
      expect([same, await find(second, usdt(50), cashier, same)]).toEqual([same, 'EVIDENCE_USED']);
    for (const alike of ['P\u0410Y-20.a0 71', 'PAY\u201320.a0 71', 'PAY-20.a0\u200b71', '---', '一'])
      expect([alike, await find(second, usdt(50), cashier, alike)]).toEqual([alike, 'EVIDENCE_UNCLEAR']);
    expect(await moneyOf(db, ann.id)).toEqual({ available: 50, held: 0 });
    // Banks write references in Chinese, too.
    expect(await find(second, usdt(50), cashier, '转账 PAY-20.a0 71')).toBe('success');
  });

  test('a cashier fails or ignores a deposit with a reason, and no money moves (S4-18, S4-20)', async () => {
    const ann = await newPayee(db);
    for (const status of ['failure', 'ignored']) {
      const id = await deposit(db, ann, usdt(50));
      const refuse = (staff: string, reason: string | null, text: string | null = null) =>
        ask(db, 'deposit_refuse', [staff, id, status, reason, text]);
      expect(await refuse(approver, 'not_received')).toBe('ROLE_MISSING');
      expect(await refuse(cashier, null)).toBe('23514');
      expect(await refuse(cashier, 'other')).toBe('23514');
      expect(await refuse(cashier, 'taken_back')).toBe('INVALID_REASON');
      expect(await refuse(cashier, 'not_received')).toBe('');
      expect(await statusOf(db, 'deposit', id)).toBe(status);
      expect(await find(id, usdt(50))).toBe('REQUEST_CLOSED');
    }
    const id = await deposit(db, ann, usdt(50));
    expect(await ask(db, 'deposit_refuse', [cashier, id, 'success', 'not_received', null])).toBe(
      'INVALID_REASON',
    );
    expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 0 });
  });

  test('one cashier at a time holds the claim on a deposit, and the claim lapses by itself', async () => {
    const ann = await newPayee(db);
    const other = await installStaff(db.owner, 'cashier');
    const id = await deposit(db, ann, usdt(50));
    const claim = (staff: string) => ask(db, 'request_claim', [staff, 'deposit', id]);
    expect(await claim(cashier)).toBeInstanceOf(Date);
    expect(await claim(cashier)).toBeInstanceOf(Date);
    expect(await claim(other)).toBe('REQUEST_CLAIMED');
    expect(await find(id, usdt(50), other)).toBe('REQUEST_CLAIMED');
    await db.owner.query(
      `update deposit_requests set claimed_until = now() - interval '1 second' where id = $1`,
      [id],
    );
    expect(await claim(other)).toBeInstanceOf(Date);
    expect(await ask(db, 'request_release', [cashier, 'deposit', id])).toBe('REQUEST_CLAIMED');
    expect(await ask(db, 'request_release', [other, 'deposit', id])).toBe('');
    expect(await find(id, usdt(50))).toBe('success');
    const clerk = await installStaff(db.owner, 'support');
    expect(await ask(db, 'request_claim', [clerk, 'deposit', id])).toBe('ROLE_MISSING');
    expect(await ask(db, 'request_claim', [cashier, 'gift', id])).toBe('REQUEST_NOT_FOUND');
  });
});

describe('submission and taking back of a deposit', () => {
  test('a submission needs the customer’s own fresh session and own proof', async () => {
    const ann = await newPayee(db);
    const bob = await newPayee(db);
    const key = () => Buffer.alloc(32, Math.floor(Math.random() * 256));
    const submit = async (token: Buffer, proof: string) =>
      ask(db, 'deposit_submit', [token, key(), 1, usdt(50), proof]);
    const proof = await newProof(db, ann.id);
    const refused = (code: string) => ({ request_id: null, refused: code });
    expect(await submit(Buffer.alloc(32), proof)).toEqual(refused('REAUTH_REQUIRED'));
    expect(await submit(bob.tokenHash, proof)).toBe('INVALID_UPLOAD');
    await db.owner.query(`update sessions set fresh_until = now() where customer_id = $1`, [ann.id]);
    expect(await submit(ann.tokenHash, proof)).toEqual(refused('REAUTH_REQUIRED'));
    expect(await ask(db, 'deposit_credit', [cashier, null])).toBe('42501');
    expect(await ask(db, 'ledger.deposit', ['k', Buffer.alloc(32), ann.id, 2, 5, 0, 0])).toBe('42501');
  });

  test('a submission needs an enabled channel and an amount within its bounds', async () => {
    const ann = await newPayee(db);
    const submit = async (channel: number, amount: bigint) =>
      ask(db, 'deposit_submit', [
        ann.tokenHash,
        Buffer.alloc(32, Number(amount % 251n)),
        channel,
        amount,
        await newProof(db, ann.id),
      ]);
    expect(await submit(1, usdt(10) - 1n)).toMatchObject({ refused: 'DEPOSIT_TOO_SMALL' });
    expect(await submit(1, usdt(50_000) + 1n)).toMatchObject({ refused: 'DEPOSIT_TOO_LARGE' });
    expect(await submit(77, usdt(50))).toMatchObject({ refused: 'CHANNEL_NOT_FOUND' });
    await db.owner.query(
      `insert into deposit_channels (id, version, asset_id, network, address, min, max, is_enabled)
       select id, 2, asset_id, network, address, min, max, false from deposit_channels where id = 2`,
    );
    expect(await submit(2, usdt(50))).toMatchObject({ refused: 'CHANNEL_NOT_FOUND' });
  });

  test('of two concurrent submissions in two assets only one becomes the twentieth under review', async () => {
    const ann = await newPayee(db);
    await manyDeposits(db, ann.id, 19);
    const proofs = [await newProof(db, ann.id), await newProof(db, ann.id)];
    const submit = async (client: Pool | PoolClient, channel: number, amount: bigint) => {
      const fields = [ann.tokenHash, randomBytes(32), channel, amount, proofs.pop()];
      const { rows } = await client.query('select refused from deposit_submit($1, $2, $3, $4, $5)', fields);
      return rows[0].refused;
    };
    const first = await db.server.connect();
    await first.query('begin');
    expect(await submit(first, 1, usdt(50))).toBeNull();
    let isAnswered = false;
    const second = submit(db.server, 4, 10_000_000n).finally(() => {
      isAnswered = true;
    });
    await seen(async () => {
      const { rowCount } = await db.owner.query(
        `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' and query like '%deposit_submit%'`,
        [db.name],
      );
      return isAnswered || rowCount === 1;
    });
    await first.query('commit');
    first.release();
    expect(await second).toBe('TOO_MANY_PENDING');
  });

  test('a customer takes back a deposit while it is under review, and repeating it has no further effect (S4-20)', async () => {
    const ann = await newPayee(db);
    const bob = await newPayee(db);
    const id = await deposit(db, ann, usdt(50));
    const cancel = (token: Buffer) => ask(db, 'deposit_cancel', [token, id]);
    expect(await cancel(bob.tokenHash)).toBe('REQUEST_NOT_FOUND');
    expect(await cancel(ann.tokenHash)).toBeNull();
    expect(await cancel(ann.tokenHash)).toBeNull();
    expect(await statusOf(db, 'deposit', id)).toBe('ignored');
    const credited = await deposit(db, ann, usdt(50));
    await find(credited, usdt(50));
    expect(await ask(db, 'deposit_cancel', [ann.tokenHash, credited])).toBe('REQUEST_DECIDED');
  });
});
