import type { AssetClass } from '@fairtick/protocol';
import {
  type DayStart,
  ROUND_THE_CLOCK,
  type Schedule,
  type ShortDay,
  type TradingWindow,
  UTC_DAYS,
} from '@fairtick/trading';
import { Temporal } from 'temporal-polyfill';

const WEEKDAYS = [1, 2, 3, 4, 5] as const;

const daily = (from: string, to: string): TradingWindow => ({ days: WEEKDAYS, from, to });

/** The tables of this file name every holiday and short day up to this date. A test fails 90 days before it. */
export const TABLES_END = '2028-12-31';

/** Dates on which a market trades from `from` to `to` only. */
const short = (dates: readonly string[], from: string, to: string): ShortDay[] =>
  dates.map((date) => ({ date, windows: [{ from, to }] }));

/** The date before, on which the trading period of a date begins where those begin in the evening. */
const eveOf = (date: string): string => Temporal.PlainDate.from(date).subtract({ days: 1 }).toString();

/** Dates on which the New York exchanges and the day-long markets are closed; weekend holidays are on their observed day. */
const US_CLOSED = [
  ...['2026-01-01', '2026-04-03', '2026-12-25'],
  ...['2027-01-01', '2027-03-26', '2027-12-24'],
  ...['2028-04-14', '2028-12-25'],
] as const;

/** Dates on which the New York exchanges are closed and the day-long markets end early. */
const US_FEDERAL_HOLIDAYS = [
  '2026-01-19', // Martin Luther King Day
  '2026-02-16', // Washington's Birthday
  '2026-05-25', // Memorial Day
  '2026-06-19', // Juneteenth
  '2026-07-03', // Independence Day, kept on Friday
  '2026-09-07', // Labor Day
  '2026-11-26', // Thanksgiving
  ...['2027-01-18', '2027-02-15', '2027-05-31', '2027-06-18', '2027-07-05', '2027-09-06', '2027-11-25'],
  ...['2028-01-17', '2028-02-21', '2028-05-29', '2028-06-19', '2028-07-04', '2028-09-04', '2028-11-23'],
] as const;

/** The day after Thanksgiving, and the eves of Independence Day and Christmas where they are trading days. */
const US_SHORT_DAYS = ['2026-11-27', '2026-12-24', '2027-11-26', '2028-07-03', '2028-11-24'] as const;

const LONDON_HOLIDAYS = [
  ...['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-04', '2026-05-25', '2026-08-31', '2026-12-25'],
  ...['2026-12-28', '2027-01-01', '2027-03-26', '2027-03-29', '2027-05-03', '2027-05-31', '2027-08-30'],
  ...['2027-12-27', '2027-12-28', '2028-01-03', '2028-04-14', '2028-04-17', '2028-05-01', '2028-05-29'],
  ...['2028-08-28', '2028-12-25', '2028-12-26'],
] as const;

/** The last trading days before Christmas and New Year in London and Sydney. */
const LAST_DAYS = [
  '2026-12-24',
  '2026-12-31',
  '2027-12-24',
  '2027-12-31',
  '2028-12-22',
  '2028-12-29',
] as const;

const PARIS_HOLIDAYS = [
  ...['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25'],
  ...['2027-01-01', '2027-03-26', '2027-03-29'],
  ...['2028-04-14', '2028-04-17', '2028-05-01', '2028-12-25', '2028-12-26'],
] as const;

/** Short days in Paris; Frankfurt and its derivatives are closed. */
const YEAR_END_EVES = ['2026-12-24', '2026-12-31', '2027-12-24', '2027-12-31'] as const;

const FRANKFURT_HOLIDAYS = [...PARIS_HOLIDAYS, ...YEAR_END_EVES];

const TOKYO_HOLIDAYS = [
  ...['2026-01-01', '2026-01-02', '2026-01-12', '2026-02-11', '2026-02-23', '2026-03-20', '2026-04-29'],
  ...['2026-05-04', '2026-05-05', '2026-05-06', '2026-07-20', '2026-08-11', '2026-09-21', '2026-09-22'],
  ...['2026-09-23', '2026-10-12', '2026-11-03', '2026-11-23', '2026-12-31'],
  ...['2027-01-01', '2027-01-11', '2027-02-11', '2027-02-23', '2027-03-22', '2027-04-29', '2027-05-03'],
  ...['2027-05-04', '2027-05-05', '2027-07-19', '2027-08-11', '2027-09-20', '2027-09-23', '2027-10-11'],
  ...['2027-11-03', '2027-11-23', '2027-12-31'],
  ...['2028-01-03', '2028-01-10', '2028-02-11', '2028-02-23', '2028-03-20', '2028-05-03', '2028-05-04'],
  ...['2028-05-05', '2028-07-17', '2028-08-11', '2028-09-18', '2028-09-22', '2028-10-09', '2028-11-03'],
  ...['2028-11-23'],
] as const;

