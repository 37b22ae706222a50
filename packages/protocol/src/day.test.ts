import { expect, test } from 'vitest';
import { isDay } from './day.ts';

test('a day is an existing calendar date in the form YYYY-MM-DD', () => {
  for (const day of ['2026-02-28', '2028-02-29', '2026-12-31', '0001-01-01', '9999-12-31'])
    expect([day, isDay(day)]).toEqual([day, true]);
  const none = [
    '2026-02-29',
    '2026-02-31',
    '2026-04-31',
    '2100-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
  ];
  for (const day of [
    ...none,
    '0000-01-01',
    '2026-1-1',
    '2026-01-01T00:00',
    ' 2026-01-01',
    '2026-01-01\n',
    '',
  ])
    expect([day, isDay(day)]).toEqual([day, false]);
});
