import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { DEFAULT_LIMITS, inTurn } from '@fairtick/kit/installation/running-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { callBinding, openRecord } from '../../platform/sealing/records.ts';

const db = ownDatabase();
const limits = { ...DEFAULT_LIMITS, loginsPerAddress: 1_000 };
const api = ownApi(db, { limits });
const other = ownApi(db, { limits });
beforeEach(() => db.owner.query('delete from throttles'));

/** The origins of two processes in turn. */
const next = inTurn(api, other);
const recover = (account: string, recoveryCode: string, password = 'recovered 1') =>
  post(next(), 'user/recover', { account, recoveryCode, password, confirmPassword: password });
const canLogin = async (customer: Registered, password: string) =>
  (await post(api.origin, 'user/login', { account: customer.account, password })).body.code === 1;

describe('a recovery code', () => {
  test('sets a new password, once', async () => {
    const customer = await register(api.origin);
    const [first, second] = customer.recoveryCodes as [string, string];
    expect((await recover(customer.account, first)).body.code).toBe(1);
    expect(await canLogin(customer, PASSWORD)).toBe(false);
    expect(await canLogin(customer, 'recovered 1')).toBe(true);
    const again = await recover(customer.account, first, 'recovered 2');
    expect([again.body.error, again.body.fields]).toEqual([
      'RECOVERY_FAILED',
      { recoveryCode: 'Incorrect account or recovery code' },
    ]);
    expect(await canLogin(customer, 'recovered 1')).toBe(true);
    expect((await recover(customer.account, second, 'recovered 3')).body.code).toBe(1);
    expect(await canLogin(customer, 'recovered 3')).toBe(true);
  });

  test('a code works in any case and spacing, and once when it is sent several times at once', async () => {
    const customer = await register(api.origin);
    const [first, second] = customer.recoveryCodes as [string, string];
    const typed = ` ${first.toLowerCase().replaceAll('-', ' ')} `;
    expect((await recover(customer.account.toUpperCase(), typed)).body.code).toBe(1);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, place) => recover(customer.account, second, `at once ${place}`)),
    );
    const done = answers.map(({ body }) => body.code);
    expect(done.filter((code) => code === 1)).toHaveLength(1);
    expect(await canLogin(customer, `at once ${done.indexOf(1)}`)).toBe(true);
  });

  test('a code works for its owner only, and the answer does not tell a wrong account from a wrong code', async () => {
    const owner = await register(api.origin);
    const thief = await register(api.origin);
    const code = thief.recoveryCodes[0] as string;
    const foreign = await recover(owner.account, code);
    const unknown = await recover('nobody_has_this', code);
    const nonsense = await recover(owner.account, '----');
    const endless = await recover('x'.repeat(201), code);
    for (const { status, body } of [foreign, unknown, nonsense, endless]) {
      expect([status, body.error, body.msg]).toEqual([
        200,
        'RECOVERY_FAILED',
        'Incorrect account or recovery code',
      ]);
    }
    expect(unknown.body).toEqual(foreign.body);
    expect(await canLogin(owner, PASSWORD)).toBe(true);
    expect((await get(api.origin, 'user/getUserInfo', {}, { token: owner.token })).status).toBe(200);
  });

  test('is not used up by a password that is refused', async () => {
    const customer = await register(api.origin);
    const code = customer.recoveryCodes[0] as string;
    expect((await recover(customer.account, code, 'password1')).body.error).toBe('PASSWORD_COMMON');
    expect((await recover(customer.account, code, 'short')).body.error).toBe('PASSWORD_TOO_SHORT');
    expect((await recover(customer.account, code)).body.code).toBe(1);
  });

  test('ten wrong codes lock the recovery, also when they are sent at once', async () => {
    const customer = await register(api.origin);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => recover(customer.account, `AAAA-BBBB-CCCC-${1000 + place}`)),
    );
    expect(answers.filter(({ body }) => body.error === 'RECOVERY_FAILED')).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
    expect((await recover(customer.account, customer.recoveryCodes[0] as string)).status).toBe(429);
  });
});

