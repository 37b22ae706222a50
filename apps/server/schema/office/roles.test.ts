import { failureIn } from '@fairtick/kit/database/failures.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, newPayee, type Payee, USDT, usdt } from '@fairtick/kit/people/money.ts';
import { OwnRequests } from '@fairtick/kit/people/own-rules.ts';
import { beginStaffSession, installStaff } from '@fairtick/kit/people/staff.ts';
import { STAFF_ROLES, type StaffRole } from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';

/**
 * Which roles the database lets call each of its functions of staff. Tests of four eyes have the approvals, and the office refuses a
 * role before: these rules hold also where a server forgets to ask.
 */
const db = ownDatabase();
const digest = Buffer.alloc(32, 7);
const sealed = Buffer.from([1, 0, 0, 0, 1]);
let payee: Payee;
let verification: string;
let call: string;
const staff = new Map<StaffRole, string>();

beforeAll(async () => {
  for (const role of STAFF_ROLES) staff.set(role, await installStaff(db.owner, role));
  payee = await newPayee(db, usdt(10_000));
  const { rows } = await db.owner.query(
    `with chat as (insert into chats (customer_id, last_place) values ($1::bigint, 1)),
     front as (
       insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
       values (nextval('personal_data_ids'), $1::bigint, 'id_front', repeat('f', 32), '\\x00000001', 10, 10, 10, sha256('')) returning id)
     insert into verifications (id, customer_id, sealed, document_index, is_restricted_country, front_id)
     select nextval('personal_data_ids'), $1::bigint, $2, sha256(''), false, id from front returning id`,
    [payee.id, sealed],
  );
  verification = rows[0].id;
  const calls = await db.owner.query(
    `insert into recovery_requests (account, sealed) values ('nobody', '\\x0100000001') returning id`,
  );
  call = calls.rows[0].id;
});

/** A new request under review. */
async function request(kind: 'deposit' | 'withdrawal'): Promise<string> {
  const customer = await OwnRequests.of(db);
  expect(await (kind === 'deposit' ? customer.deposit(usdt(50)) : customer.withdraw(usdt(50)))).toBeNull();
  return customer.newest(kind);
}

const colleague = () => installStaff(db.owner, 'support');

/** The roles that may call a function, and the rest of its values; a value that does not exist is refused after the role. */
const CALLS: Readonly<
  Record<string, readonly [roles: readonly StaffRole[], values: () => Promise<unknown[]> | unknown[]]>
