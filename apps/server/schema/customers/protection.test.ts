import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  moneyOf,
  payByHand,
  USDT,
  usdt,
} from '@fairtick/kit/people/money.ts';
import { OwnRequests, refusalOf } from '@fairtick/kit/people/own-rules.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { describe, expect, test } from 'vitest';

/** Customers' own limits, breaks and exclusions as the database enforces them: on orders and deposits, and never on money that leaves. */
const db = auditedDatabase();
const DEMO = 1;

/** Lets so many hours pass for what this customer asked for. */
const later = ({ payee }: OwnRequests, hours: number) =>
  db.owner.query(
    `with a as (update customer_limits set later_at = later_at - make_interval(mins => $2) where customer_id = $1)
     update protected_customers set later_at = later_at - make_interval(mins => $2),
       closed_at = closed_at - make_interval(mins => $2), closed_until = closed_until - make_interval(mins => $2),
       document_at = document_at - make_interval(mins => $2), document_until = document_until - make_interval(mins => $2)
     where customer_id = $1`,
    [payee.id, Math.round(hours * 60)],
  );

const order = (customer: OwnRequests, stake: bigint, asset = DEMO) => customer.order(stake, asset);

/** The account of somebody who is excluded under another account with the same document. */
async function excludedByDocument(): Promise<OwnRequests> {
  const [first, second] = [await OwnRequests.of(db), await OwnRequests.of(db)];
  for (const { payee } of [first, second])
    await db.owner.query(
      `with front as (
         insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
         values (nextval('personal_data_ids'), $1::bigint, 'id_front', lpad($1::bigint::text, 32, 'f'), '\\x00000001', 10, 10, 10, sha256('')) returning id)
       insert into verifications (id, customer_id, state, sealed, document_index, is_restricted_country, front_id, decided_at, decided_by)
       select nextval('personal_data_ids'), $1::bigint, 'verified', '\\x0100000001', sha256($2), false, id, now(), $3 from front`,
      [payee.id, Buffer.from(`document ${first.payee.id}`), await installStaff(db.owner, 'verification')],
    );
  expect(await first.exclude(6)).toBeNull();
  return second;
}

async function made(change: (customer: OwnRequests) => Promise<string | null>): Promise<OwnRequests> {
  const customer = await OwnRequests.of(db);
  expect(await change(customer)).toBeNull();
  return customer;
}

/** Every way in which a customer may have closed the account, and what deposits and orders are answered then. */
const CLOSED: readonly (readonly [string, () => Promise<OwnRequests>, string])[] = [
  ['a break', () => made((customer) => customer.takeBreak(24)), 'ON_BREAK'],
  ['an exclusion of months', () => made((customer) => customer.exclude(6)), 'SELF_EXCLUDED'],
  ['an exclusion for good', () => made((customer) => customer.exclude(null)), 'SELF_EXCLUDED'],
  ['an exclusion under another account with the same document', excludedByDocument, 'SELF_EXCLUDED'],
];

describe.each(CLOSED)('%s', (_name, close, refusal) => {
  test('stops deposits and orders', async () => {
    const ann = await close();
    expect([await ann.deposit(usdt(50)), await order(ann, 1n)]).toEqual([refusal, refusal]);
  });

  test('lets the customer withdraw: request, cancel, request again and be paid', async () => {
    const ann = await close();
    expect(await ann.withdraw(usdt(40))).toBeNull();
    expect(await ann.cancel('withdrawal', await ann.newest('withdrawal'))).toBeNull();
    expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 1_000, held: 0 });
    expect(await ann.withdraw(usdt(60))).toBeNull();
    const id = await ann.newest('withdrawal');
    const [cashier, approver] = [
      await installStaff(db.owner, 'cashier'),
      await installStaff(db.owner, 'approver'),
    ];
    await ask(db, 'withdrawal_propose', [cashier, id, '']);
    const approved = await approveRequest(db, 'withdrawal', [
      approver,
      id,
      await contentOf(db, 'withdrawal', id),
    ]);
    expect(approved).toBe('approved');
    expect(await payByHand(db, cashier, id, `reference ${id}`)).toBe('');
    expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 940, held: 0 });
  });

  test('lets money out of earnings', async () => {
    const ann = await close();
    await db.owner.query(
      `select ledger.earn('seed:' || $1, sha256(''), $1::bigint, $2::smallint, 5000000, 0)`,
      [ann.payee.id, USDT],
    );
    await db.owner.query(
      `insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
       values ($1, $2, earning_today() - 1, earning_today(), 0)`,
      [ann.payee.id, USDT],
    );
    expect(await ann.earn(-5_000_000n)).toBeNull();
  });
});

