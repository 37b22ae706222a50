import { randomBytes } from 'node:crypto';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  moneyOf,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { OwnRequests } from '@fairtick/kit/people/own-rules.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, describe, expect, test } from 'vitest';

/** Freezes as the database enforces them: what each closes, what it leaves open, and who begins, keeps and lifts it. */
const db = auditedDatabase();
type What = 'login' | 'orders' | 'withdrawals';
let [support, verification, cashier, approver] = ['', '', '', ''];
beforeAll(async () => {
  [support, verification, cashier, approver] = await Promise.all([
    installStaff(db.owner, 'support'),
    installStaff(db.owner, 'verification'),
    installStaff(db.owner, 'cashier'),
    installStaff(db.owner, 'approver'),
  ]);
});

const NOTE = 'a good reason';
const freeze = ({ payee }: OwnRequests, what: What, hours = 24, by = support) =>
  ask(db, 'freeze_start', [by, payee.id, what, hours, 'review', NOTE]);
const propose = ({ payee }: OwnRequests, what: What, days: number | null) =>
  ask(db, 'freeze_propose', [verification, payee.id, what, days, 'review', NOTE]);
const agree = (proposal: string, by = approver) => ask(db, 'proposal_approve', [by, ['freeze'], proposal]);

/** The end of a freeze in hours from now, rounded; null: it is open. */
async function frozenHours({ payee }: OwnRequests, what: What): Promise<number | null> {
  const { rows } = await db.owner.query(
    `select round(extract(epoch from frozen_until($1, $2) - now()) / 3600)::int as hours`,
    [payee.id, what],
  );
  return rows[0].hours;
}

/** Lets so many hours pass for a customer's freezes. */
const later = ({ payee }: OwnRequests, hours: number) =>
  db.owner.query(
    `with a as (update account_freezes set at = at - make_interval(hours => $2), until = until - make_interval(hours => $2) where customer_id = $1)
     update protected_customers set login_frozen_until = login_frozen_until - make_interval(hours => $2),
       orders_frozen_until = orders_frozen_until - make_interval(hours => $2),
       withdrawals_frozen_until = withdrawals_frozen_until - make_interval(hours => $2) where customer_id = $1`,
    [payee.id, hours],
  );

/** What a customer may try, and the staff with the customer's money under way; prepared before the freeze. Answers a refusal or null. */
interface Attempt {
  readonly prepare?: (customer: OwnRequests) => Promise<string>;
  readonly attempt: (customer: OwnRequests, prepared: string) => Promise<string | null>;
}
const refusalOrNull = (answer: unknown) => (/^[A-Z][A-Z_]+$/.test(String(answer)) ? String(answer) : null);

const proposed = async ({ payee }: OwnRequests) => {
  const id = await withdrawal(db, payee, usdt(60));
  await ask(db, 'withdrawal_propose', [cashier, id, '']);
  return id;
};
const approved = async (customer: OwnRequests) => {
  const id = await proposed(customer);
  expect(await approve(id)).toBe('approved');
  return id;
};
const approve = async (id: string) =>
  approveRequest(db, 'withdrawal', [approver, id, await contentOf(db, 'withdrawal', id)]);

const ATTEMPTS = {
  'a login': {
    attempt: async ({ payee }) => {
      const login = [randomBytes(32), payee.id, 'a browser', '198.51.100.7', true];
      return refusalOrNull(await ask(db, 'session_begin', login));
    },
  },
  'an order': { attempt: (customer) => customer.order(1n) },
  'a deposit': { attempt: (customer) => customer.deposit(usdt(50)) },
  'a withdrawal': { attempt: (customer) => customer.withdraw(usdt(40)) },
  'the cancelling of a withdrawal under review': {
    prepare: ({ payee }) => withdrawal(db, payee, usdt(60)),
    attempt: (customer, id) => customer.cancel('withdrawal', id),
  },
  'an exclusion': { attempt: (customer) => customer.exclude(6) },
  'the approval of a withdrawal under review': {
    prepare: proposed,
    attempt: async (_, id) => refusalOrNull(await approve(id)),
  },
  'the taking of an approved withdrawal': {
    prepare: approved,
    attempt: async (_, id) => refusalOrNull(await ask(db, 'withdrawal_send', [cashier, id, 'hand'])),
  },
  'the refusal of an approved withdrawal': {
    prepare: approved,
    attempt: async (_, id) =>
      refusalOrNull(await ask(db, 'withdrawal_refuse', [cashier, id, 'security', null])),
  },
  'the booking of a withdrawal that is being paid': {
    prepare: async (customer) => {
      const id = await approved(customer);
      await ask(db, 'withdrawal_send', [cashier, id, 'hand']);
      return id;
    },
    attempt: async (_, id) =>
      refusalOrNull(await ask(db, 'withdrawal_paid', [cashier, id, `reference ${id}`])),
  },
  'the crediting of a deposit under review': {
    prepare: ({ payee }) => deposit(db, payee, usdt(50)),
    attempt: async (_, id) =>
      refusalOrNull(await ask(db, 'deposit_find', [cashier, id, usdt(50), `payment of ${id}`])),
  },
  'a claim of the account': {
    prepare: async ({ payee }) => {
      await db.owner.query(`update customers set password_hash = 'another' where id = $1`, [payee.id]);
      await db.owner.query(
        `insert into recovery_codes (customer_id, code_hash, created_at) values ($1, sha256($2), now() - interval '30 days')`,
        [payee.id, payee.id],
      );
      return payee.id;
    },
    attempt: async ({ payee }) => {
      const { rows } = await db.owner.query(
        `select account_take_back($1, sha256($2), nextval('personal_data_ids'), '\\x0100000001', '198.51.100.7', sha256($2)) as taken`,
        [payee.id, payee.id],
      );
      return rows[0].taken ? null : 'NOT_TAKEN';
    },
  },
} as const satisfies Record<string, Attempt>;

