import { describe, expect, test } from 'vitest';
import { nextOpening, ROUND_THE_CLOCK, type Schedule, tradingPeriodAt } from './index.ts';

const WEEKDAYS = [1, 2, 3, 4, 5];
const at = (iso: string): number => {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new Error(`${iso} is no time`);
  return ms;
};
const period = (start: string, end: string) => ({ startMs: at(start), endMs: at(end) });

/** Like the stock exchange of New York, closed on 3 July 2026. */
const NEW_YORK: Schedule = {
  zone: 'America/New_York',
  windows: [{ days: WEEKDAYS, from: '09:30', to: '16:00' }],
  holidays: ['2026-07-03'],
};

/** Like the Tokyo exchange, with its lunch break and the holidays of early May. */
const TOKYO: Schedule = {
  zone: 'Asia/Tokyo',
  windows: [
    { days: WEEKDAYS, from: '09:00', to: '11:30' },
    { days: WEEKDAYS, from: '12:30', to: '15:30' },
  ],
  holidays: ['2026-05-04', '2026-05-05', '2026-05-06'],
};

/** Like an energy future: from Sunday evening, with an hour's pause each day. */
const ENERGY: Schedule = {
  zone: 'America/New_York',
  windows: [{ days: [7, 1, 2, 3, 4], from: '18:00', to: '17:00' }],
  holidays: ['2026-12-24'],
};

describe('the trading period of New York', () => {
  // 2026: summer time from 8 March to 1 November.
  test.each([
    ['in winter', '2026-03-06T15:00:00Z', '2026-03-06T14:30:00Z', '2026-03-06T21:00:00Z'],
    [
      'on the first weekday of summer time',
      '2026-03-09T15:00:00Z',
      '2026-03-09T13:30:00Z',
      '2026-03-09T20:00:00Z',
    ],
    [
      'on the last weekday of summer time',
      '2026-10-30T15:00:00Z',
      '2026-10-30T13:30:00Z',
      '2026-10-30T20:00:00Z',
    ],
    [
      'on the first weekday of winter',
      '2026-11-02T15:00:00Z',
      '2026-11-02T14:30:00Z',
      '2026-11-02T21:00:00Z',
    ],
  ])('%s', (_case, now, start, end) => {
    expect(tradingPeriodAt(NEW_YORK, at(now))).toEqual(period(start, end));
  });

  test('includes its first millisecond and excludes its end', () => {
    const whole = period('2026-03-09T13:30:00Z', '2026-03-09T20:00:00Z');
    expect(tradingPeriodAt(NEW_YORK, whole.startMs - 1)).toBeNull();
    expect(tradingPeriodAt(NEW_YORK, whole.startMs)).toEqual(whole);
    expect(tradingPeriodAt(NEW_YORK, whole.endMs - 1)).toEqual(whole);
    expect(tradingPeriodAt(NEW_YORK, whole.endMs)).toBeNull();
  });

  test('does not exist on a weekend at the same hour', () => {
    expect(tradingPeriodAt(NEW_YORK, at('2026-03-07T15:00:00Z'))).toBeNull();
    expect(tradingPeriodAt(NEW_YORK, at('2026-03-08T15:00:00Z'))).toBeNull();
  });

  test('does not exist on a holiday', () => {
    expect(tradingPeriodAt(NEW_YORK, at('2026-07-02T15:00:00Z'))).not.toBeNull();
    expect(tradingPeriodAt(NEW_YORK, at('2026-07-03T15:00:00Z'))).toBeNull();
  });

  test('follows the local date of a holiday, not that of UTC', () => {
    // In Tokyo 6 May begins while it is still 5 May in UTC.
    expect(tradingPeriodAt(TOKYO, at('2026-05-06T00:30:00Z'))).toBeNull();
    expect(tradingPeriodAt(TOKYO, at('2026-05-07T00:30:00Z'))).not.toBeNull();
  });
});

describe('the lunch break of Tokyo', () => {
  test('splits the day into two trading periods', () => {
    expect(tradingPeriodAt(TOKYO, at('2026-06-01T01:00:00Z'))).toEqual(
      period('2026-06-01T00:00:00Z', '2026-06-01T02:30:00Z'),
    );
    expect(tradingPeriodAt(TOKYO, at('2026-06-01T02:30:00Z'))).toBeNull();
    expect(tradingPeriodAt(TOKYO, at('2026-06-01T03:29:59.999Z'))).toBeNull();
    expect(tradingPeriodAt(TOKYO, at('2026-06-01T03:30:00Z'))).toEqual(
      period('2026-06-01T03:30:00Z', '2026-06-01T06:30:00Z'),
    );
  });

  test('lies before the next opening', () => {
    const lunch = at('2026-06-01T03:00:00Z');
    expect(nextOpening(TOKYO, lunch)).toBe(at('2026-06-01T03:30:00Z'));
  });
});

