import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { points } from '@fairtick/money';
import { UTC_DAYS } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import type { Product } from '../products.ts';
import { RecordedFeed } from './recorded-feed.ts';

const START_MS = Date.UTC(2026, 5, 1, 12);

const product = (id: number, symbol: string): Product => ({
  id,
  symbol,
  names: { zh: symbol, tw: symbol, en: symbol },
  assetClass: 'forex',
  decimals: 5,
  exposureGroup: 'eur',
  position: id,
  day: UTC_DAYS,
  listing: {
    hours: 'round-the-clock',
    liveHours: 'round-the-clock',
    ...{ quietMs: 5_000, outlierBps: 60, model: null, sources: {}, guards: {} },
  },
  payouts: null,
  aliases: [],
  isAdded: false,
  closesOn: null,
});
const EURUSD = product(7, 'EUR/USD');

function feedOf(times: readonly number[], speed = 1): RecordedFeed {
  const quotes = times.map((timeMs, place) => ({ timeMs, price: points(BigInt(100 + place)) }));
  return new RecordedFeed(new Map([[EURUSD.id, quotes]]), { speed });
}

const pricesAt = (feed: RecordedFeed, timeMs: number) =>
  feed.take(timeMs).map(({ quote }) => Number(quote.price));

describe('a replay', () => {
  let folder: string | null = null;
  afterEach(() => {
    if (folder) rmSync(folder, { recursive: true });
    folder = null;
  });

  test('starts with its first quote at the first request, whatever the date of the recording', () => {
    const feed = feedOf([1_000_000, 1_000_100, 1_000_251]);
    expect(pricesAt(feed, START_MS)).toEqual([100]);
    expect(pricesAt(feed, START_MS + 99)).toEqual([]);
    expect(pricesAt(feed, START_MS + 250)).toEqual([101]);
    const [arrival] = feed.take(START_MS + 500);
    expect(arrival).toEqual({
      productId: EURUSD.id,
      quote: {
        source: 'replay',
        price: 102n,
        sourceMs: START_MS + 251,
        receivedMs: START_MS + 251,
        sourceSeq: 3n,
      },
    });
  });

  test('plays faster at a higher speed setting', () => {
    const feed = feedOf([0, 600_000, 600_059], 60);
    expect(pricesAt(feed, START_MS)).toEqual([100]);
    expect(pricesAt(feed, START_MS + 9_999)).toEqual([]);
    expect(pricesAt(feed, START_MS + 10_000)).toEqual([101, 102]);
  });

  test('ends each recording at its own last quote', () => {
    const tracks = new Map([
      [1, [{ timeMs: 0, price: points(1n) }]],
      [2, [0, 1_000].map((timeMs) => ({ timeMs, price: points(2n) }))],
    ]);
    const feed = new RecordedFeed(tracks, { speed: 1 });
    expect(new Set(feed.stopped().keys())).toEqual(new Set());
    feed.take(START_MS);
    expect(new Set(feed.stopped().keys())).toEqual(new Set([1]));
    feed.take(START_MS + 1_000);
    expect(new Set(feed.stopped().keys())).toEqual(new Set([1, 2]));
  });

  /** Number, time after the start, price and closing of the record at a time after the start. */
  const recordAt = (feed: RecordedFeed, afterMs: number) =>
    feed
      .recordsAt(EURUSD.id, START_MS + afterMs)
      .map(({ source, last, closing }) => [
        source,
        Number(last.number),
        last.timeMs - START_MS,
        Number(last.price),
        closing.by,
      ]);

  test('has as its record the last row at or before a time, whenever it is asked', () => {
    const feed = feedOf([0, 400, 1_000, 1_001, 9_000]);
    expect(recordAt(feed, 0)).toEqual([]);
    feed.take(START_MS);
    expect(recordAt(feed, 0)).toEqual([['replay', 1, 0, 100, 'said']]);
    feed.take(START_MS + 3_000);
    const asked = [3_000, 1_001, 1_000, 999].map((afterMs) => recordAt(feed, afterMs)[0]);
    expect(asked).toEqual([
      ['replay', 4, 1_001, 103, 'said'],
      ['replay', 4, 1_001, 103, 'said'],
      ['replay', 3, 1_000, 102, 'said'],
      ['replay', 2, 400, 101, 'said'],
    ]);
    feed.take(START_MS + 60_000);
    expect(recordAt(feed, 50_000)).toEqual([['replay', 5, 9_000, 104, 'said']]);
    expect(feed.recordsAt(8, START_MS)).toEqual([]);
  });

  test('goes on with the numbers of the log where it begins anew, and keeps the log’s last record until then', () => {
    const feed = feedOf([0, 500]);
    const before = {
      source: 'replay',
      price: points(99n),
      sourceMs: START_MS - 7_000,
      sourceSeq: 41n,
      receivedMs: 0,
    };
    feed.resume(new Map([[EURUSD.id, new Map([['replay', before]])]]));
    expect(feed.take(START_MS + 0)[0]?.quote.sourceSeq).toBe(42n);
    expect(recordAt(feed, -1_000)).toEqual([['replay', 41, -7_000, 99, 'said']]);
    expect(recordAt(feed, -8_000)).toEqual([]);
    expect(recordAt(feed, 0)).toEqual([['replay', 42, 0, 100, 'said']]);
    // Another term of the same process changes nothing.
    feed.resume(new Map());
    expect(feed.take(START_MS + 500)[0]?.quote.sourceSeq).toBe(43n);
  });

  test('has the rules of a replay: one source, the shortest delay, bounds of five minutes; other products are closed', () => {
    const feed = feedOf([0]);
    expect(feed.rulesOf(EURUSD)).toMatchObject({
      sources: ['replay'],
      quorum: 1,
      licences: { replay: 'recorded' },
      delayMs: 2_000,
      quietMs: 300_000,
    });
    expect(feed.rulesOf(product(8, 'USD/JPY'))).toBeNull();
  });

  test('names the file or symbol if a file is missing, empty or invalid, or a product is unknown', () => {
    folder = mkdtempSync(join(tmpdir(), 'fairtick-replay-'));
    const [good, empty, bad] = ['good.csv', 'empty.csv', 'bad.csv'].map((name) =>
      join(folder as string, name),
    ) as [string, string, string];
    writeFileSync(good, '20260105 08:00:00.123,1.08451,1.08459\n');
    writeFileSync(empty, 'timestamp,bid,ask\n');
    writeFileSync(bad, '20260105 08:00:00.123,1.08451,1.08459\nrubbish\n');
    const productOf = (symbol: string) => (symbol === 'EUR/USD' ? EURUSD : null);
    const said: string[] = [];
    const onRead = (symbol: string, description: string) => said.push(`${symbol}: ${description}`);
    const load = (symbol: string, path: string) =>
      RecordedFeed.fromFiles(new Map([[symbol, path]]), { speed: 1, productOf, onRead });
    expect(load('EUR/USD', good).take(START_MS)).toHaveLength(1);
    expect(said).toEqual([
      'EUR/USD: ticks: time, bid, ask between commas, utf-8; 1 rows; times in UTC (no zone is named)',
    ]);
    expect(() => load('EURUSD', good)).toThrow('no product EURUSD');
    writeFileSync(good, 'symbol,time,bid,ask\nEURUSD,1767600000,1,1\nUSDJPY,1767600000,150,150\n');
    expect(load('EUR/USD', good).take(START_MS)).toHaveLength(1);
    expect(() => load('EUR/USD', empty)).toThrow(`${empty} holds no quotes`);
    expect(() => load('EUR/USD', bad)).toThrow(`${bad}: line 2`);
    expect(() => load('EUR/USD', join(folder as string, 'absent.csv'))).toThrow('absent.csv');
  });
});