describe('a call for help from before the login', () => {
  test('a call gets the same answer for known and unknown accounts, and is kept for support', async () => {
    const customer = await register(api.origin);
    const call = (account: string) =>
      post(next(), 'user/recoverRequest', {
        account,
        contact: ' +41 44 000 00 00 ',
        text: ' I lost it all. ',
      });
    const known = await call(customer.account);
    const unknown = await call('nobody_has_this');
    expect(unknown.body).toEqual(known.body);
    expect(known.body).toEqual({ code: 1, msg: '', data: null });
    const { rows } = await db.owner.query('select id, account, sealed from recovery_requests order by id');
    const keys = new KeyRing(encryptionKeyFile(db));
    const told = { contact: '+41 44 000 00 00', text: 'I lost it all.' };
    expect(
      rows.map(({ id, account, sealed }) => [account, openRecord(keys, callBinding(id), sealed)]),
    ).toEqual([
      [customer.account, told],
      ['nobody_has_this', told],
    ]);
    // A copy of the database shows neither.
    const copy = await db.owner.query('select r::text as row from recovery_requests r');
    expect(JSON.stringify(copy.rows)).not.toMatch(/41 44|lost it/);
  });

  test('needs every field, of a bounded length, and is throttled by address', async () => {
    const fields = { account: 'someone_else', contact: 'me@mail.example', text: 'help' };
    const call = (changes: Record<string, string>) =>
      post(next(), 'user/recoverRequest', { ...fields, ...changes });
    expect((await call({ account: '' })).body.error).toBe('ACCOUNT_REQUIRED');
    expect((await call({ contact: ' ' })).body.fields).toEqual({
      contact: 'Please fill out the complete form',
    });
    expect((await call({ text: '' })).body.fields).toEqual({ text: 'Please fill out the complete form' });
    expect((await call({ text: 'x'.repeat(2_001) })).body.error).toBe('INVALID_VALUE');
    const answers = await Promise.all(
      Array.from({ length: 61 }, (_, place) => call({ account: `someone_${place}` })),
    );
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('the profile', () => {
  test('a nickname has one to twenty characters of any script, and no hidden ones (S5-17, S7-18)', async () => {
    const { token } = await register(api.origin);
    const rename = (nickname: string) => post(api.origin, 'user/setUserName', { nickname }, { token });
    for (const nickname of ['金', 'A'.repeat(20), '😀'.repeat(20), "O'Hara <b>", '  padded  ']) {
      expect([nickname, (await rename(nickname)).body.code]).toEqual([nickname, 1]);
      const info = await get(api.origin, 'user/getUserInfo', {}, { token });
      expect(info.body.data.nickname).toBe(nickname.trim());
    }
    expect((await rename('')).body.fields).toEqual({ nickname: 'Nickname cannot be empty' });
    expect((await rename('   ')).body.error).toBe('NICKNAME_REQUIRED');
    for (const nickname of ['A'.repeat(21), '😀'.repeat(21), 'a\u202eb', 'a\nb', 'a\u200bb', 'a\u2028b']) {
      expect([nickname, (await rename(nickname)).body.error]).toEqual([nickname, 'NICKNAME_FORMAT']);
    }
  });

  test('remembers language and watchlist', async () => {
    const { token } = await register(api.origin);
    expect((await post(api.origin, 'user/setLanguage', { language: 'tw' }, { token })).body.code).toBe(1);
    expect((await post(api.origin, 'user/setLanguage', { language: 'fr' }, { token })).body.error).toBe(
      'INVALID_VALUE',
    );
    const read = async () => (await get(api.origin, 'user/getUserInfo', {}, { token })).body.data;
    expect((await read()).watchlist).toBeNull();
    const symbols = 'BTC/USDT,NOTHING,#外汇 1,EUR/USD,BTC/USDT';
    const { body } = await post(api.origin, 'user/setWatchlist', { symbols }, { token });
    expect(body.data).toEqual(['BTC/USDT', '#外汇 1', 'EUR/USD']);
    const info = await read();
    expect([info.language, info.watchlist]).toEqual(['tw', ['BTC/USDT', '#外汇 1', 'EUR/USD']]);
    expect((await post(api.origin, 'user/setWatchlist', { symbols: '' }, { token })).body.data).toEqual([]);
    expect((await read()).watchlist).toEqual([]);
    for (const wrong of ['btc', '#', `#${'x'.repeat(21)}`, '#a#b', '#a\u200bb', '#a\nb'])
      expect((await post(api.origin, 'user/setWatchlist', { symbols: wrong }, { token })).body.error).toBe(
        'INVALID_VALUE',
      );
  });
});
