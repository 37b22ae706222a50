import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import type { RunningApi } from '@fairtick/kit/installation/running-api.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

const db = ownDatabase();
const apis = [ownApi(db), ownApi(db)] as const;

const RIGHT = '135790';
const call = (path: string, fields: Record<string, string>, { token }: Registered, place = 0) =>
  post((apis[place % 2] as RunningApi).origin, `user/${path}`, fields, { token });
/** Changing the withdrawal password counts as a guess at the old one. */
const guess = (customer: Registered, oldPayWord: string, place = 0) =>
  call('setPayWord', { payWord: RIGHT, oldPayWord }, customer, place);

async function withWord(): Promise<Registered> {
  const customer = await register(apis[0].origin);
  expect((await call('setPayWord', { payWord: RIGHT, confirmPayWord: RIGHT }, customer)).body.code).toBe(1);
  return customer;
}

const word = async ({ id }: Registered) =>
  (await db.owner.query('select * from withdrawal_passwords where customer_id = $1', [id])).rows[0];

describe('the withdrawal password', () => {
  test('the withdrawal password is set, shown as set, and changed with the old one (S7-17)', async () => {
    const customer = await register(apis[0].origin);
    const has = async () =>
      (await get(apis[1].origin, 'user/getUserInfo', {}, { token: customer.token })).body.data.hasPayWord;
    expect(await has()).toBe(false);
    expect((await call('setPayWord', { payWord: RIGHT }, customer)).body).toMatchObject({
      code: 1,
      data: null,
    });
    expect(await has()).toBe(true);
    const without = await call('setPayWord', { payWord: '246810' }, customer);
    expect(without.body.fields).toEqual({ oldPayWord: 'Please enter the current withdrawal password' });
    const changed = await call('setPayWord', { payWord: '246810', oldPayWord: RIGHT }, customer, 1);
    expect(changed.body.code).toBe(1);
    expect((await guess(customer, RIGHT)).body.error).toBe('PAY_WORD_WRONG');
    expect((await guess(customer, '246810')).body.code).toBe(1);
  });

  test.each(['', '12345', '1234567', '12345a', '1234５', '-12345', '1e5000'])(
    'has six digits; %j is refused',
    async (payWord) => {
      const { body } = await call('setPayWord', { payWord }, await register(apis[0].origin));
      expect(['PAY_WORD_REQUIRED', 'PAY_WORD_FORMAT']).toContain(body.error);
    },
  );

  test.each(['１２３４５６', ' 123 456', '123-456'])('may be typed as %j', async (payWord) => {
    const { body } = await call('setPayWord', { payWord }, await register(apis[0].origin));
    expect(body.error).toBeUndefined();
  });

  test('the withdrawal password is not set when its confirmation differs (S7-17)', async () => {
    const customer = await register(apis[0].origin);
    const { body } = await call('setPayWord', { payWord: RIGHT, confirmPayWord: '135791' }, customer);
    expect(body.fields).toEqual({ confirmPayWord: 'The two withdrawal passwords do not match' });
    expect(await word(customer)).toBeUndefined();
  });

  test('is stored as a sealed argon2id hash, so that nothing of it is readable', async () => {
    const { sealed } = await word(await withWord());
    expect(sealed.toString('latin1')).not.toMatch(/argon2|\d{6}/);
  });

  test('shows after a wrong try how many are left, and restores all of them after a right one', async () => {
    const customer = await withWord();
    for (const left of [4, 3, 2, 1]) {
      expect((await guess(customer, '000000')).body.msg).toMatch(new RegExp(`${left}$`));
    }
    expect((await guess(customer, RIGHT)).body.code).toBe(1);
    expect((await guess(customer, '000000')).body.msg).toMatch(/4$/);
  });

  fullTest('locks after exactly five of fifty concurrent wrong tries at two processes', async () => {
    const customer = await withWord();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => guess(customer, String(100_000 + place), place)),
    );
    const errors = answers.map(({ body }) => body.error);
    // Four answers show the tries left; the fifth and all others say that it is locked.
    expect(errors.filter((error) => error === 'PAY_WORD_WRONG').length).toBe(4);
    expect(errors.filter((error) => error === 'PAY_WORD_LOCKED').length).toBe(46);
    expect(await word(customer)).toMatchObject({ failures: 5 });
    const locked = await guess(customer, RIGHT, 1);
    expect([locked.body.error, locked.body.msg]).toEqual([
      'PAY_WORD_LOCKED',
      'The withdrawal password is locked. Try again in 24 hours, or reset it',
    ]);
  });

  fullTest('allows exactly five of 32 concurrent tries, in each of forty rounds', async () => {
    const { id } = await withWord();
    for (let round = 0; round < 40; round += 1) {
      await db.owner.query(
        'update withdrawal_passwords set failures = 0, locked_until = null where customer_id = $1',
        [id],
      );
      const tries = await Promise.all(
        Array.from({ length: 32 }, () => db.server.query('select * from withdrawal_password_try($1)', [id])),
      );
      const given = tries.filter(({ rows }) => rows[0].sealed !== null);
      expect(given.map(({ rows }) => rows[0].failures).sort()).toEqual([1, 2, 3, 4, 5]);
    }
  });

  test('unlocks when the lock ends, with five new tries', async () => {
    const customer = await withWord();
    const lockedUntil = async () =>
      (await get(apis[1].origin, 'user/getUserInfo', {}, { token: customer.token })).body.data
        .payWordLockedUntil;
    expect(await lockedUntil()).toBeNull();
    for (let tries = 0; tries < 5; tries += 1) await guess(customer, '000000');
    expect(await lockedUntil()).toBe(Math.floor((await word(customer)).locked_until.getTime()));
    await db.owner.query(
      `update withdrawal_passwords set locked_until = now() - interval '1 second' where customer_id = $1`,
      [customer.id],
    );
    expect(await lockedUntil()).toBeNull();
    expect((await guess(customer, '000000')).body.msg).toMatch(/4$/);
    expect((await guess(customer, RIGHT)).body.code).toBe(1);
  });

  test('is reset with the account’s password when it was forgotten, which starts the hold', async () => {
    const customer = await withWord();
    for (let tries = 0; tries < 5; tries += 1) await guess(customer, '000000');
    const before = (await word(customer)).changed_at.getTime();
    const wrong = await call('resetPayWord', { payWord: '246810', password: 'not it' }, customer);
    expect(wrong.body.fields).toHaveProperty('password');
    const reset = await call('resetPayWord', { payWord: '246810', password: PASSWORD }, customer);
    expect(reset.body.code).toBe(1);
    expect((await word(customer)).changed_at.getTime()).toBeGreaterThan(before);
    expect((await guess(customer, '246810')).body.code).toBe(1);
  });

  test('is set by one of several concurrent first requests', async () => {
    const customer = await register(apis[0].origin);
    const answers = await Promise.all(
      ['111111', '222222', '333333', '444444'].map((payWord, place) =>
        call('setPayWord', { payWord }, customer, place),
      ),
    );
    expect(answers.filter(({ body }) => body.code === 1).length).toBe(1);
  });

  test.each(['setPayWord', 'resetPayWord', 'setAddress', 'setBank', 'removeBank'])(
    '%s asks for the password again when the session is not fresh',
    async (path) => {
      const customer = await register(apis[0].origin);
      await db.owner.query(
        `update sessions set fresh_until = now() - interval '1 second' where customer_id = $1`,
        [customer.id],
      );
      await seen(async () => (await call(path, {}, customer)).body.error === 'REAUTH_REQUIRED');
      expect((await call('reauth', { password: PASSWORD }, customer)).body.code).toBe(1);
      expect((await call(path, {}, customer)).body.error).not.toBe('REAUTH_REQUIRED');
    },
  );

  test('can’t be changed, and its tries can’t be reset, by the server’s role', async () => {
    for (const statement of [
      'update withdrawal_passwords set failures = 0, locked_until = null',
      `insert into withdrawal_passwords (customer_id, sealed) values (1000, 'x')`,
      'delete from withdrawal_passwords',
    ]) {
      expect(await db.server.query(statement).catch(failureOf)).toBe('42501');
    }
  });
});
