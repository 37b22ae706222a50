import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { HistoryServer, pastRow } from '@fairtick/kit/venues/history-server.ts';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readCandles } from '../candles/candle-queries.ts';
import { LiveCandle } from '../candles/live-candles.ts';
import { Products } from '../products.ts';
import { candleAnswer } from '../routes.ts';
import { VenueHistory } from './venue-history.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const BTC = 'BTC/USDT';
/** A Wednesday, within a day, a week and a month. */
const START_MS = Date.UTC(2026, 5, 3, 12);

let house: House;
let server: HistoryServer;
let feed: ManualFeed;
beforeAll(async () => {
  feed = new ManualFeed();
  house = await House.open(feed, START_MS);
  await house.db.owner.query('update log_head set begun_ms = $1', [START_MS]);
});
afterAll(() => house.db.drop());
beforeEach(async () => {
  await house.db.owner.query('truncate venue_candles, candle_histories, candles');
  server = await HistoryServer.start();
  server.nowMs = START_MS + 90_000;
});
afterEach(() => server.close());

function historyOf(
  symbols: readonly string[] = [BTC],
  options: { mode?: 'demo' | 'live'; mayPublish?: readonly string[]; paceMs?: number } = {},
): VenueHistory {
  const { mode = 'demo', mayPublish = [], paceMs = 0 } = options;
  const entry = (source: string) => ({
    historyUrl: `${server.url}/`,
    mayPublish: mayPublish.includes(source),
    maySettle: false,
  });
  return new VenueHistory(house.db.serverAddress, pino({ level: 'silent' }), {
    products: new Products(house.products.all.filter(({ symbol }) => symbols.includes(symbol))),
    file: { binance: entry('binance'), kraken: entry('kraken') },
    mode,
    pace: { paceMs, againMs: 1 },
  });
}

const stored = async () => {
  const { rows } = await house.db.owner.query<{
    period: number;
    source: string;
    count: number;
    last: string;
  }>(
    `select period, source, count(*)::int as count, max(time_ms)::text as last from venue_candles group by 1, 2 order by 1, 2`,
  );
  return rows.map(({ period, source, count, last }) => [
    period,
    source,
    count,
    Number(last) + period * MINUTE_MS - START_MS,
  ]);
};
const read = (period: '1m' | '30m' | '1d' | '1w' | '1M', limit = 10_000) =>
  readCandles(house.db.server, { product: house.product(BTC), period, beforeMs: null, limit });

test('is fetched once, up to the log’s beginning, and the digits of the venue stay', async () => {
  const candlesBefore = (await house.db.owner.query('select count(*) from candles')).rows;
  expect(await historyOf().run()).toBe(1);
  // The house’s log begins at noon, where a day is under way.
  expect(await stored()).toEqual([
    [1, 'binance', 2_880, 0],
    [5, 'binance', 2_880, 0],
    [30, 'binance', 2_880, 0],
    [1440, 'binance', 731, -DAY_MS / 2],
  ]);
  expect((await house.db.owner.query('select count(*) from candles')).rows).toEqual(candlesBefore);
  const [newest] = (await read('1m')).slice(-1);
  const [, open, high, low, close] = pastRow('binance', START_MS - MINUTE_MS, 1);
  expect(candleAnswer(newest!, house.product(BTC), '1m')).toMatchObject({
    ...{ time: START_MS - MINUTE_MS, source: 'binance', volume: null, turnover: null },
    ...Object.fromEntries(
      Object.entries({ open, high, low, close }).map(([key, text]) => [key, text.slice(0, -6)]),
    ),
  });
  const questions = server.asked.length;
  expect(questions).toBe(3 + 3 + 3 + 1);
  expect(await historyOf().run()).toBe(0);
  expect(server.asked).toHaveLength(questions);
});

test('stands before the log in charts, and no candle is of both', async () => {
  await historyOf().run();
  const live = new LiveCandle(house.product(BTC), '1d');
  await live.load(house.db.server);
  expect(live.current).toBeNull();
  await tickFor(3 * MINUTE_MS);
  await live.load(house.db.server);
  expect(live.current).toMatchObject({ timeMs: START_MS - DAY_MS / 2 });
  for (const period of ['1m', '30m', '1d', '1w', '1M'] as const) {
    const candles = await read(period);
    const sources = candles.map(({ source }) => source);
    const begins = sources.indexOf(undefined);
    expect(begins, period).toBeGreaterThan(10);
    expect(new Set(sources.slice(0, begins)), period).toEqual(new Set(['binance']));
    expect(new Set(sources.slice(begins)), period).toEqual(new Set([undefined]));
    expect(candles[begins]?.low, period).toBe(PRICE);
    const times = candles.map(({ timeMs }) => timeMs);
    expect(times, period).toEqual([...new Set(times)].sort((one, other) => one - other));
  }
  expect((await read('1m', 2)).map(({ source }) => source)).toEqual([undefined, undefined]);
});

