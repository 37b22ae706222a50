import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  credit,
  moneyOf,
  newProof,
  payByHand,
  USDT,
  usdt,
} from '@fairtick/kit/people/money.ts';
import { OwnRequests } from '@fairtick/kit/people/own-rules.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, describe, expect, test } from 'vitest';

/** The rules of requests as the database enforces them: each at its bound, with the reason that the customer reads. */
const db = ownDatabase();
const DEMO = 1;
const USD = 3;

interface Terms {
  readonly min: bigint;
  readonly max: bigint;
  readonly fee: bigint;
}
let out: Terms;
let into: Terms;
let cashier: string;
let approver: string;
beforeAll(async () => {
  const read = async (from: string): Promise<Terms> => {
    const { rows } = await db.owner.query(`select min, max, fee from ${from}`);
    return { min: BigInt(rows[0].min), max: BigInt(rows[0].max), fee: BigInt(rows[0].fee) };
  };
  out = await read(`withdrawal_terms where asset_id = ${USDT}`);
  into = await read('current_channels() where id = 1');
  cashier = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
});

const set = (table: string, changes: string, { payee }: OwnRequests) =>
  db.owner.query(
    `update ${table} set ${changes} where ${table === 'customers' ? 'id' : 'customer_id'} = $1`,
    [payee.id],
  );
const level = (name: string) => (customer: OwnRequests) => set('customers', `level = '${name}'`, customer);

/** Requests of a customer in each state, and their answers. */
type Case = readonly [
  name: string,
  change: ((customer: OwnRequests) => Promise<unknown>) | null,
  ask: (customer: OwnRequests) => Promise<string | null>,
  refusal: string | null,
];

const rich = async (customer: OwnRequests) => credit(db, customer.payee.id, out.max * 3n);
const richAs = (name: string) => async (customer: OwnRequests) => {
  await rich(customer);
  await level(name)(customer);
};

const WITHDRAWALS: readonly Case[] = [
  ['the smallest amount', null, (ann) => ann.withdraw(out.min), null],
  ['a unit less than the smallest amount', null, (ann) => ann.withdraw(out.min - 1n), 'WITHDRAWAL_TOO_SMALL'],
  ['the whole balance', null, (ann) => ann.withdraw(usdt(1_000)), null],
  ['a unit more than the balance', null, (ann) => ann.withdraw(usdt(1_000) + 1n), 'INSUFFICIENT_BALANCE'],
  [
    'money that another request holds',
    (ann) => ann.withdraw(usdt(600)),
    (ann) => ann.withdraw(usdt(401)),
    'INSUFFICIENT_BALANCE',
  ],
  ['the largest amount', rich, (ann) => ann.withdraw(out.max), null],
  ['more than the largest amount', rich, (ann) => ann.withdraw(out.max + 1n), 'WITHDRAWAL_TOO_LARGE'],
  ['twice as much at gold', richAs('gold'), (ann) => ann.withdraw(out.max * 2n), null],
  ['more at gold', richAs('gold'), (ann) => ann.withdraw(out.max * 2n + 1n), 'WITHDRAWAL_TOO_LARGE'],
  ['more at silver', richAs('silver'), (ann) => ann.withdraw(out.max + 1n), 'WITHDRAWAL_TOO_LARGE'],
  ['any amount at platinum', richAs('platinum'), (ann) => ann.withdraw(out.max * 3n), null],
  ['the fee that the customer saw', null, (ann) => ann.withdraw(usdt(50), { seenFee: out.fee }), null],
  [
    'another fee than the customer saw',
    null,
    (ann) => ann.withdraw(usdt(50), { seenFee: out.fee - 1n }),
    'TERMS_CHANGED',
  ],
  ['practice money', null, (ann) => ann.withdraw(usdt(50), { asset: DEMO }), 'ASSET_NOT_ACCEPTED'],
  ['an old withdrawal password', null, (ann) => ann.withdraw(usdt(50), { version: 2 }), 'PAY_WORD_NOT_SET'],
  ...['none', 'pending', 'failed'].map(
    (status): Case => [
      `a name that is not verified (${status})`,
      (ann) => set('customers', `real_status = '${status}'`, ann),
      (ann) => ann.withdraw(usdt(50)),
      'NAME_NOT_VERIFIED',
    ],
  ),
  [
    'a destination that was removed',
    (ann) => set('crypto_addresses', 'removed_at = now()', ann),
    (ann) => ann.withdraw(usdt(50)),
    'DESTINATION_NOT_FOUND',
  ],
  [
    'another customer’s destination',
    null,
    async (ann) => ann.withdraw(usdt(50), { destination: (await OwnRequests.of(db)).payee.address }),
    'DESTINATION_NOT_FOUND',
  ],
  [
    'a destination of another asset',
    null,
    (ann) => ann.withdraw(usdt(50), { destination: ann.payee.card }),
    'DESTINATION_NOT_FOUND',
  ],
];

