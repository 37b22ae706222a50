import { get, PASSWORD, post, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);
const other = ownApi(db);

const loginFrom = async (account: string, agent: string): Promise<string> =>
  (
    await post(
      api.origin,
      'user/login',
      { account, password: PASSWORD },
      { headers: { 'user-agent': agent } },
    )
  ).body.data.token;
const isDead = async (origin: string, token: string) =>
  (await get(origin, 'user/getUserInfo', {}, { token })).status === 401;

describe('the list of devices', () => {
  test('the list shows hidden characters of a browser’s name as codes', async () => {
    const { account, token } = await register(api.origin);
    await loginFrom(account, 'A pho\u00ad\u0085ne');
    const named = { device: 'A pho[U+00AD][U+0085]ne' };
    const { data: sessions } = (await get(api.origin, 'user/sessions', {}, { token })).body;
    const { data: logins } = (await get(api.origin, 'user/logins', {}, { token })).body;
    expect([sessions[1], logins.items[0]]).toMatchObject([named, named]);
  });

  test('the list has every session, the current one first, and can sign out a session on every process', async () => {
    const { account, token } = await register(api.origin);
    const phone = await loginFrom(account, 'A phone');
    const list = async () => (await get(api.origin, 'user/sessions', {}, { token })).body.data;
    const [current, theOther] = await list();
    expect(current).toMatchObject({ isCurrent: true, address: '127.0.0.1' });
    expect(theOther).toMatchObject({ isCurrent: false, device: 'A phone' });
    expect(JSON.stringify(await list())).not.toContain(phone);
    await post(api.origin, 'user/endSession', { id: theOther.id }, { token });
    for (const origin of [api.origin, other.origin]) await seen(() => isDead(origin, phone));
    expect(await list()).toHaveLength(1);
    expect(await isDead(other.origin, token)).toBe(false);
  });

  test('signing out elsewhere ends all sessions but the current one', async () => {
    const { account, token } = await register(api.origin);
    const tokens = [await loginFrom(account, 'One'), await loginFrom(account, 'Two')];
    await post(api.origin, 'user/endOtherSessions', {}, { token });
    for (const gone of tokens) await seen(() => isDead(other.origin, gone));
    expect(await isDead(other.origin, token)).toBe(false);
  });

  test('customers can’t end another customer’s session', async () => {
    const one = await register(api.origin);
    const two = await register(api.origin);
    const [session] = (await get(api.origin, 'user/sessions', {}, { token: one.token })).body.data;
    for (const id of [session.id, '987654321', 'x']) {
      const { body } = await post(api.origin, 'user/endSession', { id }, { token: two.token });
      expect(body).toMatchObject({ code: 1, data: null });
    }
    const { rows } = await db.owner.query('select from sessions where customer_id = $1', [one.id]);
    expect(rows).toHaveLength(1);
  });
});

test('the login history shows successful and failed logins, page by page', async () => {
  const { account, token } = await register(api.origin);
  await post(api.origin, 'user/login', { account, password: 'not the one' });
  await loginFrom(account, 'A phone');
  const page = async (cursor?: string) =>
    (await get(api.origin, 'user/logins', { limit: 2, ...(cursor ? { cursor } : {}) }, { token })).body.data;
  const first = await page();
  expect(first.items).toMatchObject([
    { isSuccess: true, device: 'A phone', address: '127.0.0.1' },
    { isSuccess: false },
  ]);
  const rest = await page(first.nextCursor);
  expect(rest).toMatchObject({ items: [{ isSuccess: true }], nextCursor: null });
});

describe('closing an account', () => {
  const close = (token: string, account: string) =>
    post(api.origin, 'user/closeAccount', { account }, { token });

  test('closing ends sessions, logins and recovery, and keeps the records of moved money', async () => {
    const { account, token, id, recoveryCodes } = await register(api.origin);
    await post(api.origin, 'user/setPayWord', { payWord: '135790' }, { token });
    await post(
      api.origin,
      'user/setAddress',
      { ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      { token },
    );
    expect((await close(token, 'another_name')).body).toMatchObject({
      error: 'ACCOUNT_DIFFERS',
      fields: { account: expect.any(String) },
    });
    expect((await close(token, account.toUpperCase())).body.code).toBe(1);
    for (const origin of [api.origin, other.origin]) await seen(() => isDead(origin, token));
    const login = (password: string) => post(api.origin, 'user/login', { account, password });
    expect((await login(PASSWORD)).body.error).toBe('ACCOUNT_CLOSED');
    expect((await login('not the one')).body.error).toBe('LOGIN_FAILED');
    const recovery = { account, recoveryCode: recoveryCodes[0] as string };
    const fields = { ...recovery, password: 'recovered 1', confirmPassword: 'recovered 1' };
    expect((await post(api.origin, 'user/recover', fields)).body.error).toBe('RECOVERY_FAILED');
    const again = { account, password: 'recovered 1', confirmPassword: 'recovered 1' };
    expect((await post(api.origin, 'user/register', again)).body.error).toBe('ACCOUNT_TAKEN');
    const { rows } = await db.owner.query(
      `select (select count(*) from withdrawal_passwords where customer_id = $1)::int as words,
        (select count(*) from destinations where customer_id = $1 and removed_at is null)::int as destinations,
        (select count(*) from ledger.postings where owner_id = $1)::int as postings,
        (select count(*) from audit_log where entry like '%customer.closed%customer:' || $1 || '%')::int as audited`,
      [id],
    );
    expect(rows[0]).toEqual({ words: 0, destinations: 0, postings: 1, audited: 1 });
  });

  test.each([
    [
      'real money is left',
      `update ledger.balances set available = 1 where owner_id = $1 and asset_id =
      (select id from ledger.assets where code = 'USDT')`,
      'ACCOUNT_NOT_EMPTY',
      'USDT',
    ],
    [
      'money earns',
      `update ledger.balances set earning = 1 where owner_id = $1 and asset_id =
      (select id from ledger.assets where code = 'BTC')`,
      'ACCOUNT_NOT_EMPTY',
      'BTC',
    ],
    [
      'practice money is held',
      `update ledger.balances set held = 1 where owner_id = $1 and asset_id =
      (select id from ledger.assets where code = 'DEMO')`,
      'ACCOUNT_NOT_EMPTY',
      'DEMO',
    ],
    [
      'a name is under review',
      `update customers set real_status = 'pending' where id = $1`,
      'ACCOUNT_UNDER_REVIEW',
      '',
    ],
  ])('is refused while %s', async (_what, statement, error, asset) => {
    const { account, token, id } = await register(api.origin);
    await db.owner.query(statement, [id]);
    const { body } = await close(token, account);
    expect(body.error).toBe(error);
    expect(body.msg).toContain(asset);
    expect(await isDead(api.origin, token)).toBe(false);
  });

  test('one of five concurrent requests closes the account', async () => {
    const { account, token } = await register(api.origin);
    const answers = await Promise.all(Array.from({ length: 5 }, () => close(token, account)));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
  });
});
