import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { startApi, WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { codeOf, wrongCode } from '@fairtick/kit/people/totp.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);
const other = ownApi(db);

const user = (who: Registered, path: string, fields: Record<string, string> = {}) =>
  post(api.origin, `user/${path}`, fields, { token: who.token });
const login = (who: Registered, fields: Record<string, string> = {}) =>
  post(other.origin, 'user/login', { account: who.account, password: PASSWORD, ...fields });
const factsOf = async (who: Registered) =>
  (
    await db.owner.query(
      `select has_second_factor, level, second_factor_changed_at is not null as is_changed, secured_since from customers where id = $1`,
      [who.id],
    )
  ).rows[0];

async function withTotp() {
  const who = await register(api.origin);
  const { id, secret, uri } = (await user(who, 'beginTotp')).body.data;
  return { who, id, secret, uri };
}
async function confirmed() {
  const made = await withTotp();
  const otp = await codeOf(made.secret);
  expect((await user(made.who, 'confirmTotp', { id: made.id, otp })).body.code).toBe(1);
  return made;
}

describe('a second factor', () => {
  test('a second factor counts after its first right code, and a login asks for it from then on (S7-09)', async () => {
    const { who, id, secret, uri } = await withTotp();
    expect(uri).toMatch(/^otpauth:\/\/totp\/.*issuer=Fairtick(&|$)/);
    expect((await login(who)).body.code).toBe(1);
    const wrong = await user(who, 'confirmTotp', { id, otp: await wrongCode(secret) });
    expect(wrong.body).toMatchObject({ error: 'OTP_WRONG', fields: { otp: expect.any(String) } });
    expect(await factsOf(who)).toMatchObject({ has_second_factor: false, is_changed: false });
    expect((await user(who, 'confirmTotp', { id, otp: await codeOf(secret) })).body.code).toBe(1);
    expect(await factsOf(who)).toMatchObject({ has_second_factor: true, is_changed: true });
    expect((await login(who)).body).toMatchObject({ error: 'OTP_REQUIRED', data: null });
    expect((await login(who, { otp: await wrongCode(secret) })).body.error).toBe('OTP_WRONG');
    // A caller without the password does not learn whether a second factor is on.
    expect((await login(who, { password: 'not the one' })).body.error).toBe('LOGIN_FAILED');
    const right = await login(who, { otp: await codeOf(secret, 1) });
    expect(right.body.data.userInfo.id).toBe(who.id);
    const list = (await get(api.origin, 'user/factors', {}, { token: who.token })).body.data;
    expect(list).toMatchObject({ factors: [{ kind: 'totp' }], recoveryCodes: 10 });
  });

  test('a code with spaces is taken, and one of another shape is refused before a try is counted', async () => {
    const { who, secret } = await confirmed();
    for (const otp of ['12345', '12345O', '1234567', ...Array(12).fill('code')])
      expect((await login(who, { otp })).body.error).toBe('OTP_FORMAT');
    const otp = await codeOf(secret, 1);
    expect((await login(who, { otp: ` ${otp.slice(0, 3)}\u00a0${otp.slice(3)}` })).body.code).toBe(1);
  });

  test('a code that was used is no guess, and a phone whose clock is off is told by how much', async () => {
    const limits = { ...WIDE_LIMITS, failedLoginsPerAccount: 1 };
    const strict = await startApi(db, { limits });
    const { who, id, secret } = await withTotp();
    const set = async (steps: number) =>
      (await user(who, 'confirmTotp', { id, otp: await codeOf(secret, steps) })).body;
    expect(await set(-6)).toMatchObject({ error: 'CLOCK_BEHIND', msg: expect.stringMatching(/1[58]0|180/) });
    expect(await set(6)).toMatchObject({ error: 'CLOCK_AHEAD', msg: expect.stringMatching(/1[58]0|180/) });
    expect(await set(13)).toMatchObject({ error: 'OTP_WRONG' });
    expect(await set(0)).toMatchObject({ code: 1 });
    const other = (otp: string) =>
      post(strict.origin, 'user/login', { account: who.account, password: PASSWORD, otp });
    const right = await codeOf(secret, 1);
    expect((await other(right)).body.code).toBe(1);
    for (let turn = 0; turn < 3; turn += 1) expect((await other(right)).body.error).toBe('OTP_USED');
    // The code of a later step, once given, does not count when its time has come.
    expect((await other(await codeOf(secret, 5))).body.error).toBe('CLOCK_AHEAD');
    const { rows } = await db.owner.query<{ early: string }>(
      'select early_step::text as early from customer_second_factors where id = $1',
      [id],
    );
    await db.owner.query(
      `update customer_second_factors set last_step = null, early_step = floor(extract(epoch from now()) / 30)::bigint where id = $1`,
      [id],
    );
    expect(Number(rows[0]?.early)).toBeGreaterThan(Date.now() / 30_000 + 3);
    const now = await codeOf(secret);
    expect(['OTP_USED', undefined]).toContain((await other(now)).body.error);
    await strict.stop();
  });

  test('each code works once, also when it is sent many times at once', async () => {
    const { who, secret } = await confirmed();
    const otp = await codeOf(secret, 1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(who, { otp })));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
  });

  test('ends all other sessions when it is added, on every process', async () => {
    const who = await register(api.origin);
    const elsewhere = (await login(who)).body.data.token;
    const { id, secret } = (await user(who, 'beginTotp')).body.data;
    await user(who, 'confirmTotp', { id, otp: await codeOf(secret) });
    await seen(
      async () => (await get(other.origin, 'user/getUserInfo', {}, { token: elsewhere })).status === 401,
    );
    expect((await get(api.origin, 'user/getUserInfo', {}, { token: who.token })).body.code).toBe(1);
  });

  test('confirming the password inside a session needs the second factor, too', async () => {
    const { who, secret } = await confirmed();
    expect((await user(who, 'reauth', { password: PASSWORD })).body).toMatchObject({
      error: 'OTP_REQUIRED',
      fields: { otp: expect.any(String) },
    });
    const otp = await codeOf(secret, 1);
    expect((await user(who, 'reauth', { password: 'not it', otp })).body.error).toBe('LOGIN_FAILED');
    expect((await user(who, 'reauth', { password: PASSWORD, otp })).body.code).toBe(1);
  });

  test('a session that is not fresh can’t change the password or add a factor without confirming again', async () => {
    const { who } = await confirmed();
    await db.owner.query(`update sessions set fresh_until = now() where customer_id = $1`, [who.id]);
    const change = { oldPassword: PASSWORD, password: 'long enough 1', confirmPassword: 'long enough 1' };
    const changed = await post(other.origin, 'user/setPassword', change, { token: who.token });
    expect(changed.body.error).toBe('REAUTH_REQUIRED');
    expect((await post(other.origin, 'user/beginTotp', {}, { token: who.token })).body.error).toBe(
      'REAUTH_REQUIRED',
    );
  });

  test('adding or removing a second factor starts the hold of withdrawals and sends a notice', async () => {
    const { who, id } = await withTotp();
    // As the server's role, which may write these rows but not the customer's column.
    const changes = [
      'update customer_second_factors set confirmed_at = now() where id = $1',
      'delete from customer_second_factors where id = $1',
    ];
    for (const change of changes) {
      await db.owner.query('update customers set second_factor_changed_at = null where id = $1', [who.id]);
      await db.server.query(change, [id]);
      expect(await factsOf(who)).toMatchObject({ is_changed: true });
    }
    const { items } = (await get(api.origin, 'notice/list', {}, { token: who.token })).body.data;
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'security.factorRemoved',
      'security.factorAdded',
    ]);
    await expect(
      db.server.query('update customers set second_factor_changed_at = null where id = $1', [who.id]),
    ).rejects.toMatchObject({ code: '42501' });
  });

  test('another customer’s second factor can’t be used or removed, and the database has its secret sealed', async () => {
    const one = await withTotp();
    const two = await withTotp();
    const otp = await codeOf(one.secret);
    expect((await user(two.who, 'confirmTotp', { id: one.id, otp })).body.error).toBe('FACTOR_NOT_FOUND');
    await user(one.who, 'confirmTotp', { id: one.id, otp });
    expect((await user(two.who, 'removeFactor', { id: one.id })).body.error).toBe('FACTOR_NOT_FOUND');
    const { rows } = await db.owner.query<{ sealed_secret: Buffer }>(
      'select sealed_secret from customer_second_factors where id = $1',
      [one.id],
    );
    expect(rows[0]?.sealed_secret.includes(one.secret)).toBe(false);
    await db.owner.query(
      'update customer_second_factors set sealed_secret = (select sealed_secret from customer_second_factors where id = $1) where id = $2',
      [one.id, two.id],
    );
    expect((await user(two.who, 'confirmTotp', { id: two.id, otp: await codeOf(one.secret) })).status).toBe(
      500,
    );
    expect((await user(one.who, 'removeFactor', { id: one.id })).body.code).toBe(1);
    expect((await login(one.who)).body.code).toBe(1);
  });

  test('can’t be guessed by somebody who has the password', async () => {
    const limits = { ...WIDE_LIMITS, failedLoginsPerAccount: 5 };
    const strict = await startApi(db, { limits });
    const { who, secret } = await confirmed();
    const otp = await wrongCode(secret);
    const told: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      // A right password between two guesses does not reset the count.
      const form = { account: who.account, password: PASSWORD, ...(turn % 2 === 0 ? { otp } : {}) };
      told.push((await post(strict.origin, 'user/login', form)).status);
    }
    expect(told).toEqual([200, 200, 200, 200, 200, 429]);
    await strict.stop();
  });

  test.each(['x', '[]', 'null', '{}', '{"id":"AA","response":{}}'])(
    'a malformed passkey is refused: %j',
    async (passkey) => {
      const { who } = await confirmed();
      expect((await login(who, { passkey })).body.error).toBe('OTP_WRONG');
      await user(who, 'beginPasskey');
      expect((await user(who, 'confirmPasskey', { label: 'key', passkey })).body.error).toBe('OTP_WRONG');
    },
  );
});

