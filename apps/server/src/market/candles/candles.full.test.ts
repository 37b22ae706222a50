import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readMarks, readTexts, watch } from '@fairtick/kit/installation/writers.ts';
import { ALL_PERIODS, expectedCandles, type TestPeriod, ticksIn } from '@fairtick/kit/judges/candles.ts';
import { tradingDayAt } from '@fairtick/trading';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../commands/seed.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newsOf } from '../log/ready-step.ts';
import { changeOf, MarketView } from '../market-view.ts';
import type { Product } from '../products.ts';
import { candleAnswer } from '../routes.ts';
import { readCandles, type StoredCandle } from './candle-queries.ts';
import { LiveCandle } from './live-candles.ts';

const utc = (text: string): number => Date.parse(`${text}Z`);
/**
 * When trading days of currencies begin, at 17:00 in New York, in order: the first of a year, of February, the last two of a leap year's
 * February, the first of March, of a week, and times in it, of July, of the next year, of March.
 */
const BOUNDARIES = [
  '2027-12-31T22:00',
  '2028-01-31T22:00',
  '2028-02-27T22:00',
  '2028-02-28T22:00',
  '2028-02-29T22:00',
  '2028-03-05T22:00',
  '2028-03-05T22:30',
  '2028-03-05T22:35',
  '2028-03-05T22:36',
  '2028-06-30T21:00',
  '2028-12-31T22:00',
  '2029-02-28T22:00',
].map(utc);
/** Offsets around each of them, ms: well before, just before, at, just after, and a minute and a half after. */
const AROUND = [-70_000, -1_000, -250, 0, 250, 29_750, 90_000];

