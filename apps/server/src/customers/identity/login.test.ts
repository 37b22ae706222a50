import { type Answer, get, PASSWORD, post, register } from '@fairtick/kit/clients/api-client.ts';
import { countErrors } from '@fairtick/kit/clients/read-answers.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { DEFAULT_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { beforeEach, describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db, { limits: DEFAULT_LIMITS });
const other = ownApi(db, { limits: DEFAULT_LIMITS });
beforeEach(() => db.owner.query('delete from throttles'));

const login = (account: string, password: string, origin = api.origin) =>
  post(origin, 'user/login', { account, password });

describe('logging in', () => {
  test('a login gives a token and the same data as getUserInfo (S4-21, S7-09, S7-10, S7-14)', async () => {
    const { account } = await register(api.origin);
    const { body } = await login(account, PASSWORD);
    expect(body.code).toBe(1);
    const info = await get(other.origin, 'user/getUserInfo', {}, { token: body.data.token });
    expect(info.body.data).toEqual(body.data.userInfo);
  });

  fullTest('a wrong password and an unknown account get the same answer', async () => {
    const { account } = await register(api.origin);
    const wrong = await login(account, 'not the password');
    const unknown = await login('nobody_has_this', 'not the password');
    const impossible = await login('!', 'not the password');
    expect(unknown.body).toEqual(wrong.body);
    expect(impossible.body).toEqual(wrong.body);
    expect(wrong.body).toEqual({
      code: 0,
      msg: 'Incorrect account or password',
      data: null,
      error: 'LOGIN_FAILED',
    });
  });
});

