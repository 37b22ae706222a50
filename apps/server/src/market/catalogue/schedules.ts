import type { Schedule, TradingWindow } from '@fairtick/trading';

const WEEKDAYS = [1, 2, 3, 4, 5] as const;

const daily = (from: string, to: string): TradingWindow => ({ days: WEEKDAYS, from, to });

/** Full-day holidays of the New York exchanges in 2026 and 2027; weekend holidays are on their observed day. */
const US_HOLIDAYS = [
  '2026-01-01', // New Year's Day
  '2026-01-19', // Martin Luther King Day
  '2026-02-16', // Washington's Birthday
  '2026-04-03', // Good Friday
  '2026-05-25', // Memorial Day
  '2026-06-19', // Juneteenth
  '2026-07-03', // Independence Day, kept on Friday
  '2026-09-07', // Labor Day
  '2026-11-26', // Thanksgiving
  '2026-12-25', // Christmas
  '2027-01-01',
  '2027-01-18',
  '2027-02-15',
  '2027-03-26',
  '2027-05-31',
  '2027-06-18', // Juneteenth, kept on Friday
  '2027-07-05', // Independence Day, kept on Monday
  '2027-09-06',
  '2027-11-25',
  '2027-12-24', // Christmas, kept on Friday
] as const;

/**
 * The day-long markets close fully only on New Year's Day, Good Friday and Christmas. Their session starts the evening before, so
 * each holiday is listed under the date on which the session would start.
 */
const EVE_HOLIDAYS = [
  '2025-12-31',
  '2026-04-02',
  '2026-12-24',
  '2026-12-31',
  '2027-03-25',
  '2027-12-23',
] as const;

const LONDON_HOLIDAYS = [
  '2026-01-01',
  '2026-04-03',
  '2026-04-06',
  '2026-05-04',
  '2026-05-25',
  '2026-08-31',
  '2026-12-25',
  '2026-12-28', // Boxing Day, kept on Monday
  '2027-01-01',
  '2027-03-26',
  '2027-03-29',
  '2027-05-03',
  '2027-05-31',
  '2027-08-30',
  '2027-12-27', // Christmas and Boxing Day, both kept after the weekend
  '2027-12-28',
] as const;

const PARIS_HOLIDAYS = [
  '2026-01-01',
  '2026-04-03',
  '2026-04-06',
  '2026-05-01',
  '2026-12-25',
  '2027-01-01',
  '2027-03-26',
  '2027-03-29',
] as const;

const XETRA_HOLIDAYS = [...PARIS_HOLIDAYS, '2026-12-24', '2026-12-31', '2027-12-24', '2027-12-31'] as const;

const TOKYO_HOLIDAYS = [
  ...['2026-01-01', '2026-01-02', '2026-01-12', '2026-02-11', '2026-02-23', '2026-03-20', '2026-04-29'],
  ...['2026-05-04', '2026-05-05', '2026-05-06', '2026-07-20', '2026-08-11', '2026-09-21', '2026-09-22'],
  ...['2026-09-23', '2026-10-12', '2026-11-03', '2026-11-23', '2026-12-31'],
  ...['2027-01-01', '2027-01-11', '2027-02-11', '2027-02-23', '2027-03-22', '2027-04-29', '2027-05-03'],
  ...['2027-05-04', '2027-05-05', '2027-07-19', '2027-08-11', '2027-09-20', '2027-09-23', '2027-10-11'],
  ...['2027-11-03', '2027-11-23', '2027-12-31'],
] as const;

const HONG_KONG_HOLIDAYS = [
  ...['2026-01-01', '2026-02-17', '2026-02-18', '2026-02-19', '2026-04-03', '2026-04-06', '2026-04-07'],
  ...['2026-05-01', '2026-05-25', '2026-06-19', '2026-07-01', '2026-10-01', '2026-10-19', '2026-12-25'],
  ...['2027-01-01', '2027-02-08', '2027-02-09', '2027-03-26', '2027-03-29', '2027-04-05', '2027-05-13'],
  ...['2027-06-09', '2027-07-01', '2027-09-16', '2027-10-01', '2027-10-08', '2027-12-27'],
] as const;

export const NEW_YORK: Schedule = {
  zone: 'America/New_York',
  windows: [daily('09:30', '16:00')],
  holidays: US_HOLIDAYS,
};
export const LONDON: Schedule = {
  zone: 'Europe/London',
  windows: [daily('08:00', '16:30')],
  holidays: LONDON_HOLIDAYS,
};
export const XETRA: Schedule = {
  zone: 'Europe/Berlin',
  windows: [daily('09:00', '17:30')],
  holidays: XETRA_HOLIDAYS,
};
export const PARIS: Schedule = {
  zone: 'Europe/Paris',
  windows: [daily('09:00', '17:30')],
  holidays: PARIS_HOLIDAYS,
};
export const TOKYO: Schedule = {
  zone: 'Asia/Tokyo',
  windows: [daily('09:00', '11:30'), daily('12:30', '15:30')],
  holidays: TOKYO_HOLIDAYS,
};
export const HONG_KONG: Schedule = {
  zone: 'Asia/Hong_Kong',
  windows: [daily('09:30', '12:00'), daily('13:00', '16:00')],
  holidays: HONG_KONG_HOLIDAYS,
};

/** Sunday evening to Friday afternoon in New York, with an hour's break each day. */
export const DAY_LONG: Schedule = {
  zone: 'America/New_York',
  windows: [{ days: [7, 1, 2, 3, 4], from: '18:00', to: '17:00' }],
  holidays: EVE_HOLIDAYS,
};

export const EUROPEAN_INDEX: Schedule = {
  zone: 'Europe/Berlin',
  windows: [daily('08:00', '22:00')],
  holidays: ['2026-01-01', '2026-04-03', '2026-12-25', '2027-01-01', '2027-03-26'],
};
export const LONDON_INDEX: Schedule = {
  zone: 'Europe/London',
  windows: [daily('08:00', '22:00')],
  holidays: ['2026-01-01', '2026-04-03', '2026-12-25', '2027-01-01', '2027-03-26'],
};
/** The day session with its lunch break and the night session of the index's futures. */
export const HONG_KONG_INDEX: Schedule = {
  zone: 'Asia/Hong_Kong',
  windows: [daily('09:15', '12:00'), daily('13:00', '16:30'), daily('17:15', '03:00')],
  holidays: HONG_KONG_HOLIDAYS,
};
export const SINGAPORE_INDEX: Schedule = {
  zone: 'Asia/Singapore',
  windows: [daily('09:00', '16:30'), daily('17:00', '05:00')],
  holidays: ['2026-01-01', '2027-01-01'],
};
export const SYDNEY_INDEX: Schedule = {
  zone: 'Australia/Sydney',
  windows: [daily('10:00', '16:30'), daily('17:15', '07:00')],
  holidays: ['2026-01-01', '2026-04-03', '2026-12-25', '2027-01-01', '2027-03-26'],
};