describe('candles', () => {
  let house: House;
  let feed: ManualFeed;
  let eurusd: Product;
  let writer: Pick<House['session'], 'step'>;
  let price = 108_400;
  beforeEach(async () => {
    feed = new ManualFeed();
    house = await House.open(feed, utc('2027-12-31T12:00'));
    eurusd = house.product('EUR/USD');
    writer = house.session;
    price = 108_400;
  });
  afterEach(() => house?.close());

  /** The next price: steps up and down that repeat only after many ticks. */
  function nextPrice(): string {
    price += ((price * 7) % 41) - 20;
    return (price / 100_000).toFixed(5);
  }

  async function tickAt(timeMs: number, product = eurusd): Promise<void> {
    feed.price(product, nextPrice().slice(0, product.decimals + 2), timeMs);
    house.clock.stepTo(timeMs);
    await writer.step();
  }

  async function restart(): Promise<void> {
    feed = new ManualFeed();
    writer = await openWriter(house, feed);
    house.clock.stepTo(house.clock.targetMs + 250);
    await writer.step();
  }

  /** Every candle of a period, page by page. */
  async function allCandles(period: TestPeriod, pageSize = 1_000, product = eurusd): Promise<StoredCandle[]> {
    const candles: StoredCandle[] = [];
    for (;;) {
      const page = await readCandles(house.db.server, {
        product,
        period,
        beforeMs: candles[0]?.timeMs ?? null,
        limit: pageSize,
      });
      if (page.length === 0) return candles;
      candles.unshift(...page);
    }
  }

  async function expectCandlesOfLog(product = eurusd): Promise<void> {
    const ticks = ticksIn(await readTexts(house), product.symbol);
    for (const period of ALL_PERIODS) {
      expect(await allCandles(period, 1_000, product), period).toEqual(
        expectedCandles(ticks, period, product.day),
      );
    }
  }

  test('of every period match the ticks in the log at the ends of days, weeks, months and years (S3-50, S3-51, S3-52, S3-53)', async () => {
    for (const boundaryMs of BOUNDARIES) {
      for (const aroundMs of AROUND) {
        if (boundaryMs + aroundMs > house.clock.targetMs) await tickAt(boundaryMs + aroundMs);
      }
      await expectCandlesOfLog();
    }
    const named = (await allCandles('1M')).map((candle) => candleAnswer(candle, eurusd, '1M'));
    const months = named.map(({ date }) => date?.slice(0, 7));
    expect(months).toEqual([
      '2027-12',
      '2028-01',
      '2028-02',
      '2028-03',
      '2028-06',
      '2028-07',
      '2028-12',
      '2029-01',
      '2029-02',
      '2029-03',
    ]);
  });

  test('of days begin and are named as the market does: currencies at 17:00 in New York, crypto at midnight UTC', async () => {
    const bitcoin = house.product('BTC/USDT');
    // Sunday and Monday, before and after 17:00 in New York, and the first week of summer time.
    for (const iso of [
      '2028-03-05T21:59',
      '2028-03-05T22:00',
      '2028-03-06T21:59',
      '2028-03-12T20:59',
      '2028-03-12T21:00',
    ]) {
      await tickAt(utc(iso));
      await tickAt(utc(iso) + 1_000, bitcoin);
    }
    const datesOf = async (product: Product, period: '1d' | '1w') =>
      (await allCandles(period, 1_000, product)).map((candle) => {
        const { date, time } = candleAnswer(candle, product, period);
        return `${date} from ${new Date(time).toISOString().slice(5, 16)}`;
      });
    expect(await datesOf(eurusd, '1d')).toEqual([
      ...['2028-03-05 from 03-04T22:00', '2028-03-06 from 03-05T22:00'],
      ...['2028-03-12 from 03-11T22:00', '2028-03-13 from 03-12T21:00'],
    ]);
    expect(await datesOf(eurusd, '1w')).toEqual([
      ...['2028-02-28 from 02-27T22:00', '2028-03-06 from 03-05T22:00', '2028-03-13 from 03-12T21:00'],
    ]);
    expect(await datesOf(bitcoin, '1d')).toEqual(
      ['05', '06', '12'].map((day) => `2028-03-${day} from 03-${day}T00:00`),
    );
    await expectCandlesOfLog();
    await expectCandlesOfLog(bitcoin);
  });

  test('of days are made anew from half-hours when the trading day of a product changes', async () => {
    for (let hours = 0; hours < 100; hours += 7) await tickAt(utc('2028-03-06T10:00') + hours * 3_600_000);
    const whole = await allCandles('1d');
    const admin = house.db.owner;
    await admin.query(`update products set day_zone = 'UTC', day_from = '00:00' where id = $1`, [eurusd.id]);
    await admin.query('select candles_make_days($1::smallint)', [eurusd.id]);
    expect((await allCandles('1d')).map(({ timeMs }) => timeMs % 86_400_000)).toContain(0);
    await seed(house.db.ownerAddress, 'demo');
    expect(await allCandles('1d')).toEqual(whole);
  });

  test('of a watched product count one tick in 3 s, and none once its sources are silent (S3-52)', async () => {
    const start = utc('2028-03-06T10:00');
    await watch(house, eurusd);
    for (let ms = 0; ms < 9_000; ms += 250) await tickAt(start + ms);
    await house.runTo(start + 13_500);
    await expectCandlesOfLog();
    const ticks = ticksIn(await readTexts(house), 'EUR/USD');
    expect(ticks).toHaveLength(55);
    // The last quote came 8.75 s after the start: less than 3 s before the tick of 9 s, more than 3 s before that of 12 s.
    const counted = ticks.filter(({ timeMs }) => [0, 3_000, 6_000, 9_000].includes(timeMs - start));
    const turnover = counted.reduce((sum, { price: points }) => sum + points, 0n);
    expect(await allCandles('1m')).toMatchObject([{ volume: 4n, turnover }]);
  });

  test('continue across restarts, within a minute and between two days', async () => {
    const start = utc('2028-02-29T23:58');
    for (const ms of [0, 1_000, 20_000]) await tickAt(start + ms);
    await restart();
    await tickAt(start + 30_000);
    await tickAt(start + 61_000);
    await restart();
    await tickAt(start + 119_000);
    await restart();
    await tickAt(start + 120_000);
    await tickAt(start + 200_000);
    await restart();
    await expectCandlesOfLog();
    await tickAt(start + 26 * 3_600_000);
    await expectCandlesOfLog();
  });

  test('of a product that pauses overnight end at the pause, while other products’ candles continue', async () => {
    const bitcoin = house.product('BTC/USDT');
    const monday = utc('2028-03-06T20:59');
    for (const ms of [0, 30_000, 59_750]) await tickAt(monday + ms);
    for (let hour = 1; hour <= 13; hour += 1) {
      await tickAt(monday + hour * 3_600_000, bitcoin);
      await expectCandlesOfLog();
    }
    await tickAt(monday + 14 * 3_600_000);
    await tickAt(monday + 14 * 3_600_000 + 60_000);
    await expectCandlesOfLog();
    await expectCandlesOfLog(bitcoin);
    expect((await allCandles('1m')).length).toBe(3);
  });

  test('in progress, updated live tick by tick, equal the stored ones', async () => {
    const live: { readonly period: TestPeriod; readonly candle: LiveCandle }[] = [];
    const follow = async () => {
      for (const period of ALL_PERIODS) {
        const candle = new LiveCandle(eurusd, period);
        await candle.load(house.db.server);
        live.push({ period, candle });
      }
    };
    await follow();
    let seen = 0;
    for (const boundaryMs of BOUNDARIES.slice(0, 6)) {
      for (const aroundMs of AROUND) {
        if (boundaryMs + aroundMs <= house.clock.targetMs) continue;
        await tickAt(boundaryMs + aroundMs);
        const marks = await readMarks(house, 'EUR/USD');
        for (const { candle } of live) for (const mark of marks.slice(seen)) candle.add(newsOf(mark));
        seen = marks.length;
        // Candles that are followed from a later tick on are the same.
        await follow();
        for (const period of ALL_PERIODS) {
          const stored = (await allCandles(period)).at(-1);
          const all = live.filter((each) => each.period === period).map(({ candle }) => candle.current);
          expect(all, period).toEqual(all.map(() => stored));
        }
      }
    }
  });

  test('count a tick once even if a live candle receives it again', async () => {
    await tickAt(BOUNDARIES[0] as number);
    const live = new LiveCandle(eurusd, '5m');
    await live.load(house.db.server);
    const marks = await readMarks(house, 'EUR/USD');
    expect(marks.map((mark) => live.add(newsOf(mark)))).toEqual([false]);
    expect(live.current?.volume).toBe(1n);
  });

  test('are read in pages of any size, and no page boundary splits a candle', async () => {
    for (const boundaryMs of BOUNDARIES.slice(0, 9)) {
      for (const aroundMs of AROUND) {
        if (boundaryMs + aroundMs > house.clock.targetMs) await tickAt(boundaryMs + aroundMs);
      }
    }
    for (const period of ALL_PERIODS) {
      const whole = await allCandles(period);
      for (const pageSize of [1, 2, 3]) expect(await allCandles(period, pageSize)).toEqual(whole);
      const last = whole.at(-1) as StoredCandle;
      // `before` compares with a candle's start, even if it lies within the candle.
      for (const beforeMs of [last.timeMs, last.timeMs + 1, last.timeMs - 1]) {
        const [newest] = await readCandles(house.db.server, {
          product: eurusd,
          period,
          beforeMs,
          limit: 1,
        });
        expect(newest).toEqual(whole.filter(({ timeMs }) => timeMs < beforeMs).at(-1));
      }
    }
  });

  test.each([0, 1, 8.64e15 - 1, 8.64e15, 8.64e15 + 1, Number.MAX_SAFE_INTEGER])(
    'are read before any time that a request can name: %i',
    async (beforeMs) => {
      await tickAt(utc('2028-03-06T10:00'));
      for (const period of ALL_PERIODS) {
        const question = { product: eurusd, period, beforeMs, limit: 1_000 };
        expect(await readCandles(house.db.server, question)).toHaveLength(beforeMs > 1 ? 1 : 0);
      }
    },
  );

  test('read while a minute ends include that minute exactly once', async () => {
    const start = utc('2028-03-06T10:00');
    for (const ms of [0, 1_000, 61_000, 62_000]) await tickAt(start + ms);
    // The writer may end a minute between any two statements of a reader.
    let reads = 0;
    const interrupted = {
      query: async (...args: unknown[]) => {
        reads += 1;
        if (reads > 1) await tickAt(start + 62_000 + reads * 61_000);
        return (house.db.server.query as (...all: unknown[]) => Promise<unknown>)(...args);
      },
    } as unknown as Queryable;
    for (const period of ['5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const) {
      reads = 0;
      const before = (await allCandles(period)).reduce((sum, { volume }) => sum + volume, 0n);
      const candles = await readCandles(interrupted, {
        product: eurusd,
        period,
        beforeMs: null,
        limit: 100,
      });
      expect(candles.reduce((sum, { volume }) => sum + volume, 0n)).toBe(before);
      await tickAt(house.clock.targetMs + 61_000);
      reads = 0;
    }
  });

  test('on the wire are decimal strings with the change from open to close (S3-54)', async () => {
    for (const ms of [0, 2_000, 3_000, 6_000]) await tickAt(utc('2028-03-06T10:00') + ms);
    const [candle] = await allCandles('1d');
    const ticks = ticksIn(await readTexts(house), 'EUR/USD');
    const at = (ms: number) => ticks.find(({ timeMs }) => timeMs === utc('2028-03-06T10:00') + ms)?.price;
    // The tick after 2 s is of the same 3 s as the first.
    const [first, third, fourth] = [0, 3_000, 6_000].map(at) as [bigint, bigint, bigint];
    const decimal = (points: bigint) => (Number(points) / 1e5).toFixed(5);
    expect(candleAnswer(candle as StoredCandle, eurusd, '1d')).toMatchObject({
      time: utc('2028-03-05T22:00'),
      date: '2028-03-06',
      open: decimal(first),
      close: decimal(fourth),
      volume: '3',
      turnover: decimal(first + third + fourth),
      change: decimal(fourth - first),
    });
  });

  test('of the day match the figures in the product list, live and after a start', async () => {
    const views: MarketView[] = [];
    const follow = async () => {
      const view = new MarketView(house.db.server, house.products, house.rules);
      await view.load();
      views.push(view);
    };
    await follow();
    let seen = 0;
    for (const boundaryMs of BOUNDARIES.slice(0, 6)) {
      for (const aroundMs of AROUND) {
        if (boundaryMs + aroundMs <= house.clock.targetMs) continue;
        await tickAt(boundaryMs + aroundMs);
        const marks = await readMarks(house, 'EUR/USD');
        for (const view of views) view.apply(marks.slice(seen).map(newsOf));
        seen = marks.length;
        await follow();
        const day = (await allCandles('1d')).at(-1) as StoredCandle;
        for (const row of views.map((view) => view.get(eurusd.id))) {
          expect(row.price).toBe(day.close);
          expect(row.day).toEqual({
            endMs: tradingDayAt(eurusd.day, day.timeMs).endMs,
            open: day.open,
            high: day.high,
            low: day.low,
            volume: Number(day.volume),
          });
          expect(changeOf(row).change).toBe((Number(day.close - day.open) / 1e5).toFixed(5));
        }
      }
    }
  });
});
