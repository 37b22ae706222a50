import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openSeeds, openSimulatedWriter, readTexts } from '@fairtick/kit/installation/writers.ts';
import { expectedCandles, ticksIn } from '@fairtick/kit/judges/candles.ts';
import { tradingDayAt, tradingPeriodAt } from '@fairtick/trading';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readCandles, type StoredCandle } from '../candles/candle-queries.ts';
import { CATALOGUE } from '../catalogue/catalogue.ts';
import { MarketView } from '../market-view.ts';
import { MarketModel } from '../simulated/market-model.ts';
import type { SimulatedFeed } from '../simulated/simulated-feed.ts';
import type { WriterTerm } from '../writer/writer-term.ts';
import { SimulatedHistory } from './simulated-history.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A Wednesday, within a minute, five minutes, a half-hour and a day; the exchanges in New York are open. */
const BEGUN_MS = Date.UTC(2026, 5, 3, 14, 37, 23, 412);
const START_MS = Math.ceil(BEGUN_MS / 250) * 250;
const LOG_MINUTE_MS = BEGUN_MS - (BEGUN_MS % MINUTE_MS);
const REACH = [
  { period: '1m', minutes: 1, days: 2 },
  { period: '5m', minutes: 5, days: 10 },
  { period: '30m', minutes: 30, days: 60 },
  { period: '1d', minutes: 1440, days: 731 },
] as const;
const SYMBOLS = ['EUR/USD', 'BTC/USDT', 'AAPL', 'JPN225'];

let house: House;
let writer: WriterTerm;
let feed: SimulatedFeed;
let history: SimulatedHistory;

async function open(): Promise<void> {
  // Without products: their first rules are those of the simulated feed.
  house = await House.open(new ManualFeed({}, 'manual', new Set()), START_MS);
  ({ writer, feed } = await openSimulatedWriter(house, BEGUN_MS));
  history = new SimulatedHistory(house.db.server, feed.model, BEGUN_MS);
  await history.begin(house.products);
}

/** Another process of the same installation. */
async function anotherHistory(): Promise<SimulatedHistory> {
  const seeds = await openSeeds(house, BEGUN_MS);
  const model = new MarketModel({ products: CATALOGUE, seeds, installedMs: BEGUN_MS });
  return new SimulatedHistory(house.db.server, model, BEGUN_MS);
}

async function candles(
  symbol: string,
  period: '1m' | '5m' | '30m' | '1d' | '1w' | '1M',
): Promise<StoredCandle[]> {
  const all: StoredCandle[] = [];
  for (;;) {
    const page = await readCandles(house.db.server, {
      product: house.product(symbol),
      period,
      beforeMs: all[0]?.timeMs ?? null,
      limit: 1_000,
    });
    if (page.length === 0) return all;
    all.unshift(...page);
  }
}

async function writeFor(ms: number): Promise<void> {
  feed.setBusy(new Set());
  const endMs = house.clock.targetMs + ms;
  while (house.clock.targetMs < endMs) {
    house.clock.stepTo(house.clock.targetMs + 250);
    await writer.step();
  }
}

