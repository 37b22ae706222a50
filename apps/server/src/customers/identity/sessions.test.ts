import { randomBytes } from 'node:crypto';
import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { upload } from '@fairtick/kit/people/pictures.ts';
import { isFull } from '@fairtick/kit/size.ts';
import { PATIENCE_MS, seen } from '@fairtick/kit/waiting/until.ts';
import { type Endpoint, endpoints } from '@fairtick/protocol';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { Listener } from '../../platform/bus/listener.ts';
import { PostgresWire } from '../../platform/bus/postgres-wire.ts';
import { hashToken } from './passwords.ts';
import { Sessions } from './sessions.ts';

const db = ownDatabase();
const one = ownApi(db);
const two = ownApi(db);

const NEW_PASSWORD = 'another horse 8';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const statusOf = async (origin: string, token: string) =>
  (await get(origin, 'user/getUserInfo', {}, { token })).status;

async function login(customer: Registered, password = PASSWORD): Promise<string> {
  const { body } = await post(two.origin, 'user/login', { account: customer.account, password });
  expect(body.code).toBe(1);
  return body.data.token;
}

/** Uses a session over HTTP and the stream of each process, so that every process caches it. */
async function useEverywhere(token: string): Promise<StreamClient[]> {
  for (const { origin } of [one, two]) expect(await statusOf(origin, token)).toBe(200);
  return Promise.all([one, two].map(({ origin }) => StreamClient.open(origin, token)));
}

/** The promised second; `npm test` may run on a machine that is slower than that. */
const WITHIN_MS = isFull ? 1_000 : PATIENCE_MS;

/** Expects both processes to refuse the session, and to close its streams with 4401, within {@link WITHIN_MS} of `sinceMs`. */
async function expectDead(token: string, streams: readonly StreamClient[], sinceMs: number): Promise<void> {
  for (const { origin } of [one, two]) {
    const deadMs = await seen(async () => (await statusOf(origin, token)) === 401 && performance.now());
    expect(deadMs - sinceMs).toBeLessThan(WITHIN_MS);
  }
  for (const stream of streams) {
    const { code, atMs } = await stream.end();
    expect(code).toBe(4401);
    expect(atMs - sinceMs).toBeLessThan(WITHIN_MS);
  }
  for (const { origin } of [one, two]) {
    const late = await StreamClient.open(origin);
    late.send({ op: 'auth', token, lang: 'en' });
    expect((await late.end()).code).toBe(4401);
    expect(late.messages).toEqual([
      { error: 'SESSION_EXPIRED', msg: 'Your session has expired. Please log in again' },
    ]);
  }
}

test('a session ends after 90 days whatever its use, and of more than twenty the one unused longest', async () => {
  const customer = await register(one.origin);
  const tokens = [customer.token];
  for (let place = 0; place < 19; place += 1) tokens.push(await login(customer));
  await db.owner.query(`update sessions set last_used_at = now() - interval '1 day' where token_hash = $1`, [
    hashToken(tokens[3] as string),
  ]);
  expect(await statusOf(one.origin, tokens[3] as string)).toBe(200);
  const streams = await useEverywhere(tokens[5] as string);
  await db.owner.query(`update sessions set last_used_at = now() - interval '2 days' where token_hash = $1`, [
    hashToken(tokens[5] as string),
  ]);
  tokens.push(await login(customer));
  await expectDead(tokens[5] as string, streams, performance.now());
  expect(await statusOf(one.origin, tokens[3] as string)).toBe(200);
  const read = async (path: string) =>
    (await get(one.origin, path, {}, { token: tokens[20] as string })).body;
  expect((await read('user/sessions')).data).toHaveLength(20);
  expect((await read('notice/list')).data.items[0].kind).toBe('security.sessionEnded');
  await db.owner.query(
    `update sessions set created_at = now() - interval '91 days', last_used_at = now() where token_hash = $1`,
    [hashToken(tokens[4] as string)],
  );
  expect((await read('user/sessions')).data).toHaveLength(19);
  await seen(async () => (await statusOf(two.origin, tokens[4] as string)) === 401);
});

