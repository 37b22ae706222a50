import { createHash } from 'node:crypto';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { contentOf, deposit, newPayee, type Payee, usdt, withdrawal } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '../audit-checks.ts';
import { REPLAY_CHECK } from '../audit-replay-check.ts';
import { createPool, type Pool, sqlState } from './database.ts';

/**
 * Whoever has the server's database role, and nothing else, tries to make money: each way is refused, is found by the audit, or
 * stands where the customer or the auditor sees it. What the role may do at all is in roles.test.ts.
 */
let still: StillHouse;
/** The role's own connections: nobody says for it whom it acts for. */
let alone: Pool;
let payee: Payee;
let cashier: string;
let approver: string;
/** Requests that nobody has decided. */
const requests = { deposit: '', credited: '', withdrawal: '', content: Buffer.alloc(0), correction: '' };
/** Orders that lost, one that won, all of one batch, unsettled; and the ticks after them. */
const orders: { lost: number[]; won: number } = { lost: [], won: 0 };
let settlesAtMs: number;
let ticks: readonly { index: string; time_ms: string; price: string }[];

const digest = (text: string) => createHash('sha256').update(text).digest();

beforeAll(async () => {
  still = await StillHouse.open({ staleMs: 120_000 });
  const { db } = still.house;
  alone = createPool(db.serverAddress, { max: 2, name: 'alone', maxIdleInTransactionMs: 30_000 });
  cashier = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
  payee = await newPayee(db, usdt(50_000));
  requests.deposit = await deposit(db, payee, usdt(4_999));
  requests.credited = await deposit(db, payee, usdt(6_000));
  requests.withdrawal = await withdrawal(db, payee, usdt(6_000));
  const propose = (call: string, values: unknown[]) => db.server.query(`select ${call} as id`, values);
  await propose('deposit_find($1, $2, $3, $4)', [cashier, requests.credited, usdt(6_000), 'tx 1']);
  await propose('withdrawal_propose($1, $2, $3)', [cashier, requests.withdrawal, '']);
  requests.content = await contentOf(db, 'withdrawal', requests.withdrawal);
  const { rows } = await propose('correction_propose($1, $2, 2::smallint, 5000000, $3)', [
    cashier,
    payee.id,
    'a good reason',
  ]);
  requests.correction = rows[0].id;

  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  const customers = await still.customers(6);
  const answers = await still.place(
    customers.map((customer, at) =>
      still.house.request(customer, {
        symbol: 'EUR/USD',
        amount: '100',
        direction: at === 5 ? 'up' : 'down',
      }),
    ),
  );
  const ids = answers.map((answer) => (answer.kind === 'accepted' ? answer.orderId : 0));
  orders.lost = ids.slice(0, 5);
  orders.won = ids[5] as number;
  settlesAtMs = (await still.order(orders.won)).settlesAtMs;
  await still.tick('EUR/USD', '1.08420');
  await still.tick('EUR/USD', '1.08500');
  await still.tick('EUR/USD', '1.08410');
  await still.stepTo(settlesAtMs - 500);
  await still.tick('EUR/USD', '1.08450');
  ticks = (
    await db.server.query(
      'select index, time_ms, price from log_entries where product_id = 1 and kind <= 2 order by index',
    )
  ).rows;
});
afterAll(async () => {
  await alone.end();
  await still.close();
});

/** One transaction of the role's: the SQLSTATE that it was refused with, else what the last function said, or null. */
async function attempt(...statements: readonly (readonly [string, ...unknown[]])[]): Promise<string | null> {
  const client = await alone.connect();
  try {
    await client.query('begin');
    let said: unknown = null;
    for (const [text, ...values] of statements) {
      const { rows } = await client.query(text, values);
      said = rows[0]?.refused ?? null;
    }
    await client.query('commit');
    return said === null ? null : String(said);
  } catch (error) {
    await client.query('rollback');
    return sqlState(error) ?? String(error);
  } finally {
    client.release();
  }
}

