import { describe, expect, test } from 'vitest';
import { tradingDayAt, UTC_DAYS } from './index.ts';

const NEW_YORK = { zone: 'America/New_York', from: '17:00' };
const dayAt = (start: typeof NEW_YORK, iso: string) => {
  const { startMs, endMs, date } = tradingDayAt(start, Date.parse(iso));
  return [date.toString(), new Date(startMs).toISOString(), (endMs - startMs) / 3_600_000];
};

describe('a trading day', () => {
  test.each([
    ['2026-11-26T21:59:59.999Z', '2026-11-26', '2026-11-25T22:00:00.000Z', 24],
    ['2026-11-26T22:00:00Z', '2026-11-27', '2026-11-26T22:00:00.000Z', 24],
    // The clocks change on 1 November and on 8 March 2026.
    ['2026-11-01T12:00:00Z', '2026-11-01', '2026-10-31T21:00:00.000Z', 25],
    ['2026-03-08T12:00:00Z', '2026-03-08', '2026-03-07T22:00:00.000Z', 23],
  ])('of currencies that contains %s is %s', (iso, ...day) => {
    expect(dayAt(NEW_YORK, iso)).toEqual(day);
  });

  test.each([
    [{ zone: 'Asia/Tokyo', from: '00:00' }, '2026-11-26T15:00:00Z', '2026-11-27', '2026-11-26T15:00:00.000Z'],
    [
      { zone: 'Asia/Hong_Kong', from: '17:00' },
      '2026-12-31T09:00:00Z',
      '2027-01-01',
      '2026-12-31T09:00:00.000Z',
    ],
    [UTC_DAYS, '2026-11-26T23:59:59Z', '2026-11-26', '2026-11-26T00:00:00.000Z'],
  ])('of %j that contains %s is %s', (start, iso, ...day) => {
    expect(dayAt(start, iso)).toEqual([...day, 24]);
  });
});
