import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { HistoryServer, nameHistory } from '@fairtick/kit/venues/history-server.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readKey } from '../second-verifier/reading.ts';
import { verify } from '../second-verifier/verify.ts';

/** Live prices from venues on loopback: an order on them settles with a receipt, and venues that fall away close the product. */
const SYMBOL = 'BTC/USDT';
const installation = new Installation();
let market: VenueMarket;
let history: HistoryServer;
let api: Api;

beforeAll(async () => {
  market = await VenueMarket.open();
  history = await HistoryServer.start();
  nameHistory(market.file, history);
  const { origin } = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  api = await seen(() => Api.open(origin).catch(() => null), { what: 'the API' });
}, 300_000);
afterAll(async () => {
  await installation.close();
  await market.close();
  await history.close();
});

const product = async () => {
  const { body } = await api.get('product/list', {});
  return body.data.find((one: { symbol: string }) => one.symbol === SYMBOL);
};
const isTraded = async () => (await product()).price !== null && (await product()).isOpen;
const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };

test('an order on live prices settles, and a second verifier agrees with its receipt', async () => {
  await until(isTraded);
  const customer = await register(api);
  const placed = await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.code === 1 && body.data;
    },
    { everyMs: 500, what: 'an order' },
  );
  const receipt = await seen(
    async () => {
      const { body } = await api.get('order/receipt', { id: placed.id }, { token: customer.token });
      return body.code === 1 && body.data;
    },
    { withinMs: 120_000, everyMs: 500, what: 'the receipt' },
  );
  const { checkpoints, acceptances } = (await api.get('transparency/key')).body.data;
  const keys = { log: readKey(checkpoints), acceptances: readKey(acceptances) };
  expect(verify(JSON.stringify(receipt), keys)).toMatchObject({ valid: true, outcome: { voidReason: null } });
  for (const source of market.venues.keys()) expect(JSON.stringify(receipt)).toContain(`${source},`);
  expect(await isTraded()).toBe(true);
}, 240_000);

test('a product closes when its sources are no quorum, and opens by itself when they are back', async () => {
  const customer = await register(api);
  await until(isTraded);
  market.break('binance', 'okx', 'bybit');
  await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.error === 'PRICE_UNAVAILABLE';
    },
    { everyMs: 500, what: 'a refusal' },
  );
  market.heal();
  await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.code === 1;
    },
    { withinMs: 90_000, everyMs: 1_000, what: 'an order' },
  );
}, 240_000);

test('other products are closed and say so', async () => {
  const { body } = await api.get('product/list', {});
  const forex = body.data.find((one: { symbol: string }) => one.symbol === 'EUR/USD');
  expect(forex).toMatchObject({ isOpen: false, closedBecause: 'no_source', price: null });
  const index = body.data.find((one: { symbol: string }) => one.symbol === 'SPX500');
  expect(index).toMatchObject({ isOpen: false, closedBecause: 'no_licence', price: null });
});

test('the chart begins with the history of a venue, which names itself, and goes on with the log', async () => {
  const candles = await seen(
    async () => {
      const { body } = await api.get('product/candles', { symbol: SYMBOL, period: '1m', limit: '300' });
      return body.data.length === 300 && (body.data as { source?: string; volume: string | null }[]);
    },
    { withinMs: 120_000, everyMs: 500, what: 'the history' },
  );
  const begins = candles.findIndex(({ source }) => source === undefined);
  expect(begins).toBeGreaterThan(200);
  for (const candle of candles.slice(0, begins))
    expect(candle).toMatchObject({ source: 'binance', volume: null });
  for (const candle of candles.slice(begins)) expect(candle).not.toHaveProperty('source');
});