describe('recovery codes', () => {
  const recover = (who: Registered, fields: Record<string, string>) =>
    post(other.origin, 'user/recover', {
      account: who.account,
      password: 'recovered 1',
      confirmPassword: 'recovered 1',
      ...fields,
    });

  test('new recovery codes replace the old ones, which stop working', async () => {
    const who = await register(api.origin);
    const { recoveryCodes } = (await user(who, 'newRecoveryCodes')).body.data;
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await recover(who, { recoveryCode: who.recoveryCodes[0] as string })).body.error).toBe(
      'RECOVERY_FAILED',
    );
    expect((await recover(who, { recoveryCode: recoveryCodes[0] })).body.code).toBe(1);
    const { rows } = await db.owner.query('select kind from notices where customer_id = $1 order by id', [
      who.id,
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual([
      'security.codes',
      'security.codeUsed',
      'security.password',
    ]);
  });

  test('concurrent requests for new codes leave ten codes', async () => {
    const who = await register(api.origin);
    await Promise.all(Array.from({ length: 6 }, () => user(who, 'newRecoveryCodes')));
    const { rows } = await db.owner.query('select from recovery_codes where customer_id = $1', [who.id]);
    expect(rows).toHaveLength(10);
  });

  test('a recovery code replaces the second factor at a login, once', async () => {
    const { who } = await confirmed();
    const otp = who.recoveryCodes[0] as string;
    expect((await login(who, { otp })).body.code).toBe(1);
    expect((await login(who, { otp })).body.error).toBe('OTP_WRONG');
  });

  test('one recovery code, or two together, can’t set a new password where a second factor is on', async () => {
    const { who, secret } = await confirmed();
    const [recoveryCode, second] = who.recoveryCodes as [string, string];
    expect((await recover(who, { recoveryCode })).body.error).toBe('OTP_REQUIRED');
    expect((await recover(who, { recoveryCode, otp: second })).body.error).toBe('OTP_WRONG');
    // The answer to a wrong code does not reveal a second factor.
    expect((await recover(who, { recoveryCode: 'AAAA-BBBB-CCCC-DDDD' })).body.error).toBe('RECOVERY_FAILED');
    const otp = await codeOf(secret, 1);
    expect((await recover(who, { recoveryCode, otp })).body.code).toBe(1);
  });
});

