/** What a monitor that receives a source itself finds in the log. */
import { describe, expect, test } from 'vitest';
import { parseQuoteLine, parseTradeFrame } from '../bin/monitor-sources.ts';
import { type GapEntry, parseEntry, QuoteRecord, type TickEntry } from '../src/index.ts';
import { gap, tick } from './story.ts';

const T = 1_780_000_000_000;

/** A record of three quotes of `a`, received 40 ms after its own times. */
function recorded(): QuoteRecord {
  const record = new QuoteRecord();
  for (const [at, price] of ['1.08400', '1.08410', '1.084201'].entries()) {
    const sourceMs = T + at * 1_000;
    record.add({
      source: 'a',
      symbol: 'EURUSD',
      price,
      sourceMs,
      sourceSeq: BigInt(sourceMs + 40),
      receivedMs: sourceMs + 40,
    });
  }
  return record;
}

/** An entry in which `a` is listed with a quote that it sent at `sourceMs`; null: with none. */
function listed(n: number, timeMs: number, sourceMs: number | null, price = '1.08400'): TickEntry | GapEntry {
  const text =
    sourceMs === null
      ? gap(n, timeMs, 'restart', [['a'], ['b'], ['c'], ['d']])
      : tick({ n, timeMs }, price, [['a', price, sourceMs + 40], ['b']]);
  return parseEntry(text) as TickEntry | GapEntry;
}

describe('quotes that were received here', () => {
  test('are not reported where the log lists them in time', () => {
    const record = recorded();
    expect(record.take(listed(1, T + 250, T), 7)).toEqual([]);
    expect(record.take(listed(2, T + 1_250, T + 1_000, '1.08410'), 8)).toEqual([]);
    // The source gave a decimal more than the product has.
    expect(record.take(listed(3, T + 2_250, T + 2_000, '1.08420'), 9)).toEqual([]);
    // An older quote than the newest is right for two seconds; another product and source are not compared.
    expect(recorded().take(listed(1, T + 2_750, T), 7)).toEqual([]);
  });

  test('are reported where the log has another price, another time, or a quote that was not sent', () => {
    const record = recorded();
    expect(record.take(listed(1, T + 250, T, '1.08500'), 7)).toEqual([
      `entry 7, EUR/USD: a sent 1.08400 as quote ${T + 40}, and is listed with another price`,
    ]);
    expect(record.take(listed(2, T + 500, T, '1.08500'), 8)).toEqual([]);
    expect(record.take(listed(3, T + 750, T + 500), 9)).toEqual([
      `entry 9, EUR/USD: a is listed with a quote ${T + 540} that it did not send here`,
    ]);
    const other = listed(4, T + 1_250, T + 1_000, '1.08410');
    const moved = { ...other, quotes: other.quotes.map((quote) => ({ ...quote, sourceMs: T + 990 })) };
    expect(record.take(moved as TickEntry, 10)).toEqual([
      `entry 10, EUR/USD: a gave quote ${T + 1_040} the time ${T + 1_000}, and is listed with ${T + 990}`,
    ]);
  });

  test('are reported where the log lists them late, or not at all', () => {
    const record = recorded();
    expect(record.take(listed(1, T + 3_250, T), 7)).toEqual([]);
    expect(record.take(listed(2, T + 9_000, T + 2_000, '1.08420'), 8)).toEqual([
      `entry 8, EUR/USD: a sent quote ${T + 1_040} 7960 ms before the log listed it or a newer one: late`,
    ]);
    const silent = recorded();
    expect(silent.take(listed(1, T + 10_000, null), 7)).toEqual([]);
    expect(silent.take(listed(2, T + 60_250, null), 8)).toEqual([
      `entry 8, EUR/USD: a sent quote ${T + 40} at ${T + 40}, and the log does not list it or a newer one`,
    ]);
    expect(silent.take(listed(3, T + 61_000, null), 9)).toEqual([]);
  });
});

describe('what a source sends', () => {
  test('is read from lines', () => {
    const quote = { source: 'a', symbol: 'EUR/USD', price: '1.08', sourceMs: 5, sourceSeq: 7n };
    expect(parseQuoteLine('a,EUR/USD,1.08,5,7', 9)).toEqual({ ...quote, receivedMs: 9 });
    expect(parseQuoteLine('a,EUR/USD,1.08,5,7,8', 9)).toEqual({ ...quote, receivedMs: 8 });
    for (const line of [
      '',
      'a,EUR/USD,1.08,5',
      'a,EUR/USD,-1,5,7',
      'a,EUR/USD,1,5,x',
      'a,B,1,5,7,8,9',
      ',B,1,5,7',
    ])
      expect(parseQuoteLine(line, 9)).toBe(null);
  });

  test('is read from frames of a stream of trades', () => {
    const trade = { e: 'aggTrade', E: 6, s: 'BTCUSDT', a: 12345, p: '0.001', q: '100', T: 5, m: true };
    const quote = {
      source: 'binance',
      symbol: 'BTCUSDT',
      price: '0.001',
      sourceMs: 5,
      sourceSeq: 12_345n,
      receivedMs: 9,
    };
    const read = (frame: unknown) => parseTradeFrame('binance', JSON.stringify(frame), 9);
    expect(read(trade)).toEqual(quote);
    expect(read({ stream: 'btcusdt@aggTrade', data: trade })).toEqual(quote);
    expect(read({ ...trade, e: 'trade', t: 8 })).toEqual({ ...quote, sourceSeq: 8n });
    for (const other of [
      null,
      5,
      { result: null, id: 1 },
      { data: null },
      { ...trade, p: 0.001 },
      { ...trade, a: -1 },
      { ...trade, e: 'avgPrice' },
    ])
      expect(read(other)).toBe(null);
    expect(parseTradeFrame('binance', '{', 9)).toBe(null);
  });
});
