import { setTimeout as sleep } from 'node:timers/promises';
import { Api, newKey, openSymbol, register } from '@fairtick/kit/clients/api.ts';
import { Flood, loopbackAddresses } from '@fairtick/kit/hostile/floods.ts';
import { HonestVisitor } from '@fairtick/kit/hostile/honest-visitor.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Promise 22, short form: outsiders who flood one `npm start` with the most expensive requests, just before orders settle, void no
 * order and change no result, and a visitor at another address is served. `test:long -- floods` bounds how long it may take.
 */
const installation = new Installation();
let server: ServerProcess;
let db: pg.Pool;
beforeAll(async () => {
  server = await installation.startReady({
    LIMIT_STREAMS: '',
    LIMIT_STREAM_TOPICS: '',
    LIMIT_STREAM_MESSAGES: '',
  });
  db = new pg.Pool({ ...installation.databaseAddress(), max: 2 });
}, 150_000);
afterAll(async () => {
  await db?.end();
  await installation.close();
});

/** A flood starts before the settlement and ends after it. */
const BEFORE_MS = 4_000;
const AFTER_MS = 1_500;

test('floods of visitors before a settlement second void no order, and a visitor is served', async () => {
  const api = await Api.open(server.origin);
  const { token } = await register(api);
  const symbol = await openSymbol(api);
  const settlesAt: number[] = [];
  for (const direction of ['up', 'down']) {
    const order = { symbol, direction, minutes: '1', amount: '100', asset: 'DEMO' };
    const placed = await seen(
      async () => {
        const { body } = await api.post('order/create', order, { token, key: newKey() });
        return body.code === 1 ? body.data : null;
      },
      { everyMs: 200, withinMs: 30_000, what: 'an order that is taken' },
    );
    settlesAt.push(placed.settlesAt);
  }
  const symbols = (await api.get('product/board')).body.data.map((row: { symbol: string }) => row.symbol);
  const [firstMs, lastMs] = [Math.min(...settlesAt), Math.max(...settlesAt)];
  await sleep(firstMs - BEFORE_MS - Date.now());
  const visitor = new HonestVisitor({
    origin: server.origin,
    address: '127.0.0.250',
    path: '/api/product/board?lang=en',
  });
  const flood = Flood.start({ port: server.port, symbols, addresses: loopbackAddresses(30), each: 4 });
  await sleep(lastMs + AFTER_MS - Date.now());
  flood.stop();
  const { statuses } = await visitor.stop();
  const settled = await seen(
    async () => {
      const { rows } = await db.query<{ void_reason: string | null }>(
        'select void_reason from orders_and_results where settled_at_ms is not null',
      );
      return rows.length === settlesAt.length ? rows : null;
    },
    { withinMs: 30_000, everyMs: 100, what: 'the settlement' },
  );
  expect(settled.map((row) => row.void_reason)).toEqual(settlesAt.map(() => null));
  // A visitor at another address is served.
  expect(Object.keys(statuses)).toEqual(['200']);
  // Check that the flood really was one.
  expect(flood.connections).toBeGreaterThan(1_000);
  expect(flood.bytes).toBeGreaterThan(10_000);
});