> = {
  request_claim: [['cashier', 'approver'], async () => ['deposit', await request('deposit')]],
  deposit_find: [['cashier'], async () => [await request('deposit'), usdt(50), `payment ${Math.random()}`]],
  deposit_refuse: [['cashier'], async () => [await request('deposit'), 'failure', 'not_received', null]],
  withdrawal_propose: [['cashier'], async () => [await request('withdrawal'), '']],
  withdrawal_send: [['cashier'], async () => [await request('withdrawal'), 'hand']],
  payout_end_propose: [['cashier'], async () => [await request('withdrawal'), false, null, 'asked the bank']],
  payout_prepare: [['cashier'], () => ['{"chain":"ethereum","from":"0x"}', '[]']],
  payout_replace: [['cashier'], () => [999, true, '{}']],
  payout_sign: [['cashier'], () => [999, digest, [], []]],
  bank_file_take: [['cashier'], () => [999]],
  bank_file_sealed: [['cashier'], () => [999, digest]],
  bank_file_open: [['cashier'], () => [999]],
  bank_file_book: [['cashier'], () => [999]],
  withdrawal_refuse: [['cashier'], async () => [await request('withdrawal'), 'security', null]],
  correction_propose: [
    ['cashier'],
    async () => [payee.id, USDT, Math.ceil(Math.random() * 1e9), 'a good reason'],
  ],
  channel_propose: [['cashier'], () => [null, JSON.stringify({ min: 1 })]],
  house_capital_propose: [
    ['cashier'],
    () => [USDT, 1_000_000, `FT-${Math.ceil(Math.random() * 1e9)}`, 'share capital'],
  ],
  withdrawal_terms_propose: [
    ['cashier'],
    () => [USDT, 10_000_000, 40_000_000_000 + Math.ceil(Math.random() * 1e9), 1_000_000],
  ],
  statement_import: [['cashier'], () => [USDT, digest, [], [], [], [], [], [], []]],
  statement_undo: [['cashier'], () => [999]],
  statement_explain: [['cashier'], () => [999, 'other', 'a good reason']],
  reconcile: [['cashier', 'approver', 'auditor'], () => []],
  report_order: [
    ['cashier', 'approver', 'catalogue', 'auditor', 'administrator'],
    () => ['fees', 'csv', 'UTC', '2026-11-01', '2026-12-01', 'a good reason'],
  ],
  earning_rate_propose: [['catalogue'], () => [1, 1, '2030-01-01', 'a note']],
  freeze_start: [
    ['support', 'verification', 'cashier', 'approver'],
    async () => [(await newPayee(db)).id, 'orders', 1, 'review', 'a good reason'],
  ],
  freeze_propose: [
    ['verification'],
    async () => [(await newPayee(db)).id, 'orders', 1, 'review', 'a good reason'],
  ],
  customer_note: [
    ['support', 'verification', 'cashier', 'approver'],
    async () => [(await newPayee(db)).id, null, null, 'a good note'],
  ],
  search_keep: [STAFF_ROLES, () => ['a search', '{}']],
  flag_task_close: [['verification'], () => [999, 'a good note']],
  flag_rule_propose: [['verification'], () => ['pass_through', true, 80, 31, null, 'a note']],
  legal_hold_propose: [
    ['cashier'],
    () => [payee.id, USDT, usdt(1), 'a court', `order ${Math.random()}`, 'a note'],
  ],
  legal_hold_propose_lift: [['cashier'], () => [999, 'a note']],
  rules_propose: [['catalogue'], () => ['payout_table', 1, 'a note', [1], '[]']],
  product_propose: [['catalogue'], () => ['a note', '{}', '{}']],
  trading_halt: [['catalogue', 'approver'], () => ['a source lies']],
  trading_propose_lift: [['catalogue'], () => [999, 'it is gone']],
  recovery_propose: [
    ['support'],
    async () => [await callOf(payee.id), 'a video call, and the photo', digest, false],
  ],
  recovery_keep: [['support', 'verification'], () => [call]],
  recovery_refuse: [['support', 'verification'], () => [call, 'duplicate']],
  screening_propose: [['verification'], () => [999, 'clear', 'a good reason']],
  verification_claim: [['verification'], () => [verification]],
  verification_release: [['verification'], () => [verification]],
  verification_decide: [['verification'], () => [verification, null, null]],
  chat_claim: [['support'], () => [payee.id]],
  chat_release: [['support'], () => [payee.id]],
  chat_hand_over: [['support'], async () => [payee.id, await colleague()]],
  chat_answer: [['support'], () => [payee.id, 77, sealed, digest, digest, []]],
  chat_note: [['support'], () => [payee.id, 78, sealed, digest]],
  chat_seen: [['support'], () => [payee.id, 1]],
  chat_staff_typing: [['support'], () => [payee.id]],
  canned_set: [['support'], () => [null, 'a title', JSON.stringify({ zh: 'a', tw: 'b', en: 'c' })]],
  canned_remove: [['support'], () => [999]],
  news_save: [['content'], () => [999, 1, '{}', '[]']],
  news_publish: [['content'], () => [999, 1, null]],
  news_unschedule: [['content'], () => [999, 1]],
  news_withdraw: [['content'], () => [999, 'a reason']],
  news_add_cover: [['content'], () => [null, 1, 1, sealed, sealed]],
  staff_propose: [['administrator'], async () => ['turn_off', await colleague(), null]],
  staff_create: [['administrator'], () => [null, 'a name', 'person', 'hash']],
  staff_disable: [['administrator'], async () => [await colleague(), 'left']],
};

/**
 * Decided with four eyes, whose tests try every role: see STATES and KINDS there. `request_release` ends a claim of one’s own;
 * `payout_answered` keeps a provider’s answer whoever asked (withdrawals/payouts.test.ts); `report_begin` and `report_end` are of one’s own
 * order (office/reports/reports.test.ts).
 */
const ELSEWHERE = [
  'approve',
  'audit_own',
  'deposit_approve',
  'proposal_approve',
  'proposal_refuse',
  'record_edit',
  'report_begin',
  'report_end',
  'request_release',
  'staff_declare_customer',
  'withdrawal_approve',
  'payout_answered',
  'withdrawal_paid',
];

async function callOf(customer: string): Promise<string> {
  const { rows } = await db.owner.query(
    `insert into recovery_requests (account, sealed) select account, '\\x0100000001' from customers where id = $1 returning id`,
    [customer],
  );
  return rows[0].id;
}

