import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { DEFAULT_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { deviceMark } from './askers.ts';
import { Passwords } from './passwords.ts';

const db = ownDatabase();
// X-Forwarded-For carries the caller's address, as behind a balancer.
const api = ownApi(db, { limits: { ...DEFAULT_LIMITS, quotaPercent: 100 }, trustProxy: true });
beforeEach(() => db.owner.query('delete from throttles'));

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const login = (account: string, password: string, address: string, cookie?: string) =>
  post(
    api.origin,
    'user/login',
    { account, password },
    { headers: { 'x-forwarded-for': address, ...(cookie === undefined ? {} : { cookie }) } },
  );
const recover = (account: string, recoveryCode: string, address: string) =>
  post(
    api.origin,
    'user/recover',
    { account, recoveryCode, password: 'recovered 1', confirmPassword: 'recovered 1' },
    from(address),
  );

/** A customer who has logged in once from this address, with the cookie from that login. */
async function customerAt(address: string): Promise<Registered & { readonly cookie: string }> {
  const customer = await register(api.origin);
  const answer = await login(customer.account, PASSWORD, address);
  expect(answer.body.code).toBe(1);
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { ...customer, cookie };
}

describe('a flood of logins from eleven addresses', () => {
  test('other logins still get through: from a known address, from a new address, and inside a session', async () => {
    const known = await customerAt('192.0.2.77');
    let isOver = false;
    let busy = 0;
    const flood = Array.from({ length: 11 * 20 }, async (_, place) => {
      for (let round = 0; round < 3 && !isOver; round += 1) {
        const { status } = await login(`nobody_${place}_${round}`, 'wrong-one', `198.51.100.${place % 11}`);
        if (status === 503) busy += 1;
      }
    });
    await seen(() => busy > 0, { what: 'a line that is full' });
    const answers = await Promise.all([
      login(known.account, PASSWORD, '192.0.2.77'),
      login(known.account, PASSWORD, '203.0.113.5'),
      login('nobody_at_all', 'wrong-one', '203.0.113.6'),
      post(
        api.origin,
        'user/reauth',
        { password: PASSWORD },
        { token: known.token, headers: { 'x-forwarded-for': '203.0.113.7' } },
      ),
    ]);
    isOver = true;
    expect(answers.map(({ status, body }) => [status, body.error ?? 'done'])).toEqual([
      [200, 'done'],
      [200, 'done'],
      [200, 'LOGIN_FAILED'],
      [200, 'done'],
    ]);
    await Promise.all(flood);
  });
});

describe('wrong passwords of strangers', () => {
  const fail = async (account: string) => {
    for (let guess = 0; guess < 10; guess += 1) await login(account, 'wrong-one', `198.51.100.${guess}`);
    expect((await login(account, PASSWORD, '198.51.100.99')).status).toBe(429);
  };

  test('a login from a known address or with the device’s cookie still works', async () => {
    const customer = await customerAt('192.0.2.1');
    const other = await customerAt('192.0.2.1');
    await fail(customer.account);
    expect((await login(customer.account, PASSWORD, '192.0.2.1')).body.code).toBe(1);
    expect((await login(customer.account, PASSWORD, '203.0.113.9', customer.cookie)).body.code).toBe(1);
    // Another customer's cookie, an invented one and a missing one do not mark a device of this customer.
    for (const cookie of [other.cookie, `${customer.cookie.split('=')[0]}=made-up`, 'x=y']) {
      expect([cookie, (await login(customer.account, PASSWORD, '203.0.113.10', cookie)).status]).toEqual([
        cookie,
        429,
      ]);
    }
  });

  test('a known address has ten wrong passwords, like any other address', async () => {
    const customer = await customerAt('192.0.2.2');
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await login(customer.account, 'wrong-one', '192.0.2.2')).body.error).toBe('LOGIN_FAILED');
    }
    expect((await login(customer.account, PASSWORD, '192.0.2.2')).status).toBe(429);
    expect((await login(customer.account, 'wrong-one', '203.0.113.20', customer.cookie)).body.error).toBe(
      'LOGIN_FAILED',
    );
  });

  test('recovery codes still work, also after wrong recovery codes from strangers', async () => {
    const customer = await customerAt('192.0.2.3');
    await fail(customer.account);
    const notices = async () =>
      (await get(api.origin, 'notice/list', {}, { token: customer.token })).body.data.items.map(
        ({ kind }: { kind: string }) => kind,
      );
    // The owner is told, once a day.
    expect((await notices()).filter((kind: string) => kind === 'security.guessed')).toHaveLength(1);
    for (let guess = 0; guess < 12; guess += 1)
      await recover(customer.account, `AAAA-BBBB-CCCC-${1000 + guess}`, '198.51.100.50');
    expect((await recover(customer.account, 'AAAA-BBBB-CCCC-DDDD', '198.51.100.50')).status).toBe(429);
    // A recovery code lets a new device in, once.
    const [way, code] = customer.recoveryCodes as [string, string];
    const withCode = (otp: string, address = '203.0.113.31') =>
      post(api.origin, 'user/login', { account: customer.account, password: PASSWORD, otp }, from(address));
    const held = await login(customer.account, PASSWORD, '203.0.113.31');
    expect([held.status, held.body.error]).toEqual([429, 'NEW_DEVICES_HELD']);
    expect((await withCode('AAAA-BBBB-CCCC-DDDD')).body.error).toBe('NEW_DEVICES_HELD');
    expect((await withCode(way)).body.code).toBe(1);
    expect((await withCode(way, '203.0.113.32')).body.error).toBe('NEW_DEVICES_HELD');
    expect((await recover(customer.account, code, '203.0.113.30')).body.code).toBe(1);
    expect((await login(customer.account, 'recovered 1', '192.0.2.3')).body.code).toBe(1);
  });
});

