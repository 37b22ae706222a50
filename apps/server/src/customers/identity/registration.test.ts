import { get, PASSWORD, post } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { DEFAULT_LIMITS, startApi } from '@fairtick/kit/installation/running-api.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);
const other = ownApi(db);

const signUp = (account: string, password = PASSWORD, confirmPassword = password) =>
  post(api.origin, 'user/register', { account, password, confirmPassword });

const count = async (sql: string, ...values: unknown[]): Promise<number> =>
  Number((await db.owner.query<{ count: string }>(`select count(*) from ${sql}`, values)).rows[0]?.count);

describe('registering', () => {
  test('registering opens an account with practice money, ten recovery codes and a session (S3-06, S3-48, S7-12, S7-13)', async () => {
    const { body } = await signUp('First_one');
    expect(body.code).toBe(1);
    const { token, userInfo, recoveryCodes } = body.data;
    expect(userInfo).toMatchObject({
      account: 'First_one',
      nickname: 'First_one',
      level: 'bronze',
      realStatus: 'none',
      hasPayWord: false,
      addresses: { USDT: null, BTC: null, ETH: null },
      banks: [],
      language: 'en',
    });
    expect(Object.keys(userInfo)).toEqual(
      expect.arrayContaining([
        ...['id', 'account', 'nickname', 'level', 'creditScore', 'realStatus', 'hasPayWord', 'addresses'],
        ...['banks', 'balances', 'limits', 'language'],
      ]),
    );
    expect(userInfo.balances).toEqual([
      { asset: 'DEMO', available: '10000.000000', held: '0.000000', earning: '0.000000' },
      { asset: 'USDT', available: '0.000000', held: '0.000000', earning: '0.000000' },
      { asset: 'USD', available: '0.00', held: '0.00', earning: '0.00' },
      { asset: 'BTC', available: '0.00000000', held: '0.00000000', earning: '0.00000000' },
      { asset: 'ETH', available: '0.00000000', held: '0.00000000', earning: '0.00000000' },
    ]);
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect((await get(api.origin, 'user/getUserInfo', {}, { token })).body.data).toEqual(userInfo);
  });

  test('an account name starts with a letter and has 6 to 18 letters, digits or underscores (S5-05, S5-06, S9-03)', async () => {
    const good = ['abcdef', 'A23456', 'a_____', 'Z'.repeat(18), 'aB3_aB3_aB3_aB3_aB'];
    for (const account of good) expect([account, (await signUp(account)).body.code]).toEqual([account, 1]);
    const bad = [
      'abcde',
      'a'.repeat(19),
      '1abcdef',
      '_abcdef',
      'abc-def',
      'abc def',
      'abcdéf',
      'abcdef\n',
      ' abcdef',
      'аbcdef',
      'ａｂｃｄｅｆ',
      'abcdef١',
      '\u212a_kelvin',
    ];
    for (const account of bad) {
      const { body } = await signUp(account);
      expect([account, body.error, body.fields?.account]).toEqual([
        account,
        'ACCOUNT_FORMAT',
        'An account name starts with a letter and has 6–18 letters, digits or underscores',
      ]);
    }
  });

  test('a password has 8 to 200 characters of any kind and is hard to guess (S5-02)', async () => {
    const cases: readonly [string, string | undefined][] = [
      ['1234567', 'PASSWORD_TOO_SHORT'],
      ['我的密码是什么呢', undefined],
      ['kx9#Tq2!', undefined],
      ['many tall lamps '.repeat(12).padEnd(200, 'x'), undefined],
      ['x'.repeat(201), 'PASSWORD_TOO_LONG'],
      ['password1', 'PASSWORD_COMMON'],
      ['PassWord1', 'PASSWORD_COMMON'],
      ['qwertyuiop', 'PASSWORD_COMMON'],
      ['1234567890', 'PASSWORD_COMMON'],
      ['P@ssw0rd!', 'PASSWORD_COMMON'],
      ['aaaaaaaa', 'PASSWORD_GUESSABLE'],
      ['        ', 'PASSWORD_GUESSABLE'],
      ['密码密码密码密码', 'PASSWORD_GUESSABLE'],
      ['20261128', 'PASSWORD_GUESSABLE'],
      ['Fairtick2026', 'PASSWORD_NAMED'],
      ['Ｆａｉｒｔｉｃｋ２０２６', 'PASSWORD_NAMED'],
    ];
    for (const [place, [password, error]] of cases.entries()) {
      const { body } = await signUp(`password_${place}`, password);
      expect([password, body.error]).toEqual([password, error]);
      const login = await post(api.origin, 'user/login', { account: `password_${place}`, password });
      expect([password, login.body.code]).toEqual([password, error ? 0 : 1]);
    }
  });

  test('a password is not a form of the account’s name', async () => {
    for (const password of ['Liwei_1988', 'liwei_1988!', 'Liwei2026', '8891_iewil']) {
      const { body } = await signUp('Liwei_1988', password);
      expect([password, body.error]).toEqual([password, 'PASSWORD_NAMED']);
    }
  });

  test('a password is the same composed or in parts, in full or half width, and for a hash of its raw form', async () => {
    const login = async (account: string, password: string) =>
      (await post(api.origin, 'user/login', { account, password })).body.code;
    await signUp('one_spelling', 'Café 한글 9 lamps');
    const spellings = ['Café 한글 9 lamps'.normalize('NFD'), 'Ｃａｆé　한글　９　ｌａｍｐｓ'];
    for (const spelling of spellings) expect(await login('one_spelling', spelling)).toBe(1);
    await db.owner.query('update customers set password_hash = $1 where account = $2', [
      await hash(spellings[0] as string),
      'one_spelling',
    ]);
    expect(await login('one_spelling', spellings[0] as string)).toBe(1);
    expect(await login('one_spelling', 'Cafe 한글 9 lamps')).toBe(0);
  });

  test('registering needs a confirmation that equals the password (S3-49, S5-03, S5-04, S7-12)', async () => {
    const missing = await post(api.origin, 'user/register', { account: 'someone_new', password: PASSWORD });
    expect(missing.body.fields).toEqual({ confirmPassword: 'Please enter the confirmation password' });
    const differs = await signUp('someone_new', PASSWORD, `${PASSWORD} `);
    expect(differs.body.fields).toEqual({ confirmPassword: 'The two passwords do not match' });
    expect(await count('customers where account = $1', 'someone_new')).toBe(0);
  });

  test('account names ignore case, at registration and at login', async () => {
    await signUp('Case_Of_One');
    for (const account of ['Case_Of_One', 'case_of_one', 'CASE_OF_ONE']) {
      const again = await signUp(account);
      expect([account, again.body.error]).toEqual([account, 'ACCOUNT_TAKEN']);
      const login = await post(api.origin, 'user/login', { account, password: PASSWORD });
      expect([account, login.body.data?.userInfo.account]).toEqual([account, 'Case_Of_One']);
    }
  });

  fullTest(
    'fifty concurrent registrations of one name, in any case and at two processes, make one account and leave nothing else',
    async () => {
      const name = 'wanted_by_all';
      const before = {
        customers: await count('customers'),
        sessions: await count('sessions'),
        codes: await count('recovery_codes'),
        balances: await count('ledger.balances'),
      };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, place) =>
          post((place % 2 ? api : other).origin, 'user/register', {
            account: place % 3 ? name : name.toUpperCase(),
            password: `${PASSWORD} ${place}`,
            confirmPassword: `${PASSWORD} ${place}`,
          }),
        ),
      );
      const won = answers.filter(({ body }) => body.code === 1);
      expect(won).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === 'ACCOUNT_TAKEN')).toHaveLength(49);
      expect({
        customers: await count('customers'),
        sessions: await count('sessions'),
        codes: await count('recovery_codes'),
        balances: await count('ledger.balances'),
      }).toEqual({
        customers: before.customers + 1,
        sessions: before.sessions + 1,
        codes: before.codes + 10,
        balances: before.balances + 5,
      });
      const token = won[0]?.body.data.token;
      expect((await get(other.origin, 'user/getUserInfo', {}, { token })).status).toBe(200);
      const { rows } = await db.owner.query('select * from ledger.violations()');
      expect(rows).toEqual([]);
    },
  );

  test('registering stores the country and the acceptance of the risk', async () => {
    const fields = {
      account: 'from_abroad',
      password: PASSWORD,
      confirmPassword: PASSWORD,
      country: 'CH',
      acceptRisk: '1',
    };
    expect((await post(api.origin, 'user/register', fields)).body.code).toBe(1);
    expect(
      await count(
        `customers where account = 'from_abroad' and country = 'CH' and risk_accepted_at is not null`,
      ),
    ).toBe(1);
    const wrong = await post(api.origin, 'user/register', {
      ...fields,
      account: 'from_nowhere',
      country: 'ch',
    });
    expect(wrong.body.error).toBe('INVALID_VALUE');
  });
});