describe('guessing', () => {
  fullTest(
    'ten wrong guesses lock the login of an account on every process, for the right password, too',
    async () => {
      const { account } = await register(api.origin);
      for (let guess = 1; guess <= 10; guess += 1) {
        const { body } = await login(account, `wrong ${guess}`, guess % 2 ? api.origin : other.origin);
        expect([guess, body.error]).toEqual([guess, 'LOGIN_FAILED']);
      }
      for (const origin of [api.origin, other.origin]) {
        const { status, headers, body } = await login(account, PASSWORD, origin);
        expect([status, body.error]).toEqual([429, 'TOO_MANY_REQUESTS']);
        const seconds = Number(headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(14 * 60);
        expect(seconds).toBeLessThanOrEqual(15 * 60);
      }
      const { rows } = await db.owner.query<{ minutes: string }>(
        `select (expire - extract(epoch from now()) * 1000) / 60000 as minutes from throttles where key like 'failed:%'`,
      );
      expect(Number(rows[0]?.minutes)).toBeLessThanOrEqual(15);
    },
  );

  fullTest(
    'fifty concurrent guesses get ten checks, and the right password among the rest is not checked',
    async () => {
      const { account } = await register(api.origin);
      let right: Promise<Answer> | undefined;
      const wrong = await Promise.all(
        Array.from({ length: 49 }, async (_, place) => {
          const answer = await login(account, `wrong ${place}`);
          // Requests arrive in any order: the right password is sent once the wrong ones have used up the count.
          if (answer.status === 429) right ??= login(account, PASSWORD);
          return answer;
        }),
      );
      expect(countErrors(wrong)).toEqual({ LOGIN_FAILED: 10, TOO_MANY_REQUESTS: 39 });
      expect((await right)?.status).toBe(429);
    },
  );

  fullTest('fifty concurrent guesses at two processes get ten checks in all', async () => {
    const { account } = await register(api.origin);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        login(account, `wrong ${place}`, place % 2 ? api.origin : other.origin),
      ),
    );
    expect(countErrors(answers)).toEqual({ LOGIN_FAILED: 10, TOO_MANY_REQUESTS: 40 });
    expect((await login(account, PASSWORD)).status).toBe(429);
  });

  fullTest('guesses at unknown accounts are counted, too', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, place) =>
        login('nobody_at_all', `wrong ${place}`, place % 2 ? api.origin : other.origin),
      ),
    );
    expect(countErrors(answers)).toEqual({ LOGIN_FAILED: 10, NEW_DEVICES_HELD: 2 });
  });

  fullTest('other spellings of the name give no more tries', async () => {
    await register(api.origin, 'idi_index_i');
    // PostgreSQL lower-cases a dotted capital I to i, JavaScript to two characters.
    const spellings = [
      'idi_index_i',
      'IDI_INDEX_I',
      'İdi_index_i',
      'idİ_index_i',
      'idi_İndex_i',
      'İDİ_İNDEX_İ',
    ];
    for (const spelling of spellings.slice(2)) {
      expect([spelling, (await login(spelling, PASSWORD)).body.error]).toEqual([spelling, 'LOGIN_FAILED']);
    }
    for (let guess = 0; guess < 10; guess += 1) await login(spellings[guess % 2] as string, 'wrong one');
    for (const spelling of spellings.slice(0, 2)) {
      expect([spelling, (await login(spelling, PASSWORD)).status]).toEqual([spelling, 429]);
    }
  });

  fullTest('a right password resets the count, and concurrent logins with it are allowed', async () => {
    const { account } = await register(api.origin);
    for (let round = 0; round < 3; round += 1) {
      for (let guess = 0; guess < 9; guess += 1) await login(account, 'wrong one');
      expect((await login(account, PASSWORD)).body.code).toBe(1);
    }
    const atOnce = await Promise.all(Array.from({ length: 30 }, () => login(account, PASSWORD)));
    expect(countErrors(atOnce)).toEqual({ done: 30 });
  });

  fullTest(
    'every place that checks the password counts wrong guesses, the login apart from places inside a session',
    async () => {
      const customer = await register(api.origin);
      const { token } = customer;
      for (let guess = 0; guess < 5; guess += 1) {
        const form = {
          oldPassword: 'wrong one',
          password: 'long enough 1',
          confirmPassword: 'long enough 1',
        };
        expect((await post(api.origin, 'user/setPassword', form, { token })).body.error).toBe(
          'OLD_PASSWORD_WRONG',
        );
        expect((await post(api.origin, 'user/reauth', { password: 'wrong one' }, { token })).body.error).toBe(
          'LOGIN_FAILED',
        );
        expect((await login(customer.account, 'wrong one')).body.error).toBe('LOGIN_FAILED');
      }
      expect((await post(api.origin, 'user/reauth', { password: PASSWORD }, { token })).status).toBe(429);
      expect((await login(customer.account, PASSWORD)).body.code).toBe(1);
    },
  );

  fullTest('wrong guesses of strangers at the login don’t affect open sessions', async () => {
    const { account, token } = await register(api.origin);
    for (let guess = 0; guess < 10; guess += 1) await login(account, 'wrong one');
    expect((await login(account, PASSWORD)).status).toBe(429);
    expect((await post(api.origin, 'user/reauth', { password: PASSWORD }, { token })).body.code).toBe(1);
  });
});

fullTest('an address has three hundred logins a minute', async () => {
  /** Moves the end of the minute under way: a slow machine takes longer for three hundred logins. */
  const endMinuteIn = (ms: number) =>
    db.owner.query(`update throttles set expire = $1 where key like 'login:%'`, [Date.now() + ms]);
  const answers: Answer[] = [];
  for (let batch = 0; batch < 10; batch += 1) {
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 30 }, (_, place) =>
          login(`nobody_${batch}_${place}`, 'wrong', batch % 2 ? api.origin : other.origin),
        ),
      )),
    );
    await endMinuteIn(3_600_000);
  }
  expect(countErrors(answers)).toEqual({ LOGIN_FAILED: 300 });
  await endMinuteIn(60_000);
  const { status, body, headers } = await login('nobody_more', 'wrong');
  expect([status, body.error]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
});
