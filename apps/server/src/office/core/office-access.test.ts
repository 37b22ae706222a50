import { OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { rawHttp } from '@fairtick/kit/clients/raw-http.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { type OfficeOperation, officeOperations, STAFF_ROLES } from '@fairtick/protocol/office';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { demandRoles } from './office-access.ts';

const NAME = 'audit/list';
const AUDIT: Readonly<Record<string, OfficeOperation>> = { [NAME]: officeOperations[NAME] };

async function startOf(
  build: (app: FastifyInstance) => void,
  operations: Readonly<Record<string, OfficeOperation>> = {},
): Promise<string> {
  const app = Fastify();
  demandRoles(app, operations);
  build(app);
  try {
    await app.ready();
    return 'started';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await app.close();
  }
}

const handler = async () => 'secret';

describe('an office with a route', () => {
  test('that does not say which roles may call it does not start', async () => {
    expect(await startOf((app) => app.get('/api/secret', handler))).toMatch(
      /GET \/api\/secret does not say which roles/,
    );
    expect(await startOf((app) => app.post('/anything', { config: {} }, handler))).toMatch(/does not say/);
  });

  test('that is falsely declared as a file of the app or as another operation does not start', async () => {
    expect(await startOf((app) => app.get('/api/x', { config: { office: 'app' } }, handler))).toMatch(
      /no file/,
    );
    const config = { office: { operation: NAME } } as const;
    expect(await startOf((app) => app.get('/api/audit/lists', { config }, handler), AUDIT)).toMatch(
      /is not the operation/,
    );
    expect(await startOf((app) => app.post('/api/audit/list', { config }, handler), AUDIT)).toMatch(
      /is not the operation/,
    );
    expect(await startOf((app) => app.get('/api/audit/list', { config }, handler), AUDIT)).toBe('started');
  });

  test('does not start with an operation that names no role or an unknown role', async () => {
    const route = (app: FastifyInstance) =>
      app.get('/api/audit/list', { config: { office: { operation: NAME } } }, handler);
    for (const roles of [undefined, [], ['king'], 'everybody']) {
      const operation = { ...officeOperations[NAME], roles } as unknown as OfficeOperation;
      expect(await startOf(route, { [NAME]: operation })).toMatch(/does not say which roles/);
    }
    const open = { ...officeOperations[NAME], roles: 'public', needsProof: true } as OfficeOperation;
    expect(await startOf(route, { [NAME]: open })).toMatch(/is public and asks for a step-up/);
  });
});

describe('every operation, at each of two processes', () => {
  const db = ownDatabase();
  const api = ownOffice(db);
  const other = ownOffice(db);

  /** The same session at the other process. */
  const elsewhere = (client: OfficeClient) => {
    const there = new OfficeClient(other.officeOrigin);
    there.cookie = client.cookie;
    return there;
  };

  const operations = Object.entries<OfficeOperation>(officeOperations);
  const call = (client: OfficeClient, path: string) =>
    operations.find(([name]) => name === path)?.[1].method === 'GET' ? client.get(path) : client.post(path);

  test('that is not public needs a session', async () => {
    for (const nobody of [new OfficeClient(api.officeOrigin), new OfficeClient(other.officeOrigin)]) {
      for (const [path, { roles }] of operations) {
        const { status } = await call(nobody, path);
        expect([path, status]).toEqual([path, roles === 'public' ? 200 : 401]);
      }
    }
  });

  test.each(STAFF_ROLES)('is refused to %s unless it names the role', async (role) => {
    const staff = await staffOf(db, api.officeOrigin, role);
    for (const [path, { roles }] of operations) {
      // A logout would end the session of the later calls.
      if (path === 'session/logout') continue;
      const isAllowed = roles === 'public' || roles === 'anyone' || roles.includes(role);
      for (const client of [staff, elsewhere(staff)]) {
        const { body } = await call(client, path);
        expect([path, body.error === 'ROLE_MISSING']).toEqual([path, !isAllowed]);
      }
    }
  });

  test('is refused to a customer’s token, and a customer’s operation to a cookie of the office', async () => {
    const { body } = await fetch(`${api.origin}/api/user/register`, {
      method: 'POST',
      body: new URLSearchParams({
        account: 'customer_1',
        password: 'long enough 1',
        confirmPassword: 'long enough 1',
      }),
    }).then(async (answer) => ({ body: await answer.json() }));
    const client = new OfficeClient(api.officeOrigin);
    client.cookie = `office=${body.data.token}`;
    expect((await client.get('session/me', {}, { token: body.data.token })).status).toBe(401);
    const staff = await staffOf(db, api.officeOrigin, 'support');
    const token = staff.cookie.split('=')[1] as string;
    const asCustomer = await fetch(`${api.origin}/api/user/getUserInfo`, {
      headers: { token, cookie: staff.cookie },
    });
    expect(asCustomer.status).toBe(401);
  });

  test('with a large body is refused before the body is read, unless the sender may send one', async () => {
    const support = await staffOf(db, api.officeOrigin, 'support');
    const { port, host } = new URL(api.officeOrigin);
    /** Sends the head only. */
    const begin = async (headers: string) => {
      const [answer] = await rawHttp(
        Number(port),
        `POST /api/statement/import HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 3000000\r\n${headers}\r\n`,
      );
      return answer && JSON.parse(answer.body).error;
    };
    expect(await begin('')).toBe('CROSS_SITE');
    expect(await begin('x-office: 1\r\n')).toBe('SESSION_EXPIRED');
    expect(await begin(`x-office: 1\r\ncookie: ${support.cookie}\r\n`)).toBe('ROLE_MISSING');
  });

  test('is refused to a request that another site’s page can make', async () => {
    const staff = await staffOf(db, api.officeOrigin, 'support');
    const bare = (headers: Record<string, string>) =>
      fetch(`${api.officeOrigin}/api/session/me`, { headers: { cookie: staff.cookie, ...headers } }).then(
        async (answer) => (await answer.json()).error,
      );
    expect(await bare({})).toBe('CROSS_SITE');
    expect(await bare({ 'sec-fetch-site': 'cross-site' })).toBe('CROSS_SITE');
    expect(await bare({ 'sec-fetch-site': 'same-site' })).toBe('CROSS_SITE');
    expect(await bare({ 'sec-fetch-site': 'same-origin' })).toBeUndefined();
    const posted = await fetch(`${api.officeOrigin}/api/session/logout`, {
      method: 'POST',
      headers: { cookie: staff.cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(),
    });
    expect((await posted.json()).error).toBe('CROSS_SITE');
    const asked = await fetch(`${api.officeOrigin}/api/session/me`, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.invalid', 'access-control-request-headers': 'x-office' },
    });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    expect(asked.headers.get('access-control-allow-headers')).toBeNull();
  });
});
