import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, newProof, USDT, usdt } from '@fairtick/kit/people/money.ts';
import { OwnRequests, refusalOf } from '@fairtick/kit/people/own-rules.ts';
import { describe, expect, test } from 'vitest';

/** Functions that take a customer's session, each with the state that it needs: alive, fresh or proved. */
const db = ownDatabase();
type Need = 'live' | 'fresh' | 'proved';
const NEEDS: readonly Need[] = ['live', 'fresh', 'proved'];

/** A session at both sides of each bound, and the most that it is good for. */
const STATES: readonly (readonly [state: string, changes: string, good: Need | null])[] = [
  ['of nobody', `token_hash = sha256(token_hash)`, null],
  ['used 30 days ago', `last_used_at = now() - interval '30 days 1 second'`, null],
  ['no longer fresh', `fresh_until = now() - interval '1 second'`, 'live'],
  ['proved lately and no longer fresh', `fresh_until = now(), proved_at = now()`, 'live'],
  ['proved five minutes ago', `proved_at = now() - interval '5 minutes 1 second'`, 'fresh'],
  ['never proved', `proved_at = null`, 'fresh'],
  [
    'just within all bounds',
    `last_used_at = now() - interval '29 days 23 hours 59 minutes', fresh_until = now() + interval '1 minute',
     proved_at = now() - interval '4 minutes 20 seconds'`,
    'proved',
  ],
];

const refuses = (answer: unknown): boolean =>
  /^(SESSION_EXPIRED|REAUTH_REQUIRED|REQUEST_NOT_FOUND)$/.test(refusalOf(answer) ?? '');
const digest = Buffer.alloc(32, 7);

/** Calls a function in the customer's name; true: it did not refuse the session. */
const asked =
  (call: string, ...values: readonly unknown[]) =>
  async ({ payee }: OwnRequests) =>
    !refuses(await ask(db, call, [payee.tokenHash, ...values]));

/** The same for a function that answers nothing: whether this is true of the customer's rows afterwards. */
const done =
  (call: string, values: readonly unknown[], isDone: string) =>
  async ({ payee }: OwnRequests) => {
    await ask(db, call, [payee.tokenHash, ...values]);
    return (await db.owner.query(`select ${isDone} as done`, [payee.id])).rows[0].done === true;
  };

/** The request is made while the session is good for everything. */
const cancelled = (kind: 'deposit' | 'withdrawal') => async (ann: OwnRequests) => {
  return (await ann.cancel(kind, await ann.newest(kind))) === null;
};

const USES: Readonly<Record<string, readonly [Need, (customer: OwnRequests) => Promise<boolean>]>> = {
  deposit_submit: [
    'fresh',
    async (ann) => asked('deposit_submit', digest, 1, usdt(50), await newProof(db, ann.payee.id))(ann),
  ],
  deposit_cancel: ['live', cancelled('deposit')],
  withdrawal_submit: ['proved', async (ann) => (await ann.withdraw(usdt(40))) === null],
  withdrawal_cancel: ['live', cancelled('withdrawal')],
  earning_move: ['fresh', asked('earning_move', digest, USDT, usdt(1))],
  customer_close: ['proved', asked('customer_close')],
  claim_object: [
    'proved',
    done(
      'claim_object',
      [],
      `exists (select from recovery_requests r, customers c where c.id = $1 and lower(c.account) = lower(r.account) and r.objected_at is not null)`,
    ),
  ],
  limit_set: ['live', asked('limit_set', USDT, 'stake', 'day', 1)],
  reminder_set: ['live', asked('reminder_set', 30)],
  break_take: ['live', asked('break_take', 'break', 24, null)],
  alert_add: ['live', asked('alert_add', 1, 1)],
  alert_remove: ['live', asked('alert_remove', 1)],
  notices_read: [
    'live',
    done(
      'notices_read',
      [1e15],
      `not exists (select from notices where customer_id = $1 and read_at is null)`,
    ),
  ],
  chat_send: ['live', asked('chat_send', 77, Buffer.from([1, 0, 0, 0, 1]), null, digest, digest, [])],
  chat_mark: [
    'live',
    done('chat_mark', [1, true], `(select customer_read = 1 from chats where customer_id = $1)`),
  ],
  chat_typing: [
    'live',
    done('chat_typing', [], `(select customer_typing_at is not null from chats where customer_id = $1)`),
  ],
};

/** Preparations for a call: a request to cancel, an unread notice or answer, an open claim. */
const NEEDED: Readonly<Record<string, (customer: OwnRequests) => Promise<unknown>>> = {
  deposit_cancel: (ann) => ann.deposit(usdt(50)),
  withdrawal_cancel: (ann) => ann.withdraw(usdt(50)),
  claim_object: ({ payee }) =>
    db.owner.query(
      `insert into recovery_requests (account, sealed, lost_at) select account, '\\x0100000001', now() from customers where id = $1`,
      [payee.id],
    ),
  notices_read: ({ payee }) => db.owner.query(`select notice_add($1, 'security.password', '{}')`, [payee.id]),
  chat_mark: ({ payee }) =>
    db.owner.query('insert into chats (customer_id, last_place) values ($1, 1)', [payee.id]),
  chat_typing: ({ payee }) => db.owner.query('insert into chats (customer_id) values ($1)', [payee.id]),
};

describe.each(Object.entries(USES))('%s', (name, [need, use]) => {
  test.each(STATES)('with a session %s', async (_state, changes, good) => {
    const ann = await OwnRequests.of(db);
    await NEEDED[name]?.(ann);
    await db.owner.query(`update sessions set ${changes} where customer_id = $1`, [ann.payee.id]);
    const isEnough = good !== null && NEEDS.indexOf(good) >= NEEDS.indexOf(need);
    expect(await use(ann)).toBe(isEnough);
  });
});

test.each(STATES)('the server is told what a session %s is good for', async (_state, changes, good) => {
  const ann = await OwnRequests.of(db);
  await db.owner.query(`update sessions set ${changes} where customer_id = $1`, [ann.payee.id]);
  const { rows } = await db.server.query(
    'select customer_id, is_fresh, is_proved from sessions_look($1::bytea[])',
    [[ann.payee.tokenHash]],
  );
  const is = (need: Need) => NEEDS.indexOf(good as Need) >= NEEDS.indexOf(need);
  const told = { customer_id: ann.payee.id, is_fresh: is('fresh'), is_proved: is('proved') };
  expect(rows).toEqual(good === null ? [] : [told]);
});

test('each function of the server that takes a customer’s session is tested here', async () => {
  const { rows } = await db.owner.query<{ name: string }>(
    `select proname as name from pg_proc where '_token_hash' = any (proargnames) and has_function_privilege('fairtick_server', oid, 'execute')
       and proname !~ '^(staff_session|session)_'`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(USES).sort());
});
