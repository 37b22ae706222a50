import { OfficeClient, STAFF_PASSWORD, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { codeOf, wrongCode } from '@fairtick/kit/people/totp.ts';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownOffice(db);

async function withTotp(role: 'cashier' | 'approver' = 'cashier') {
  const staff = await staffOf(db, api.officeOrigin, role);
  const { body } = await staff.post('factor/beginTotp');
  const { id, secret, uri } = body.data;
  return { staff, id, secret, uri, login: loginOf(staff.account) };
}
const loginOf =
  (account: string) =>
  (fields: Record<string, string> = {}, client = new OfficeClient(api.officeOrigin)) =>
    client.post('session/login', { account, password: STAFF_PASSWORD, ...fields });

describe('a TOTP', () => {
  test('is active once a code confirms it, and is required from then on', async () => {
    const { staff, id, secret, uri, login } = await withTotp();
    expect(uri).toMatch(/^otpauth:\/\/totp\/.*issuer=Fairtick/);
    expect((await login()).body.code).toBe(1);
    const wrong = await staff.post('factor/confirmTotp', { id, otp: await wrongCode(secret) });
    expect(wrong.body).toMatchObject({ error: 'OTP_WRONG', fields: { otp: expect.any(String) } });
    expect((await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) })).body.code).toBe(1);
    expect((await login()).body.error).toBe('OTP_REQUIRED');
    expect((await login({ otp: await wrongCode(secret) })).body.error).toBe('OTP_WRONG');
    const right = await login({ otp: await codeOf(secret, 1) });
    expect(right.body.data.factors).toEqual(['totp']);
    expect((await staff.get('factor/list')).body.data).toHaveLength(1);
  });

  test('accepts each code once, even if it is sent many times at once', async () => {
    const { staff, id, secret, login } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    const otp = await codeOf(secret, 1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => login({ otp })));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
    expect((await login({ otp })).body.error).toBe('OTP_USED');
    // An older code is no longer accepted either.
    expect((await login({ otp: await codeOf(secret) })).body.error).toBe('OTP_USED');
  });

  test('is required at a step-up together with the password', async () => {
    const { staff, id, secret } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    expect((await staff.post('session/stepUp', { password: STAFF_PASSWORD })).body.error).toBe(
      'OTP_REQUIRED',
    );
    const otp = await codeOf(secret, 1);
    expect((await staff.post('session/stepUp', { otp })).body.error).toBe('LOGIN_FAILED');
    // An empty passkey counts as absent; it does not replace the password.
    expect((await staff.post('session/stepUp', { passkey: '', otp })).body.code).toBe(0);
    expect((await staff.post('session/stepUp', { password: STAFF_PASSWORD, otp })).body.code).toBe(1);
  });

  test('can’t be guessed by somebody who has the password', async () => {
    const strict = await startOffice(db, {
      limits: { ...WIDE_LIMITS, failedLoginsPerAccount: 5 },
    });
    const { staff, id, secret, login } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    const client = new OfficeClient(strict.officeOrigin);
    const otp = await wrongCode(secret);
    const told = [];
    for (let turn = 0; turn < 6; turn += 1) {
      // A right password between two guesses does not reset the count.
      told.push((await login(turn % 2 === 0 ? { otp } : {}, client)).status);
    }
    expect(told).toEqual([200, 200, 200, 200, 200, 429]);
    await strict.stop();
  });

  test('is sealed in the database and can’t be opened for another person', async () => {
    const one = await withTotp();
    const two = await withTotp();
    const { rows } = await db.owner.query<{ sealed_secret: Buffer }>(
      'select sealed_secret from staff_second_factors where id = $1',
      [one.id],
    );
    expect(rows[0]?.sealed_secret.includes(one.secret)).toBe(false);
    await db.owner.query(
      'update staff_second_factors set sealed_secret = (select sealed_secret from staff_second_factors where id = $1) where id = $2',
      [one.id, two.id],
    );
    const { status } = await two.staff.post('factor/confirmTotp', {
      id: two.id,
      otp: await codeOf(one.secret),
    });
    expect(status).toBe(500);
  });

  test('can’t be confirmed or removed by another person', async () => {
    const one = await withTotp();
    const two = await withTotp();
    const otp = await codeOf(one.secret);
    expect((await two.staff.post('factor/confirmTotp', { id: one.id, otp })).body.error).toBe(
      'FACTOR_NOT_FOUND',
    );
    await one.staff.post('factor/confirmTotp', { id: one.id, otp });
    expect((await two.staff.post('factor/remove', { id: one.id })).body.error).toBe('FACTOR_NOT_FOUND');
    expect((await one.staff.post('factor/remove', { id: one.id })).body.code).toBe(1);
    expect((await one.login()).body.code).toBe(1);
  });
});