/** What the audit finds, with the orders settled again. */
async function found(): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = await alone.connect();
  try {
    const findings = await audit(client, [REPLAY_CHECK]);
    return new Map(findings.filter(({ count }) => count > 0).map(({ name, details }) => [name, details]));
  } finally {
    client.release();
  }
}

/** By a function of staff, naming somebody who may. */
const asCashier = (call: string, ...values: unknown[]) => attempt([`select ${call}`, cashier, ...values]);
const asApprover = (call: string, ...values: unknown[]) => attempt([`select ${call}`, approver, ...values]);
const token = digest('a guess');

interface Terms {
  rate?: number;
  income?: number;
  rules?: string;
  minutes?: number;
  backMs?: number;
  settles?: string;
}

/** Places an order by the two functions of the door, with terms of one's own. */
function place(customer: string, { rate = 8500, backMs = 0, minutes = 1, ...terms }: Terms) {
  const accepted = `log_now() - ${backMs}`;
  const income = terms.income ?? (5_000_000 * rate) / 10_000;
  const rules = terms.rules ?? '(select rules_id from product_states where product_id = 1)';
  return attempt(
    [
      `select * from orders_open_batch(array[$1]::bigint[], '{1}', '{5000000}', sha256('mint'), '{1}')`,
      customer,
    ],
    [
      `select orders_close_batch((select next_batch from placement_head), ${accepted}, (select size from log_head), sha256(''), 0, '{}',
         sha256('root'), sha256('leaf'), '', 600000, array[$1]::bigint[], sha256('mint') || sha256('b') || sha256('c'), '{1}', '{1}',
         array[${minutes}]::smallint[], '{1}', '{5000000}', array[${income}]::bigint[], array[${rate}]::smallint[],
         array[${rules}]::bigint[], array[${terms.settles ?? `settlement_time(${accepted}, ${minutes})`}]::bigint[],
         array[null]::bigint[], '{9995000000}', '{}', '{}', '{}', '{}', '{}')`,
      customer,
    ],
  );
}

type Tick = (typeof ticks)[number];

interface Outcome {
  result: number;
  reason?: 'not_logged' | 'no_open' | 'gap' | 'stale';
  open?: Tick;
  settle?: Tick;
  nowMs?: number;
}

/** Settles a lost order by a verdict of one's own. */
function settle(order: number, { result, reason, open, settle: end, nowMs = still.nowMs }: Outcome) {
  const code = reason ? ['not_logged', 'no_open', 'gap', 'stale'].indexOf(reason) + 1 : 0;
  return attempt([
    `select orders_settle($1, sha256($1::text::bytea), $2, array[$3]::bigint[], '{1}', array[$4, 0]::smallint[], array[$5, 0]::smallint[],
       array[$6]::bigint[], array[$7]::bigint[], array[$8]::bigint[], array[$9]::bigint[], array[$10]::bigint[], array[$11]::bigint[])`,
    `settle:${order}:${Math.random()}`,
    nowMs,
    order,
    result,
    code,
    open?.index ?? -1,
    open?.time_ms ?? -1,
    open?.price ?? -1,
    end?.index ?? -1,
    end?.time_ms ?? -1,
    end?.price ?? -1,
  ]);
}
/** By its price. */
const tick = (price: string) => ticks.find((row) => row.price === price.replace('.', '')) as Tick;
const lost = (at: number) => orders.lost[at] as number;

