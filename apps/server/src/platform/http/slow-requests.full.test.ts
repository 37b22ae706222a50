import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { begunPost, SlowClient } from '@fairtick/kit/clients/slow-client.ts';
import { untilBlocked } from '@fairtick/kit/database/pools.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { noisy } from '@fairtick/kit/hostile/hostile-pictures.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterEach, describe, expect, test } from 'vitest';

const db = ownDatabase();

const STRANGER = '127.0.0.2';
const clients: SlowClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** Opens this many connections from one address, each with the same unfinished request. */
async function begin(port: number, count: number, bytes: string, from = STRANGER): Promise<SlowClient[]> {
  const begun = await Promise.all(
    Array.from({ length: count }, () => SlowClient.open(port, { bytes, from })),
  );
  clients.push(...begun);
  return begun;
}

const config = (origin: string) => get(origin, 'app/config');
/** Longer than a stall of the machine, so that only what the test leaves out is missing in time. */
const SHORT_MS = 3_000;
/** Longer than any test, so that no connection ends for its slowness. */
const LONG_MS = 200_000;
/** Connections whose request never arrives would hold up the stop. */
async function stop(api: { stop(): Promise<void> }): Promise<void> {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
}

describe('requests that do not arrive in full', () => {
  test('take no place: other requests from the same address and from other addresses are served', async () => {
    const api = await startApi(db, { maxRequests: 20, receiveMs: LONG_MS });
    try {
      const begun = await begin(api.port, 60, begunPost('/api/user/login'));
      begun.push(...(await begin(api.port, 60, begunPost('/api/user/login'), '127.0.0.1')));
      for (let count = 0; count < 30; count += 1) expect((await config(api.origin)).status).toBe(200);
      const { body } = await post(api.origin, 'user/login', {
        account: 'nobody_here',
        password: 'wrong-one',
      });
      expect(body.error).toBe('LOGIN_FAILED');
      expect(begun.filter(({ isClosed }) => isClosed)).toHaveLength(0);
    } finally {
      await stop(api);
    }
  });

  test('take no place at the office', async () => {
    const api = await startOffice(db);
    try {
      await begin(Number(new URL(api.officeOrigin).port), 230, begunPost('/api/session/login'));
      const answer = await fetch(`${api.officeOrigin}/readyz`);
      expect(answer.status).toBe(200);
      const login = await fetch(`${api.officeOrigin}/api/session/login`, {
        method: 'POST',
        headers: { 'x-office': '1', language: 'en' },
        body: new URLSearchParams({ account: 'nobody_here', password: 'wrong-one' }),
      });
      expect([login.status, (await login.json()).error]).toEqual([200, 'LOGIN_FAILED']);
    } finally {
      await stop(api);
    }
  });

  test('get 408 in the language of the request, and the connection is closed', async () => {
    const api = await startApi(db, { receiveMs: SHORT_MS });
    try {
      const bodies = await begin(api.port, 3, begunPost('/api/user/login'));
      // A request that is refused before its body is read gets its answer at once.
      const refused = await begin(api.port, 1, begunPost('/api/no/such/path'));
      const chunked = await begin(
        api.port,
        1,
        'POST /api/user/login HTTP/1.1\r\nhost: x\r\nlanguage: en\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n',
      );
      for (const client of [...bodies, ...refused, ...chunked]) {
        await seen(() => client.isClosed, { what: 'the end of a body that does not come' });
      }
      for (const client of [...bodies, ...chunked]) {
        expect(client.status).toBe(408);
        expect(client.received).toContain('"error":"TOO_SLOW"');
        expect(client.received).toContain('The request took too long to arrive');
      }
      expect(refused[0]?.status).toBe(404);
    } finally {
      await stop(api);
    }
  });

  test('lose their connection after unfinished headers or silence, also at the office', async () => {
    const api = await startOffice(db, { receiveMs: 300 });
    try {
      for (const port of [api.port, Number(new URL(api.officeOrigin).port)]) {
        const [half, silent] = [
          ...(await begin(port, 1, 'GET /api/app/config HTTP/1.1\r\nhost:')),
          ...(await begin(port, 1, '')),
        ];
        await seen(() => half?.isClosed && silent?.isClosed, { what: 'the end of what says nothing' });
        expect([half?.status, half?.received.includes('TOO_SLOW')]).toEqual([408, true]);
      }
    } finally {
      await stop(api);
    }
  });
});

const uploadOf = (length: number, token: string) =>
  `POST /api/user/submitReal HTTP/1.1\r\nhost: x\r\nlanguage: en\r\ntoken: ${token}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${length}\r\n\r\n`;
const UPLOAD_HEAD = '--x\r\ncontent-disposition: form-data; name="idFront"; filename="a.jpg"\r\n\r\n';

