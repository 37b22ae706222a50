import { tradingDayOf } from '@fairtick/trading';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { candleEnd } from './chart-times.ts';

const NEW_YORK = { zone: 'America/New_York', from: '17:00' };
const TOKYO = { zone: 'Asia/Tokyo', from: '00:00' };

test('a candle of minutes or seconds ends after its length', () => {
  expect(candleEnd(60_000, '1m', NEW_YORK)).toBe(120_000);
  expect(candleEnd(60_000, '1s', NEW_YORK)).toBe(61_000);
});

test.each([
  ['1d', '2026-11-27', '2026-11-28'],
  // The clocks change on 1 November.
  ['1d', '2026-11-01', '2026-11-02'],
  ['1w', '2026-12-28', '2027-01-04'],
  ['1M', '2026-12-01', '2027-01-01'],
] as const)('a candle of %s at %s ends where the trading day of %s begins', (period, date, next) => {
  for (const day of [NEW_YORK, TOKYO])
    expect(candleEnd(Date.parse(date), period, day)).toBe(
      tradingDayOf(day, Temporal.PlainDate.from(next)).startMs,
    );
});
