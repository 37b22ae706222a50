import { isDay } from '@fairtick/protocol/day';
import { Temporal } from 'temporal-polyfill';

export interface Moment {
  /** `2026-11-26` */
  readonly day: string;
  /** Milliseconds from the day's midnight; 24:00 is the next day's beginning. */
  readonly ofDayMs: number;
  /** An offset from UTC in minutes, the letters of a zone, or null when none is written. */
  readonly zone: number | string | null;
}

/** The order of `03/04/2026`, which the text itself does not tell. */
export type DayOrder = 'dayFirst' | 'monthFirst';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const NAMED_DAY = /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s*|(?:星期|周|週)[一二三四五六日天],?\s*)/i;
const REPUBLIC = /^(1\d{2})(?:([-/.])(\d{1,2})\2(\d{1,2})|(\d{2})(\d{2}))(?!\d)/;
const EITHER_FIRST = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
/** Each with the places of year, month and day. */
const FORMS: readonly (readonly [RegExp, year: number, month: number, day: number])[] = [
  [/^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/, 1, 3, 4],
  [/^(\d{4})(\d{2})(\d{2})(?=$|[\sT_]|\d{4,9}$)/, 1, 2, 3],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?!\d)/, 3, 2, 1],
  [/^(\d{1,2})[-\s./]*([a-z]{3,9})\.?[-\s,./]+(\d{4}|\d{2})(?!\d)/i, 3, 2, 1],
  [/^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/i, 3, 1, 2],
];
const MAX_WRITTEN = 100;
/** `Nov 26 10:00:00 CST 2026`, of C and Java. */
const YEAR_LAST = /^([a-z]{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) ?([a-z]{1,5})? (\d{4})$/i;
const CLOCK =
  /^[T\s_,]*(?:(上午|下午)\s*)?(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,]?(\d{1,9}))?)?(?:\s*(am|pm))?(.*)$/i;
const ZONE = /^([a-z]{1,5})?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?$/i;

/** @returns `ambiguous` for a day such as 03/04/2026 without an order; null for what is no day */
export function readMoment(written: string, order: DayOrder | null = null): Moment | 'ambiguous' | null {
  if (written.length > MAX_WRITTEN) return null;
  const text = /^[\dT:.,+\-/ Z]*$/.test(written) ? written.trim() : simplified(written);
  const found = dayOf(text, order);
  if (found === null || found === 'ambiguous') return found;
  const rest = text.slice(found.length);
  const time = rest.trim() === '' ? { ofDayMs: 0, zone: null } : timeOf(rest);
  return time && isDay(found.day) ? { day: found.day, ...time } : null;
}

/** Without names of weekdays, with usual signs between the parts. */
const simplified = (text: string): string =>
  text
    .normalize('NFKC')
    .trim()
    .replace(NAMED_DAY, '')
    .replace(/^(\d+)年(\d{1,2})月(\d{1,2})日/, '$1-$2-$3')
    .replace(/時|时|分(?=\d)/g, ':')
    .replace(/[分秒]|\([^()]*\)$/g, '')
    .trimEnd()
    .replace(YEAR_LAST, '$1 $2 $5 $3 $4');

function dayOf(text: string, order: DayOrder | null): { day: string; length: number } | 'ambiguous' | null {
  const made = (match: RegExpExecArray, year: string, month: string, day: string) => ({
    day: `${fullYear(year)}-${monthOf(month)}-${day.padStart(2, '0')}`,
    length: match[0].length,
  });
  for (const [form, year, month, day] of FORMS) {
    const found = form.exec(text);
    if (found) return made(found, found[year] as string, found[month] as string, found[day] as string);
  }
  const republic = REPUBLIC.exec(text);
  if (republic) {
    const [, year, , month = republic[5] ?? '', day = republic[6] ?? ''] = republic;
    return made(republic, String(Number(year) + 1911), month, day);
  }
  const either = EITHER_FIRST.exec(text);
  if (either) {
    const [, one = '', , two = '', year = ''] = either;
    const known = orderOf(one, two) ?? order;
    if (known === null) return one === two ? made(either, year, one, two) : 'ambiguous';
    return known === 'dayFirst' ? made(either, year, two, one) : made(either, year, one, two);
  }
  return null;
}

