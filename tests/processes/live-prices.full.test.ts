import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { NodeProcess } from '@fairtick/kit/processes/node-process.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { HistoryServer, nameHistory } from '@fairtick/kit/venues/history-server.ts';
import { VENUE_ACCOUNT, VENUE_KEY, VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import type { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { RECORD_VENUES } from '@fairtick/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readKey } from '../second-verifier/reading.ts';
import { verify } from '../second-verifier/verify.ts';

/** Live prices from venues on loopback: an order on them settles with a receipt, and venues that fall away close the product. */
const SYMBOL = 'BTC/USDT';
const installation = new Installation();
let market: VenueMarket;
let history: HistoryServer;
let api: Api;
let server: ServerProcess;

beforeAll(async () => {
  market = await VenueMarket.open({ vendors: ['oanda', 'pyth', 'tiingo'] });
  history = await HistoryServer.start();
  nameHistory(market.file, history);
  server = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  api = await seen(() => Api.open(server.origin).catch(() => null), { withinMs: 110_000, what: 'the API' });
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
  for (const { source } of RECORD_VENUES) expect(JSON.stringify(receipt)).toContain(`${source},`);
  expect(await isTraded()).toBe(true);
}, 240_000);

test('a product closes when its sources are no quorum, and opens by itself when they are back', async () => {
  const customer = await register(api);
  await until(isTraded);
  market.break('binance', 'okx');
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
  const index = body.data.find((one: { symbol: string }) => one.symbol === 'SPX500');
  expect(index).toMatchObject({ isOpen: false, closed: { because: 'no_licence' }, price: null });
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

describe('vendors with keys', () => {
  const state = async () => (await api.get('transparency/sources', {})).body.data;

  test('give a product its prices', async () => {
    await seen(
      async () =>
        (await state()).products.some(
          (one: { symbol: string; sources: number; priced: number; quorum: number }) =>
            one.symbol === 'EUR/USD' && one.sources === 1 && one.priced === 1 && one.quorum === 1,
        ),
      { withinMs: 30_000, everyMs: 1_000, what: 'prices of EUR/USD' },
    );
  });

  test('that refuse a key are named, and the key is told nowhere', async () => {
    const oanda = market.venues.get('oanda') as VenueServer;
    oanda.refuses = { status: 401, body: `{"errorMessage":"Bearer ${VENUE_KEY} of ${VENUE_ACCOUNT}"}` };
    oanda.cut();
    await until(() => server.output().includes('it refuses the key'));
    const check = new NodeProcess('apps/server/src/commands/admin.ts', {
      args: ['check-sources', '--seconds', '3'],
      environment: { SOURCES_FILE: market.file },
    });
    await until(() => !check.isRunning, 60_000);
    const told = [server.output(), check.output(), JSON.stringify(await state())].join('\n');
    expect(told).not.toMatch(/a-key\.that|body_may|23456789|1234567/);
    expect(check.output()).toMatch(
      /^oanda +0 of 48 markets .* answers 401 \(it refuses the key\): .*\*\*\*/m,
    );
    expect(check.output()).toMatch(/^tiingo +1 of 48 markets/m);
  });
});
