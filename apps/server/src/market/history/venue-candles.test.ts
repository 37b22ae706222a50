import { pastRow } from '@fairtick/kit/venues/history-server.ts';
import { describe, expect, test } from 'vitest';
import { HISTORY_VENUES, type HistoryVenue, readVenueCandles, WrongHistory } from './venue-candles.ts';

const [binance, kraken] = HISTORY_VENUES as [HistoryVenue, HistoryVenue];
const MINUTE_MS = 60_000;
const BEFORE_MS = Date.UTC(2026, 5, 3, 14, 37);
const asked = { minutes: 1, decimals: 2, beforeMs: BEFORE_MS } as const;
const rows = [3, 2, 1].map((back) => pastRow('binance', BEFORE_MS - back * MINUTE_MS, 1));
const read = (answer: unknown, venue = binance, question: Parameters<typeof readVenueCandles>[2] = asked) =>
  readVenueCandles(venue, typeof answer === 'string' ? answer : JSON.stringify(answer), question);

describe('the history of a venue', () => {
  test('is read from the digits of the answer, cut off after the product’s last decimal', () => {
    const time = BEFORE_MS - MINUTE_MS;
    const text = `[[${time},"9007199254740993.129","9007199254740993.139","0.019999","1.5e0","12.5",${time + 59999}]]`;
    expect(read(text)).toEqual([
      { timeMs: time, open: 900719925474099312n, high: 900719925474099313n, low: 1n, close: 150n },
    ]);
  });

  test('of Kraken has its times in seconds and its market under any name', () => {
    const seconds = BEFORE_MS / 1_000;
    const result = {
      XBTUSDT: [[seconds - 60, '65000.1', '65001.3', '64998.0', '65000.5', '65000.2', '0.5', 12]],
      last: seconds,
    };
    expect(read({ error: [], result }, kraken)).toEqual([
      {
        timeMs: BEFORE_MS - MINUTE_MS,
        open: 6_500_010n,
        high: 6_500_130n,
        low: 6_499_800n,
        close: 6_500_050n,
      },
    ]);
    // Its answer goes on to the present; what begins after the asked time is left out.
    const later = {
      ...result,
      XBTUSDT: [...result.XBTUSDT, [seconds, ...(result.XBTUSDT[0] ?? []).slice(1)]],
    };
    expect(read({ error: [], result: later }, kraken)).toHaveLength(1);
  });

  test('may have gaps, which stay gaps', () => {
    expect(read([rows[0], rows[2]]).map(({ timeMs }) => (BEFORE_MS - timeMs) / MINUTE_MS)).toEqual([3, 1]);
    expect(read([])).toEqual([]);
  });

  const [first, second, third] = rows;
  const changed = (place: number, value: unknown) => [first, second?.with(place, value as string), third];
  test.each([
    ['in the wrong order', [first, third, second]],
    ['newest first', rows.toReversed()],
    ['with a candle twice', [first, second, second, third]],
    ['with a high below the low', changed(2, '64000.00')],
    ['with a low above the close', changed(3, '66000.00')],
    ['with a missing price', changed(1, null)],
    ['with a price of zero', changed(3, '0.00000000')],
    ['with a negative price', changed(3, '-1.0')],
    ['with a price that is no number', changed(4, 'NaN')],
    ['with a price of too many digits', changed(2, '1e40')],
    ['with a time off the minute', changed(0, BEFORE_MS - 2 * MINUTE_MS + 1)],
    ['with a time that is text', changed(0, 'yesterday')],
    ['with a candle that was not asked for', [...rows, pastRow('binance', BEFORE_MS, 1)]],
    ['with a row that is no list', [first, { open: 1 }, third]],
    ['with a row that is empty', [first, [], third]],
    ['with more rows than a venue has', Array.from({ length: 1_001 }, () => first)],
    ['that is null', 'null'],
    ['that is an error', '{"code":-1121,"msg":"Invalid symbol."}'],
    ['that is a web page', '<!doctype html><title>Blocked</title>'],
    ['that is cut off', JSON.stringify(rows).slice(0, -5)],
  ])('%s is refused whole', (_fault, answer) => {
    expect(() => read(answer)).toThrow(WrongHistory);
  });

  test.each([
    ['an error', { error: ['EQuery:Unknown asset pair'] }],
    ['an error beside a result', { error: ['EGeneral:Internal error'], result: { XBTUSDT: [], last: 1 } }],
    ['two markets', { error: [], result: { XBTUSDT: [], ETHUSDT: [], last: 1 } }],
    ['no market', { error: [], result: { last: 1 } }],
    ['no list', { error: [], result: { XBTUSDT: 'none', last: 1 } }],
  ])('of Kraken with %s is refused whole', (_fault, answer) => {
    expect(() => read(answer, kraken)).toThrow(WrongHistory);
  });
});
