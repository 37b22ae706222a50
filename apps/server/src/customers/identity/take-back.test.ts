import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A customer who loses a second factor or recovery codes to a thief takes the account back with a former one. */
let db: TestDatabase;
let api: RunningApi;
let other: RunningApi;
beforeAll(async () => {
  db = await createTestDatabase();
  api = await startApi(db);
  other = await startApi(db);
});
afterAll(async () => {
  await api?.stop();
  await other?.stop();
  await db?.drop();
});

const NEW = 'the owner’s own 1';
const THIEFS = 'the thief’s own 1';
const user = (token: string, path: string, fields: Record<string, string> = {}) =>
  post(api.origin, `user/${path}`, fields, { token });
const done = async (answer: ReturnType<typeof post>) => {
  const { body } = await answer;
  expect(body.error).toBeUndefined();
  return body.data;
};
const takeBack = (who: Registered, fields: Record<string, string>) =>
  post(other.origin, 'user/takeBack', {
    account: who.account,
    oldPassword: PASSWORD,
    password: NEW,
    confirmPassword: NEW,
    ...fields,
  });
const login = (who: Registered, fields: Record<string, string>) =>
  post(other.origin, 'user/login', { account: who.account, ...fields });
const statusOf = async (token: string) => (await get(api.origin, 'user/getUserInfo', {}, { token })).status;

/** Adds an authenticator app with this session; all other sessions end. */
async function addFactor(token: string): Promise<{ id: string; secret: string }> {
  const { id, secret } = await done(user(token, 'beginTotp'));
  await done(user(token, 'confirmTotp', { id, otp: await codeOf(secret) }));
  return { id, secret };
}

/** An old account, with a factor and codes of the same age. */
async function newOwner() {
  const who = await register(api.origin);
  const factor = await addFactor(who.token);
  await age(who);
  return { who, factor };
}

/** Moves the account, its factors and codes a year into the past. */
async function age(who: Registered): Promise<void> {
  for (const change of [
    `update customers set created_at = created_at - interval '1 year' where id = $1`,
    `update customer_second_factors set confirmed_at = confirmed_at - interval '1 year' where customer_id = $1`,
    `update recovery_codes set created_at = created_at - interval '1 year' where customer_id = $1`,
  ])
    await db.owner.query(change, [who.id]);
}

/** The attack of a thief with a proved session: replaces all credentials, and binds an address of their own. */
async function steal(token: string, factorId: string) {
  await done(user(token, 'removeFactor', { id: factorId }));
  const { recoveryCodes } = await done(user(token, 'newRecoveryCodes'));
  const factor = await addFactor(token);
  await done(user(token, 'setPayWord', { payWord: '135790' }));
  await done(user(token, 'setAddress', { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }));
  const change = { oldPassword: PASSWORD, password: THIEFS, confirmPassword: THIEFS };
  await done(user(token, 'setPassword', change));
  return { factor, recoveryCodes: recoveryCodes as string[] };
}

describe('an account that somebody else has taken', () => {
  test.each(['the former factor', 'a former code'])(
    'is taken back with the former password and %s',
    async (by) => {
      const { who, factor } = await newOwner();
      const thief = await steal(who.token, factor.id);
      const spare = who.recoveryCodes[1] as string;
      const otp = by === 'a former code' ? (who.recoveryCodes[0] as string) : await codeOf(factor.secret, 1);
      expect((await takeBack(who, { otp })).body).toEqual({ code: 1, msg: '', data: null });
      // Every session has ended, on every process.
      await seen(async () => (await statusOf(who.token)) === 401);
      // Credentials added since the theft are invalid; earlier ones work, with the new password.
      for (const password of [PASSWORD, THIEFS])
        expect((await login(who, { password, otp: spare })).body.error).toBe('LOGIN_FAILED');
      for (const wrong of [await codeOf(thief.factor.secret, 1), thief.recoveryCodes[0] as string])
        expect((await login(who, { password: NEW, otp: wrong })).body.error).toBe('OTP_WRONG');
      const { token, userInfo } = await done(login(who, { password: NEW, otp: spare }));
      expect(userInfo).toMatchObject({ hasPayWord: false, addresses: { USDT: null } });
      const { factors, recoveryCodes } = (await get(api.origin, 'user/factors', {}, { token })).body.data;
      expect(factors.map(({ id }: { id: string }) => id)).toEqual([factor.id]);
      expect(recoveryCodes).toBe(by === 'a former code' ? 8 : 9);
      const { items } = (await get(api.origin, 'notice/list', {}, { token })).body.data;
      expect(items.map(({ kind }: { kind: string }) => kind)).toContain('security.takenBack');
      // The former password and lost factors do not work a second time, for owner or thief.
      for (const again of [spare, thief.recoveryCodes[1] as string])
        expect((await takeBack(who, { oldPassword: THIEFS, otp: again })).body.error).toBe(
          'TAKE_BACK_FAILED',
        );
    },
  );

  test('is not taken back with token and password alone, or with old codes alone', async () => {
    const { who, factor } = await newOwner();
    const thief = await steal(who.token, factor.id);
    const code = who.recoveryCodes[0] as string;
    const refused = { code: 0, error: 'TAKE_BACK_FAILED', data: null };
    for (const fields of [
      { oldPassword: THIEFS },
      { oldPassword: THIEFS, otp: '123456' },
      { oldPassword: THIEFS, otp: thief.recoveryCodes[0] as string },
      { oldPassword: THIEFS, otp: await codeOf(thief.factor.secret, 1) },
      { oldPassword: 'a guess', otp: code },
      { account: 'nobody_has_it', otp: code },
      { passkey: '{}' },
    ])
      expect([fields, (await takeBack(who, { ...fields })).body]).toMatchObject([fields, refused]);
    expect((await takeBack(who, { otp: code })).body.code).toBe(1);
  });

  test('can be taken back for 24 hours', async () => {
    const { who, factor } = await newOwner();
    await steal(who.token, factor.id);
    for (const table of ['former_factors', 'former_codes', 'former_passwords'])
      await db.owner.query(
        `update ${table} set lost_at = lost_at - interval '24 hours' where customer_id = $1`,
        [who.id],
      );
    const otp = await codeOf(factor.secret, 1);
    expect((await takeBack(who, { otp })).body.error).toBe('TAKE_BACK_FAILED');
    await db.server.query('select identity_tidy()');
    const { rows } = await db.owner.query('select from former_factors where customer_id = $1', [who.id]);
    expect(rows).toHaveLength(0);
  });

  test('sends every device a notice that says what to do, in its reader’s language', async () => {
    const { who, factor } = await newOwner();
    const elsewhere = (await done(login(who, { password: PASSWORD, otp: await codeOf(factor.secret, 1) })))
      .token;
    const readers = await Promise.all(
      [who.token, elsewhere].map((token) => StreamClient.open(api.origin, token)),
    );
    for (const reader of readers) await reader.sub('notices');
    await done(user(who.token, 'removeFactor', { id: factor.id }));
    await done(user(who.token, 'newRecoveryCodes'));
    for (const reader of readers) {
      for (const kind of ['security.factorRemoved', 'security.codes']) {
        const told = await reader.next(
          ({ topic, type, data }) => topic === 'notices' && type === 'change' && data.kind === kind,
        );
        expect(told.data.text).toMatch(/within 24 hours: on the login page choose “Did someone else change/);
      }
      reader.socket.close();
    }
  });
});

