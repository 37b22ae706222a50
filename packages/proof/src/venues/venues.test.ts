import { describe, expect, test } from 'vitest';
import { RECORD_VENUES, readRecords, recordPoints, recordsAround } from './venues.ts';

/** Answers as the exchanges document them. */
const ANSWERS: Readonly<Record<string, string>> = {
  binance:
    '[{"a":26129,"p":"0.01633102","q":"4.70443515","f":27781,"l":27781,"T":1498793709153,"m":true,"M":true},{"a":26130,"p":"0.01633103","q":"1","f":27782,"l":27783,"T":1498793709153,"m":true,"M":true}]',
  coinbase:
    '[{"time":"2014-11-07T22:19:28.578999Z","trade_id":74,"price":"10.00000000","size":"0.01000000","side":"buy"},{"time":"2014-11-07T01:08:43.642366Z","trade_id":73,"price":"100.00000000","size":"0.01000000","side":"sell"}]',
  kraken:
    '{"error":[],"result":{"XXBTZUSD":[["30243.40000","0.34507674",1688669597.8277369,"b","m","",61044952],["30243.30000","0.00376960",1688669598.2804112,"s","l","",61044953],["30243.30000","0.01235716",1688669602.698379,"s","m","",61044956]],"last":"1688671969993150842"}}',
  okx: '{"code":"0","msg":"","data":[{"instId":"BTC-USDT","side":"sell","sz":"0.00001","px":"29963.2","tradeId":"242720720","ts":"1654161646974"},{"instId":"BTC-USDT","side":"sell","sz":"0.1","px":"29964.1","tradeId":"242720719","ts":"1654161641568"}]}',
};
const SOURCES = RECORD_VENUES.map(({ source }) => source);
const read = (source: string, text: string) => readRecords(source, JSON.parse(text));

describe('the address of a question', () => {
  const asked = (source: string, question: Parameters<typeof recordsAround>[2]) =>
    recordsAround(source, 'BTC/USDT', question)?.href ?? null;

  test('names a number', () => {
    const urls = SOURCES.map((source) =>
      asked(source, { by: 'number', number: 500n, timeMs: 1_700_000_000_123 }),
    );
    expect(urls).toEqual([
      'https://data-api.binance.vision/api/v3/aggTrades?symbol=BTCUSDT&limit=1000&fromId=500',
      'https://api.exchange.coinbase.com/products/BTC-USDT/trades?limit=1000&after=1500',
      'https://api.kraken.com/0/public/Trades?pair=XBTUSDT&count=1000&since=1700000000121999999',
      'https://www.okx.com/api/v5/market/history-trades?instId=BTC-USDT&limit=100&type=1&after=600',
    ]);
  });

  test('names a time, where the exchange can be asked for one', () => {
    const urls = SOURCES.map((source) =>
      asked(source, { by: 'time', timeMs: 1_700_000_000_000, backMs: 2_000 }),
    );
    expect(urls).toEqual([
      'https://data-api.binance.vision/api/v3/aggTrades?symbol=BTCUSDT&limit=1000&startTime=1699999998000',
      null,
      'https://api.kraken.com/0/public/Trades?pair=XBTUSDT&count=1000&since=1699999997999999999',
      'https://www.okx.com/api/v5/market/history-trades?instId=BTC-USDT&limit=100&type=2&after=1700000000001',
    ]);
  });

  test('is another place’s where one is named, and none for another source', () => {
    expect(recordsAround('okx', 'BTC/USDT', { by: 'newest' }, 'http://127.0.0.1:80/okx/')?.href).toBe(
      'http://127.0.0.1/okx/api/v5/market/history-trades?instId=BTC-USDT&limit=100',
    );
    expect(recordsAround('bybit', 'BTC/USDT', { by: 'newest' })).toBeNull();
    expect(readRecords('bybit', [])).toBeNull();
  });
});

