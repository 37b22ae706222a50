import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownApi, ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { Claimants } from '@fairtick/kit/people/claimants.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { sample } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

/** Former credentials open a claim that holds withdrawals and changes nothing else; two members of staff decide it. */
const db = ownDatabase();
const api = ownOffice(db);
const support = ownStaff(db, api, 'support');
const verification = ownStaff(db, api, 'verification');
const other = ownApi(db);
const people = forFile(() => new Claimants(db, api.origin, other.origin));

const NEW = 'the owner’s own 1';
const THIEFS = 'the thief’s own 1';
/** The attack of a thief with a proved session: replaces all credentials, and binds an address of their own. */
async function steal(token: string, factorId: string) {
  await dataOf(people.user(token, 'removeFactor', { id: factorId }));
  const { recoveryCodes } = await dataOf(people.user(token, 'newRecoveryCodes'));
  const factor = await people.addFactor(token);
  await dataOf(people.user(token, 'setPayWord', { payWord: '135790' }));
  await dataOf(people.user(token, 'setAddress', { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }));
  const change = { oldPassword: PASSWORD, password: THIEFS, confirmPassword: THIEFS };
  await dataOf(people.user(token, 'setPassword', change));
  return { factor, recoveryCodes: recoveryCodes as string[] };
}

/** Two members of staff approve the claim; returns both halves of the code. */
async function approveClaim(who: Registered): Promise<string> {
  const id = await people.claimOf(who);
  const how = 'Video call; face and passport compared with what is on file.';
  const first = await dataOf(support.post('recovery/propose', { id, how }));
  const { content, lostAt } = (await verification.get('recovery/detail', { id })).body.data;
  expect(lostAt).toEqual(expect.any(Number));
  const second = await dataOf(verification.post('recovery/approve', { id, content }));
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
      await dataOf(
        people.user(token, 'setPassword', { oldPassword: PASSWORD, password: NEW, confirmPassword: NEW }),
      );
      now.password = NEW;
    } else if (step === 'remove') await dataOf(people.user(token, 'removeFactor', { id: factor.id }));
    else if (step === 'add') now.secret = (await people.addFactor(token)).secret;
    else now.code = (await dataOf(people.user(token, 'newRecoveryCodes'))).recoveryCodes[0];
  }
  return now;
}

describe('after every order of changes', () => {
  const complete = orders(REPAIRS).filter(({ length }) => length === REPAIRS.length);

  test('an owner whom a thief shut out gets the account with two members of staff, and the thief keeps nothing', async () => {
    for (const order of sample(complete, 2)) {
      const { who, factor } = await people.newOwner();
      await dataOf(people.user(who.token, 'setAddress', ADDRESS));
      const thiefs = await change(who.token, factor, order);
      await people.waitHolds(who);
      expect((await people.takeBack(who, { otp: who.recoveryCodes[0] as string })).body.code).toBe(1);
      expect([order, await people.isHeld(who)]).toEqual([order, true]);
      const recoveryCode = await approveClaim(who);
      // The thief, who still has a proved session, can't void the approved code.
      thiefs.code = (await dataOf(people.user(who.token, 'newRecoveryCodes'))).recoveryCodes[0];
      const password = 'the owner again 1';
      const form = { account: who.account, recoveryCode, password, confirmPassword: password };
      await dataOf(post(api.origin, 'user/recover', form));
      await seen(async () => (await people.statusOf(who.token)) === 401);
      const otp = thiefs.code as string;
      for (const proof of [otp, await codeOf(thiefs.secret as string, 1)])
        for (const oldPassword of [PASSWORD, NEW])
          expect((await people.takeBack(who, { oldPassword, otp: proof })).body.error).toBe(
            'TAKE_BACK_FAILED',
          );
      const again = { ...form, recoveryCode: otp };
      expect((await post(api.origin, 'user/recover', again)).body.error).toBe('RECOVERY_FAILED');
      expect((await people.login(who, { password: NEW, otp })).body.error).toBe('LOGIN_FAILED');
      expect([order, (await people.login(who, { password })).body.code]).toEqual([order, 1]);
    }
  }, 240_000);
});