const DENIED = '42501';
/** Each: what is tried, how, and what it is refused with. */
const REFUSED: readonly (readonly [string, () => Promise<string | null>, string])[] = [
  [
    'a customer’s session',
    () =>
      attempt([
        `insert into sessions (token_hash, customer_id, fresh_until, user_agent) values ($1, $2, 'infinity', '')`,
        token,
        payee.id,
      ]),
    DENIED,
  ],
  [
    'a session of staff',
    () =>
      attempt([
        `insert into staff_sessions (token_hash, staff_id, fresh_until, is_strong, user_agent) values ($1, $2, 'infinity', true, '')`,
        token,
        cashier,
      ]),
    DENIED,
  ],
  ['what opens customers’ sessions', () => attempt(['select token_hash from sessions']), DENIED],
  ['what opens sessions of staff', () => attempt(['select token_hash from staff_sessions']), DENIED],
  ['a session that stays fresh', () => attempt([`update sessions set fresh_until = 'infinity'`]), DENIED],
  [
    'a session that becomes another’s',
    () => attempt(['update staff_sessions set staff_id = $1', cashier]),
    DENIED,
  ],
  [
    'a deposit that no customer announced',
    () => attempt(['select * from deposit_submit($1, $1, 1, 5000000, 1)', token]),
    'REAUTH_REQUIRED',
  ],
  [
    'a withdrawal that no customer asked for',
    () =>
      attempt([
        `select * from withdrawal_submit($1, $1, $2, 'x', 2::smallint, 50000000, 1)`,
        token,
        payee.address,
      ]),
    'REAUTH_REQUIRED',
  ],
  [
    'a deposit found, in a cashier’s name',
    () => asCashier('deposit_find($1, $2, $3, $4)', requests.deposit, usdt(4_999), 'tx 2'),
    'FT111',
  ],
  [
    'the same under a session that was guessed',
    () =>
      attempt(
        [`select set_config('fairtick.staff_session', $1, true)`, token.toString('hex')],
        ['select deposit_find($1, $2, $3, $4)', cashier, requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'FT111',
  ],
  [
    'the same under a customer’s session',
    () =>
      attempt(
        [`select set_config('fairtick.staff_session', $1, true)`, payee.tokenHash.toString('hex')],
        ['select deposit_find($1, $2, $3, $4)', cashier, requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'FT111',
  ],
  [
    'the same under the session of somebody else of the staff, who is known',
    () =>
      attempt(
        [`select staff_session_begin($1, $2, true, '', null)`, digest('approver'), approver],
        ['select deposit_find($1, $2, $3, $4)', cashier, requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'FT111',
  ],
  [
    'a deposit agreed to, in an approver’s name',
    async () =>
      asApprover(
        'deposit_approve($1, $2, $3)',
        requests.credited,
        await contentOf(still.house.db, 'deposit', requests.credited),
      ),
    'FT111',
  ],
  [
    'a withdrawal prepared',
    () => asCashier('withdrawal_propose($1, $2, $3)', requests.withdrawal, 'to me'),
    'FT111',
  ],
  [
    'a withdrawal agreed to',
    () => asApprover('withdrawal_approve($1, $2, $3)', requests.withdrawal, requests.content),
    'FT111',
  ],
  [
    'a request refused, so that its money is free',
    () => asCashier(`withdrawal_refuse($1, $2, 'security', null)`, requests.withdrawal),
    'FT111',
  ],
  [
    'a correction prepared',
    () => asCashier(`correction_propose($1, $2, 2::smallint, 5000000, 'a good reason')`, payee.id),
    'FT111',
  ],
  ['a correction agreed to', () => asApprover('correction_approve($1, $2)', requests.correction), 'FT111'],
  [
    'an approval of whatever content',
    () => asApprover(`approve($1, 'correction', $2, $3)`, requests.correction, token),
    'FT111',
  ],
  ['an edit of whatever content', () => asCashier(`record_edit($1, 'correction', 77, $2)`, token), 'FT111'],
  ['a channel of one’s own', () => asCashier(`channel_propose($1, 1, '{}')`), 'FT111'],
  [
    'terms of withdrawals',
    () => asCashier('withdrawal_terms_propose($1, 2::smallint, 10000000, 90000000, 0)'),
    'FT111',
  ],
  [
    'a role for a member of staff',
    async () => {
      const administrator = await installStaff(still.house.db.owner, 'administrator');
      return attempt([`select staff_propose($1, 'grant', $2, 'approver')`, administrator, cashier]);
    },
    'FT111',
  ],
  [
    'interest',
    async () => {
      const catalogue = await installStaff(still.house.db.owner, 'catalogue');
      return attempt([
        `select earning_rate_propose($1, 2::smallint, 100, (now() + interval '40 days')::date, 'note')`,
        catalogue,
      ]);
    },
    'FT111',
  ],
  [
    'a session for nobody',
    () => attempt([`select staff_session_begin($1, 999, true, '', null)`, token]),
    'FT101',
  ],
  [
    'an entry of the audit log in the system’s name',
    () => attempt([`select audit_append(null, 'note', 'x:1', '{}')`]),
    DENIED,
  ],
  [
    'an entry of the audit log in a cashier’s name',
    () => asCashier(`audit_own($1, 'session.logout', '{}')`),
    'FT111',
  ],
  [
    'an approval past the function',
    () =>
      attempt([
        `insert into approvals (kind, subject_id, content_hash, staff_id, person) values ('deposit', 1, $1, $2, 'me')`,
        token,
        approver,
      ]),
    DENIED,
  ],
  [
    'a role past the function',
    () =>
      attempt([
        `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
        cashier,
      ]),
    DENIED,
  ],
  [
    'money past the requests',
    () => attempt([`select ledger.deposit('m', sha256('m'), $1, 2::smallint, 5000000, 0, 0)`, payee.id]),
    DENIED,
  ],
  ['capital', () => attempt([`select ledger.post_capital('m', sha256('m'), 2::smallint, 5)`]), DENIED],
  [
    'stakes that come back',
    () => attempt([`select ledger.resolve('m', sha256('m'), '{1000}', '{1}', '{1}', '{2}', '{1}')`]),
    DENIED,
  ],
  [
    'practice money that is none',
    () => attempt([`select ledger.reset_practice('m', sha256('m'), $1, 2::smallint)`, payee.id]),
    'FT004',
  ],
  ['a balance', () => attempt(['update ledger.balances set available = available + 1']), DENIED],
  ['an order at 99.99 %', async () => place(await still.house.customer(), { rate: 9_999 }), 'FT014'],
  [
    'an order at the rate of another length',
    async () => place(await still.house.customer(), { minutes: 60 }),
    'FT014',
  ],
  [
    'an order by the rules of another product',
    async () =>
      place(await still.house.customer(), { rules: '(select min(id) from rules where product_id = 2)' }),
    'FT014',
  ],
  [
    'an order that earns more than its rate',
    async () => place(await still.house.customer(), { income: 4_250_001 }),
    '23514',
  ],
  [
    'an order that settles when it suits',
    async () => place(await still.house.customer(), { settles: 'log_now() + 1000' }),
    '23514',
  ],
  ['an order of a while ago', async () => place(await still.house.customer(), { backMs: 60_000 }), 'FT010'],
  [
    'an order settled before its time',
    () =>
      settle(lost(0), { result: 1, open: tick('1.08500'), settle: tick('1.08410'), nowMs: settlesAtMs + 1 }),
    'FT014',
  ],
  [
    'a price that is not in the log',
    async () => {
      await still.stepTo(settlesAtMs + 500);
      return settle(lost(0), {
        result: 1,
        open: tick('1.08420'),
        settle: { ...tick('1.08450'), price: '108000' },
      });
    },
    'FT014',
  ],
  [
    'an earlier price to settle at',
    () => settle(lost(0), { result: 1, open: tick('1.08420'), settle: tick('1.08410') }),
    'FT014',
  ],
  [
    'a price from before the acceptance to open at',
    () => settle(lost(0), { result: 0, open: tick('1.08400'), settle: tick('1.08450') }),
    '23514',
  ],
  ['a loss that was not logged', () => settle(lost(0), { result: 0, reason: 'not_logged' }), 'FT014'],
  ['a loss before which prices stopped', () => settle(lost(0), { result: 0, reason: 'gap' }), 'FT014'],
  [
    'a loss whose price was too old',
    () => settle(lost(0), { result: 0, reason: 'stale', open: tick('1.08420'), settle: tick('1.08450') }),
    'FT014',
  ],
  [
    'a loss that counts as won',
    () => settle(lost(0), { result: 1, open: tick('1.08420'), settle: tick('1.08450') }),
    '23514',
  ],
  ['an outcome past the function', () => attempt(['update orders set result = 1']), DENIED],
  ['a price past the log’s lease', () => attempt(['update product_states set tick_price = 1']), DENIED],
  ['the owner’s role', () => attempt(['set local role fairtick_owner']), DENIED],
  ['the owner’s name', () => attempt(['set session authorization fairtick_owner']), DENIED],
];

describe('the server’s role alone is refused', () => {
  test.each(REFUSED)('%s', async (_what, way, refusal) => {
    expect(await way()).toBe(refusal);
  });

  test('and nothing of it has left a trace', async () => {
    expect(REFUSED.length).toBeGreaterThan(30);
    expect([...(await found()).keys()].filter((name) => !UNVERIFIED.includes(name))).toEqual([]);
  });
});

/** These payees were verified by nobody, and their first money came from no deposit: the kit's doing. */
const UNVERIFIED = [
  'real names are verified or failed as staff decided, and the audit log says who',
  'each credited deposit was credited once, what was found; no other was',
];

describe('what the role can’t be kept from', () => {
  test('a session in a cashier’s name stands in the audit log before anything is done under it', async () => {
    const hash = digest('taken over');
    await attempt(
      [`select staff_session_begin($1, $2, true, 'a server that was taken over', null)`, hash, cashier],
      ['select deposit_find($1, $2, $3, $4)', cashier, requests.deposit, usdt(4_999), 'tx 3'],
    );
    const { rows } = await alone.query(
      `select action, entry::jsonb ->> 'session' is not null as has_session from audit_log where staff_id = $1 order by seq desc limit 2`,
      [cashier],
    );
    expect(rows[1]).toEqual({ action: 'session.login', has_session: true });
    const logins = await alone.query('select user_agent from staff_login_events where staff_id = $1', [
      cashier,
    ]);
    expect(logins.rows).toEqual([{ user_agent: 'a server that was taken over' }]);
  });

  test('a session in a customer’s name stands among their logins', async () => {
    await attempt([
      `select session_begin($1, $2, 'a server that was taken over', null)`,
      digest('hers'),
      payee.id,
    ]);
    const { rows } = await alone.query(
      'select is_success, user_agent from login_events where customer_id = $1',
      [payee.id],
    );
    expect(rows).toEqual([{ is_success: true, user_agent: 'a server that was taken over' }]);
  });
});

describe('the audit finds', () => {
  test('an order opened at a later tick than the first that may open it', async () => {
    const chosen = { result: 1, open: tick('1.08500'), settle: tick('1.08450') };
    expect(await settle(lost(0), chosen)).toBeNull();
    expect((await found()).get(REPLAY_CHECK.name)?.join()).toContain(`order ${lost(0)}, opening tick`);
  });

  test('a loss that is said not to have opened', async () => {
    expect(await settle(lost(1), { result: 0, reason: 'no_open' })).toBeNull();
    expect((await found()).get(REPLAY_CHECK.name)?.join()).toContain(`order ${lost(1)}, result`);
  });

  test('a promise that was given up twice', async () => {
    expect(await attempt(['insert into settled_promises (asset_id, amount) values (1, 5)'])).toBeNull();
    const names = [...(await found()).keys()].join();
    expect(names).toContain('promised income is that of all orders');
  });

  test('what the owner of the database does in somebody’s name, who had no session', async () => {
    const { owner } = still.house.db;
    await owner.query(`select approve($1, 'correction', $2, $3)`, [approver, requests.correction, token]);
    const name = 'whatever staff prepared, agreed to or did was under a session of theirs that was alive';
    expect((await found()).get(name)?.join()).toContain(
      `of correction ${requests.correction}, by staff ${approver}: no session`,
    );
  });

  test('a request that the owner of the database made', async () => {
    await still.house.db.owner.query(
      `insert into request_events (kind, request_id, step, actor, from_status, to_status) values ('deposit', $1, 'cancelled', 'customer', 'review', 'ignored')`,
      [requests.credited],
    );
    const name = 'each request was made and taken back under a session of its customer that was alive';
    expect((await found()).get(name)?.join()).toContain(`deposit ${requests.credited} (cancelled)`);
  });
});