test('answers as documented are read digit by digit, oldest first', () => {
  expect(read('binance', ANSWERS.binance as string)).toEqual([
    { number: 26129n, timeMs: 1_498_793_709_153, price: '0.01633102' },
    { number: 26130n, timeMs: 1_498_793_709_153, price: '0.01633103' },
  ]);
  expect(read('coinbase', ANSWERS.coinbase as string)).toEqual([
    { number: 73n, timeMs: Date.UTC(2014, 10, 7, 1, 8, 43, 642), price: '100.00000000' },
    { number: 74n, timeMs: Date.UTC(2014, 10, 7, 22, 19, 28, 578), price: '10.00000000' },
  ]);
  expect(read('kraken', ANSWERS.kraken as string)).toEqual([
    { number: 61044952n, timeMs: 1_688_669_597_827, price: '30243.40000' },
    { number: 61044953n, timeMs: 1_688_669_598_280, price: '30243.30000' },
    { number: 61044956n, timeMs: 1_688_669_602_698, price: '30243.30000' },
  ]);
  expect(read('okx', ANSWERS.okx as string)?.map(({ number }) => number)).toEqual([242720719n, 242720720n]);
});

test.each([
  ['binance', '[]'],
  ['coinbase', '[]'],
  ['kraken', '{"error":[],"result":{"XBTUSDT":[],"last":"0"}}'],
  ['okx', '{"code":"0","msg":"","data":[]}'],
])('%s may answer that there are none', (source, text) => {
  expect(read(source, text)).toEqual([]);
});

describe.each(SOURCES)('of %s', (source) => {
  const honest = ANSWERS[source] as string;
  /** Fields of the first record that is listed, as written. */
  const written = {
    binance: { price: '"0.01633102"', number: '26129', time: '1498793709153' },
    coinbase: { price: '"10.00000000"', number: '74', time: '"2014-11-07T22:19:28.578999Z"' },
    kraken: { price: '"30243.40000"', number: '61044952', time: '1688669597.8277369' },
    okx: { price: '"29963.2"', number: '"242720720"', time: '"1654161646974"' },
  }[source] as { price: string; number: string; time: string };

  test.each([
    '1.5',
    'null',
    '"-1.5"',
    '"0"',
    '"0.000"',
    '"1e5"',
    '" 1"',
    '"NaN"',
    '"1,5"',
    '{}',
    '[1]',
    `"${'9'.repeat(40)}"`,
  ])('a price %s refuses the answer', (text) => {
    expect(honest).toContain(written.price);
    expect(read(source, honest.replace(written.price, text))).toBeNull();
  });

  test.each([
    '1.5',
    '-1',
    'null',
    '"x"',
    '"1.0"',
    '9007199254740993',
    '"123456789012345678901"',
    'true',
    '[]',
  ])('a number %s refuses the answer', (text) => {
    expect(read(source, honest.replace(written.number, text))).toBeNull();
  });

  test.each(['null', '"Friday"', '-5', '0', '1e30', '"2014-11-07"', '"2014-11-07 22:19:28"', '[]', '{}'])(
    'a time %s refuses the answer',
    (text) => {
      expect(read(source, honest.replace(written.time, text))).toBeNull();
    },
  );

  test.each([
    'null',
    '5',
    '"x"',
    '{}',
    '[null]',
    '[[]]',
    '[{}]',
    '{"data":[]}',
    '{"code":"0"}',
    '{"error":["EGeneral"],"result":{}}',
    '{"code":"50011","msg":"Too Many Requests","data":[]}',
  ])('%s is no answer', (text) => {
    expect(read(source, text)).toBeNull();
  });

  test('records in the wrong order, one number twice, and falling times refuse the answer', () => {
    const parsed = JSON.parse(honest);
    const rows = (parsed.data ?? parsed.result?.XXBTZUSD ?? parsed) as unknown[];
    rows.reverse();
    expect(readRecords(source, parsed)).toBeNull();
    rows.reverse();
    rows.push(rows[0]);
    expect(readRecords(source, parsed)).toBeNull();
    rows.splice(1, Number.POSITIVE_INFINITY, rows[0]);
    expect(readRecords(source, parsed)).toBeNull();
  });

  test('more records than it ever lists refuse the answer', () => {
    const parsed = JSON.parse(honest);
    const rows = (parsed.data ?? parsed.result?.XXBTZUSD ?? parsed) as unknown[];
    while (rows.length < 1_001) rows.push(rows[0]);
    expect(readRecords(source, parsed)).toBeNull();
  });
});

test('a price is cut off after the product’s last decimal', () => {
  expect(recordPoints('105944.29999', 2)).toBe(10_594_429n);
  expect(recordPoints('105944', 2)).toBe(10_594_400n);
  expect(recordPoints('0.009', 2)).toBeNull();
  expect(recordPoints('9'.repeat(20), 8)).toBeNull();
});
