import { answerOf, get, post } from '@fairtick/kit/clients/api-client.ts';
import { rawHttp } from '@fairtick/kit/clients/raw-http.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

async function send(path: string, body: string | Uint8Array<ArrayBuffer>, type: string) {
  return answerOf(
    await fetch(`${api.origin}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, language: 'en' },
      body,
    }),
  );
}

/** Every login that is parsed gets this answer, so any other answer means that the body was not parsed. */
const LOGIN = 'account=nobody_here&password=wrong-one';

describe('a body that can’t be read is refused with 400 and an envelope', () => {
  const bodies: readonly (readonly [string, string, string | Uint8Array<ArrayBuffer>])[] = [
    ['broken JSON', JSON_TYPE, '{"account":"nobody_here",'],
    ['JSON with something behind it', JSON_TYPE, '{"account":"nobody_here"} x'],
    ['a JSON list', JSON_TYPE, '[{"account":"nobody_here"}]'],
    ['a JSON string', JSON_TYPE, '"account=nobody_here"'],
    ['a JSON null', JSON_TYPE, 'null'],
    ['a list in a field', JSON_TYPE, '{"account":["nobody_here"],"password":"wrong-one"}'],
    ['an object in a field', JSON_TYPE, '{"account":{"a":1},"password":"wrong-one"}'],
    ['a JSON name twice', JSON_TYPE, '{"account":"nobody_here","account":"other_one","password":"x"}'],
    ['a JSON name twice, once escaped', JSON_TYPE, '{"account":"a","\\u0061ccount":"b","password":"x"}'],
    ['a prototype with a value', JSON_TYPE, '{"__proto__":{"isAdmin":true},"account":"a","password":"b"}'],
    ['JSON that is no UTF-8', JSON_TYPE, Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
    ['a form field twice', FORM, `${LOGIN}&account=other_one`],
    ['a form field twice, once encoded', FORM, `${LOGIN}&%61ccount=other_one`],
    ['a broken percent sign', FORM, 'account=%zz&password=wrong-one'],
    ['half a percent sign', FORM, 'account=nobody_here&password=%4'],
    ['an encoding that is no UTF-8', FORM, 'account=%ff%fe&password=wrong-one'],
    ['an encoded surrogate', FORM, 'account=%ed%a0%80&password=wrong-one'],
    ['bytes that are no UTF-8', FORM, Uint8Array.of(0x61, 0x3d, 0xc3, 0x28)],
  ];
  test.each(bodies)('%s', async (_name, type, body) => {
    const { status, body: envelope } = await send('user/login', body, type);
    expect(status).toBe(400);
    expect(envelope).toEqual({
      code: 0,
      msg: 'The request could not be read',
      data: null,
      error: 'MALFORMED_BODY',
    });
  });

  test.each(['symbol=EUR/USD&symbol=GBP/USD', 'symbol=%zz', 'symbol=%ff', 'lang=en&lang=zh&symbol=EUR/USD'])(
    'the query %s',
    async (query) => {
      const answer = await answerOf(
        await fetch(`${api.origin}/api/product/detail?${query}`, { headers: { language: 'en' } }),
      );
      expect([answer.status, answer.body.error, answer.body.msg]).toEqual([
        400,
        'MALFORMED_BODY',
        'The request could not be read',
      ]);
    },
  );

  test('a field named __proto__ changes no prototype', async () => {
    await send('user/login', '__proto__=isAdmin&constructor=x&account=nobody_here&password=y', FORM);
    await send('user/login', '{"__proto__":"isAdmin","account":"nobody_here","password":"y"}', JSON_TYPE);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });
});

describe('fields', () => {
  test('an unknown field is refused by its name, whatever the name is', async () => {
    for (const name of ['nickname', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      for (const json of [false, true]) {
        const fields = { account: 'nobody_here', password: 'wrong-one' };
        const extra = Object.fromEntries([[name, 'x']]);
        const { status, body } = await post(api.origin, 'user/login', { ...fields, ...extra }, { json });
        expect([name, json, status, body.code, body.error]).toEqual([name, json, 200, 0, 'UNKNOWN_FIELD']);
        expect(Object.entries(body.fields ?? {})).toEqual([[name, `Unknown field: ${name}`]]);
      }
    }
  });

  test('the answer to a thousand unknown fields names ten of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [`field_${place}`, 'x']));
    const { body } = await post(api.origin, 'user/login', many);
    expect(Object.keys(body.fields ?? {})).toHaveLength(10);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  test('text that PostgreSQL can’t hold is refused as a value, in every field that is stored or looked up', async () => {
    const call = (fields: Record<string, string>) =>
      post(api.origin, 'user/recoverRequest', fields, { json: true });
    const fine = { account: 'nobody_here', contact: 'me@mail.example', text: 'help' };
    expect((await call(fine)).body.code).toBe(1);
    for (const bad of ['\0', 'a\0b', '\ud800', 'x\udc00y']) {
      for (const field of Object.keys(fine)) {
        const { status, body } = await call({ ...fine, [field]: bad });
        expect([field, status, body.error, Object.keys(body.fields ?? {})]).toEqual([
          field,
          200,
          'INVALID_VALUE',
          [field],
        ]);
      }
      const login = await post(api.origin, 'user/login', { account: bad, password: bad }, { json: true });
      expect([login.status, login.body.error]).toEqual([200, 'INVALID_VALUE']);
      const recover = {
        account: bad,
        recoveryCode: bad,
        password: 'long enough',
        confirmPassword: 'long enough',
      };
      expect((await post(api.origin, 'user/recover', recover, { json: true })).body.error).toBe(
        'INVALID_VALUE',
      );
    }
  });

  test('any other Unicode text is looked up and not found, without a server error', async () => {
    const strange = [
      'İ'.repeat(200),
      'ﬃ'.repeat(60),
      '\u2028',
      '😀😀',
      '\u202eabc',
      "'; drop table customers",
      '%',
      '\\',
    ];
    for (const account of strange) {
      const { status, body } = await post(
        api.origin,
        'user/login',
        { account, password: account },
        { json: true },
      );
      expect([account, status, body.error]).toEqual([account, 200, 'LOGIN_FAILED']);
    }
  });

  test('JSON and a form with the same fields get the same answer (S7-04)', async () => {
    const cases: readonly [string, Record<string, string>][] = [
      ['user/register', { account: '1x', password: 'short', confirmPassword: '' }],
      ['user/login', { account: '', password: '' }],
      ['user/recoverRequest', { account: 'someone_else', contact: ' ', text: 'x' }],
    ];
    for (const [path, fields] of cases) {
      const form = await post(api.origin, path, fields);
      const json = await post(api.origin, path, fields, { json: true });
      expect(json.body).toEqual(form.body);
      expect(form.body.code).toBe(0);
    }
  });

  test('JSON may have numbers and booleans where a form has their text (S7-04)', async () => {
    const fields = { account: 'json_customer', password: 'long enough 1', confirmPassword: 'long enough 1' };
    const registered = await post(
      api.origin,
      'user/register',
      { ...fields, acceptRisk: true },
      { json: true },
    );
    expect(registered.body.code).toBe(1);
    const { token } = registered.body.data;
    const order = { symbol: 'EUR/USD', direction: 'up', minutes: 1, amount: '10', asset: 'DEMO' };
    // On a slow machine a batch may take too long, which says nothing about the fields.
    const placed = await seen(async () => {
      const answer = await post(api.origin, 'order/create', order, { json: true, token });
      return answer.body.error === 'LATE' ? null : answer;
    });
    // There is no price here; the refusal shows that every field was read.
    expect(placed.body.error).toBe('PRICE_UNAVAILABLE');
    const asNumber = await post(api.origin, 'order/create', { ...order, amount: 10 }, { json: true, token });
    expect(asNumber.body.fields).toEqual({ amount: 'Enter a valid amount' });
  });
});

describe('paths, methods, types and sizes', () => {
  test('an unknown page redirects a browser to the index; unknown API paths and assets are 404 (S2-01)', async () => {
    const view = (path: string) =>
      fetch(api.origin + path, { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
    const page = await view('/nothing?symbol=X');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/index']);
    for (const path of ['/api/nothing', '/assets/nothing.js']) expect((await view(path)).status).toBe(404);
  });

  test('an unknown path is 404 with an envelope, whatever the method and the body', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await answerOf(
        await fetch(`${api.origin}/api/no/such/path?lang=en`, {
          method,
          ...(method === 'POST' ? { headers: { 'content-type': JSON_TYPE }, body: '{"broken' } : {}),
        }),
      );
      expect([method, answer.status, answer.body.error, answer.body.msg]).toEqual([
        method,
        404,
        'PATH_NOT_FOUND',
        'Page not found',
      ]);
    }
    const almost = ['/api/product/list/', '/API/product/list', '/api//product/list', '/api/user/login%20'];
    for (const path of almost) {
      expect([path, (await answerOf(await fetch(api.origin + path))).status]).toEqual([path, 404]);
    }
  });

  test('another method of a known path is 405 and names the allowed methods', async () => {
    const cases: readonly [string, string, string][] = [
      ['PUT', '/api/user/login', 'POST'],
      ['DELETE', '/api/order/create', 'POST'],
      ['GET', '/api/user/login', 'POST'],
      ['PROPFIND', '/api/user/login', 'POST'],
      ['POST', '/api/product/list', 'GET, HEAD'],
      ['PATCH', '/api/product/list', 'GET, HEAD'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['POST', '/readyz', 'GET, HEAD'],
      ['DELETE', '/api/transparency/checkpoint', 'GET, HEAD'],
      ['DELETE', '/api/transparency/tile/0/000', 'GET, HEAD'],
      ['POST', '/api/docs', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await answerOf(await fetch(api.origin + path, { method }));
      expect([method, path, answer.status, answer.headers.get('allow'), answer.body.error]).toEqual([
        method,
        path,
        405,
        allow,
        'METHOD_NOT_ALLOWED',
      ]);
    }
  });

  test('HEAD answers like GET without the body, and is 405 for a POST operation', async () => {
    const full = await fetch(`${api.origin}/api/app/config`);
    const head = await fetch(`${api.origin}/api/app/config`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe(full.headers.get('content-type'));
    expect(await head.text()).toBe('');
    expect((await fetch(`${api.origin}/api/user/login`, { method: 'HEAD' })).status).toBe(405);
  });

  test('a body of another type is 415', async () => {
    const types = [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'x',
    ];
    for (const type of types) {
      const { status, body } = await send('user/login', LOGIN, type);
      expect([type, status, body.error]).toEqual([type, 415, 'MEDIA_TYPE']);
    }
    for (const type of [`${FORM}; charset=UTF-8`, 'APPLICATION/X-WWW-FORM-URLENCODED']) {
      expect([type, (await send('user/login', LOGIN, type)).body.error]).toEqual([type, 'LOGIN_FAILED']);
    }
  });

  test('a body of more than 64 KiB is 413, with or without a content-length', async () => {
    const { status, body } = await send('user/login', `account=${'a'.repeat(65_536)}`, FORM);
    expect([status, body.error]).toEqual([413, 'BODY_TOO_LARGE']);
    const chunk = 'a'.repeat(0x8000);
    const chunked = `POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: ${FORM}\r\ntransfer-encoding: chunked\r\n\r\n${`8000\r\n${chunk}\r\n`.repeat(3)}0\r\n\r\n`;
    const [answer] = await rawHttp(api.port, chunked);
    expect([answer?.status, JSON.parse(answer?.body ?? '').error]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});

describe('unusual or broken HTTP', () => {
  const login = (extra = '') =>
    `POST /api/user/login HTTP/1.1\r\nhost: x\r\nlanguage: en\r\ncontent-type: ${FORM}\r\ncontent-length: ${LOGIN.length}\r\n${extra}\r\n${LOGIN}`;

  test('pipelined requests are answered in their order', async () => {
    const list = 'GET /api/transparency/key?lang=en HTTP/1.1\r\nhost: x\r\n\r\n';
    const unknown = 'GET /api/nothing?lang=en HTTP/1.1\r\nhost: x\r\n\r\n';
    const answers = await rawHttp(api.port, list + login() + unknown + list + login(), { answers: 5 });
    expect(answers.map((answer) => [answer.status, JSON.parse(answer.body).error ?? 'done'])).toEqual([
      [200, 'done'],
      [200, 'LOGIN_FAILED'],
      [404, 'PATH_NOT_FOUND'],
      [200, 'done'],
      [200, 'LOGIN_FAILED'],
    ]);
  });

  const broken: readonly (readonly [string, string, number, string])[] = [
    ['no request at all', 'hello\r\n\r\n', 400, 'MALFORMED_BODY'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'MALFORMED_BODY'],
    ['no host', 'GET /api/app/config HTTP/1.1\r\n\r\n', 400, 'MALFORMED_BODY'],
    [
      'a NUL in a header',
      'GET /api/app/config HTTP/1.1\r\nhost: x\r\ntoken: a\0b\r\n\r\n',
      400,
      'MALFORMED_BODY',
    ],
    [
      'two lengths',
      'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
      'MALFORMED_BODY',
    ],
    [
      'a length and chunks',
      'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'MALFORMED_BODY',
    ],
    ['a path that is no address', 'GET /api/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'MALFORMED_BODY'],
    [
      'a header of 20 kB',
      `GET /api/app/config HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      413,
      'BODY_TOO_LARGE',
    ],
    [
      'an address of 20 kB',
      `GET /api/app/config?lang=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      413,
      'BODY_TOO_LARGE',
    ],
  ];
  test.each(broken)('%s is refused with an envelope', async (_name, bytes, status, error) => {
    const [answer] = await rawHttp(api.port, bytes);
    const body = JSON.parse(answer?.body ?? '');
    expect([answer?.status, body.code, body.error, body.data]).toEqual([status, 0, error, null]);
    expect(answer?.head).toMatch(/^cache-control: no-store/im);
  });

  test('an offer to change the protocol is declined, and the request is answered', async () => {
    const offer =
      'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
    const [answer] = await rawHttp(api.port, login(offer));
    expect(JSON.parse(answer?.body ?? '').error).toBe('LOGIN_FAILED');
    const [elsewhere] = await rawHttp(
      api.port,
      'GET /api/nothing HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    expect([elsewhere?.status, JSON.parse(elsewhere?.body ?? '').error]).toEqual([404, 'PATH_NOT_FOUND']);
    const [handshake] = await rawHttp(
      api.port,
      'GET /api/stream HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    expect([handshake?.status, JSON.parse(handshake?.body ?? '').error]).toEqual([400, 'MALFORMED_BODY']);
    expect((await get(api.origin, 'stream')).status).toBe(400);
  });
});