describe('the simulated past', () => {
  beforeAll(open);
  afterAll(() => house?.close());

  test('gives every listed product a day candle and a price before the first request', async () => {
    const view = new MarketView(house.db.server, house.products, house.rules);
    await view.load();
    for (const row of view.all()) {
      expect(row.day, row.product.symbol).not.toBeNull();
      expect(row.price, row.product.symbol).not.toBeNull();
    }
  });

  test.each(SYMBOLS)(
    'of %s fills every period at the first start, within the trading hours only',
    async (symbol) => {
      const product = house.product(symbol);
      const schedule = feed.rulesOf(product)?.schedule;
      if (!schedule) throw new Error('no schedule');
      await history.ensure(product);
      for (const { period, minutes, days } of REACH) {
        const lengthMs = minutes * MINUTE_MS;
        const spanAt = (timeMs: number) => {
          if (period === '1d') return tradingDayAt(product.day, timeMs);
          const startMs = timeMs - (timeMs % lengthMs);
          return { startMs, endMs: startMs + lengthMs };
        };
        const wanted: number[] = [];
        let span = spanAt(spanAt(LOG_MINUTE_MS).startMs - days * DAY_MS);
        for (; span.startMs <= LOG_MINUTE_MS - MINUTE_MS; span = spanAt(span.endMs)) {
          if (isOpenWithin(schedule, span.startMs, Math.min(span.endMs, LOG_MINUTE_MS)))
            wanted.push(span.startMs);
        }
        expect(
          (await candles(symbol, period)).map(({ timeMs }) => timeMs),
          period,
        ).toEqual(wanted);
        expect(wanted.length).toBeGreaterThan(period === '1m' ? 500 : 400);
      }
      expect((await candles(symbol, '1w')).length).toBeGreaterThanOrEqual(104);
      expect((await candles(symbol, '1M')).length).toBeGreaterThanOrEqual(24);
    },
  );
});

describe('the simulated past, first requested after the log was written for some minutes', () => {
  beforeAll(async () => {
    await open();
    await writeFor(4 * MINUTE_MS);
  });
  afterAll(() => house?.close());

  test('has the day candle that the product list shows', async () => {
    const view = new MarketView(house.db.server, house.products, house.rules);
    await view.load();
    for (const symbol of SYMBOLS) {
      const row = view.get(house.product(symbol).id);
      const [day] = (await candles(symbol, '1d')).slice(-1) as [StoredCandle];
      expect(row.day).toEqual({
        endMs: tradingDayAt(house.product(symbol).day, day.timeMs).endMs,
        open: day.open,
        high: day.high,
        low: day.low,
        volume: Number(day.volume),
      });
      expect(row.price).toBe(day.close);
    }
  });

  test.each(SYMBOLS)('of %s meets the log without an overlap or a hole', async (symbol) => {
    const product = house.product(symbol);
    await history.ensure(product);
    const minutes = await candles(symbol, '1m');
    const ofLog = expectedCandles(ticksIn(await readTexts(house), symbol), '1m', product.day);
    const isOpen = ofLog.length > 0;
    for (const { period, minutes: length } of REACH) {
      const times = (await candles(symbol, period)).map(({ timeMs }) => timeMs);
      expect(new Set(times).size).toBe(times.length);
      const newest = times.slice(-3);
      // During trading hours, the log's candles follow the simulated ones without a missing step.
      const steps = newest.slice(1).map((time, place) => time - (newest[place] as number));
      if (isOpen && length < 1440) expect(steps).toEqual(steps.map(() => length * MINUTE_MS));
    }
    for (const period of ['5m', '30m', '1d'] as const) {
      const length = { '5m': 5, '30m': 30, '1d': 1440 }[period] * MINUTE_MS;
      const [last] = (await candles(symbol, period)).slice(-1) as [StoredCandle];
      const parts = minutes.filter(({ timeMs }) => timeMs >= last.timeMs && timeMs < last.timeMs + length);
      expect(last.open, period).toBe(parts[0]?.open);
      expect(last.close, period).toBe(parts.at(-1)?.close);
      expect(last.high, period).toBe(parts.reduce((most, { high }) => (high > most ? high : most), 0n));
      expect(last.low, period).toBe(parts.reduce((least, { low }) => (low < least ? low : least), last.low));
      expect(last.volume, period).toBe(parts.reduce((sum, { volume }) => sum + volume, 0n));
    }
    const logMinutes = minutes.filter(({ timeMs }) => timeMs >= LOG_MINUTE_MS);
    expect(logMinutes).toEqual(ofLog);
  });

  test('continues into the log’s prices without a jump', async () => {
    for (const symbol of ['EUR/USD', 'BTC/USDT', 'AAPL']) {
      await history.ensure(house.product(symbol));
      const minutes = await candles(symbol, '1m');
      const at = minutes.findIndex(({ timeMs }) => timeMs >= LOG_MINUTE_MS);
      const [before, after] = [minutes[at - 1], minutes[at]] as [StoredCandle, StoredCandle];
      const apart = Number(after.open - before.close) / Number(before.close);
      expect(Math.abs(apart), symbol).toBeLessThan(0.003);
    }
  });
});