/** Whatever is not named here goes on. A freeze of logins ends the session in which the customer would ask. */
const CLOSED: Readonly<Record<What, Partial<Record<keyof typeof ATTEMPTS, string>>>> = {
  login: {
    'a login': 'LOGIN_FROZEN',
    'a deposit': 'REAUTH_REQUIRED',
    'a withdrawal': 'REAUTH_REQUIRED',
    'the cancelling of a withdrawal under review': 'REQUEST_NOT_FOUND',
    'an exclusion': 'SESSION_EXPIRED',
  },
  orders: { 'an order': 'ORDERS_FROZEN' },
  withdrawals: {
    'a withdrawal': 'WITHDRAWALS_FROZEN',
    'the approval of a withdrawal under review': 'CUSTOMER_FROZEN',
    'the taking of an approved withdrawal': 'CUSTOMER_FROZEN',
  },
};

describe.each(Object.keys(CLOSED) as What[])('a freeze of %s', (what) => {
  test.each(Object.entries<Attempt>(ATTEMPTS))('and %s', async (name, { prepare, attempt }) => {
    const customer = await OwnRequests.of(db);
    const prepared = (await prepare?.(customer)) ?? '';
    expect(await freeze(customer, what)).toBe('');
    expect(await attempt(customer, prepared)).toBe(CLOSED[what][name as keyof typeof ATTEMPTS] ?? null);
  });

  test('moves no money, and is over at its end', async () => {
    const customer = await OwnRequests.of(db);
    await freeze(customer, what, 2);
    expect([await moneyOf(db, customer.payee.id), await frozenHours(customer, what)]).toEqual([
      { available: 1_000, held: 0 },
      2,
    ]);
    await later(customer, 2);
    expect(await frozenHours(customer, what)).toBeNull();
    expect(await ATTEMPTS['a login'].attempt(customer)).toBeNull();
    expect(await ATTEMPTS['an order'].attempt(customer)).toBeNull();
  });
});

test('one person freezes for 72 hours at most, once in seven days; a second person keeps it and lifts it early', async () => {
  const ann = await OwnRequests.of(db);
  expect(await freeze(ann, 'withdrawals', 73)).toBe('INVALID_VALUE');
  expect(await freeze(ann, 'withdrawals', 0)).toBe('INVALID_VALUE');
  expect(await freeze(ann, 'withdrawals', 72)).toBe('');
  expect(await freeze(ann, 'withdrawals', 1, cashier)).toBe('NOTHING_NEW');
  await later(ann, 73);
  expect(await freeze(ann, 'withdrawals', 1, cashier)).toBe('FREEZE_NEEDS_TWO');
  // Each thing is apart.
  expect(await freeze(ann, 'orders', 1)).toBe('');
  const keep = await propose(ann, 'withdrawals', 30);
  expect(await frozenHours(ann, 'withdrawals')).toBeNull();
  expect(await agree(keep, verification)).toBe('ROLE_MISSING');
  expect(await agree(keep)).toBe('done');
  expect(await frozenHours(ann, 'withdrawals')).toBe(720);
  expect(await ann.withdraw(usdt(40))).toBe('WITHDRAWALS_FROZEN');
  expect(await propose(ann, 'login', null)).toBe('NOTHING_NEW');
  expect(await agree(await propose(ann, 'withdrawals', null))).toBe('done');
  expect(await ann.withdraw(usdt(40))).toBeNull();
  await later(ann, 168);
  expect(await freeze(ann, 'withdrawals', 1)).toBe('');
});

test('a break or exclusion outlives the lifting of a freeze of orders', async () => {
  const ann = await OwnRequests.of(db);
  expect(await ann.exclude(6)).toBeNull();
  expect(await freeze(ann, 'orders')).toBe('');
  expect(await ATTEMPTS['an order'].attempt(ann)).toBe('SELF_EXCLUDED');
  expect(await agree(await propose(ann, 'orders', null))).toBe('done');
  expect(await ATTEMPTS['an order'].attempt(ann)).toBe('SELF_EXCLUDED');
});

test('nobody freezes their own account, or one that is closed or erased', async () => {
  const [ann, bob] = [await OwnRequests.of(db), await OwnRequests.of(db)];
  await ask(db, 'staff_declare_customer', [support, ann.payee.id]);
  expect(await freeze(ann, 'orders')).toBe('ABOUT_ONESELF');
  await db.owner.query('update customers set closed_at = now() where id = $1', [bob.payee.id]);
  expect(await freeze(bob, 'orders')).toBe('CUSTOMER_NOT_FOUND');
  expect(await propose(bob, 'orders', 3)).toBe('CUSTOMER_NOT_FOUND');
});

test('a customer is told what is closed until when, and that it was lifted', async () => {
  const ann = await OwnRequests.of(db);
  await freeze(ann, 'orders');
  await agree(await propose(ann, 'orders', null));
  const { rows } = await db.owner.query(
    `select kind, parameters ->> 'reason' as reason from notices where customer_id = $1 and kind like 'freeze.%' order by id`,
    [ann.payee.id],
  );
  expect(rows).toEqual([
    { kind: 'freeze.orders', reason: 'review' },
    { kind: 'freeze.lifted', reason: null },
  ]);
});