test.each([
  ['answers a web page', { body: '<!doctype html>', headers: { 'content-type': 'text/html' } }],
  ['answers 20 MiB', { body: ' '.repeat(20 * 1_048_576) }],
  ['is blocked here', { body: '', status: 451 }],
  ['does not have the market', { body: '{"code":-1121,"msg":"Invalid symbol."}', status: 400 }],
  ['is out of order', { body: 'no', status: 503 }],
  ['leads elsewhere', { body: '', status: 302, headers: { location: '/elsewhere' } }],
])('comes from Kraken where Binance %s', async (_fault, answer) => {
  server.change = (rows, { source }) => (source === 'binance' ? answer : rows);
  expect(await historyOf().run()).toBe(1);
  // Kraken has its newest 720 candles: one is under way, and one began with the log.
  expect(await stored()).toEqual([
    [1, 'kraken', 718, 0],
    [5, 'kraken', 719, 0],
    [30, 'kraken', 719, 0],
    [1440, 'kraken', 719, -DAY_MS / 2],
  ]);
});

test('comes from the same venue after too many questions, and after a wrong answer', async () => {
  server.change = (rows, { source, nth }) => {
    if (source === 'binance' && nth === 1) return { body: '', status: 429, headers: { 'retry-after': '0' } };
    return source === 'binance' && nth === 4 ? rows.toReversed() : rows;
  };
  expect(await historyOf().run()).toBe(1);
  expect((await stored()).map(([, source, count]) => [source, count])).toEqual([
    ['binance', 2_880],
    ['binance', 2_880],
    ['binance', 2_880],
    ['binance', 731],
  ]);
});

test('is not there where no venue answers, says why, and comes when they are back', async () => {
  server.change = () => ({ body: 'no', status: 500 });
  await expect(historyOf([BTC, 'ETH/USDT']).run()).rejects.toThrow(
    /binance, BTC\/USDT: its history answers 500; kraken/,
  );
  // Each venue is asked three times in all, not for each product.
  expect(server.asked).toHaveLength(6);
  expect(await stored()).toEqual([]);
  expect(await read('1m')).toEqual([]);
  server.change = (rows) => rows;
  expect(await historyOf([BTC, 'ETH/USDT']).run()).toBe(2);
});

test('is whole or not there: a wrong candle among the last answers leaves nothing', async () => {
  server.change = (rows, { minutes }) => (minutes === 1440 ? rows.toReversed() : rows);
  await expect(historyOf().run()).rejects.toThrow(/out of order/);
  expect(await stored()).toEqual([]);
});

test('of a venue that may not be published is not shown in live mode', async () => {
  expect(await historyOf([BTC], { mode: 'live' }).run()).toBe(0);
  expect(server.asked).toEqual([]);
  expect(await historyOf([BTC], { mode: 'live', mayPublish: ['kraken'] }).run()).toBe(1);
  expect(new Set((await stored()).map(([, source]) => source))).toEqual(new Set(['kraken']));
});

test('is not fetched beside a simulated past', async () => {
  await house.db.owner.query(
    `insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
     values ($1, 30, $2, 100, 100, 100, 100, 1, 100)`,
    [house.product(BTC).id, START_MS - DAY_MS],
  );
  expect(await historyOf().run()).toBe(0);
  expect(server.asked).toEqual([]);
});

test('is asked for by one process at a time, and a stop ends it', async () => {
  const first = Promise.withResolvers<void>();
  server.change = (rows) => {
    first.resolve();
    return rows;
  };
  const job = historyOf([BTC], { paceMs: 200 });
  job.start();
  await first.promise;
  expect(await historyOf().run()).toBe(0);
  await job.stop();
  expect(await stored()).toEqual([]);
  expect(await historyOf().run()).toBe(1);
});

const PRICE = 6_600_000n;
/** Ticks of the log. */
async function tickFor(ms: number): Promise<void> {
  for (let timeMs = START_MS + 1_000; timeMs <= START_MS + ms; timeMs += 20_000) {
    feed.price(house.product(BTC), '66000.00', timeMs);
    await house.stepTo(timeMs);
  }
}