test('a login from a new device or place is told, and one from a known device or place is not', async () => {
  const customer = await register(one.origin);
  const told = async () =>
    (await get(one.origin, 'notice/list', {}, { token: customer.token })).body.data.items.filter(
      ({ kind }: { kind: string }) => kind === 'security.newDevice',
    );
  const from = (userAgent: string, cookie = '') =>
    post(
      two.origin,
      'user/login',
      { account: customer.account, password: PASSWORD },
      { headers: { 'user-agent': userAgent, cookie } },
    );
  // The browser of the registration, again.
  await login(customer);
  expect(await told()).toEqual([]);
  const phone = await from(PHONE);
  expect(await told()).toMatchObject([
    {
      title: 'New device logged in',
      text: expect.stringMatching(
        /^Safari · iOS logged in to your account on .* UTC from the network address 127\.0\.0\.1\. If that/,
      ),
    },
  ]);
  await from(PHONE);
  expect(await told()).toHaveLength(1);
  // The phone keeps its mark when its browser gets a new version. Somebody else's mark does not count.
  const mark = phone.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await from(PHONE.replace('17.4', '18.0'), mark);
  expect(await told()).toHaveLength(1);
  await from(
    'curl/8',
    // Some bits of the last character stand for nothing.
    mark.replace(/.(?=.$)/, (digit) => (digit === 'x' ? 'y' : 'x')),
  );
  expect((await told()).map(({ text }: { text: string }) => text.slice(0, 17))).toEqual([
    'An unknown device',
    'Safari · iOS logg',
  ]);
});

test.each([
  ['203.0.113.9', '203.0.113.9', 0],
  ['203.0.113.9', '203.0.113.10', 1],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::1', 0],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', 1],
  ['203.0.113.9', '2001:db8:1:2::1', 1],
] as const)(
  'after a login from %s, one of the same browser from %s makes %i notices',
  async (before, now, count) => {
    const { id } = await register(one.origin);
    const begin = (address: string) =>
      db.server.query('select session_begin($1, $2, $3, $4, false)', [
        randomBytes(32),
        id,
        'a browser',
        address,
      ]);
    await db.owner.query('delete from login_events where customer_id = $1', [id]);
    await begin(before);
    await begin(now);
    const { rows } = await db.owner.query(
      `select count(*)::int as count from notices where customer_id = $1 and kind = 'security.newDevice'`,
      [id],
    );
    expect(rows[0].count).toBe(count);
  },
);

test('concurrent look-ups give each session its own customer, and an unknown token none', async () => {
  const customers = await Promise.all(Array.from({ length: 6 }, () => register(one.origin)));
  const log = pino({ level: 'silent' });
  const listener = new Listener(new PostgresWire(db.serverAddress, log), log);
  const sessions = new Sessions(db.server, listener);
  const found = await Promise.all(
    customers.flatMap(({ token }) => [sessions.find('0'.repeat(43)), sessions.find(token)]),
  );
  const { rows } = await db.owner.query<{ id: string }>(
    'select c.id from unnest($1::text[]) with ordinality as a (account, place) join customers c using (account) order by place',
    [customers.map(({ account }) => account)],
  );
  expect(found.map((session) => session?.customerId ?? null)).toEqual(rows.flatMap(({ id }) => [null, id]));
});