const fullYear = (year: string): string =>
  year.length === 2 ? `${Number(year) < 70 ? '20' : '19'}${year}` : year;
/** Two digits; 00 for a word that is no month. */
const monthOf = (month: string): string =>
  (/\d/.test(month) ? month : String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1)).padStart(2, '0');

function orderOf(one: string, two: string): DayOrder | null {
  if (Number(one) > 12) return 'dayFirst';
  return Number(two) > 12 ? 'monthFirst' : null;
}

/** Null when no day tells the order, or when they contradict each other. */
export function dayOrderOf(texts: Iterable<string>): DayOrder | null {
  let found: DayOrder | null = null;
  for (const text of texts) {
    const [, one = '', , two = ''] =
      EITHER_FIRST.exec(text.slice(0, MAX_WRITTEN).normalize('NFKC').trim()) ?? [];
    const order = orderOf(one, two);
    if (order && found && order !== found) return null;
    found ??= order;
  }
  return found;
}

function timeOf(rest: string): Omit<Moment, 'day'> | null {
  const [, chinese, hourText = '', minute = '', second = '0', fraction = '', half = chinese, zoneText = ''] =
    CLOCK.exec(rest) ?? [];
  if (hourText === '' || Number(minute) > 59 || Number(second) > 60) return null;
  const hour = half === undefined ? Number(hourText) : hourOfHalf(Number(hourText), /pm|下午/i.test(half));
  const ofDayMs =
    (hour * 60 + Number(minute)) * 60_000 +
    Number(second) * 1_000 +
    Number(fraction.padEnd(3, '0').slice(0, 3));
  if (ofDayMs > 86_400_000 + 999 || Number.isNaN(ofDayMs)) return null;
  const zone = readZone(zoneText.trim());
  return zone === undefined ? null : { ofDayMs, zone };
}

const hourOfHalf = (hour: number, isAfternoon: boolean): number =>
  hour < 1 || hour > 12 ? Number.NaN : (hour % 12) + (isAfternoon ? 12 : 0);

/** Undefined for what is no zone. */
export function readZone(text: string): Moment['zone'] | undefined {
  if (text === '') return null;
  const [matched, letters = '', sign, hours, minutes = '0'] = ZONE.exec(text) ?? [];
  if (matched === undefined) return undefined;
  if (sign === undefined) return letters.toUpperCase();
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}

/** Minutes from UTC of zones that mean one offset wherever they are written. */
export const ZONE_LETTERS: Readonly<Record<string, number>> = {
  ...{ Z: 0, UT: 0, UTC: 0, GMT: 0, WET: 0, CET: 60, CEST: 120, EET: 120, EEST: 180, MSK: 180 },
  ...{ HKT: 480, SGT: 480, AWST: 480, JST: 540, KST: 540, ICT: 420, WIB: 420, AEST: 600, AEDT: 660 },
  ...{ EST: -300, EDT: -240, CDT: -300, MST: -420, MDT: -360, PST: -480, PDT: -420, NZST: 720, NZDT: 780 },
};

/** Unix ms of a moment whose zone is written as an offset from UTC, or taken from the caller. */
export const unixMs = ({ day, ofDayMs }: Moment, offsetMinutes: number): number =>
  Date.parse(day) + ofDayMs - offsetMinutes * 60_000;

/** Whether a name is one of the time zone database, or an offset such as +08:00. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const unixMsIn = ({ day, ofDayMs }: Moment, zone: string): number =>
  Temporal.PlainDateTime.from(day).add({ milliseconds: ofDayMs }).toZonedDateTime(zone).epochMilliseconds;

/** Unix ms of a time in seconds, ms, µs or ns, by its number of digits; null for another number. */
export function readEpoch(text: string): number | null {
  if (text.length > MAX_WRITTEN) return null;
  const [, whole = '', fraction = ''] = /^(\d{9,19})(?:\.(\d+))?$/.exec(text) ?? [];
  const value = Number(whole);
  if (whole.length <= 10)
    return whole === '' ? null : value * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  // Twelve and fourteen digits are a date and a time.
  if (whole.length === 13) return value;
  if (whole.length === 16) return Math.floor(value / 1_000);
  return whole.length === 19 ? Number(BigInt(whole) / 1_000_000n) : null;
}
