import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { declarePublic, demandAccess, PUBLIC } from './route-access.ts';

/** Whether a server with this route starts; if not, the reason. */
async function startWith(route: Pick<RouteOptions, 'method' | 'url' | 'config'>): Promise<string> {
  return startOf((app) => {
    app.route({ ...route, handler: async () => 'secret' });
  });
}

async function startOf(build: (app: FastifyInstance) => void): Promise<string> {
  const app = Fastify();
  demandAccess(app);
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

describe('a server with a route', () => {
  test('that does not say who may call it does not start', async () => {
    expect(await startWith({ method: 'GET', url: '/secret' })).toBe(
      'GET /secret does not say who may call it\nHEAD /secret does not say who may call it',
    );
    expect(await startWith({ method: 'POST', url: '/api/order/create', config: {} })).toMatch(/does not say/);
    expect(
      await startOf((app) => app.register(async (inner) => inner.get('/deep', async () => 'secret'))),
    ).toMatch(/GET \/deep does not say/);
  });

  test('that is declared public or as an operation starts', async () => {
    expect(await startWith({ method: 'GET', url: '/hello', ...PUBLIC })).toBe('started');
    const operation = (name: 'orderDetail' | 'orderCreate') => ({ config: { access: { operation: name } } });
    expect(await startWith({ method: 'GET', url: '/api/order/detail', ...operation('orderDetail') })).toBe(
      'started',
    );
    expect(await startWith({ method: 'POST', url: '/api/order/create', ...operation('orderCreate') })).toBe(
      'started',
    );
    const plugin = (app: FastifyInstance) =>
      app.register(async (inner) => {
        declarePublic(inner);
        inner.get('/file', async () => 'file');
      });
    expect(await startOf(plugin)).toBe('started');
  });

  test('that is falsely declared as an operation or as public does not start', async () => {
    const detail = { config: { access: { operation: 'orderDetail' } } } as const;
    expect(await startWith({ method: 'GET', url: '/api/order/details', ...detail })).toMatch(
      /is not the operation/,
    );
    expect(await startWith({ method: 'POST', url: '/api/order/detail', ...detail })).toMatch(
      /is not the operation/,
    );
    expect(await startWith({ method: 'GET', url: '/api/order/detail', ...PUBLIC })).toMatch(
      /has to say which/,
    );
  });
});