describe('the end of a session: on every process, over HTTP and on open streams, within a second', () => {
  test('a logout ends its own session within a second, and no other one (S4-22, S7-11)', async () => {
    const customer = await register(one.origin);
    const kept = await login(customer);
    const streams = await useEverywhere(customer.token);
    const keptStreams = await useEverywhere(kept);
    const sinceMs = performance.now();
    const { body } = await post(one.origin, 'user/logout', {}, { token: customer.token });
    expect([body.code, body.data]).toEqual([1, null]);
    await expectDead(customer.token, streams, sinceMs);
    expect((await post(one.origin, 'user/logout', {}, { token: customer.token })).status).toBe(401);
    expect(await statusOf(two.origin, kept)).toBe(200);
    for (const stream of keptStreams) {
      expect(stream.closed).toBeNull();
      await stream.close();
    }
  });

  test('a change of the password ends all sessions but the one that changed it', async () => {
    const customer = await register(one.origin);
    const others = [await login(customer), await login(customer)];
    const streams = await Promise.all(others.map(useEverywhere));
    const own = await useEverywhere(customer.token);
    const sinceMs = performance.now();
    const form = { oldPassword: PASSWORD, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD };
    expect((await post(one.origin, 'user/setPassword', form, { token: customer.token })).body.code).toBe(1);
    for (const [place, token] of others.entries()) {
      await expectDead(token, streams[place] as StreamClient[], sinceMs);
    }
    for (const { origin } of [one, two]) expect(await statusOf(origin, customer.token)).toBe(200);
    for (const stream of own) {
      expect(stream.closed).toBeNull();
      await stream.close();
    }
    const old = await post(one.origin, 'user/login', { account: customer.account, password: PASSWORD });
    expect(old.body.error).toBe('LOGIN_FAILED');
    await login(customer, NEW_PASSWORD);
  });

  test('a recovery ends every session of the account', async () => {
    const customer = await register(one.origin);
    const tokens = [customer.token, await login(customer)];
    const streams = await Promise.all(tokens.map(useEverywhere));
    const sinceMs = performance.now();
    const { body } = await post(two.origin, 'user/recover', {
      account: customer.account,
      recoveryCode: customer.recoveryCodes[3] as string,
      password: NEW_PASSWORD,
      confirmPassword: NEW_PASSWORD,
    });
    expect([body.code, body.data]).toEqual([1, null]);
    for (const [place, token] of tokens.entries()) {
      await expectDead(token, streams[place] as StreamClient[], sinceMs);
    }
  });

  test('a session ends also where the notification is lost because the listening connection is cut', async () => {
    const customer = await register(one.origin);
    const streams = await useEverywhere(customer.token);
    await db.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'fairtick listener'`,
      [db.name],
    );
    const sinceMs = performance.now();
    await post(one.origin, 'user/logout', {}, { token: customer.token });
    await expectDead(customer.token, streams, sinceMs);
  });

  test('a session ends thirty days after its last use, and not before', async () => {
    const customer = await register(one.origin);
    const age = (days: string) =>
      db.owner.query('update sessions set last_used_at = now() - $2::interval where customer_id = $1', [
        customer.id,
        days,
      ]);
    await age('29 days 23 hours');
    expect(await statusOf(one.origin, customer.token)).toBe(200);
    const { rows } = await db.owner.query<{ age: string }>(
      'select extract(epoch from now() - last_used_at) as age from sessions where customer_id = $1',
      [customer.id],
    );
    expect(Number(rows[0]?.age)).toBeLessThan(60);
    await age('30 days 1 second');
    await seen(async () => (await statusOf(one.origin, customer.token)) === 401);
    await login(customer);
    const left = await db.owner.query('select from sessions where customer_id = $1', [customer.id]);
    expect(left.rowCount).toBe(1);
  });
});

describe('a password that is being changed', () => {
  test('a login that was checked before the change is refused after it', async () => {
    const customer = await register(one.origin);
    const changing = await db.owner.connect();
    await changing.query('begin');
    await changing.query(`update customers set password_hash = 'changed' where id = $1`, [customer.id]);
    await changing.query('delete from sessions where customer_id = $1', [customer.id]);
    const login = post(one.origin, 'user/login', { account: customer.account, password: PASSWORD });
    await seen(async () => {
      const { rows } = await db.owner.query(
        `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' and query like '%password_hash%'`,
        [db.name],
      );
      return rows.length > 0;
    });
    await changing.query('commit');
    changing.release();
    expect((await login).body.error).toBe('LOGIN_FAILED');
    const { rowCount } = await db.owner.query('select from sessions where customer_id = $1', [customer.id]);
    expect(rowCount).toBe(0);
  });

  test('one of two concurrent changes with the same old password succeeds', async () => {
    const customer = await register(one.origin);
    const tokens = [customer.token, await login(customer)];
    const answers = await Promise.all(
      tokens.map((token, place) =>
        post(
          (place ? two : one).origin,
          'user/setPassword',
          { oldPassword: PASSWORD, password: `changed by ${place}`, confirmPassword: `changed by ${place}` },
          { token },
        ),
      ),
    );
    const done = answers.map(({ body }) => body.code === 1);
    expect(done.filter(Boolean)).toHaveLength(1);
    const winner = done.indexOf(true);
    await login(customer, `changed by ${winner}`);
    expect(await statusOf(one.origin, tokens[winner] as string)).toBe(200);
    await seen(async () => (await statusOf(one.origin, tokens[1 - winner] as string)) === 401);
  });
});