describe('windows that run past midnight', () => {
  test('belong to the day on which they start', () => {
    const night = period('2026-06-01T22:00:00Z', '2026-06-02T21:00:00Z');
    expect(tradingPeriodAt(ENERGY, at('2026-06-01T22:00:00Z'))).toEqual(night);
    expect(tradingPeriodAt(ENERGY, at('2026-06-02T03:00:00Z'))).toEqual(night);
    expect(tradingPeriodAt(ENERGY, at('2026-06-02T20:59:59.999Z'))).toEqual(night);
    expect(tradingPeriodAt(ENERGY, at('2026-06-02T21:30:00Z'))).toBeNull();
  });

  test('continue into a day on which no window starts', () => {
    // From Thursday evening until Friday; none starts on Friday or Saturday.
    expect(tradingPeriodAt(ENERGY, at('2026-06-05T20:00:00Z'))).toEqual(
      period('2026-06-04T22:00:00Z', '2026-06-05T21:00:00Z'),
    );
    expect(tradingPeriodAt(ENERGY, at('2026-06-05T23:00:00Z'))).toBeNull();
    expect(tradingPeriodAt(ENERGY, at('2026-06-07T21:59:59.999Z'))).toBeNull();
    expect(tradingPeriodAt(ENERGY, at('2026-06-07T22:00:00Z'))).toEqual(
      period('2026-06-07T22:00:00Z', '2026-06-08T21:00:00Z'),
    );
  });

  test('continue into a holiday, on whose evening no window starts', () => {
    expect(tradingPeriodAt(ENERGY, at('2026-12-24T12:00:00Z'))).toEqual(
      period('2026-12-23T23:00:00Z', '2026-12-24T22:00:00Z'),
    );
    expect(tradingPeriodAt(ENERGY, at('2026-12-25T00:00:00Z'))).toBeNull();
  });

  test.each([
    [
      'into summer time is an hour shorter',
      '2026-03-08T04:00:00Z',
      '2026-03-07T23:00:00Z',
      '2026-03-08T21:00:00Z',
      22,
    ],
    [
      'into winter time is an hour longer',
      '2026-11-01T04:00:00Z',
      '2026-10-31T22:00:00Z',
      '2026-11-01T22:00:00Z',
      24,
    ],
  ])('a window %s', (_case, now, start, end, hours) => {
    const saturdays: Schedule = { ...ENERGY, windows: [{ days: [6], from: '18:00', to: '17:00' }] };
    const found = tradingPeriodAt(saturdays, at(now));
    expect(found).toEqual(period(start, end));
    expect(((found?.endMs ?? 0) - (found?.startMs ?? 0)) / 3_600_000).toBe(hours);
  });

  test('a window from an hour to the same hour lasts a day', () => {
    const daily: Schedule = {
      zone: 'UTC',
      windows: [{ days: [3], from: '17:00', to: '17:00' }],
      holidays: [],
    };
    expect(tradingPeriodAt(daily, at('2026-06-04T16:59:59Z'))).toEqual(
      period('2026-06-03T17:00:00Z', '2026-06-04T17:00:00Z'),
    );
    expect(tradingPeriodAt(daily, at('2026-06-04T17:00:00Z'))).toBeNull();
  });
});

describe('an opening at a local time that the change to summer time skips', () => {
  test('moves an hour later', () => {
    // 02:30 does not exist in New York on 8 March 2026.
    const night: Schedule = {
      zone: 'America/New_York',
      windows: [{ days: [7], from: '02:30', to: '05:00' }],
      holidays: [],
    };
    expect(tradingPeriodAt(night, at('2026-03-08T08:00:00Z'))).toEqual(
      period('2026-03-08T07:30:00Z', '2026-03-08T09:00:00Z'),
    );
  });
});

describe('the next opening', () => {
  test('skips a weekend', () => {
    const saturday = at('2026-06-06T12:00:00Z');
    expect(nextOpening(NEW_YORK, saturday)).toBe(at('2026-06-08T13:30:00Z'));
  });

  test('keeps the local hour over a change of the clocks', () => {
    const saturday = at('2026-03-07T12:00:00Z');
    expect(nextOpening(NEW_YORK, saturday)).toBe(at('2026-03-09T13:30:00Z'));
  });

  test('skips a run of holidays', () => {
    const friday = at('2026-05-01T07:00:00Z');
    expect(nextOpening(TOKYO, friday)).toBe(at('2026-05-07T00:00:00Z'));
  });

  test('includes the moment itself', () => {
    expect(nextOpening(NEW_YORK, at('2026-06-08T13:30:00Z'))).toBe(at('2026-06-08T13:30:00Z'));
    expect(nextOpening(NEW_YORK, at('2026-06-08T13:30:00.001Z'))).toBe(at('2026-06-09T13:30:00Z'));
  });

  test('follows a window past midnight', () => {
    expect(nextOpening(ENERGY, at('2026-06-02T21:30:00Z'))).toBe(at('2026-06-02T22:00:00Z'));
  });

  test('is null for a product that never closes, which has one trading period', () => {
    const now = at('2026-06-06T12:00:00Z');
    expect(tradingPeriodAt(ROUND_THE_CLOCK, now)).toEqual({ startMs: 0, endMs: null });
    expect(nextOpening(ROUND_THE_CLOCK, now)).toBeNull();
  });

  test('is null for a product that never opens', () => {
    const never: Schedule = {
      zone: 'UTC',
      windows: [{ days: [], from: '09:00', to: '10:00' }],
      holidays: [],
    };
    const now = at('2026-06-06T12:00:00Z');
    expect(tradingPeriodAt(never, now)).toBeNull();
    expect(nextOpening(never, now)).toBeNull();
  });
});
