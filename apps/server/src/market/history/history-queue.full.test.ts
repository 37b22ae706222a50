import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openSeeds } from '@fairtick/kit/installation/writers.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readCandles } from '../candles/candle-queries.ts';
import { CATALOGUE } from '../catalogue/catalogue.ts';
import { Products } from '../products.ts';
import { MarketModel } from '../simulated/market-model.ts';
import { type HistoryQueue, openHistoryQueue } from './history-queue.ts';
import { SimulatedHistory } from './simulated-history.ts';

const BEGUN_MS = Date.UTC(2026, 5, 3, 14, 37, 23, 412);
const SYMBOLS = ['EUR/USD', 'BTC/USDT', 'AAPL'];
let history: SimulatedHistory;
let products: Products;
const house = forTest(() => House.open(new ManualFeed(), Math.ceil(BEGUN_MS / 250) * 250));
beforeEach(async () => {
  const seeds = await openSeeds(house, BEGUN_MS);
  const model = new MarketModel({ products: CATALOGUE, seeds, installedMs: BEGUN_MS });
  history = new SimulatedHistory(house.db.server, model, BEGUN_MS);
  products = new Products(SYMBOLS.map((symbol) => house.product(symbol)));
  // The queue rests for fifteen times as long as a product took: by a clock that stands still, not at all.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => void vi.useRealTimers());

const idOf = (symbol: string) => house.product(symbol).id;
const daysOf = async (symbol: string) =>
  (
    await readCandles(house.db.server, {
      product: house.product(symbol),
      period: '1d',
      beforeMs: null,
      limit: 1_000,
    })
  ).length;

test('the queue makes the past of every product without a request, requested products first, and reports each as soon as it is made', async () => {
  const made: number[] = [];
  const queue = await openHistoryQueue(house.db.server, {
    history,
    products,
    onMade: (ids) => made.push(...ids),
  });
  const running = queue.run();
  queue.want(idOf('AAPL'));
  await seen(() => made.includes(idOf('AAPL')));
  expect(await daysOf('AAPL')).toBeGreaterThan(400);
  await running;
  expect(made).toEqual([idOf('EUR/USD'), idOf('AAPL'), idOf('BTC/USDT')]);
  for (const symbol of SYMBOLS) expect(await daysOf(symbol), symbol).toBeGreaterThan(400);

  // A later start has nothing to make, and reports all products as made.
  const again: number[] = [];
  const later = await openHistoryQueue(house.db.server, {
    history,
    products,
    onMade: (ids) => again.push(...ids),
  });
  await later.run();
  expect(again.sort()).toEqual([...made].sort());
});

test('a later queue makes the histories that a stopped queue left out', async () => {
  let first: HistoryQueue | null = null;
  first = await openHistoryQueue(house.db.server, { history, products, onMade: () => first?.stop() });
  await first.run();
  const made: number[] = [];
  const next = await openHistoryQueue(house.db.server, {
    history,
    products,
    onMade: (ids) => made.push(...ids),
  });
  expect(made.length).toBeLessThan(SYMBOLS.length);
  await next.run();
  expect(made.sort()).toEqual(SYMBOLS.map(idOf).sort());
});
