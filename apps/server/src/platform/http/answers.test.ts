import { answerOf, get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { SlowClient } from '@fairtick/kit/clients/slow-client.ts';
import { untilBlocked } from '@fairtick/kit/database/pools.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { LANGUAGES } from '@fairtick/protocol';
import pg from 'pg';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);

describe('the envelope', () => {
  test('has code 1 and the data on success (S7-30, S9-02)', async () => {
    const { status, body } = await get(api.origin, 'app/config');
    expect([status, body.code, body.msg, body.data.brand]).toEqual([200, 1, '', 'Fairtick']);
    expect(body.data).toMatchObject({ defaultLanguage: 'zh', languages: ['zh', 'tw', 'en'] });
  });

  test('has code 0, a sentence, a stable name and the fields at fault on a refusal (S7-31, S8-01, S5-01, S5-02)', async () => {
    const { status, body } = await post(api.origin, 'user/login', { account: '', password: '' });
    expect(status).toBe(200);
    expect(body).toEqual({
      code: 0,
      msg: 'Account cannot be empty',
      data: null,
      error: 'ACCOUNT_REQUIRED',
      fields: { account: 'Account cannot be empty', password: 'Password cannot be empty' },
    });
  });

  test('has code 401 with HTTP 401 where a session is needed (S7-32)', async () => {
    for (const token of ['', 'nonsense', 'x'.repeat(5_000), 'a, b']) {
      const { status, body } = await get(api.origin, 'user/getUserInfo', {}, { token });
      expect([status, body.code, body.error, body.data]).toEqual([401, 401, 'SESSION_EXPIRED', null]);
    }
  });

  test('has code 500, a request id and no internal details on an unforeseen error (S7-33)', async () => {
    const balanced = await startApi(db, { trustProxy: true });
    await db.owner.query('alter table recovery_requests rename to somewhere_else');
    try {
      const { status, body } = await post(api.origin, 'user/recoverRequest', {
        account: 'someone_else',
        contact: 'x',
        text: 'y',
      });
      expect([status, body.code, body.error, body.data]).toEqual([500, 500, 'INTERNAL', null]);
      expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
      expect(body.msg).toBe(`Something went wrong on our side. Reference ${body.requestId}`);
      expect(JSON.stringify(body)).not.toMatch(/recovery_requests|relation|select|insert|\.ts/i);
      // A balancer's number of the request is kept; anybody else's is not.
      const own = { 'x-request-id': '5f0c9f0e-9d57-4b0c-8a3e-2f1f6f2a7c11' };
      const [behind, direct] = await Promise.all(
        [balanced, api].map(({ origin }) =>
          post(
            origin,
            'user/recoverRequest',
            { account: 'someone_else', contact: 'x', text: 'y' },
            { headers: own },
          ),
        ),
      );
      expect(behind?.body.requestId).toBe(own['x-request-id']);
      expect(direct?.body.requestId).not.toBe(own['x-request-id']);
    } finally {
      await balanced.stop();
      await db.owner.query('alter table somewhere_else rename to recovery_requests');
    }
  });
});

describe('the language of an answer', () => {
  const SENTENCE = {
    zh: '账号或密码不正确',
    tw: '帳號或密碼不正確',
    en: 'Incorrect account or password',
  };

  async function refusedIn(lang: string | null, header: string | null): Promise<string> {
    const form = new URLSearchParams({ account: 'nobody_here', password: 'wrong-one' });
    if (lang !== null) form.set('lang', lang);
    const headers: Record<string, string> = header === null ? {} : { language: header };
    const response = await fetch(`${api.origin}/api/user/login`, { method: 'POST', headers, body: form });
    return (await answerOf(response)).body.msg;
  }

  test('is the field’s, else the header’s, else Chinese, also for an unknown language (S1-28, S1-29, S7-06, S7-08)', async () => {
    for (const language of LANGUAGES) {
      expect(await refusedIn(language, null)).toBe(SENTENCE[language]);
      expect(await refusedIn(null, language)).toBe(SENTENCE[language]);
      expect(await refusedIn(language, 'zh')).toBe(SENTENCE[language]);
    }
    for (const unknown of ['fr', 'EN', '', '__proto__', 'x'.repeat(1_000)]) {
      expect(await refusedIn(unknown, null)).toBe(SENTENCE.zh);
      expect(await refusedIn(null, unknown)).toBe(SENTENCE.zh);
    }
    expect(await refusedIn(null, null)).toBe(SENTENCE.zh);
  });

  test('of a GET is its query’s, in data, refusals and HTTP errors (S7-05)', async () => {
    const named = async (lang: string) =>
      (await get(api.origin, 'product/detail', { symbol: 'EUR/USD', lang }, { headers: { language: 'zh' } }))
        .body;
    expect((await named('en')).data.name).toBe('Euro / US Dollar');
    expect((await named('zh')).data.name).not.toBe('Euro / US Dollar');
    const { body } = await get(api.origin, 'nothing', { lang: 'tw' }, { headers: { language: 'en' } });
    expect(body.msg).toBe('找不到該位址');
  });
});