/** Puts so many deposits of a customer under review. */
const announce = async (customer: OwnRequests, count: number): Promise<void> => {
  for (let place = 0; place < count; place += 1) expect(await customer.deposit(into.min)).toBeNull();
};

const DEPOSITS: readonly Case[] = [
  ['the smallest amount', null, (ann) => ann.deposit(into.min), null],
  ['a unit less than the smallest amount', null, (ann) => ann.deposit(into.min - 1n), 'DEPOSIT_TOO_SMALL'],
  ['the largest amount', null, (ann) => ann.deposit(into.max), null],
  ['a unit more than the largest amount', null, (ann) => ann.deposit(into.max + 1n), 'DEPOSIT_TOO_LARGE'],
  [
    'a channel that there is not',
    null,
    (ann) => ann.deposit(into.min, { channel: 999 }),
    'CHANNEL_NOT_FOUND',
  ],
  ['the twentieth under review', (ann) => announce(ann, 19), (ann) => ann.deposit(into.min), null],
  [
    'one more than twenty under review',
    (ann) => announce(ann, 20),
    (ann) => ann.deposit(into.min),
    'TOO_MANY_PENDING',
  ],
  [
    'another customer’s proof',
    null,
    async (ann) => ann.deposit(into.min, { proof: await newProof(db, (await OwnRequests.of(db)).payee.id) }),
    'INVALID_UPLOAD',
  ],
  [
    'a picture that is no proof',
    null,
    async (ann) => {
      const proof = await newProof(db, ann.payee.id);
      await db.owner.query(`update uploads set purpose = 'chat' where id = $1`, [proof]);
      return ann.deposit(into.min, { proof });
    },
    'INVALID_UPLOAD',
  ],
];

const EARNINGS: readonly Case[] = [
  ['the whole balance', null, (ann) => ann.earn(usdt(1_000)), null],
  ['a unit more than the balance', null, (ann) => ann.earn(usdt(1_000) + 1n), 'INSUFFICIENT_BALANCE'],
  ['all that is in earnings, back', (ann) => ann.earn(usdt(70)), (ann) => ann.earn(-usdt(70)), null],
  ['a unit more, back', (ann) => ann.earn(usdt(70)), (ann) => ann.earn(-usdt(70) - 1n), 'EARNINGS_SMALLER'],
];

async function expectAnswer([, change, request, refusal]: Case): Promise<void> {
  const ann = await OwnRequests.of(db);
  await change?.(ann);
  expect(await request(ann)).toBe(refusal);
}

describe('a withdrawal', () => {
  test.each(WITHDRAWALS)('of %s', (...one) => expectAnswer(one));

  test('holds its amount, keeps the fee of its time, and gives all of it back when it is cancelled, once', async () => {
    const ann = await OwnRequests.of(db);
    expect(await ann.withdraw(usdt(50))).toBeNull();
    const id = await ann.newest('withdrawal');
    expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 950, held: 50 });
    const { rows } = await db.owner.query('select fee from withdrawal_requests where id = $1', [id]);
    expect(BigInt(rows[0].fee)).toBe(out.fee);
    expect([await ann.cancel('withdrawal', id), await ann.cancel('withdrawal', id)]).toEqual([null, null]);
    expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 1_000, held: 0 });
  });
});