describe('production of the simulated past', () => {
  beforeEach(open);
  afterEach(() => house?.close());

  test('runs once, even if several processes request it at once', async () => {
    const other = await anotherHistory();
    const bitcoin = house.product('BTC/USDT');
    await Promise.all([history, other, history, other, history].map((each) => each.ensure(bitcoin)));
    const made = await candles('BTC/USDT', '1m');
    expect(made.length).toBe(2_880);
    expect((await candles('BTC/USDT', '1d')).length).toBe(732);
    await (await anotherHistory()).ensure(bitcoin);
    expect(await candles('BTC/USDT', '1m')).toEqual(made);
    const { rows } = await house.db.server.query('select product_id from candle_histories');
    expect(rows).toEqual([{ product_id: bitcoin.id }]);
  });

  test('begins once: a later start or another process changes nothing', async () => {
    await writeFor(2_000);
    const figures = async () => {
      const { rows } = await house.db.server.query(
        `select md5(string_agg(c::text, '' order by product_id, period, time_ms)) as digest from candles c`,
      );
      return rows[0];
    };
    const before = await figures();
    await Promise.all([(await anotherHistory()).begin(house.products), history.begin(house.products)]);
    expect(await figures()).toEqual(before);
  });

  test('stores nothing if it fails, and a later attempt makes the whole past', async () => {
    const product = house.product('EUR/USD');
    const broken = new SimulatedHistory(
      house.db.server,
      {
        candles: (symbol, fromMs, toMs, stepMs) => {
          if (stepMs === 30 * MINUTE_MS) throw new Error('cut off');
          return feed.model.candles(symbol, fromMs, toMs, stepMs);
        },
      },
      BEGUN_MS,
    );
    await expect(broken.ensure(product)).rejects.toThrow('cut off');
    expect(await candles('EUR/USD', '1m')).toEqual([]);
    await history.ensure(product);
    expect((await candles('EUR/USD', '1m')).length).toBe(2_880);
  });
});

/** Whether any minute of a span is within trading hours. */
function isOpenWithin(
  schedule: Parameters<typeof tradingPeriodAt>[0],
  fromMs: number,
  toMs: number,
): boolean {
  // Trading periods of the catalogue begin and end at multiples of five minutes.
  const stepMs = Math.min(5 * MINUTE_MS, toMs - fromMs);
  for (let time = fromMs; time < toMs; time += stepMs) if (tradingPeriodAt(schedule, time)) return true;
  return false;
}

describe('a slow machine', () => {
  afterEach(() => house?.close());

  test('makes the past without leaving a connection idle in a transaction', async () => {
    house = await House.open(new ManualFeed(), START_MS);
    const seeds = await openSeeds(house, BEGUN_MS);
    const model = new MarketModel({ products: CATALOGUE, seeds, installedMs: BEGUN_MS });
    // Making the candles takes longer than the timeout on a fast machine, too; writing them never pauses that long on a slow one.
    const impatient = new pg.Pool({ ...house.db.serverAddress, idle_in_transaction_session_timeout: 500 });
    try {
      const past = new SimulatedHistory(impatient, model, BEGUN_MS);
      await past.begin(house.products);
      await past.ensure(house.product('EUR/USD'));
      expect((await candles('EUR/USD', '1m')).length).toBeGreaterThan(2_000);
    } finally {
      await impatient.end();
    }
  });
});