const HONG_KONG_HOLIDAYS = [
  ...['2026-01-01', '2026-02-17', '2026-02-18', '2026-02-19', '2026-04-03', '2026-04-06', '2026-04-07'],
  ...['2026-05-01', '2026-05-25', '2026-06-19', '2026-07-01', '2026-10-01', '2026-10-19', '2026-12-25'],
  ...['2027-01-01', '2027-02-08', '2027-02-09', '2027-03-26', '2027-03-29', '2027-04-05', '2027-05-13'],
  ...['2027-06-09', '2027-07-01', '2027-09-16', '2027-10-01', '2027-10-08', '2027-12-27'],
  ...['2028-01-26', '2028-01-27', '2028-01-28', '2028-04-04', '2028-04-14', '2028-04-17', '2028-05-01'],
  ...['2028-05-02', '2028-05-29', '2028-10-02', '2028-10-04', '2028-10-26', '2028-12-25', '2028-12-26'],
] as const;

/** The eves of the Lunar New Year, Christmas and New Year, where they are trading days. */
const LUNAR_AND_YEAR_END_EVES = [
  ...['2026-02-16', '2026-12-24', '2026-12-31'],
  ...['2027-02-05', '2027-12-24', '2027-12-31'],
  '2028-01-25',
] as const;

const FX_DAYS: DayStart = { zone: 'America/New_York', from: '17:00' };

/**
 * The time and zone at which a product's trading days begin. Currencies and metals follow New York's 17:00, crypto UTC. A market that trades at night
 * counts the night to the next day and pauses at 17:00 of its own clock; others begin at midnight there.
 */
export function dayStartOf(assetClass: AssetClass, { zone, windows }: Schedule): DayStart {
  if (assetClass === 'crypto') return UTC_DAYS;
  if (windows.length === 0) return FX_DAYS;
  return { zone, from: windows.some(({ from, to }) => to <= from) ? '17:00' : '00:00' };
}

const NEW_YORK: Schedule = {
  zone: 'America/New_York',
  windows: [daily('09:30', '16:00')],
  holidays: [...US_CLOSED, ...US_FEDERAL_HOLIDAYS].sort(),
  shortDays: short(US_SHORT_DAYS, '09:30', '13:00'),
};
const LONDON: Schedule = {
  zone: 'Europe/London',
  windows: [daily('08:00', '16:30')],
  holidays: LONDON_HOLIDAYS,
  shortDays: short(LAST_DAYS, '08:00', '12:30'),
};
const XETRA: Schedule = {
  zone: 'Europe/Berlin',
  windows: [daily('09:00', '17:30')],
  holidays: FRANKFURT_HOLIDAYS,
  shortDays: short(['2026-12-30', '2027-12-30', '2028-12-29'], '09:00', '14:00'),
};
const PARIS: Schedule = {
  zone: 'Europe/Paris',
  windows: [daily('09:00', '17:30')],
  holidays: PARIS_HOLIDAYS,
  shortDays: short(YEAR_END_EVES, '09:00', '14:05'),
};
const TOKYO: Schedule = {
  zone: 'Asia/Tokyo',
  windows: [daily('09:00', '11:30'), daily('12:30', '15:30')],
  holidays: TOKYO_HOLIDAYS,
};
const HONG_KONG: Schedule = {
  zone: 'Asia/Hong_Kong',
  windows: [daily('09:30', '12:00'), daily('13:00', '16:00')],
  holidays: HONG_KONG_HOLIDAYS,
  shortDays: short(LUNAR_AND_YEAR_END_EVES, '09:30', '12:00'),
};

/**
 * Sunday evening to Friday afternoon in New York, with an hour's break each day. Trading begins the evening before, so a holiday
 * and a short day are listed under the date before.
 */
const DAY_LONG: Schedule = {
  zone: 'America/New_York',
  windows: [{ days: [7, 1, 2, 3, 4], from: '18:00', to: '17:00' }],
  holidays: [...US_CLOSED.map(eveOf), '2028-12-31'],
  shortDays: short([...US_FEDERAL_HOLIDAYS, ...US_SHORT_DAYS].map(eveOf).sort(), '18:00', '13:00'),
};

/**
 * Currencies between dealers: Sunday to Friday at 17:00 in New York, in trading periods of a day. The next one follows at once, but no
 * order runs across 17:00, when dealers pause.
 */
const CURRENCY_DEALERS: Schedule = {
  zone: 'America/New_York',
  windows: [{ days: [7, 1, 2, 3, 4], from: '17:00', to: '17:00' }],
  holidays: [...['2026-01-01', '2026-12-25', '2027-01-01', '2028-12-25'].map(eveOf), '2028-12-31'],
};
/**
 * Brent's futures, with a break of two hours. Early ends are those of {@link DAY_LONG} and of New Year's Eve, and not later than the
 * market's own.
 */