describe('a large body', () => {
  const tail = '\r\n--x--\r\n';

  test('may take longer than a small one as long as it keeps arriving', async () => {
    const api = await startApi(db, { receiveMs: SHORT_MS });
    try {
      const { token } = await register(api.origin);
      const pieces = 12;
      const piece = 'p'.repeat(20_000);
      const bytes = uploadOf(UPLOAD_HEAD.length + pieces * piece.length + tail.length, token) + UPLOAD_HEAD;
      const [client] = (await begin(api.port, 1, bytes)) as [SlowClient];
      for (let sent = 0; sent < pieces; sent += 1) {
        client.send(piece);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      client.send(tail);
      // It was read to its end, so the error is about its form.
      await seen(() => client.received.includes('FORM_INCOMPLETE'), { what: 'an answer about the form' });
      expect(client.status).toBe(200);
    } finally {
      await stop(api);
    }
  });

  test('without a session is refused by its headers, and a balancer is told to end it', async () => {
    const api = await startApi(db, { trustProxy: true, receiveMs: LONG_MS });
    try {
      const begun = await begin(api.port, 1, uploadOf(20_000_000, 'no-session') + UPLOAD_HEAD);
      begun.push(
        ...(await begin(api.port, 1, uploadOf(20_000_000, '').replace('user/submitReal', 'user/login'))),
      );
      for (const client of begun) {
        await seen(() => /SESSION_EXPIRED|MEDIA_TYPE/.test(client.received), {
          withinMs: 2_000,
          what: 'a refusal before the picture',
        });
        expect(client.received).toMatch(/x-upload-ended: 1/);
      }
    } finally {
      await stop(api);
    }
  });

  test('that stops arriving gets 408', async () => {
    const api = await startApi(db, { receiveMs: SHORT_MS });
    try {
      const { token } = await register(api.origin);
      const [client] = (await begin(api.port, 1, uploadOf(1_000_000, token) + UPLOAD_HEAD)) as [SlowClient];
      client.send('p'.repeat(50_000));
      await seen(() => client.isClosed, { what: 'the end of an upload that stopped' });
      expect(client.status).toBe(408);
    } finally {
      await stop(api);
    }
  });
});

describe('an address above its limit', () => {
  test('of connections loses its own oldest ones, and no other address loses any', async () => {
    const api = await startApi(db, { maxConnections: 40, receiveMs: LONG_MS });
    try {
      const [mine] = (await begin(api.port, 1, '', '127.0.0.3')) as [SlowClient];
      const many: SlowClient[] = [];
      for (let count = 0; count < 60; count += 1) many.push(...(await begin(api.port, 1, begunPost('/x'))));
      await seen(() => many.filter(({ isClosed }) => isClosed).length >= 20);
      await seen(() => many.slice(0, 15).every(({ isClosed }) => isClosed));
      mine.send('GET /api/app/config HTTP/1.1\r\nhost: x\r\n\r\n');
      await seen(() => mine.status === 200);
      // A new connection from the crowded address is served too: the one that has waited longest is closed.
      const [late] = (await begin(api.port, 1, 'GET /api/app/config HTTP/1.1\r\nhost: x\r\n\r\n')) as [
        SlowClient,
      ];
      await seen(() => late.status === 200);
    } finally {
      await stop(api);
    }
  });

  test('of memory for uploads gets 503, and another address uploads at once', async () => {
    const api = await startApi(db, { receiveMs: LONG_MS });
    try {
      const size = 9_800_000;
      const held = Buffer.alloc(size, 'p').toString('latin1');
      const slow: SlowClient[] = [];
      for (let account = 0; account < 4; account += 1) {
        const { token } = await register(api.origin);
        for (let form = 0; form < 2; form += 1) {
          const [client] = (await begin(api.port, 1, uploadOf(20_000_000, token) + UPLOAD_HEAD + held)) as [
            SlowClient,
          ];
          slow.push(client);
        }
      }
      await seen(() => slow.some(({ status }) => status === 503), { what: 'a form beyond the share' });
      const honest = await register(api.origin);
      // As large as what the others hold each, so that the rest of their share would not do.
      const idFront = await noisy(1_800).png().toBuffer();
      expect(idFront.length).toBeGreaterThan(8_000_000);
      expect((await submitReal(api.origin, honest.token, {}, { idFront })).body.error).toBeUndefined();
      // The others still hold their memory: nobody waited for their end.
      expect(slow.some(({ status }) => status === null)).toBe(true);
    } finally {
      await stop(api);
    }
  });

  /** Runs `work` while logins wait for a table that the test locks: complete requests, under way. */
  async function whileLoginsWait(work: () => Promise<void>): Promise<void> {
    const holder = await db.owner.connect();
    await holder.query('begin; lock table customers in access exclusive mode');
    try {
      await work();
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  }
  const LOGIN = 'account=nobody_here&password=wrong-one';
  const wholeLogin = (headers = '') =>
    begunPost('/api/user/login', { length: LOGIN.length, body: LOGIN, headers });

  test('of requests under way gets 503, and every other address is served', async () => {
    const api = await startApi(db, { maxRequests: 20 });
    try {
      await whileLoginsWait(async () => {
        const apart = await begin(api.port, 40, wholeLogin());
        await seen(() => apart.filter(({ status }) => status === 503).length >= 30);
        // Sent one after the other on one connection, they count the same.
        await begin(api.port, 1, wholeLogin().repeat(40), '127.0.0.4');
        await untilBlocked(db.owner, 4);
        for (let count = 0; count < 20; count += 1) expect((await config(api.origin)).status).toBe(200);
      });
    } finally {
      await stop(api);
    }
  });

  test('is the one that a trusted proxy saw, or its network for IPv6', async () => {
    const api = await startApi(db, { maxRequests: 20, trustProxy: true });
    const as = (address: string) => `x-forwarded-for: ${address}\r\n`;
    try {
      await begin(api.port, 60, begunPost('/api/user/login', { headers: as('192.0.2.1') }), '127.0.0.1');
      await whileLoginsWait(async () => {
        const many = Array.from({ length: 40 }, (_, place) => wholeLogin(as(`2001:db8:0:1::${place + 1}`)));
        const begun = (await Promise.all(many.map((bytes) => begin(api.port, 1, bytes, '127.0.0.1')))).flat();
        await seen(() => begun.filter(({ status }) => status === 503).length >= 30);
        for (const address of ['192.0.2.9', '192.0.2.10', '2001:db8:0:2::1']) {
          const headers = { 'x-forwarded-for': address };
          expect([address, (await get(api.origin, 'app/config', {}, { headers })).status]).toEqual([
            address,
            200,
          ]);
        }
      });
    } finally {
      await stop(api);
    }
  });
});