test('each failed login is recorded, also for an unknown account', async () => {
  const who = await register(api.origin);
  const events = async () =>
    Number((await db.owner.query('select count(*) from login_events where not is_success')).rows[0].count);
  const before = await events();
  await login(who, { password: 'not the one' });
  expect(await events()).toBe(before + 1);
  await post(api.origin, 'user/login', { account: 'nobody_has_it', password: 'not the one' });
  await post(api.origin, 'user/login', { account: '!', password: 'not the one' });
  expect(await events()).toBe(before + 3);
  // Attempts on unknown accounts are deleted after 30 days.
  await db.owner.query(`update login_events set at = now() - interval '31 days' where not is_success`);
  expect((await db.server.query('select identity_tidy() as gone')).rows[0].gone).toBeGreaterThanOrEqual(2);
  expect((await db.server.query('select identity_tidy() as gone')).rows[0].gone).toBe(0);
  expect(await events()).toBeGreaterThanOrEqual(1);
});

describe('the level', () => {
  const verify = (who: Registered) =>
    db.owner.query(`update customers set real_status = 'verified' where id = $1`, [who.id]);
  const agedBy = (who: Registered, days: number) =>
    db.owner.query('update customers set secured_since = now() - make_interval(days => $2) where id = $1', [
      who.id,
      days,
    ]);
  const advance = () => db.server.query('select levels_advance()');
  const levelOf = async (who: Registered) => (await factsOf(who))?.level;

  test('is gold after 90 days with a verified name and a second factor, platinum after a year', async () => {
    const { who } = await confirmed();
    expect((await factsOf(who))?.secured_since).toBeNull();
    await verify(who);
    expect((await factsOf(who))?.secured_since).not.toBeNull();
    expect(await levelOf(who)).toBe('silver');
    for (const [days, level] of [
      [89, 'silver'],
      [90, 'gold'],
      [364, 'gold'],
      [365, 'platinum'],
    ] as const) {
      await agedBy(who, days);
      await advance();
      expect([days, await levelOf(who)]).toEqual([days, level]);
    }
    const standing = (await get(api.origin, 'user/standing', {}, { token: who.token })).body.data;
    expect(standing).toMatchObject({ level: 'platinum', nextLevel: null, securedSince: expect.any(Number) });
    expect(standing.facts.find(({ name }: { name: string }) => name === 'secondFactor').points).toBe(25);
  });

  test('falls at once when the last factor is removed, and the time begins anew', async () => {
    const { who, id } = await confirmed();
    await verify(who);
    await agedBy(who, 100);
    await advance();
    expect(await levelOf(who)).toBe('gold');
    await user(who, 'removeFactor', { id });
    expect(await factsOf(who)).toMatchObject({ level: 'silver', secured_since: null });
  });

  test('the standing shows when the next level comes by time alone', async () => {
    const { who } = await confirmed();
    const standing = async () => (await get(api.origin, 'user/standing', {}, { token: who.token })).body.data;
    expect((await standing()).nextLevel).toBeNull();
    await verify(who);
    const { nextLevel } = await standing();
    expect(nextLevel.level).toBe('gold');
    expect(Math.abs(nextLevel.at - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
  });

  test('the server’s role can’t write the level', async () => {
    await expect(db.server.query(`update customers set level = 'platinum'`)).rejects.toMatchObject({
      code: '42501',
    });
    await expect(db.server.query(`update customers set secured_since = now()`)).rejects.toMatchObject({
      code: '42501',
    });
  });
});