describe('a deposit', () => {
  test.each(DEPOSITS)('of %s', (...one) => expectAnswer(one));
});

describe('a move into earnings', () => {
  test.each(EARNINGS)('of %s', (...one) => expectAnswer(one));
});

test('money may leave earnings and not enter them while the asset has no rate', async () => {
  const ann = await OwnRequests.of(db);
  expect(await ann.earn(usdt(70))).toBeNull();
  const client = await db.owner.connect();
  const move = async (amount: bigint) => {
    const values = [ann.payee.tokenHash, Buffer.alloc(32, Number(amount > 0n)), USDT, amount];
    return (await client.query('select earning_move($1, $2, $3, $4) as refused', values)).rows[0].refused;
  };
  try {
    await client.query('begin');
    await client.query('alter table earning_rates disable trigger user');
    await client.query('delete from earning_rates where asset_id = $1', [USDT]);
    expect([await move(usdt(1)), await move(-usdt(1))]).toEqual(['EARNINGS_NOT_OFFERED', null]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

describe('another customer', () => {
  test.each(['deposit', 'withdrawal'] as const)('can’t cancel a %s', async (kind) => {
    const [ann, eve] = [await OwnRequests.of(db), await OwnRequests.of(db)];
    expect(await (kind === 'deposit' ? ann.deposit(into.min) : ann.withdraw(out.min))).toBeNull();
    const id = await ann.newest(kind);
    expect(await eve.cancel(kind, id)).toBe('REQUEST_NOT_FOUND');
    expect(await ann.cancel(kind, id)).toBeNull();
  });
});

/** A withdrawal that a cashier has proposed to pay. */
async function proposed(): Promise<{ ann: OwnRequests; id: string }> {
  const ann = await OwnRequests.of(db);
  expect(await ann.withdraw(usdt(50))).toBeNull();
  const id = await ann.newest('withdrawal');
  await ask(db, 'withdrawal_propose', [cashier, id, '']);
  return { ann, id };
}

const approved = async (id: string): Promise<unknown> =>
  approveRequest(db, 'withdrawal', [approver, id, await contentOf(db, 'withdrawal', id)]);

/** Writes the time of a change without the triggers that would write their own. */
const dated = (table: string, column: string, { payee }: OwnRequests, ago: string) =>
  db.owner.query(
    `begin; alter table ${table} disable trigger user;
     update ${table} set ${column} = now() - interval '${ago}' where ${table === 'customers' ? 'id' : 'customer_id'} = ${payee.id};
     alter table ${table} enable trigger user; commit`,
  );

const claim = async ({ payee }: OwnRequests, decidedAgo: string | null): Promise<void> => {
  const decided =
    decidedAgo === null ? 'null, null, null' : `${cashier}, now() - interval '${decidedAgo}', 'not_proven'`;
  await db.owner.query(
    `insert into recovery_requests (account, sealed, lost_at, decided_by, decided_at, reason)
     select upper(account), '\\x0100000001', now() - interval '1 year', ${decided} from customers where id = ${payee.id}`,
  );
};

describe('a hold of withdrawals', () => {
  // The demo holds for 60 s.
  test.each([
    [
      'the destination',
      (ann: OwnRequests, ago: string) => dated('crypto_addresses', 'changed_at', ann, ago),
      1,
    ],
    [
      'the password',
      (ann: OwnRequests, ago: string) => dated('customers', 'password_changed_at', ann, ago),
      1,
    ],
    [
      'a second factor',
      (ann: OwnRequests, ago: string) => dated('customers', 'second_factor_changed_at', ann, ago),
      1,
    ],
    [
      'the withdrawal password',
      (ann: OwnRequests, ago: string) => dated('withdrawal_passwords', 'changed_at', ann, ago),
      1,
    ],
    [
      'factors that a recovery took',
      (ann: OwnRequests, ago: string) => dated('customers', 'factor_taken_at', ann, ago),
      2,
    ],
    ['a claim that was decided', claim, 2],
  ])('begins with a change of %s', async (_what, change, holds) => {
    const { ann, id } = await proposed();
    await change(ann, `${holds * 60 - 20} seconds`);
    expect(await approved(id)).toBe('HOLD_LASTS');
    const other = await proposed();
    await change(other.ann, `${holds * 60 + 1} seconds`);
    expect(await approved(other.id)).toBe('approved');
  });

  test('lasts as long as a claim is open', async () => {
    const { ann, id } = await proposed();
    await claim(ann, null);
    expect(await approved(id)).toBe('HOLD_LASTS');
  });
});

describe('an approved payment', () => {
  test('needs a destination that is still there and a name that is still verified', async () => {
    const gone = await proposed();
    await set('crypto_addresses', 'removed_at = now()', gone.ann);
    expect(await approved(gone.id)).toBe('DESTINATION_GONE');
    const unverified = await proposed();
    await set('customers', `real_status = 'failed'`, unverified.ann);
    expect(await approved(unverified.id)).toBe('CUSTOMER_UNVERIFIED');
  });

  test('pays the amount less the fee, once, and no reference pays two', async () => {
    const { ann, id } = await proposed();
    expect(await payByHand(db, cashier, id, 'reference one')).toBe('APPROVALS_MISSING');
    expect(await approved(id)).toBe('approved');
    expect(await payByHand(db, cashier, id, 'reference one')).toBe('');
    expect(await moneyOf(db, ann.payee.id)).toEqual({ available: 950, held: 0 });
    const { rows } = await db.owner.query(
      `select p.amount from ledger.postings p join withdrawal_requests w on w.transfer_id = p.transfer_id where w.id = $1 order by p.id`,
      [id],
    );
    expect(rows.map(({ amount }) => BigInt(amount))).toEqual([usdt(50) - out.fee, out.fee]);
    expect(await payByHand(db, cashier, id, 'reference two')).toBe('REQUEST_CLOSED');
    expect(await ann.cancel('withdrawal', id)).toBe('REQUEST_DECIDED');
    const second = await proposed();
    await approved(second.id);
    expect(await payByHand(db, cashier, second.id, ' Reference  ONE')).toBe('EVIDENCE_USED');
  });
});

describe('a deposit of somebody who is excluded under another account', () => {
  test.each([
    ['none', 'CUSTOMER_EXCLUDED'],
    ['verified', 'success'],
  ])('with a name in the state %s', async (status, answer) => {
    const ann = await OwnRequests.of(db);
    expect(await ann.deposit(usdt(50))).toBeNull();
    await set('customers', `real_status = '${status}'`, ann);
    await db.owner.query(
      `insert into protected_customers (customer_id, document_at, document_until) values ($1, now(), now() + interval '1 day')`,
      [ann.payee.id],
    );
    const id = await ann.newest('deposit');
    expect(await ask(db, 'deposit_find', [cashier, id, usdt(50), `tx ${id}`])).toBe(answer);
  });
});

test('a deposit through another channel goes by that channel’s terms', async () => {
  const { rows } = await db.owner.query(
    'select id, min from current_channels() where asset_id = $1 and is_enabled limit 1',
    [USD],
  );
  const ann = await OwnRequests.of(db);
  expect(await ann.deposit(BigInt(rows[0].min) - 1n, { channel: rows[0].id })).toBe('DEPOSIT_TOO_SMALL');
  expect(await ann.deposit(BigInt(rows[0].min), { channel: rows[0].id })).toBeNull();
});