describe('headers', () => {
  test('an answer can’t be cached, sniffed or framed', async () => {
    const { token } = await register(api.origin);
    const answers = [
      await get(api.origin, 'user/getUserInfo', {}, { token }),
      await get(api.origin, 'user/getUserInfo'),
      await get(api.origin, 'product/list'),
      await post(api.origin, 'user/login', { account: 'x', password: 'y' }),
      await get(api.origin, 'nothing'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });

  test('an origin with https is used by https alone from then on', async () => {
    const secure = await startApi(db, { publicOrigin: 'https://test.invalid' });
    const { headers } = await get(secure.origin, 'product/list');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    await secure.stop();
  });

  test('the token counts only in its own header and only in full', async () => {
    const { token } = await register(api.origin);
    const call = async (options: { token?: string; headers?: Record<string, string> }, fields = {}) =>
      (await get(api.origin, 'user/getUserInfo', fields, options)).status;
    expect(await call({ token })).toBe(200);
    expect(await call({ token: token.slice(0, -1) })).toBe(401);
    expect(await call({ token: `${token}x` })).toBe(401);
    expect(await call({ token: token.toLowerCase() })).toBe(401);
    expect(await call({ headers: { cookie: `token=${token}` } })).toBe(401);
    expect(await call({ headers: { authorization: `Bearer ${token}` } })).toBe(401);
    expect(await call({}, { token })).toBe(401);
  });
});

describe('a database that is away', () => {
  const asSuperuser = async (...statements: string[]) => {
    const client = new pg.Client({
      host: process.env.FAIRTICK_TEST_SOCKET,
      user: 'postgres',
      database: 'postgres',
    });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  test('leads to 503 with Retry-After until it is back', async () => {
    const { token } = await register(api.origin);
    await asSuperuser(
      `alter database ${db.name} connection limit 0`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.name}'`,
    );
    try {
      await seen(async () => (await get(api.origin, 'user/getUserInfo', {}, { token })).status === 503);
      for (const path of ['user/getUserInfo', 'fund/log', 'order/list', 'transparency/key']) {
        const { status, headers, body } = await get(api.origin, path, {}, { token });
        expect([path, status, body.code, body.error]).toEqual([path, 503, 0, 'NOT_READY']);
        expect(headers.get('retry-after')).toBe('1');
      }
      const login = await post(api.origin, 'user/login', { account: 'nobody_here', password: 'wrong-one' });
      expect([login.status, login.body.error]).toEqual([503, 'NOT_READY']);
      expect((await fetch(`${api.origin}/healthz`)).status).toBe(200);
      const ready = await fetch(`${api.origin}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { database: false, feed: false, settlement: false, prices: false },
      ]);
    } finally {
      await asSuperuser(`alter database ${db.name} connection limit -1`);
    }
    await seen(async () => (await get(api.origin, 'user/getUserInfo', {}, { token })).status === 200);
  });
});

describe('the end of the process', () => {
  test('lets a request under way finish, and closes streams and idle connections at once', async () => {
    const own = await startApi(db);
    const stream = new WebSocket(`${own.origin.replace('http', 'ws')}/api/stream`);
    const closed = new Promise<number>((resolve) =>
      stream.addEventListener('close', (event) => resolve(event.code), { once: true }),
    );
    await new Promise((resolve) => stream.addEventListener('open', resolve, { once: true }));
    const idle = await SlowClient.open(own.port, { bytes: 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n' });
    await seen(() => idle.status === 200);
    // The registration stays under way until the table is unlocked.
    const holder = await db.owner.connect();
    await holder.query('begin; lock table customers in access exclusive mode');
    const underWay = post(own.origin, 'user/register', {
      account: 'last_customer',
      password: 'long enough 1',
      confirmPassword: 'long enough 1',
    });
    let stopping: Promise<void>;
    try {
      await untilBlocked(db.owner);
      stopping = own.stop();
      expect(await closed).toBe(1001);
      await seen(() => idle.isClosed);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await underWay).body.code).toBe(1);
    await stopping;
    await expect(fetch(`${own.origin}/healthz`)).rejects.toThrow();
  });
});