describe('a stranger behind the address of a carrier', () => {
  const CARRIER = '192.0.2.200';
  const ask = (cookie: string | undefined, account: string, address = CARRIER) =>
    post(
      api.origin,
      'user/recoverRequest',
      { account, contact: 'x', text: 'y' },
      { headers: { 'x-forwarded-for': address, ...(cookie === undefined ? {} : { cookie }) } },
    );

  /** A stranger at this address sends hundreds of logins and calls for help in a minute. */
  const useUp = (address: string) =>
    db.owner.query(
      `insert into throttles (key, points, expire) select prefix || $1 || '/32', 1000, (extract(epoch from now()) * 1000)::bigint + 300000
       from unnest(array['login:', 'recover:']) prefix
       on conflict (key) do update set points = excluded.points, expire = excluded.expire`,
      [address],
    );

  test('shuts out none of a thousand customers whose devices were there before', async () => {
    const { rows } = await db.owner.query<{ id: string; account: string }>(
      `insert into customers (account, nickname, password_hash)
       select 'carried_' || n, 'carried', $1 from generate_series(1, 1000) n returning id, account`,
      [await new Passwords().hash(PASSWORD)],
    );
    await db.owner.query(`select ledger.open_balances(id) from customers where account like 'carried%'`);
    const crowded = '192.0.2.210';
    await useUp(crowded);
    const marks = new KeyRing(encryptionKeyFile(db));
    const told: unknown[] = [];
    const waiting = rows.values();
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (const { id, account } of waiting) {
          const cookie = `device=${deviceMark(marks, id)}`;
          told.push((await login(account, PASSWORD, crowded, cookie)).body.code);
          told.push((await ask(cookie, account, crowded)).body.code);
        }
      }),
    );
    expect(told).toEqual(Array(2_000).fill(1));
    expect((await login('carried_1', PASSWORD, crowded)).status).toBe(429);
    expect((await ask(undefined, 'carried_2', crowded)).status).toBe(429);
  });

  test('uses up its logins and calls for help, and no device that was there before is shut out', async () => {
    const customer = await customerAt(CARRIER);
    const cookie = { headers: { 'x-forwarded-for': CARRIER, cookie: customer.cookie } };
    await useUp(CARRIER);
    expect((await login(customer.account, PASSWORD, CARRIER)).status).toBe(429);
    expect((await ask(undefined, customer.account)).status).toBe(429);
    expect((await login(customer.account, PASSWORD, CARRIER, customer.cookie)).body.code).toBe(1);
    expect((await ask(customer.cookie, customer.account)).body.code).toBe(1);
    const form = { account: customer.account, oldPassword: 'not it', contact: 'x', text: 'y', otp: '123456' };
    expect((await post(api.origin, 'user/takeBack', form, cookie)).body.error).toBe('TAKE_BACK_FAILED');
    const keys = { account: customer.account, password: PASSWORD };
    expect((await post(api.origin, 'user/passkeyOptions', keys, cookie)).body.error).toBe('FACTOR_NOT_FOUND');
    const code = { recoveryCode: customer.recoveryCodes[0] as string, password: 'kept-in-mind-77' };
    const renewed = await post(
      api.origin,
      'user/recover',
      { account: customer.account, ...code, confirmPassword: code.password },
      cookie,
    );
    expect(renewed.body.code).toBe(1);
    // A device has a tenth of an address's share, so that its mark is no way around the limit.
    const statuses = [];
    for (let turn = 0; turn < 30; turn += 1)
      statuses.push((await login(customer.account, 'wrong-one', CARRIER, customer.cookie)).status);
    expect(statuses.at(-1)).toBe(429);
  });

  test('has one open call for each account; a known device of the account has one of its own', async () => {
    const customer = await customerAt('192.0.2.201');
    expect((await ask(undefined, customer.account, '192.0.2.201')).body.code).toBe(1);
    expect((await ask(undefined, customer.account.toUpperCase(), '192.0.2.201')).body.error).toBe(
      'CALL_OPEN',
    );
    expect((await ask(customer.cookie, customer.account, '192.0.2.201')).body.code).toBe(1);
    expect((await ask(customer.cookie, customer.account, '192.0.2.201')).body.error).toBe('CALL_OPEN');
    expect((await ask(undefined, 'nobody_has_it', '192.0.2.201')).body.code).toBe(1);
  });
});