const BRENT: Schedule = {
  zone: 'America/New_York',
  windows: [
    { days: [7], from: '18:00', to: '18:00' },
    { days: [1, 2, 3, 4], from: '20:00', to: '18:00' },
  ],
  holidays: DAY_LONG.holidays,
  shortDays: [...US_FEDERAL_HOLIDAYS, ...US_SHORT_DAYS, '2026-12-31', '2027-12-31']
    .map(eveOf)
    .sort()
    .map((date) => {
      const from = Temporal.PlainDate.from(date).dayOfWeek === 7 ? '18:00' : '20:00';
      return { date, windows: [{ from, to: '13:00' }] };
    }),
};

const EUROPEAN_INDEX: Schedule = {
  zone: 'Europe/Berlin',
  windows: [daily('08:00', '22:00')],
  holidays: FRANKFURT_HOLIDAYS,
};
const LONDON_INDEX: Schedule = {
  zone: 'Europe/London',
  windows: [daily('08:00', '22:00')],
  holidays: LONDON_HOLIDAYS,
  shortDays: short(LAST_DAYS, '08:00', '12:50'),
};
/** The day with its lunch break, and the night, of the index's futures. */
const HONG_KONG_INDEX: Schedule = {
  zone: 'Asia/Hong_Kong',
  windows: [daily('09:15', '12:00'), daily('13:00', '16:30'), daily('17:15', '03:00')],
  holidays: HONG_KONG_HOLIDAYS,
  shortDays: short(LUNAR_AND_YEAR_END_EVES, '09:15', '12:30'),
};
const SINGAPORE_INDEX: Schedule = {
  zone: 'Asia/Singapore',
  windows: [daily('09:00', '16:30'), daily('17:00', '05:00')],
  holidays: [
    ...['2026-01-01', '2026-02-17', '2026-02-18', '2026-12-25', '2027-01-01', '2027-02-08'],
    ...['2028-01-26', '2028-01-27', '2028-12-25'],
  ],
  shortDays: short(LUNAR_AND_YEAR_END_EVES, '09:00', '12:00'),
};
const SYDNEY_INDEX: Schedule = {
  zone: 'Australia/Sydney',
  windows: [daily('10:00', '16:30'), daily('17:15', '07:00')],
  holidays: [
    ...['2026-01-01', '2026-01-26', '2026-04-03', '2026-04-06', '2026-12-25', '2026-12-28'],
    ...['2027-01-01', '2027-01-26', '2027-03-26', '2027-03-29', '2027-12-27', '2027-12-28'],
    ...['2028-01-03', '2028-01-26', '2028-04-14', '2028-04-17', '2028-12-25', '2028-12-26'],
  ],
  shortDays: short(LAST_DAYS, '10:00', '12:30'),
};

/** All trading hours by the names that the table of products has for them. Names never change. */
export const HOURS = {
  'round-the-clock': ROUND_THE_CLOCK,
  'new-york': NEW_YORK,
  london: LONDON,
  xetra: XETRA,
  paris: PARIS,
  tokyo: TOKYO,
  'hong-kong': HONG_KONG,
  'day-long': DAY_LONG,
  'currency-dealers': CURRENCY_DEALERS,
  brent: BRENT,
  'european-index': EUROPEAN_INDEX,
  'london-index': LONDON_INDEX,
  'hong-kong-index': HONG_KONG_INDEX,
  'singapore-index': SINGAPORE_INDEX,
  'sydney-index': SYDNEY_INDEX,
} as const satisfies Readonly<Record<string, Schedule>>;
export type HoursName = keyof typeof HOURS;

/** The holidays and short days of a market whose products may have live prices. */
export interface Calendar {
  readonly market: string;
  readonly hours: HoursName;
  /** The last date that is known. Later dates of the tables are by the same rules, and can still change. */
  readonly until: string;
}

export const CALENDARS: readonly Calendar[] = [
  // Compared with NYSE Group's holiday and early closings calendar of 2025-12-23, on 2026-11-27.
  { market: 'New York', hours: 'new-york', until: '2028-12-31' },
  // Compared with Deutsche Börse's trading calendar of Xetra, on 2026-11-27; the early end of the last day is by custom.
  { market: 'Frankfurt', hours: 'xetra', until: '2028-12-31' },
  // The others follow from the law of the place and the exchange's rules.
  { market: 'London', hours: 'london', until: '2027-12-31' },
  { market: 'Paris', hours: 'paris', until: '2027-12-31' },
  { market: 'Tokyo', hours: 'tokyo', until: '2027-12-31' },
  { market: 'Hong Kong', hours: 'hong-kong', until: '2027-12-31' },
  { market: 'currencies', hours: 'currency-dealers', until: '2027-12-31' },
  { market: 'metals and American futures', hours: 'day-long', until: '2027-12-31' },
  { market: 'Brent', hours: 'brent', until: '2027-12-31' },
];

/** Trading hours of live products, which end with the dates that are known. */
export function liveSchedule(name: HoursName): Schedule {
  const calendar = CALENDARS.find(({ hours }) => hours === name);
  return calendar ? { ...HOURS[name], until: calendar.until } : HOURS[name];
}