describe.each(Object.entries(CALLS))('%s', (name, [roles, values]) => {
  test(`may be called by ${roles.join(' and ')} alone, with a session of their own that lives`, async () => {
    // Those who may come last, because what they prepare may be open once.
    const inTurn = STAFF_ROLES.toSorted((a, b) => Number(roles.includes(a)) - Number(roles.includes(b)));
    for (const role of inTurn) {
      const answer = await ask(db, name, [staff.get(role), ...(await values())]);
      expect([role, answer === 'ROLE_MISSING']).toEqual([role, !roles.includes(role)]);
      expect([role, answer === 'SESSION_EXPIRED']).toEqual([role, false]);
    }
  });
});

/** The last check of each function: a member of staff with the right role acts under a session. */
const ended: readonly (readonly [string, string, string])[] = [
  ['was not used for an hour', `last_used_at = now() - interval '1 hour 1 second'`, 'SESSION_EXPIRED'],
  ['began twelve hours ago', `created_at = now() - interval '12 hours 1 second'`, 'SESSION_EXPIRED'],
  [
    'was used within the hour and began within twelve',
    `last_used_at = now() - interval '59 minutes', created_at = now() - interval '11 hours 59 minutes'`,
    '',
  ],
];

describe('a session of staff that', () => {
  test.each(ended)('%s', async (_state, changes, answer) => {
    const support = await colleague();
    await db.owner.query(`update staff_sessions set ${changes} where staff_id = $1`, [support]);
    expect(await ask(db, 'chat_seen', [support, payee.id, 1])).toBe(answer);
  });

  test('is of an account that was turned off', async () => {
    const support = await colleague();
    await db.owner.query('update staff set is_active = false where id = $1', [support]);
    expect(await ask(db, 'chat_seen', [support, payee.id, 1])).toBe('ROLE_MISSING');
    expect(
      await failureIn(db.server.query('select audit_own($1, $2, $3)', [support, 'factor.add', '{}'])),
    ).toBe('ROLE_MISSING');
  });

  test('has shown neither password nor factor lately approves nothing', async () => {
    const approver = await installStaff(db.owner, 'approver');
    await beginStaffSession(db.owner, approver);
    await db.owner.query(`update staff_sessions set proved_until = now() where staff_id = $1`, [approver]);
    expect(await ask(db, 'approve', [approver, 'correction', 999, digest])).toBe('REAUTH_REQUIRED');
    await db.owner.query(
      `update staff_sessions set proved_until = now() + interval '5 seconds' where staff_id = $1`,
      [approver],
    );
    expect(await ask(db, 'approve', [approver, 'correction', 999, digest])).toMatch(/^\d+$/);
  });
});

test('a conversation that a colleague has claimed is answered by no other, for a quarter of an hour', async () => {
  const [first, second] = [await colleague(), await colleague()];
  await db.owner.query('update chats set claimed_by = null, claimed_at = null where customer_id = $1', [
    payee.id,
  ]);
  const claimed = () => ask(db, 'chat_claim', [second, payee.id]);
  expect(await ask(db, 'chat_claim', [first, payee.id])).toBe('');
  expect(await claimed()).toBe('CHAT_CLAIMED');
  const answer = [second, payee.id, 79, sealed, Buffer.alloc(32, 9), digest, []];
  expect(await ask(db, 'chat_answer', answer)).toBe('CHAT_CLAIMED');
  expect(await ask(db, 'chat_claim', [second, 999])).toBe('CHAT_NOT_FOUND');
  const pass = (time: string) =>
    db.owner.query(`update chats set claimed_at = now() - interval '${time}' where customer_id = $1`, [
      payee.id,
    ]);
  await pass('14 minutes 50 seconds');
  expect(await claimed()).toBe('CHAT_CLAIMED');
  await pass('15 minutes 1 second');
  expect(await claimed()).toBe('');
});

test('a role that is still held does nothing', async () => {
  const held = await installStaff(db.owner, 'support');
  await db.owner.query(
    `update staff_roles set usable_from = now() + interval '1 minute' where staff_id = $1`,
    [held],
  );
  expect(await ask(db, 'chat_seen', [held, payee.id, 1])).toBe('APPROVER_TOO_NEW');
  await db.owner.query(`update staff_roles set usable_from = now() where staff_id = $1`, [held]);
  expect(await ask(db, 'chat_seen', [held, payee.id, 1])).toBe('');
});

test('each function of staff that the server may call is tested here or with four eyes', async () => {
  const { rows } = await db.owner.query<{ name: string }>(
    `select proname as name from pg_proc where proargnames[1] in ('_staff', '_by') and provolatile = 'v'
       and pronamespace = 'public'::regnamespace and has_function_privilege('fairtick_server', oid, 'execute')`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...Object.keys(CALLS), ...ELSEWHERE].sort());
});
