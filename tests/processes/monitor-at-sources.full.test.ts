import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { NodeProcess } from '@fairtick/kit/processes/node-process.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { EXCHANGES } from '@fairtick/kit/venues/public-record.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A monitor asks venues on loopback for the trades by which a house on live prices opened an order. */
const order = { symbol: 'BTC/USDT', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
const folder = mkdtempSync(join(tmpdir(), 'fairtick-sample-'));
const installation = new Installation();
const market = forFile(() => VenueMarket.open());
let origin: string;

beforeAll(async () => {
  const server = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  origin = server.origin;
  const api = await seen(() => Api.open(origin).catch(() => null), { withinMs: 110_000, what: 'the API' });
  const customer = await register(api);
  await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.code === 1;
    },
    { withinMs: 110_000, everyMs: 500, what: 'an order' },
  );
}, 300_000);
afterAll(async () => {
  await installation.close();
  rmSync(folder, { recursive: true });
});

let runs = 0;
/** What a monitor says that reads the whole log and asks for one price of it. */
async function sampled(): Promise<string> {
  runs += 1;
  const places = EXCHANGES.flatMap((source) => [
    '--source',
    `${source}=${market.venues.get(source)?.url.replace('ws:', 'http:')}`,
  ]);
  const state = join(folder, String(runs));
  const args = ['monitor', origin, '--once', '--state', state, '--at-sources', ...places];
  const monitor = new NodeProcess('packages/proof/bin/fairtick.ts', { args });
  await until(() => !monitor.isRunning, 60_000);
  return monitor.output();
}

test('every record of an honest house is as the exchanges have it', { timeout: 120_000 }, async () => {
  const text = await seen(
    async () => {
      const told = await sampled();
      return told.includes('1 prices asked for') && told;
    },
    { withinMs: 100_000, everyMs: 2_000, what: 'a price' },
  );
  expect(text).toMatch(/4 records agreed, 0 did not, 0 could not be read/);
});

test('where an exchange has another price, the monitor says so', { timeout: 120_000 }, async () => {
  const okx = market.records.get('okx');
  if (okx) okx.change = (trades) => trades.map((trade) => ({ ...trade, price: `${trade.price}9` }));
  const before = await sampled();
  // The digits of the product are the same: what an exchange writes beyond them is cut off.
  expect(before).toMatch(/4 records agreed/);
  if (okx) okx.change = (trades) => trades.map((trade) => ({ ...trade, price: '1.00' }));
  expect(await sampled()).toMatch(/REPORT: entry \d+, BTC\/USDT: okx, record .* HAS SOMETHING ELSE/);
});