test('a proof older than five minutes changes no credentials and sends no money out, though the session is fresh', async () => {
  const { id, token } = await register(one.origin);
  await db.owner.query(
    `update sessions set proved_at = now() - interval '301 seconds' where customer_id = $1`,
    [id],
  );
  const operations = Object.values<Endpoint>(endpoints).filter(({ method }) => method === 'POST');
  const proved = operations.filter(({ access }) => access === 'proved');
  expect(proved.length).toBeGreaterThan(5);
  for (const { path, pictures } of proved) {
    const { body } = await (pictures
      ? upload(one.origin, path, { files: {} }, { token })
      : post(one.origin, path, {}, { token }));
    expect([path, body.error]).toEqual([path, 'REAUTH_REQUIRED']);
  }
  expect((await post(one.origin, 'fund/resetDemo', {}, { token })).body.code).toBe(1);
});

describe('a session that was not used for an hour', () => {
  const stale = (customer: Registered) =>
    db.owner.query(
      `update sessions set last_used_at = now() - interval '61 minutes', fresh_until = now() - interval '1 minute'
       where customer_id = $1`,
      [customer.id],
    );

  test('still reads, but moves no money until the password is given again', async () => {
    const customer = await register(one.origin);
    const { token } = customer;
    await stale(customer);
    const reset = (origin: string) => post(origin, 'fund/resetDemo', {}, { token });
    const refused = await seen(async () => {
      const answer = await reset(one.origin);
      return answer.body.code === 0 && answer;
    });
    expect([refused.status, refused.body.error, refused.body.msg]).toEqual([
      200,
      'REAUTH_REQUIRED',
      'Please enter your password again',
    ]);
    expect(await statusOf(one.origin, token)).toBe(200);
    expect((await post(two.origin, 'user/reauth', { password: 'wrong one' }, { token })).body.fields).toEqual(
      {
        password: 'Incorrect account or password',
      },
    );
    expect((await reset(two.origin)).body.error).toBe('REAUTH_REQUIRED');
    expect((await post(two.origin, 'user/reauth', { password: PASSWORD }, { token })).body.code).toBe(1);
    expect((await reset(two.origin)).body.code).toBe(1);
    await seen(async () => (await reset(one.origin)).body.code === 1);
  });

  test('stays fresh as long as it is used', async () => {
    const customer = await register(one.origin);
    await db.owner.query(
      `update sessions set last_used_at = now() - interval '55 minutes', fresh_until = now() + interval '5 minutes'
       where customer_id = $1`,
      [customer.id],
    );
    await seen(async () => {
      await statusOf(one.origin, customer.token);
      const { rows } = await db.owner.query(
        `select from sessions where customer_id = $1 and fresh_until > now() + interval '59 minutes'`,
        [customer.id],
      );
      return rows.length === 1;
    });
  });
});