describe('registrations of one address', () => {
  fullTest(
    'an address may make sixty registrations a minute by default, counted over all processes',
    async () => {
      const strict = await startApi(db, { limits: DEFAULT_LIMITS, trustProxy: true });
      const second = await startApi(db, { limits: DEFAULT_LIMITS, trustProxy: true });
      try {
        const from = (address: string, place: number) =>
          post(
            (place % 2 ? strict : second).origin,
            'user/register',
            { account: `limited_${place}`, password: PASSWORD, confirmPassword: PASSWORD },
            { headers: { 'x-forwarded-for': address } },
          );
        const answers = await Promise.all(Array.from({ length: 61 }, (_, place) => from('192.0.2.7', place)));
        expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(60);
        const [refused] = answers.filter(({ status }) => status === 429);
        expect(refused?.body.error).toBe('TOO_MANY_REQUESTS');
        const seconds = Number(refused?.headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(60);
        expect(refused?.body.msg).toBe(`Too many attempts. Please try again in ${seconds} s`);

        expect((await from('192.0.2.8', 100)).body.code).toBe(1);
        // Addresses that the caller puts before the proxy's do not count, and an invalid address breaks nothing.
        expect((await from('198.51.100.1, 192.0.2.7', 101)).status).toBe(429);
        expect((await from('not an address', 102)).body.code).toBe(1);
        // Calls for help have their own count.
        const help = await post(
          strict.origin,
          'user/recoverRequest',
          { account: 'limited_1', contact: 'x', text: 'y' },
          { headers: { 'x-forwarded-for': '192.0.2.7' } },
        );
        expect(help.body.code).toBe(1);
      } finally {
        await strict.stop();
        await second.stop();
      }
    },
  );

  fullTest(
    'a network may make five hundred registrations a day by default, and each of its addresses a fifth',
    async () => {
      const limits = { ...DEFAULT_LIMITS, registrationsPerNetwork: 10 };
      const first = await startApi(db, { limits, trustProxy: true });
      const second = await startApi(db, { limits, trustProxy: true });
      try {
        let place = 0;
        const from = async (address: string) => {
          place += 1;
          const fields = { account: `daily_${place}`, password: PASSWORD, confirmPassword: PASSWORD };
          const headers = { 'x-forwarded-for': address };
          const answer = await post((place % 2 ? first : second).origin, 'user/register', fields, {
            headers,
          });
          if (answer.status === 429)
            expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(86_000);
          return answer.body.code === 1 ? 'done' : answer.body.error;
        };
        for (const own of [
          (host: number) => `203.0.113.${host}`,
          (host: number) => `2001:db8:7:${host}::1`,
        ]) {
          for (let host = 1; host <= 5; host += 1) {
            const answers = [await from(own(host)), await from(own(host)), await from(own(host))];
            expect([host, ...answers]).toEqual([host, 'done', 'done', 'TOO_MANY_REQUESTS']);
          }
          expect(await from(own(99))).toBe('TOO_MANY_REQUESTS');
        }
        for (const neighbour of ['203.0.114.1', '2001:db8:8::1']) expect(await from(neighbour)).toBe('done');
      } finally {
        await first.stop();
        await second.stop();
      }
    },
  );

  test('the address in a header is ignored unless the proxy is trusted', async () => {
    const strict = await startApi(db, { limits: { ...DEFAULT_LIMITS, registrationsPerAddress: 3 } });
    try {
      await db.owner.query('delete from throttles');
      const statuses: number[] = [];
      for (let place = 0; place < 4; place += 1) {
        const headers = { 'x-forwarded-for': `192.0.2.${place}` };
        const fields = { account: `forged_${place}`, password: PASSWORD, confirmPassword: PASSWORD };
        statuses.push((await post(strict.origin, 'user/register', fields, { headers })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 429]);
    } finally {
      await strict.stop();
    }
  });
});
