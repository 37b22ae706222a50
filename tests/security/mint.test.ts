import { createHash } from 'node:crypto';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { GUESS, LoneRole, type Statement } from '@fairtick/kit/hostile/lone-role.ts';
import { contentOf, usdt } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { describe, expect, test } from 'vitest';

/**
 * An attacker with only the server's database role tries to make money. Each attempt is refused, is found by the audit,
 * or is visible to the customer or the auditor. The role's rights are tested in rights.test.ts.
 */
const role = forFile(() => LoneRole.open());

const digest = (text: string) => createHash('sha256').update(text).digest();
const attempt = (...statements: readonly Statement[]) => role.attempt(...statements);
/** Calls a function of staff in the name of a cashier. */
const asCashier = (call: string, ...values: unknown[]) =>
  attempt([`select ${call}`, role.cashier, ...values]);
const asApprover = (call: string, ...values: unknown[]) =>
  attempt([`select ${call}`, role.approver, ...values]);
const DENIED = '42501';
/** Each attempt: its name, the call, and the SQLSTATE of its refusal. */
const REFUSED: readonly (readonly [string, () => Promise<string | null>, string])[] = [
  [
    'a customer’s session',
    () =>
      attempt([
        `insert into sessions (token_hash, customer_id, fresh_until, user_agent) values ($1, $2, 'infinity', '')`,
        GUESS,
        role.payee.id,
      ]),
    DENIED,
  ],
  [
    'a session of staff',
    () =>
      attempt([
        `insert into staff_sessions (token_hash, staff_id, proved_until, is_strong, user_agent) values ($1, $2, 'infinity', true, '')`,
        GUESS,
        role.cashier,
      ]),
    DENIED,
  ],
  [
    'a payment that no chain has',
    () => attempt([`select chain_read('ethereum', 1, '1', 2, '2', 'ERC20', '[]')`]),
    DENIED,
  ],
  ['the credit of a payment', () => attempt([`select chain_credit(1000, 'ERC20')`]), DENIED],
  ['the giving back of a payment', () => attempt([`select chain_take_back(1000)`]), DENIED],
  ['another secret of a day', () => attempt([`update feed_seeds set sealed_secret = sha256('')`]), DENIED],
  ['token hashes of customers’ sessions', () => attempt(['select token_hash from sessions']), DENIED],
  ['token hashes of sessions of staff', () => attempt(['select token_hash from staff_sessions']), DENIED],
  ['a session that stays fresh', () => attempt([`update sessions set fresh_until = 'infinity'`]), DENIED],
  [
    'a session that becomes another’s',
    () => attempt(['update staff_sessions set staff_id = $1', role.cashier]),
    DENIED,
  ],
  [
    'a deposit that no customer announced',
    () => attempt(['select * from deposit_submit($1, $1, 1, 5000000, 1)', GUESS]),
    'REAUTH_REQUIRED',
  ],
  [
    'a withdrawal that no customer asked for',
    () =>
      attempt([
        `select * from withdrawal_submit($1, $1, $2, 'x', 2::smallint, 50000000, 1)`,
        GUESS,
        role.payee.address,
      ]),
    'REAUTH_REQUIRED',
  ],
  [
    'a deposit found, in a cashier’s name',
    () => asCashier('deposit_find($1, $2, $3, $4)', role.requests.deposit, usdt(4_999), 'tx 2'),
    'SESSION_EXPIRED',
  ],
  [
    'a deposit found under a guessed session',
    () =>
      attempt(
        [`select set_config('fairtick.staff_session', $1, true)`, GUESS.toString('hex')],
        ['select deposit_find($1, $2, $3, $4)', role.cashier, role.requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'SESSION_EXPIRED',
  ],
  [
    'a deposit found under a customer’s session',
    () =>
      attempt(
        [`select set_config('fairtick.staff_session', $1, true)`, role.payee.tokenHash.toString('hex')],
        ['select deposit_find($1, $2, $3, $4)', role.cashier, role.requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'SESSION_EXPIRED',
  ],
  [
    'a deposit found under the session of another member of staff',
    () =>
      attempt(
        [`select staff_session_begin($1, $2, true, '', null)`, digest('approver'), role.approver],
        ['select deposit_find($1, $2, $3, $4)', role.cashier, role.requests.deposit, usdt(4_999), 'tx 2'],
      ),
    'SESSION_EXPIRED',
  ],
  [
    'a deposit agreed to, in an approver’s name',
    async () =>
      asApprover(
        'deposit_approve($1, $2, $3)',
        role.requests.proposed,
        await contentOf(role.still.house.db, 'deposit', role.requests.proposed),
      ),
    'SESSION_EXPIRED',
  ],
  [
    'a withdrawal prepared',
    () => asCashier('withdrawal_propose($1, $2, $3)', role.requests.withdrawal, 'to me'),
    'SESSION_EXPIRED',
  ],
  [
    'a withdrawal agreed to',
    () => asApprover('withdrawal_approve($1, $2, $3)', role.requests.withdrawal, role.requests.content),
    'SESSION_EXPIRED',
  ],
  [
    'a request refused, so that its money is free',
    () => asCashier(`withdrawal_refuse($1, $2, 'security', null)`, role.requests.withdrawal),
    'SESSION_EXPIRED',
  ],
  [
    'a correction prepared',
    () => asCashier(`correction_propose($1, $2, 2::smallint, 6000000, 'a good reason')`, role.payee.id),
    'SESSION_EXPIRED',
  ],
  [
    'a correction agreed to',
    () => asApprover(`proposal_approve($1, '{correction}', $2)`, role.requests.correction),
    'SESSION_EXPIRED',
  ],
  [
    'an approval of whatever content',
    () => asApprover(`approve($1, 'correction', $2, $3)`, role.requests.correction, GUESS),
    'SESSION_EXPIRED',
  ],
  [
    'an edit of whatever content',
    () => asCashier(`record_edit($1, 'correction', 77, $2)`, GUESS),
    'SESSION_EXPIRED',
  ],
  ['a channel of one’s own', () => asCashier(`channel_propose($1, 1, '{}')`), 'SESSION_EXPIRED'],
  [
    'terms of withdrawals',
    () => asCashier('withdrawal_terms_propose($1, 2::smallint, 10000000, 90000000, 0)'),
    'SESSION_EXPIRED',
  ],
  [
    'a role for a member of staff',
    async () => {
      const administrator = await installStaff(role.still.house.db.owner, 'administrator');
      return attempt([`select staff_propose($1, 'grant', $2, 'approver')`, administrator, role.cashier]);
    },
    'SESSION_EXPIRED',
  ],
  [
    'interest',
    async () => {
      const catalogue = await installStaff(role.still.house.db.owner, 'catalogue');
      return attempt([
        `select earning_rate_propose($1, 2::smallint, 100, (now() + interval '40 days')::date, 'note')`,
        catalogue,
      ]);
    },
    'SESSION_EXPIRED',
  ],
  [
    'a session for nobody',
    () => attempt([`select staff_session_begin($1, 999, true, '', null)`, GUESS]),
    'ROLE_MISSING',
  ],
  [
    'an entry of the audit log in the system’s name',
    () => attempt([`select audit_append(null, 'note', 'x:1', '{}')`]),
    DENIED,
  ],
  [
    'an entry of the audit log in a cashier’s name',
    () => asCashier(`audit_own($1, 'session.logout', '{}')`),
    'SESSION_EXPIRED',
  ],
  [
    'an approval past the function',
    () =>
      attempt([
        `insert into approvals (kind, subject_id, content_hash, staff_id, person) values ('deposit', 1, $1, $2, 'me')`,
        GUESS,
        role.approver,
      ]),
    DENIED,
  ],
  [
    'a role past the function',
    () =>
      attempt([
        `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
        role.cashier,
      ]),
    DENIED,
  ],
  [
    'money past the requests',
    () => attempt([`select ledger.deposit('m', sha256('m'), $1, 2::smallint, 5000000, 0, 0)`, role.payee.id]),
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
    () => attempt([`select ledger.reset_practice('m', sha256('m'), $1, 2::smallint)`, role.payee.id]),
    'PRACTICE_MONEY',
  ],
  [
    'a look at personal data by staff who never looked',
    () =>
      attempt([
        `insert into personal_data_views (staff_id, customer_id, what, subject_id) values ($1, $2, 'identity', 1)`,
        role.approver,
        role.payee.id,
      ]),
    'SESSION_EXPIRED',
  ],
  [
    'fewer holes between ticks',
    () => attempt([`select price_statistics_add(current_date, '[[1, 0, -5]]', '[]')`]),
    'COUNT_NEGATIVE',
  ],
  [
    'fewer slow quotes of a source',
    () => attempt([`select price_statistics_add(current_date, '[]', '[[1, "a", 0, 0, 0, [0, -3]]]')`]),
    'COUNT_NEGATIVE',
  ],
  [
    'a login of a customer who never logged in',
    () =>
      attempt([
        `insert into login_events (customer_id, is_success, user_agent) values ($1, true, '')`,
        role.payee.id,
      ]),
    DENIED,
  ],
  [
    'a login of staff in the past',
    () =>
      attempt([
        `insert into staff_login_events (staff_id, at, is_success, user_agent) values ($1, now() - interval '1 day', false, '')`,
        role.cashier,
      ]),
    DENIED,
  ],
  ['a notice read that nobody read', () => attempt(['update notices set read_at = now()']), DENIED],
  ['a balance', () => attempt(['update ledger.balances set available = available + 1']), DENIED],
  [
    'an account closed under a guessed session',
    () => attempt(['select * from customer_close($1)', GUESS]),
    'REAUTH_REQUIRED',
  ],
  ['the owner’s role', () => attempt(['set local role fairtick_owner']), DENIED],
  ['the owner’s name', () => attempt(['set session authorization fairtick_owner']), DENIED],
];

describe('the server’s role alone is refused', () => {
  test.each(REFUSED)('%s', async (_what, way, refusal) => {
    expect(await way()).toBe(refusal);
  });

  test('without a trace of any attempt', async () => {
    expect(REFUSED.length).toBeGreaterThan(30);
    expect([...(await role.found()).keys()].filter((name) => !UNVERIFIED.includes(name))).toEqual([]);
  });
});

/** Artefacts of the test kit: its payees were not verified by staff, and their first money came from no deposit. */
const UNVERIFIED = [
  'real names are verified or failed as staff decided, and the audit log says who',
  'each credited deposit was credited once, what was found; no other was',
];

describe('the record of what the server’s role can do', () => {
  test('a session in a cashier’s name is in the audit log before any act under it', async () => {
    const hash = digest('taken over');
    await attempt(
      [`select staff_session_begin($1, $2, true, 'a server that was taken over', null)`, hash, role.cashier],
      ['select deposit_find($1, $2, $3, $4)', role.cashier, role.requests.deposit, usdt(4_999), 'tx 3'],
    );
    const { rows } = await role.pool.query<{ action: string; has_session: boolean }>(
      `select action, entry::jsonb ->> 'session' is not null as has_session from audit_log
       where staff_id = $1 and seq >= (select max(seq) from audit_log where action = 'session.login') order by seq`,
      [role.cashier],
    );
    expect(rows[0]).toEqual({ action: 'session.login', has_session: true });
    expect(rows.length).toBeGreaterThan(1);
    const logins = await role.pool.query('select user_agent from staff_login_events where staff_id = $1', [
      role.cashier,
    ]);
    expect(logins.rows).toEqual([{ user_agent: 'a server that was taken over' }]);
  });

  test('a session in a customer’s name is in that customer’s list of logins', async () => {
    await attempt([
      `select session_begin($1, $2, 'a server that was taken over', null, true)`,
      digest('hers'),
      role.payee.id,
    ]);
    const { rows } = await role.pool.query(
      'select is_success, user_agent from login_events where customer_id = $1',
      [role.payee.id],
    );
    expect(rows).toEqual([{ is_success: true, user_agent: 'a server that was taken over' }]);
  });
});

describe('the audit finds', () => {
  test('an act of the database’s owner in the name of a member of staff without a session', async () => {
    const { owner } = role.still.house.db;
    await owner.query(`select approve($1, 'correction', $2, $3)`, [
      role.approver,
      role.requests.correction,
      GUESS,
    ]);
    const name = 'whatever staff prepared, agreed to or did was under a session of theirs that was alive';
    expect((await role.found()).get(name)?.join()).toContain(
      `of correction ${role.requests.correction}, by staff ${role.approver}: no session`,
    );
  });

  test('a step of a request that the database’s owner inserted', async () => {
    await role.still.house.db.owner.query(
      `insert into request_events (kind, request_id, step, actor, from_status, to_status) values ('deposit', $1, 'cancelled', 'customer', 'review', 'ignored')`,
      [role.requests.proposed],
    );
    const name = 'each request was made and taken back under a session of its customer that was alive';
    expect((await role.found()).get(name)?.join()).toContain(`deposit ${role.requests.proposed} (cancelled)`);
  });
});