test('a session goes on when its device moves from IPv4 to IPv6 and back', async () => {
  const customer = await customerAt('192.0.2.88');
  const told = (address: string) =>
    get(api.origin, 'user/getUserInfo', {}, { token: customer.token, ...from(address) });
  for (const address of ['192.0.2.88', '2001:db8:88::5', '2001:db8:99:1::7', '198.51.100.9']) {
    const nickname = `at ${address.slice(0, 12)}`;
    const renamed = await post(
      api.origin,
      'user/setUserName',
      { nickname },
      { token: customer.token, ...from(address) },
    );
    expect([address, renamed.body.code, (await told(address)).body.data.nickname]).toEqual([
      address,
      1,
      nickname,
    ]);
  }
});

test('all addresses of an IPv6 /64 share one count: sixty calls for help a minute', async () => {
  const statuses: number[] = [];
  for (let place = 1; place <= 61; place += 1) {
    const call = { account: `someone_${place}`, contact: 'x', text: 'y' };
    statuses.push(
      (await post(api.origin, 'user/recoverRequest', call, from(`2001:db8:5:6::${place}`))).status,
    );
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
  expect(
    (
      await post(
        api.origin,
        'user/recoverRequest',
        { account: 'someone', contact: 'x', text: 'y' },
        from('2001:db8:5:7::1'),
      )
    ).status,
  ).toBe(200);
  expect((await get(api.origin, 'app/config')).status).toBe(200);
});
