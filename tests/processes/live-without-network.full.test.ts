import { setTimeout as sleep } from 'node:timers/promises';
import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** `FEED=live npm start` where no exchange can be reached, and what comes when they can. */
const installation = new Installation();
let market: VenueMarket;
let server: ServerProcess;
let api: Api;

beforeAll(async () => {
  market = await VenueMarket.open();
  await market.vanish();
  server = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  api = await seen(() => Api.open(server.origin).catch(() => null), {
    withinMs: 200_000,
    everyMs: 250,
    what: 'the API',
  });
}, 300_000);
afterAll(async () => {
  await installation.close();
  await market.close();
});

const order = { symbol: 'BTC/USDT', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
const complaints = (source: string) =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes('can’t be read') && line.includes(source));

test('names each source that can’t be reached in one line, and says nothing again for a while', async () => {
  await until(() => [...market.venues.keys()].every((source) => complaints(source).length > 0));
  await sleep(10_000);
  for (const source of market.venues.keys()) {
    expect(complaints(source)).toHaveLength(1);
    expect(complaints(source)[0]).toContain('ECONNREFUSED');
  }
});

test('serves its pages, and no product has a price', async () => {
  for (const path of ['/', '/home', '/index', '/product?symbol=BTC/USDT', '/transparency', '/healthz'])
    expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 200]);
  const { body } = await api.get('product/list', {});
  expect(body.data.length).toBeGreaterThan(100);
  for (const product of body.data) expect(product.price).toBeNull();
});

test.each([
  ['zh', '暂无可用价格，请稍后再试'],
  ['tw', '目前沒有可用的價格，請稍後再試'],
  ['en', 'There is no reliable price right now. Please try again shortly'],
])('refuses an order in the customer’s language (%s)', async (language, sentence) => {
  const customer = await register(api);
  const form = { ...order, lang: language };
  const { body } = await api.post('order/create', form, { token: customer.token, key: newKey() });
  expect(body).toMatchObject({ error: 'PRICE_UNAVAILABLE', msg: sentence });
});

test('takes orders without a restart once the exchanges can be reached', async () => {
  const customer = await register(api);
  await market.appear();
  await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.code === 1;
    },
    { withinMs: 120_000, everyMs: 1_000, what: 'an order' },
  );
  expect(server.isRunning).toBe(true);
}, 180_000);
