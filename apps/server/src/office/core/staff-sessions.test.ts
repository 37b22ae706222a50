import { OfficeClient, STAFF_PASSWORD, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const one = ownOffice(db);
const other = ownOffice(db);

/** The same session at the other process. */
function elsewhere(client: OfficeClient): OfficeClient {
  const twin = new OfficeClient(other.officeOrigin);
  twin.cookie = client.cookie;
  return twin;
}

describe('a session of staff', () => {
  test('is a cookie that scripts can’t read and other sites can’t send', async () => {
    const { account } = await staffOf(db, one.officeOrigin, 'cashier');
    const { headers, body } = await new OfficeClient(one.officeOrigin).post('session/login', {
      account: account.toUpperCase(),
      password: STAFF_PASSWORD,
    });
    expect(headers.getSetCookie()[0]).toMatch(/^office=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(body.data).toMatchObject({ account, mustChangePassword: false, needsFactor: false });
    expect(body.data.roles.map((held: { role: string }) => held.role)).toEqual(['cashier']);
    expect(JSON.stringify(body)).not.toContain(headers.getSetCookie()[0]?.slice(7, 50));
  });

  test('over https has a name that only this host can set', async () => {
    const port = await freePort();
    const secure = await startOffice(db, {
      office: { port, origin: 'https://office.invalid', isChosen: true },
    });
    const { account } = await staffOf(db, one.officeOrigin, 'cashier');
    const client = new OfficeClient(`http://localhost:${port}`);
    const { headers } = await client.post('session/login', { account, password: STAFF_PASSWORD });
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-office=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(headers.get('strict-transport-security')).toMatch(/max-age=31536000/);
    await secure.stop();
  });

  test('ends at once on every process when it is logged out or its account is turned off, and loses a removed role at once', async () => {
    const staff = await staffOf(db, one.officeOrigin, 'support');
    expect((await elsewhere(staff).get('session/me')).status).toBe(200);
    const twin = elsewhere(staff);
    await staff.post('session/logout');
    expect((await twin.get('session/me')).status).toBe(401);

    const administrator = await staffOf(db, one.officeOrigin, 'administrator');
    const cashier = await staffOf(db, one.officeOrigin, 'cashier');
    await administrator.post('staff/disable', { id: cashier.staffId, reason: 'left' });
    expect((await elsewhere(cashier).get('session/me')).status).toBe(401);
    const again = await new OfficeClient(one.officeOrigin).post('session/login', {
      account: cashier.account,
      password: STAFF_PASSWORD,
    });
    expect(again.body.error).toBe('LOGIN_FAILED');

    // It does not matter how the account is turned off.
    const support = await staffOf(db, one.officeOrigin, 'support');
    await db.owner.query('update staff set is_active = false where id = $1', [support.staffId]);
    expect((await elsewhere(support).get('session/me')).status).toBe(401);

    const auditor = await staffOf(db, one.officeOrigin, 'auditor');
    expect((await elsewhere(auditor).get('audit/list')).body.code).toBe(1);
    await db.owner.query('delete from staff_roles where staff_id = $1', [auditor.staffId]);
    expect((await elsewhere(auditor).get('audit/list')).body.error).toBe('ROLE_MISSING');
  });

  test('ends an hour after its last use, and twelve after its beginning', async () => {
    const idle = await staffOf(db, one.officeOrigin, 'support');
    const long = await staffOf(db, one.officeOrigin, 'support');
    await db.owner.query(
      `update staff_sessions set last_used_at = now() - interval '59 minutes' where staff_id = $1`,
      [idle.staffId],
    );
    expect((await idle.get('session/me')).status).toBe(200);
    // The request counted as a use.
    const { rows } = await db.owner.query(
      `select last_used_at > now() - interval '1 minute' as is_touched from staff_sessions where staff_id = $1`,
      [idle.staffId],
    );
    expect(rows[0]?.is_touched).toBe(true);
    await db.owner.query(
      `update staff_sessions set last_used_at = now() - interval '61 minutes' where staff_id = $1`,
      [idle.staffId],
    );
    expect((await idle.get('session/me')).status).toBe(401);
    await db.owner.query(
      `update staff_sessions set created_at = now() - interval '12 hours' where staff_id = $1`,
      [long.staffId],
    );
    expect((await long.get('session/me')).status).toBe(401);
  });

  test('asks for a step-up before rights change, when the last is a quarter of an hour old', async () => {
    const ann = await staffOf(db, one.officeOrigin, 'administrator');
    const form = { account: 'somebody_new', name: 'New', person: 'p-1' };
    await db.owner.query('update staff_sessions set proved_until = now() where staff_id = $1', [ann.staffId]);
    expect((await ann.post('staff/create', form)).body.error).toBe('REAUTH_REQUIRED');
    const wrong = await ann.post('session/stepUp', { password: 'wrong' });
    expect(wrong.body).toMatchObject({ error: 'LOGIN_FAILED', fields: { password: expect.any(String) } });
    expect((await ann.post('staff/create', form)).body.error).toBe('REAUTH_REQUIRED');
    expect((await ann.post('session/stepUp', {})).body.error).toBe('LOGIN_FAILED');
    expect((await ann.post('session/stepUp', { passkey: '{}' })).body.error).toBe('OTP_WRONG');
    expect((await ann.post('session/stepUp', { password: STAFF_PASSWORD })).body.code).toBe(1);
    expect((await ann.post('staff/create', form)).body.code).toBe(1);
  });

  test.each([
    ['verification', 'identity/decide', { id: '1', verdict: 'verified' }],
    ['content', 'news/publish', { id: '1', version: '1' }],
    ['support', 'chat/answer', { id: '1', key: 'a-key-of-this-answer', text: 'hello' }],
  ] as const)('of the role %s asks for a step-up before %s', async (role, path, form) => {
    const staff = await staffOf(db, one.officeOrigin, role);
    expect((await staff.post(path, form)).body.error).not.toBe('REAUTH_REQUIRED');
    await db.owner.query('update staff_sessions set proved_until = now() where staff_id = $1', [
      staff.staffId,
    ]);
    expect((await staff.post(path, form)).body.error).toBe('REAUTH_REQUIRED');
  });

  test('reports its own freshness, independent of other sessions', async () => {
    const staff = await staffOf(db, one.officeOrigin, 'content');
    const stale = new OfficeClient(one.officeOrigin);
    await stale.post('session/login', { account: staff.account, password: STAFF_PASSWORD });
    await db.owner.query(
      `update staff_sessions set proved_until = now() where id = (select max(id) from staff_sessions where staff_id = $1)`,
      [staff.staffId],
    );
    const isProved = async (client: OfficeClient) => {
      const { freshUntil, serverTime } = (await client.get('session/me')).body.data;
      return freshUntil > serverTime;
    };
    expect(await isProved(stale)).toBe(false);
    expect(await isProved(staff)).toBe(true);
  });

  test('is named in the audit log by each act under it, not by acts under the person’s other session', async () => {
    const ann = await staffOf(db, one.officeOrigin, 'administrator');
    const second = new OfficeClient(one.officeOrigin);
    await second.post('session/login', { account: ann.account, password: STAFF_PASSWORD });
    const { rows: sessions } = await db.owner.query<{ id: string }>(
      'select id from staff_sessions where staff_id = $1 order by id',
      [ann.staffId],
    );
    for (const [client, account] of [
      [ann, 'made_here'],
      [second, 'made_there'],
    ] as const) {
      const form = { account, name: 'New', person: account };
      expect((await client.post('staff/create', form)).body.code).toBe(1);
    }
    const { rows } = await db.owner.query<{ session: string }>(
      `select entry::jsonb ->> 'session' as session from audit_log where staff_id = $1 and action = 'staff.create' order by seq`,
      [ann.staffId],
    );
    expect(rows.map(({ session }) => session)).toEqual(sessions.map(({ id }) => id));
  });

  test('is listed with its device and can be ended from another session', async () => {
    const staff = await staffOf(db, one.officeOrigin, 'content');
    const second = new OfficeClient(one.officeOrigin);
    await second.post(
      'session/login',
      { account: staff.account, password: STAFF_PASSWORD },
      { 'user-agent': 'Tablet' },
    );
    const { body } = await staff.get('session/list');
    expect(body.data).toHaveLength(2);
    const tablet = body.data.find((session: { userAgent: string }) => session.userAgent === 'Tablet');
    expect(tablet.isThis).toBe(false);
    // A stranger can't end it.
    const stranger = await staffOf(db, one.officeOrigin, 'content');
    await stranger.post('session/end', { id: tablet.id });
    expect((await second.get('session/me')).status).toBe(200);
    await staff.post('session/end', { id: tablet.id });
    expect((await second.get('session/me')).status).toBe(401);
    expect((await staff.get('session/me')).status).toBe(200);
  });
});

describe('a password', () => {
  test('guessed too often locks the office account but not a customer of the same name', async () => {
    const strict = await startOffice(db, {
      limits: { ...WIDE_LIMITS, failedLoginsPerAccount: 3 },
    });
    const inside = await staffOf(db, strict.officeOrigin, 'support');
    const { account } = inside;
    const guess = () =>
      new OfficeClient(strict.officeOrigin).post('session/login', { account, password: 'x' });
    const told = [];
    for (let turn = 0; turn < 4; turn += 1) told.push((await guess()).status);
    expect(told).toEqual([200, 200, 200, 429]);
    const right = await new OfficeClient(strict.officeOrigin).post('session/login', {
      account,
      password: STAFF_PASSWORD,
    });
    expect(right.status).toBe(429);
    // Guesses from outside do not block a logged-in member of staff.
    expect((await inside.post('session/stepUp', { password: STAFF_PASSWORD })).body.code).toBe(1);
    const customer = await fetch(`${strict.origin}/api/user/login`, {
      method: 'POST',
      body: new URLSearchParams({ account, password: 'x' }),
    });
    expect(customer.status).toBe(200);
    const unknown = await new OfficeClient(strict.officeOrigin).post('session/login', {
      account: 'nobody_here',
      password: 'x',
    });
    expect(unknown.body).toMatchObject({ error: 'LOGIN_FAILED', data: null });
    await strict.stop();
  });

  test('guessed by strangers shuts out neither a device nor a network from which its owner has logged in', async () => {
    const strict = await startOffice(db, {
      limits: { ...WIDE_LIMITS, failedLoginsPerAccount: 3 },
      trustProxy: true,
    });
    const { account } = await staffOf(db, one.officeOrigin, 'support');
    const colleague = await staffOf(db, one.officeOrigin, 'support');
    const login = (password: string, address: string, cookie = '', who = account) =>
      new OfficeClient(strict.officeOrigin).post(
        'session/login',
        { account: who, password },
        { 'x-forwarded-for': address, cookie },
      );
    const deviceOf = async (who: string, address: string) => {
      const { headers } = await login(STAFF_PASSWORD, address, '', who);
      const cookie = headers.getSetCookie().find((one) => one.startsWith('device='));
      expect(cookie).toMatch(/; Max-Age=\d+; Path=\/api\/session; HttpOnly; SameSite=Strict$/);
      return cookie?.split(';')[0];
    };
    const own = await deviceOf(account, '192.0.2.1');
    const foreign = await deviceOf(colleague.account, '192.0.2.2');
    for (let guess = 0; guess < 3; guess += 1) await login('x', `198.51.100.${guess}`);
    const told = [];
    for (const [address, cookie] of [
      ['203.0.113.1', undefined],
      ['203.0.113.1', foreign],
      ['203.0.113.1', own?.replace(/=./, (first) => (first === '=A' ? '=B' : '=A'))],
      ['203.0.113.1', own],
      ['192.0.2.1', undefined],
    ] as const)
      told.push((await login(STAFF_PASSWORD, address, cookie)).status);
    expect(told).toEqual([429, 429, 429, 200, 200]);
    await strict.stop();
  });

  test('of one time begins no session after a day, and a reset or turning the account on gives a day more', async () => {
    const ann = await staffOf(db, one.officeOrigin, 'administrator');
    const bob = await staffOf(db, one.officeOrigin, 'administrator');
    const made = await ann.post('staff/create', { account: 'late_cashier', name: 'Late', person: 'p-3' });
    const { id, oneTimePassword } = made.body.data;
    const age = () =>
      db.owner.query(`update staff set one_time_from = now() - interval '25 hours' where id = $1`, [id]);
    const carryOut = async (by: OfficeClient) => {
      const { body } = await by.get('staff/changes');
      const change = body.data.items.find(
        (item: { staffId: string; state: string }) => item.staffId === id && item.state === 'proposed',
      );
      return (await by.post('staff/carryOut', { id: change.id })).body.data;
    };
    const login = (password: string) =>
      new OfficeClient(one.officeOrigin).post('session/login', { account: 'late_cashier', password });
    await age();
    await carryOut(bob);
    expect((await login(oneTimePassword)).body.data.mustChangePassword).toBe(true);
    await age();
    expect((await login(oneTimePassword)).body.error).toBe('ONE_TIME_EXPIRED');
    expect((await login('wrong')).body.error).toBe('LOGIN_FAILED');
    expect((await ann.post('staff/propose', { kind: 'reset', staffId: id })).body.code).toBe(1);
    const reset = await carryOut(bob);
    const late = new OfficeClient(one.officeOrigin);
    expect(
      (await late.post('session/login', { account: 'late_cashier', password: reset.oneTimePassword })).body
        .code,
    ).toBe(1);
    const password = 'a tall green lantern';
    await late.post('session/setPassword', {
      oldPassword: reset.oneTimePassword,
      password,
      confirmPassword: password,
    });
    await age();
    expect((await login(password)).body.data.mustChangePassword).toBe(false);
  });

  test('of a new account has to be changed first', async () => {
    const ann = await staffOf(db, one.officeOrigin, 'administrator');
    const bob = await staffOf(db, one.officeOrigin, 'administrator');
    const made = await ann.post('staff/create', { account: 'fresh_cashier', name: 'Fresh', person: 'p-2' });
    const { id, oneTimePassword } = made.body.data;
    const fresh = new OfficeClient(one.officeOrigin);
    const login = (password: string) => fresh.post('session/login', { account: 'fresh_cashier', password });
    expect((await login(oneTimePassword)).body.error).toBe('LOGIN_FAILED');
    const { body } = await bob.get('staff/changes');
    const change = body.data.items.find((item: { staffId: string }) => item.staffId === id);
    expect((await ann.post('staff/carryOut', { id: change.id })).body.error).toBe('OWN_EDIT');
    expect((await bob.post('staff/carryOut', { id: change.id })).body.code).toBe(1);
    expect((await login(oneTimePassword)).body.data.mustChangePassword).toBe(true);
    expect((await fresh.get('session/list')).body.error).toBe('PASSWORD_CHANGE_REQUIRED');
    const set = (password: string, confirmPassword = password) =>
      fresh.post('session/setPassword', { oldPassword: oneTimePassword, password, confirmPassword });
    expect((await set(oneTimePassword)).body.error).toBe('PASSWORD_UNCHANGED');
    expect((await set('password123')).body.error).toBe('PASSWORD_COMMON');
    expect((await set('Fresh_cashier1')).body.error).toBe('PASSWORD_NAMED');
    expect((await set('long enough 1', 'long enough 2')).body.fields).toHaveProperty('confirmPassword');
    expect((await set('a tall green lantern')).body.code).toBe(1);
    expect((await fresh.get('session/list')).body.code).toBe(1);
    expect((await login(oneTimePassword)).body.error).toBe('LOGIN_FAILED');
  });
});
