/** What a monitor that receives a source itself finds in the log. */
import { describe, expect, test } from 'vitest';
import { parseRecordLine, parseTradeFrame } from '../bin/monitor-sources.ts';
import { type FixEntry, parseEntry, SourceRecords } from '../src/index.ts';
import { fix, next, record } from './story.ts';

const T = 1_780_000_000_000;

/** The records 7, 8, 9 of `a`, of 400 ms before, 10 ms before and 100 ms after T. */
function received(): SourceRecords {
  const records = new SourceRecords();
  const all = [
    [7n, T - 400, '1.08400'],
    [8n, T - 10, '1.084109'],
    [9n, T + 100, '1.08420'],
  ] as const;
  for (const [number, timeMs, price] of all)
    records.add({ source: 'a', symbol: 'EURUSD', number, timeMs, price });
  return records;
}

/** A fix of T that lists the record of `a`. */
const listed = (number: number, timeMs: number, price: string, closing?: string): FixEntry =>
  parseEntry(
    fix({ n: 1, fixMs: T }, price, [record('a', price, timeMs, { number, ...(closing ? { closing } : {}) })]),
  ) as FixEntry;
const reported = (entry: FixEntry) => received().take(entry, 7);

describe('records that were received here', () => {
  test('are not reported where the log lists the last one and the one after it', () => {
    expect(reported(listed(8, T - 10, '1.08410', next('1.08420', T + 100, 9)))).toEqual([]);
    expect(reported(listed(8, T - 10, '1.08410'))).toEqual([]);
    // An open record is not said to be the last one.
    expect(reported(listed(7, T - 400, '1.08400', 'open'))).toEqual([]);
    // What this monitor did not receive is not compared.
    expect(new SourceRecords().take(listed(8, T - 10, '1.08500'), 7)).toEqual([]);
  });

  test('are reported where the log has another price or time for one number', () => {
    const other = 'and is listed with another price or time';
    expect(reported(listed(8, T - 10, '1.08412'))).toEqual([
      `entry 7, EUR/USD: a sent 1.084109 of ${T - 10} as record 8, ${other}`,
    ]);
    expect(reported(listed(8, T - 11, '1.08410'))).toEqual([expect.stringContaining(other)]);
    expect(reported(listed(8, T - 10, '1.08410', next('1.08422', T + 100, 9)))).toEqual([
      expect.stringContaining(`sent 1.08420 of ${T + 100} as record 9, ${other}`),
    ]);
  });

  test('are reported where the log passes one over', () => {
    const skipped = 'entry 7, EUR/USD: a sent record 8, which the log passes over after 7';
    expect(reported(listed(7, T - 400, '1.08400'))).toEqual([skipped]);
    expect(reported(listed(7, T - 400, '1.08400', next('1.08420', T + 100, 9)))).toEqual([skipped]);
    expect(reported(listed(8, T - 10, '1.08410', next('1.08430', T + 200, 10)))).toEqual([
      'entry 7, EUR/USD: a sent record 9, which the log passes over after 8',
    ]);
  });
});

describe('what a source sends', () => {
  test('is read from lines', () => {
    const own = { source: 'a', symbol: 'EUR/USD', number: 7n, timeMs: 5, price: '1.08' };
    expect(parseRecordLine('a,EUR/USD,7,5,1.08')).toEqual(own);
    for (const line of [
      '',
      'a,EUR/USD,7,5',
      'a,EUR/USD,7,5,-1',
      'a,EUR/USD,x,5,1',
      'a,B,7,5,1,8',
      ',B,7,5,1',
    ])
      expect(parseRecordLine(line)).toBe(null);
  });

  test('is read from frames of a stream of trades', () => {
    const trade = { e: 'aggTrade', E: 6, s: 'BTCUSDT', a: 12345, p: '0.001', q: '100', T: 5, m: true };
    const own = { source: 'binance', symbol: 'BTCUSDT', number: 12_345n, timeMs: 5, price: '0.001' };
    const read = (frame: unknown) => parseTradeFrame('binance', JSON.stringify(frame));
    expect(read(trade)).toEqual(own);
    expect(read({ stream: 'btcusdt@aggTrade', data: trade })).toEqual(own);
    expect(read({ ...trade, e: 'trade', t: 8 })).toEqual({ ...own, number: 8n });
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
    expect(parseTradeFrame('binance', '{')).toBe(null);
  });
});