describe('an account that somebody else has taken', () => {
  test('loses the thief’s withdrawal password and destinations when its claim is approved', async () => {
    const { who, factor } = await people.newOwner();
    await steal(who.token, factor.id);
    expect((await people.takeBack(who, { otp: await codeOf(factor.secret, 1) })).body.code).toBe(1);
    const password = 'the owner again 1';
    const recoveryCode = await approveClaim(who);
    await dataOf(
      post(api.origin, 'user/recover', {
        account: who.account,
        recoveryCode,
        password,
        confirmPassword: password,
      }),
    );
    const { token, userInfo } = await dataOf(people.login(who, { password }));
    expect(userInfo).toMatchObject({ hasPayWord: false, addresses: { USDT: null } });
    const { items } = (await get(api.origin, 'notice/list', {}, { token })).body.data;
    expect(items.map(({ kind }: { kind: string }) => kind)).toContain('security.takenBack');
  });

  test('is not taken back with token and password alone, or with old codes alone', async () => {
    const { who, factor } = await people.newOwner();
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
      expect([fields, (await people.takeBack(who, { ...fields })).body]).toMatchObject([fields, refused]);
    expect((await people.takeBack(who, { otp: code })).body.code).toBe(1);
  });

  test('can be taken back for 24 hours', async () => {
    const { who, factor } = await people.newOwner();
    await steal(who.token, factor.id);
    for (const table of ['former_factors', 'former_codes', 'former_passwords'])
      await db.owner.query(
        `update ${table} set lost_at = lost_at - interval '24 hours' where customer_id = $1`,
        [who.id],
      );
    const otp = await codeOf(factor.secret, 1);
    expect((await people.takeBack(who, { otp })).body.error).toBe('TAKE_BACK_FAILED');
    await db.server.query('select identity_tidy()');
    const { rows } = await db.owner.query('select from former_factors where customer_id = $1', [who.id]);
    expect(rows).toHaveLength(0);
  });

  test('sends every device a notice that says what to do, in its reader’s language', async () => {
    const { who, factor } = await people.newOwner();
    const elsewhere = (
      await dataOf(people.login(who, { password: PASSWORD, otp: await codeOf(factor.secret, 1) }))
    ).token;
    const readers = await Promise.all(
      [who.token, elsewhere].map((token) => StreamClient.open(api.origin, token)),
    );
    for (const reader of readers) await reader.sub('notices');
    await dataOf(people.user(who.token, 'removeFactor', { id: factor.id }));
    await dataOf(people.user(who.token, 'newRecoveryCodes'));
    for (const reader of readers) {
      for (const kind of ['security.factorRemoved', 'security.codes']) {
        const told = await reader.next(
          ({ topic, type, data }) => topic === 'notices' && type === 'change' && data.kind === kind,
        );
        expect(told.data.text).toMatch(
          /within 24 hours: on the login page choose “Can’t log in\?”, then “Did someone else change/,
        );
      }
      reader.socket.close();
    }
  });
});

describe('credentials for taking an account back', () => {
  test('a factor that a thief added and removed does not take the account back', async () => {
    const who = await register(api.origin);
    await people.age(who);
    const thief = (await dataOf(people.login(who, { password: PASSWORD }))).token;
    const factor = await people.addFactor(thief);
    await dataOf(people.user(thief, 'removeFactor', { id: factor.id }));
    const { recoveryCodes } = await dataOf(people.user(thief, 'newRecoveryCodes'));
    await dataOf(people.user(thief, 'newRecoveryCodes'));
    // The owner logs in with the password, and sets a new one.
    const { token } = await dataOf(people.login(who, { password: PASSWORD }));
    await dataOf(
      people.user(token, 'setPassword', { oldPassword: PASSWORD, password: NEW, confirmPassword: NEW }),
    );
    await dataOf(people.user(token, 'newRecoveryCodes'));
    for (const otp of [await codeOf(factor.secret, 1), recoveryCodes[0] as string])
      expect((await people.takeBack(who, { otp })).body.error).toBe('TAKE_BACK_FAILED');
    // Codes from before the theft still take the account back.
    expect((await people.takeBack(who, { otp: who.recoveryCodes[0] as string })).body.code).toBe(1);
  });

  test('a used code does not take the account back, because somebody may have seen it typed', async () => {
    const who = await register(api.origin);
    await people.addFactor(who.token);
    const [used, unused] = who.recoveryCodes as [string, string];
    const { token } = await dataOf(people.login(who, { password: PASSWORD, otp: used }));
    await dataOf(people.user(token, 'newRecoveryCodes'));
    expect((await people.takeBack(who, { otp: used })).body.error).toBe('TAKE_BACK_FAILED');
    expect((await people.takeBack(who, { otp: unused })).body.code).toBe(1);
  });

  test('one of several concurrent requests takes the account back', async () => {
    const who = await register(api.origin);
    await dataOf(people.user(who.token, 'newRecoveryCodes'));
    const otps = who.recoveryCodes.slice(0, 4);
    const answers = await Promise.all(otps.map((otp) => people.takeBack(who, { otp })));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
  });
});

test('a closed account keeps no former credentials and can’t be taken back', async () => {
  const { who, factor } = await people.newOwner();
  await steal(who.token, factor.id);
  await dataOf(people.user(who.token, 'closeAccount', { account: who.account }));
  for (const table of ['former_factors', 'former_codes', 'former_passwords']) {
    const { rows } = await db.owner.query(`select from ${table} where customer_id = $1`, [who.id]);
    expect([table, rows.length]).toEqual([table, 0]);
  }
  expect((await people.takeBack(who, { otp: who.recoveryCodes[0] as string })).body.error).toBe(
    'TAKE_BACK_FAILED',
  );
});

test('options for a passkey are refused without the password, or when no passkey was lost', async () => {
  const { who, factor } = await people.newOwner();
  await steal(who.token, factor.id);
  for (const oldPassword of ['a guess', PASSWORD]) {
    const { body } = await post(api.origin, 'user/takeBackOptions', { account: who.account, oldPassword });
    expect(body).toMatchObject({ code: 0, error: 'TAKE_BACK_FAILED', data: null });
  }
});