describe('a new factor', () => {
  test('ends the person’s other sessions, so that a thief of the password needs the factor too', async () => {
    const { staff, id, secret, login } = await withTotp();
    const thief = new OfficeClient(api.officeOrigin);
    expect((await login({}, thief)).body.code).toBe(1);
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    expect((await thief.get('session/me')).status).toBe(401);
    expect((await staff.get('session/me')).body.code).toBe(1);
  });

  test('can’t be added beside other factors in a session that has shown none of them', async () => {
    const { staff, id, secret } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    const second = await staff.post('factor/beginTotp');
    expect(second.body.code).toBe(1);
    await db.owner.query('update staff_sessions set is_strong = false where staff_id = $1', [staff.staffId]);
    const own = { id: second.body.data.id, otp: await codeOf(second.body.data.secret) };
    const errors = [
      await staff.post('factor/beginTotp'),
      await staff.post('factor/confirmTotp', own),
      await staff.post('factor/beginPasskey'),
      await staff.post('factor/confirmPasskey', { label: 'key', passkey: '{}' }),
    ].map(({ body }) => body.error);
    expect(errors).toEqual(Array(4).fill('OTP_REQUIRED'));
    await db.owner.query('update staff_sessions set is_strong = true where staff_id = $1', [staff.staffId]);
    expect((await staff.post('factor/confirmTotp', own)).body.code).toBe(1);
  });

  test('does not reset the count of password guesses and does not count as a step-up', async () => {
    const limits = { ...WIDE_LIMITS, failedLoginsPerAccount: 3 };
    const strict = await startOffice(db, { limits });
    const staff = await staffOf(db, strict.officeOrigin, 'cashier');
    const guess = async () => (await staff.post('session/stepUp', { password: 'wrong' })).status;
    expect([await guess(), await guess()]).toEqual([200, 200]);
    await db.owner.query(
      `update staff_sessions set proved_until = now() + interval '1 minute' where staff_id = $1`,
      [staff.staffId],
    );
    const before = (await staff.get('session/me')).body.data.freshUntil;
    const { id, secret } = (await staff.post('factor/beginTotp')).body.data;
    expect((await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) })).body.code).toBe(1);
    expect((await staff.get('session/me')).body.data.freshUntil).toBe(before);
    expect([await guess(), await guess()]).toEqual([200, 429]);
    await strict.stop();
  });

  test('is refused with TOO_MANY_FACTORS if ten exist', async () => {
    const { staff, id, secret } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret) });
    await db.owner.query(
      `insert into staff_second_factors (staff_id, kind, label, sealed_secret, confirmed_at)
       select $1, 'totp', 'TOTP', sealed_secret, now() from staff_second_factors, generate_series(1, 9) where id = $2`,
      [staff.staffId, id],
    );
    const errors = [
      await staff.post('factor/beginTotp'),
      await staff.post('factor/beginPasskey'),
      await staff.post('factor/confirmPasskey', { label: 'key', passkey: '{}' }),
    ].map(({ body }) => [body.error, body.msg]);
    expect(errors.map(([error]) => error)).toEqual(Array(3).fill('TOO_MANY_FACTORS'));
    expect(JSON.stringify(errors)).toContain('You can have up to 10 second factors');
  });
});

describe('an invalid passkey', () => {
  test.each(['', 'x', '[]', 'null', '{}', '{"id":"AA","response":{}}'])('fails: %j', async (passkey) => {
    const { staff, id, secret, login } = await withTotp();
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret, 1) });
    const { body } = await login({ passkey });
    expect(body.error).toBe(passkey === '' ? 'INVALID_VALUE' : 'OTP_WRONG');
    await staff.post('factor/beginPasskey');
    expect((await staff.post('factor/confirmPasskey', { label: 'key', passkey })).body.code).toBe(0);
  });
});

describe('in live mode', () => {
  test('a second factor has to be set up before anything else, and the last one can’t be removed', async () => {
    const live = await startOffice(db, { mode: 'live' });
    const staff = await staffOf(db, live.officeOrigin, 'auditor');
    expect((await staff.get('session/me')).body.data.needsFactor).toBe(true);
    expect((await staff.get('audit/list')).body.error).toBe('FACTOR_SETUP_REQUIRED');
    const { id, secret } = (await staff.post('factor/beginTotp')).body.data;
    await staff.post('factor/confirmTotp', { id, otp: await codeOf(secret, 1) });
    expect((await staff.get('audit/list')).body.code).toBe(1);
    expect((await staff.post('factor/remove', { id })).body.error).toBe('LAST_FACTOR');
    await live.stop();
  });
});