describe('a break or an exclusion', () => {
  test('lasts from 24 hours to 6 weeks, or from 6 months to 5 years', async () => {
    const ann = await OwnRequests.of(db);
    for (const hours of [0, 23, 1_009, null])
      expect([hours, await ann.takeBreak(hours)]).toEqual([hours, 'INVALID_VALUE']);
    for (const months of [0, 5, 61])
      expect([months, await ann.exclude(months)]).toEqual([months, 'INVALID_VALUE']);
    expect(refusalOf(await ask(db, 'break_take', [ann.payee.tokenHash, 'other', 24, 6]))).toBe(
      'INVALID_VALUE',
    );
    expect(await ann.deposit(usdt(20))).toBeNull();
    expect([await ann.takeBreak(24), await ann.takeBreak(1_008)]).toEqual([null, null]);
    expect([await ann.exclude(6), await ann.exclude(60), await ann.exclude(null)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('ends when its time is over and no earlier, and is never made shorter', async () => {
    const ann = await made((customer) => customer.takeBreak(48));
    expect([await ann.takeBreak(24), await ann.takeBreak(72)]).toEqual(['BREAK_LASTS_LONGER', null]);
    await later(ann, 71.9);
    expect([await ann.deposit(usdt(20)), await order(ann, 1n)]).toEqual(['ON_BREAK', 'ON_BREAK']);
    await later(ann, 0.2);
    expect([await ann.deposit(usdt(20)), await order(ann, 1n)]).toEqual([null, null]);
    const bob = await made((customer) => customer.exclude(null));
    expect([await bob.exclude(60), await bob.takeBreak(1_008)]).toEqual([
      'BREAK_LASTS_LONGER',
      'BREAK_LASTS_LONGER',
    ]);
    expect(await bob.deposit(usdt(20))).toBe('SELF_EXCLUDED');
  });

  test('of one customer is none of another', async () => {
    await made((customer) => customer.exclude(null));
    const bob = await OwnRequests.of(db);
    expect([await bob.deposit(usdt(20)), await order(bob, 1n)]).toEqual([null, null]);
  });

  test('under another account closes no account whose document differs, and ends with it', async () => {
    const ann = await excludedByDocument();
    await later(ann, 200 * 24);
    expect([await ann.deposit(usdt(20)), await order(ann, 1n)]).toEqual([null, null]);
  });
});

describe('a limit on deposits', () => {
  test('takes the last unit that it leaves, and not one more', async () => {
    const ann = await made((customer) => customer.limit('deposit', 'day', usdt(100)));
    expect(await ann.deposit(usdt(60))).toBeNull();
    expect(await ann.deposit(usdt(40) + 1n)).toBe('DEPOSIT_LIMIT');
    expect(await ann.deposit(usdt(40))).toBeNull();
    expect(await ann.deposit(usdt(10))).toBe('DEPOSIT_LIMIT');
  });

  test('is the tightest of several, and of its own asset', async () => {
    const ann = await made((customer) => customer.limit('deposit', 'month', usdt(30)));
    expect(await ann.limit('deposit', 'day', usdt(500))).toBeNull();
    expect(await ann.deposit(usdt(31))).toBe('DEPOSIT_LIMIT');
    const { rows } = await db.owner.query(
      'select id from current_channels() where asset_id <> $1 and is_enabled order by min limit 1',
      [USDT],
    );
    const { rows: terms } = await db.owner.query('select max from current_channels() where id = $1', [
      rows[0].id,
    ]);
    expect(await ann.deposit(BigInt(terms[0].max), { channel: rows[0].id })).toBeNull();
    // The other deposit leaves this limit as it is.
    expect(await ann.deposit(usdt(30))).toBeNull();
    const bob = await OwnRequests.of(db);
    expect(await bob.deposit(usdt(31))).toBeNull();
  });

  test('counts what was found rather than what was claimed, and nothing that failed or was taken back', async () => {
    const ann = await made((customer) => customer.limit('deposit', 'day', usdt(100)));
    const cashier = await installStaff(db.owner, 'cashier');
    expect(await ann.deposit(usdt(90))).toBeNull();
    await ask(db, 'deposit_refuse', [cashier, await ann.newest('deposit'), 'failure', 'not_received', null]);
    expect(await ann.deposit(usdt(80))).toBeNull();
    expect(await ann.cancel('deposit', await ann.newest('deposit'))).toBeNull();
    expect(await ann.deposit(usdt(70))).toBeNull();
    // More came in than was claimed, and 10 are left.
    await ask(db, 'deposit_find', [cashier, await ann.newest('deposit'), usdt(90), `tx ${ann.payee.id}`]);
    expect(await ann.deposit(usdt(10) + 1n)).toBe('DEPOSIT_LIMIT');
    expect(await ann.deposit(usdt(10))).toBeNull();
  });

  test.each(['day', 'week', 'month'])('of a %s counts from the start of that %s, in UTC', async (per) => {
    const ann = await made((customer) => customer.limit('deposit', per, usdt(100)));
    expect(await ann.deposit(usdt(100))).toBeNull();
    const id = await ann.newest('deposit');
    const backdate = (shift: string) =>
      db.owner.query(
        `begin; alter table deposit_requests disable trigger deposit_requests_guard;
         update deposit_requests set submitted_at = date_trunc('${per}', now() at time zone 'UTC') at time zone 'UTC' + interval '${shift}' where id = ${id};
         alter table deposit_requests enable trigger deposit_requests_guard; commit`,
      );
    await backdate('0 seconds');
    expect(await ann.deposit(usdt(10))).toBe('DEPOSIT_LIMIT');
    await backdate('-1 second');
    expect(await ann.deposit(usdt(10))).toBeNull();
  });
});

describe('a limit on stakes or losses', () => {
  test.each([
    ['stake', 'STAKE_LIMIT'],
    ['loss', 'LOSS_LIMIT'],
  ])('of kind %s takes the last unit that it leaves, and not one more', async (kind, refusal) => {
    const ann = await made((customer) => customer.limit(kind, 'day', 100n, DEMO));
    expect(await order(ann, 60n)).toBeNull();
    expect(await order(ann, 41n)).toBe(refusal);
    expect(await order(ann, 40n)).toBeNull();
    expect(await order(ann, 1n)).toBe(refusal);
    // Another asset, and another customer.
    expect(await order(ann, 1_000n, USDT)).toBeNull();
    expect(await order(await OwnRequests.of(db), 1_000n)).toBeNull();
  });

  test('does not limit deposits, and a limit on deposits limits no orders', async () => {
    const ann = await made((customer) => customer.limit('stake', 'day', 5n));
    expect(await ann.deposit(usdt(500))).toBeNull();
    const bob = await made((customer) => customer.limit('deposit', 'day', 5n));
    expect(await order(bob, 1_000n, USDT)).toBeNull();
  });
});

describe('a change of a limit', () => {
  const way = (kind: string, asset: number) => async (customer: OwnRequests, amount: bigint) =>
    kind === 'deposit' ? customer.deposit(amount) : order(customer, amount, asset);

  test.each([
    ['deposit', USDT, 'DEPOSIT_LIMIT'],
    ['stake', DEMO, 'STAKE_LIMIT'],
    ['loss', DEMO, 'LOSS_LIMIT'],
  ] as const)(
    'of kind %s counts at once if it is tighter, and after 24 hours if it is looser or off',
    async (kind, asset, refusal) => {
      const ann = await made((customer) => customer.limit(kind, 'week', usdt(100), asset));
      const use = way(kind, asset);
      expect(await ann.limit(kind, 'week', usdt(500), asset)).toBeNull();
      await later(ann, 23.9);
      expect(await use(ann, usdt(101))).toBe(refusal);
      await later(ann, 0.2);
      expect(await use(ann, usdt(101))).toBeNull();
      expect(await ann.limit(kind, 'week', usdt(120), asset)).toBeNull();
      expect(await use(ann, usdt(20))).toBe(refusal);
      expect(await ann.limit(kind, 'week', null, asset)).toBeNull();
      await later(ann, 23.9);
      expect(await use(ann, usdt(20))).toBe(refusal);
      await later(ann, 0.2);
      expect(await use(ann, usdt(20))).toBeNull();
    },
  );

  test('to the amount that counts now cancels a looser one that waits', async () => {
    const ann = await made((customer) => customer.limit('deposit', 'day', usdt(100)));
    expect([
      await ann.limit('deposit', 'day', usdt(500)),
      await ann.limit('deposit', 'day', usdt(100)),
    ]).toEqual([null, null]);
    await later(ann, 25);
    expect(await ann.deposit(usdt(101))).toBe('DEPOSIT_LIMIT');
  });

  test('needs a live session, and no limit is set on deposits of practice money', async () => {
    const ann = await OwnRequests.of(db);
    expect(await ann.limit('deposit', 'day', 100n, DEMO)).toBe('ASSET_NOT_ACCEPTED');
    await db.owner.query(
      `update sessions set last_used_at = now() - interval '31 days' where customer_id = $1`,
      [ann.payee.id],
    );
    expect(await ann.limit('deposit', 'day', 100n)).toBe('SESSION_EXPIRED');
    expect([await ann.takeBreak(24), await ann.exclude(6)]).toEqual(['SESSION_EXPIRED', 'SESSION_EXPIRED']);
    expect(refusalOf(await ask(db, 'reminder_set', [ann.payee.tokenHash, 30]))).toBe('SESSION_EXPIRED');
  });
});

test('a reminder comes more often at once, and less often after 24 hours', async () => {
  const ann = await OwnRequests.of(db);
  const remind = async (minutes: number | null) => {
    expect(refusalOf(await ask(db, 'reminder_set', [ann.payee.tokenHash, minutes]))).toBeNull();
    const { rows } = await db.owner.query(
      `select case when later_at <= now() then later_minutes else reminder_minutes end as now, later_minutes as later
       from protected_customers where customer_id = $1`,
      [ann.payee.id],
    );
    return [rows[0].now, rows[0].later];
  };
  expect(await remind(60)).toEqual([60, null]);
  expect(await remind(30)).toEqual([30, null]);
  expect(await remind(90)).toEqual([30, 90]);
  await later(ann, 23.9);
  expect(await remind(90)).toEqual([30, 90]);
  await later(ann, 24.1);
  expect(await remind(null)).toEqual([90, null]);
});