describe('credentials for taking an account back', () => {
  test('a factor that a thief added and removed does not take the account back', async () => {
    const who = await register(api.origin);
    await age(who);
    const thief = (await done(login(who, { password: PASSWORD }))).token;
    const factor = await addFactor(thief);
    await done(user(thief, 'removeFactor', { id: factor.id }));
    const { recoveryCodes } = await done(user(thief, 'newRecoveryCodes'));
    await done(user(thief, 'newRecoveryCodes'));
    // The owner logs in with the password, and sets a new one.
    const { token } = await done(login(who, { password: PASSWORD }));
    await done(user(token, 'setPassword', { oldPassword: PASSWORD, password: NEW, confirmPassword: NEW }));
    await done(user(token, 'newRecoveryCodes'));
    for (const otp of [await codeOf(factor.secret, 1), recoveryCodes[0] as string])
      expect((await takeBack(who, { otp })).body.error).toBe('TAKE_BACK_FAILED');
    // Codes from before the theft still take the account back.
    expect((await takeBack(who, { otp: who.recoveryCodes[0] as string })).body.code).toBe(1);
  });

  test('codes that a thief left in place undo the thief’s other changes', async () => {
    const { who, factor } = await newOwner();
    await done(user(who.token, 'removeFactor', { id: factor.id }));
    const thiefs = await addFactor(who.token);
    const change = { oldPassword: PASSWORD, password: THIEFS, confirmPassword: THIEFS };
    await done(user(who.token, 'setPassword', change));
    const [code, next] = who.recoveryCodes as [string, string];
    expect((await takeBack(who, { otp: code })).body.code).toBe(1);
    for (const otp of [code, await codeOf(thiefs.secret, 1)])
      expect((await login(who, { password: NEW, otp })).body.error).toBe('OTP_WRONG');
    expect((await login(who, { password: NEW, otp: next })).body.code).toBe(1);
  });

  test('a used code does not take the account back, because somebody may have seen it typed', async () => {
    const who = await register(api.origin);
    await addFactor(who.token);
    const [used, unused] = who.recoveryCodes as [string, string];
    const { token } = await done(login(who, { password: PASSWORD, otp: used }));
    await done(user(token, 'newRecoveryCodes'));
    expect((await takeBack(who, { otp: used })).body.error).toBe('TAKE_BACK_FAILED');
    expect((await takeBack(who, { otp: unused })).body.code).toBe(1);
  });

  test('one of several concurrent requests takes the account back', async () => {
    const who = await register(api.origin);
    await done(user(who.token, 'newRecoveryCodes'));
    const otps = who.recoveryCodes.slice(0, 4);
    const answers = await Promise.all(otps.map((otp) => takeBack(who, { otp })));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
  });
});

test('a closed account keeps no former credentials and can’t be taken back', async () => {
  const { who, factor } = await newOwner();
  await steal(who.token, factor.id);
  await done(user(who.token, 'closeAccount', { account: who.account }));
  for (const table of ['former_factors', 'former_codes', 'former_passwords']) {
    const { rows } = await db.owner.query(`select from ${table} where customer_id = $1`, [who.id]);
    expect([table, rows.length]).toEqual([table, 0]);
  }
  expect((await takeBack(who, { otp: who.recoveryCodes[0] as string })).body.error).toBe('TAKE_BACK_FAILED');
});

test('options for a passkey are refused without the password, or when no passkey was lost', async () => {
  const { who, factor } = await newOwner();
  await steal(who.token, factor.id);
  for (const oldPassword of ['a guess', PASSWORD]) {
    const { body } = await post(api.origin, 'user/takeBackOptions', { account: who.account, oldPassword });
    expect(body).toMatchObject({ code: 0, error: 'TAKE_BACK_FAILED', data: null });
  }
});
