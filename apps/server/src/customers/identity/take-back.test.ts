import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { type OfficeClient, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Former credentials open a claim that holds withdrawals and changes nothing else; two members of staff decide it. */
let db: TestDatabase;
let api: RunningApi & { officeOrigin: string };
let other: RunningApi;
let support: OfficeClient;
let verification: OfficeClient;
beforeAll(async () => {
  db = await createTestDatabase();
  api = await startOffice(db);
  support = await staffOf(db, api.officeOrigin, 'support');
  verification = await staffOf(db, api.officeOrigin, 'verification');
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
    contact: 'me@mail.example',
    text: 'Somebody changed my second factor.',
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

/** Everything that opens the account: password, factors, unused codes, sessions, withdrawal password, destinations. */
async function keysOf({ id }: Registered) {
  const { rows } = await db.owner.query(
    `select password_hash, (select count(*)::int from sessions where customer_id = $1) as sessions,
       (select array_agg(f.id order by f.id) from customer_second_factors f where f.customer_id = $1) as factors,
       (select array_agg(code_hash order by code_hash) from recovery_codes where customer_id = $1) as codes,
       (select changed_at from pay_words where customer_id = $1) as pay_word,
       (select array_agg(d.id) from destinations d where d.customer_id = $1 and removed_at is null) as destinations
     from customers where id = $1`,
    [id],
  );
  return rows[0];
}

/** Moves every change of the account so far back that its hold is over. A hold of a claim stays. */
async function waitHolds(who: Registered): Promise<void> {
  for (const change of [
    `update customers set password_changed_at = null, second_factor_changed_at = null, factor_taken_at = null where id = $1`,
    `update pay_words set changed_at = changed_at - interval '1 year' where customer_id = $1`,
    `update crypto_addresses set changed_at = changed_at - interval '1 year' where customer_id = $1`,
  ])
    await db.owner.query(change, [who.id]);
}

/** Whether a withdrawal to the account's address can't be approved yet. */
async function isHeld({ id }: Registered): Promise<boolean> {
  const { rows } = await db.owner.query<{ held: boolean }>(
    `select coalesce(hold_until($1, d.id) > now(), false) as held from destinations d where d.customer_id = $1 and d.removed_at is null`,
    [id],
  );
  return rows.some(({ held }) => held);
}

/** Id of the account's open claim. */
async function claimOf({ account }: Registered): Promise<string> {
  const { rows } = await db.owner.query<{ id: string }>(
    'select id::text from recovery_requests where account = $1 and decided_at is null',
    [account],
  );
  expect(rows).toHaveLength(1);
  return (rows[0] as { id: string }).id;
}

/** Two members of staff approve the claim; returns both halves of the code. */
async function approveClaim(who: Registered): Promise<string> {
  const id = await claimOf(who);
  const how = 'Video call; face and passport compared with what is on file.';
  const first = await done(support.post('recovery/propose', { id, how }));
  const { content, lostAt } = (await verification.get('recovery/detail', { id })).body.data;
  expect(lostAt).toEqual(expect.any(Number));
  const second = await done(verification.post('recovery/approve', { id, content }));
  return first.half + second.half;
}

const ADDRESS = { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };
const REPAIRS = ['password', 'remove', 'add', 'codes'] as const;
type Repair = (typeof REPAIRS)[number];

/** Every order of every selection, except the empty one. */
function orders(from: readonly Repair[]): Repair[][] {
  return from.flatMap((first) => [
    [first],
    ...orders(from.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  ]);
}

/** Makes these changes in the given order; returns the credentials afterwards. */
async function change(token: string, factor: { id: string; secret: string }, order: readonly Repair[]) {
  const now = { password: PASSWORD, secret: null as string | null, code: null as string | null };
  for (const step of order) {
    if (step === 'password') {
      await done(user(token, 'setPassword', { oldPassword: PASSWORD, password: NEW, confirmPassword: NEW }));
      now.password = NEW;
    } else if (step === 'remove') await done(user(token, 'removeFactor', { id: factor.id }));
    else if (step === 'add') now.secret = (await addFactor(token)).secret;
    else now.code = (await done(user(token, 'newRecoveryCodes'))).recoveryCodes[0];
  }
  return now;
}

describe('after every order of changes', () => {
  const all = orders(REPAIRS);
  const complete = all.filter(({ length }) => length === REPAIRS.length);

  test('a claim by the one with the former credentials changes no credential, ends no session and holds withdrawals', async () => {
    expect(all).toHaveLength(64);
    for (const order of all)
      for (const proof of ['code', 'factor'] as const) {
        const { who, factor } = await newOwner();
        await done(user(who.token, 'setAddress', ADDRESS));
        const now = await change(who.token, factor, order);
        await waitHolds(who);
        const before = await keysOf(who);
        const otp = proof === 'code' ? (who.recoveryCodes[0] as string) : await codeOf(factor.secret, 1);
        const { body } = await takeBack(who, { otp });
        // A former factor qualifies if it was removed, an unused code always: adding alone is no loss.
        const isClaim = proof === 'factor' ? order.includes('remove') : order.join() !== 'add';
        expect([order, proof, body.code]).toEqual([order, proof, isClaim ? 1 : 0]);
        expect([order, proof, await keysOf(who)]).toEqual([order, proof, before]);
        expect([order, proof, await statusOf(who.token)]).toEqual([order, proof, 200]);
        expect([order, proof, await isHeld(who)]).toEqual([order, proof, isClaim]);
        if (order.length < REPAIRS.length) continue;
        for (const wrong of [PASSWORD, now.password])
          expect([order, (await login(who, { password: wrong, otp })).body.code]).toEqual([order, 0]);
        const right = await codeOf(now.secret as string, 1);
        expect([order, (await login(who, { password: NEW, otp: right })).body.code]).toEqual([order, 1]);
        expect([order, (await login(who, { password: NEW, otp: now.code as string })).body.code]).toEqual([
          order,
          1,
        ]);
      }
  }, 240_000);

  test('an owner whom a thief shut out gets the account with two members of staff, and the thief keeps nothing', async () => {
    for (const order of complete) {
      const { who, factor } = await newOwner();
      await done(user(who.token, 'setAddress', ADDRESS));
      const thiefs = await change(who.token, factor, order);
      await waitHolds(who);
      expect((await takeBack(who, { otp: who.recoveryCodes[0] as string })).body.code).toBe(1);
      expect([order, await isHeld(who)]).toEqual([order, true]);
      const recoveryCode = await approveClaim(who);
      // The thief, who still has a proved session, can't void the approved code.
      thiefs.code = (await done(user(who.token, 'newRecoveryCodes'))).recoveryCodes[0];
      const password = 'the owner again 1';
      const form = { account: who.account, recoveryCode, password, confirmPassword: password };
      await done(post(api.origin, 'user/recover', form));
      await seen(async () => (await statusOf(who.token)) === 401);
      const otp = thiefs.code as string;
      for (const proof of [otp, await codeOf(thiefs.secret as string, 1)])
        for (const oldPassword of [PASSWORD, NEW])
          expect((await takeBack(who, { oldPassword, otp: proof })).body.error).toBe('TAKE_BACK_FAILED');
      const again = { ...form, recoveryCode: otp };
      expect((await post(api.origin, 'user/recover', again)).body.error).toBe('RECOVERY_FAILED');
      expect((await login(who, { password: NEW, otp })).body.error).toBe('LOGIN_FAILED');
      expect([order, (await login(who, { password })).body.code]).toEqual([order, 1]);
    }
  }, 240_000);
});

describe('an account that somebody else has taken', () => {
  test('loses the thief’s withdrawal password and destinations when its claim is approved', async () => {
    const { who, factor } = await newOwner();
    await steal(who.token, factor.id);
    expect((await takeBack(who, { otp: await codeOf(factor.secret, 1) })).body.code).toBe(1);
    const password = 'the owner again 1';
    const recoveryCode = await approveClaim(who);
    await done(
      post(api.origin, 'user/recover', {
        account: who.account,
        recoveryCode,
        password,
        confirmPassword: password,
      }),
    );
    const { token, userInfo } = await done(login(who, { password }));
    expect(userInfo).toMatchObject({ hasPayWord: false, addresses: { USDT: null } });
    const { items } = (await get(api.origin, 'notice/list', {}, { token })).body.data;
    expect(items.map(({ kind }: { kind: string }) => kind)).toContain('security.takenBack');
  });

  test('has its withdrawals held until two holds after the claim was refused', async () => {
    const { who } = await newOwner();
    await done(user(who.token, 'setAddress', ADDRESS));
    await done(user(who.token, 'newRecoveryCodes'));
    await takeBack(who, { otp: who.recoveryCodes[0] as string });
    await waitHolds(who);
    // Without a decision it does not lapse.
    await db.owner.query(`update recovery_requests set at = at - interval '1 year' where account = $1`, [
      who.account,
    ]);
    expect(await isHeld(who)).toBe(true);
    await done(support.post('recovery/refuse', { id: await claimOf(who), reason: 'not_proven' }));
    for (const [holds, held] of [
      [0, true],
      [1.9, true],
      [2.1, false],
    ] as const) {
      await db.owner.query(
        `update recovery_requests set decided_at = now() - $2 * make_interval(secs => (select hold_seconds from house_settings)) where account = $1`,
        [who.account, holds],
      );
      expect([holds, await isHeld(who)]).toEqual([holds, held]);
    }
  });

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
