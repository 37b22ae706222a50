/** Public records of exchanges: how a stranger asks for a trade by its number or its time, and reads the answer. */

/** A public trade as its exchange states it. */
export interface VenueRecord {
  /** The exchange's own number. */
  readonly number: bigint;
  /** The exchange's own time, cut off after the millisecond. */
  readonly timeMs: number;
  /** The digits as written. */
  readonly price: string;
}

/** Which records of a market are asked for. */
export type RecordQuestion =
  /** The record of this number, and those after it. Its time finds it where numbers can't be asked for. */
  | { readonly by: 'number'; readonly number: bigint; readonly timeMs: number }
  /** Records around a time. Where an answer begins at a time it begins `backMs` before it; else it ends there. */
  | { readonly by: 'time'; readonly timeMs: number; readonly backMs: number }
  | { readonly by: 'newest' };

/** An exchange whose trades anybody can look up, without a key. */
export interface RecordVenue {
  /** The source's name in the rules of a product. */
  readonly source: string;
  readonly origin: string;
  /** Whether numbers of a market rise by one, so that two records show that none is between them. */
  readonly isGapless: boolean;
  /** By how much two answers may differ in the time of one record: where an exchange writes it in two precisions. */
  readonly roundingMs: number;
  /** Whether records can be asked for by time; else by number alone. */
  readonly hasTimes: boolean;
  /** How far back its answers reach, days; null: to the beginning. */
  readonly reachDays: number | null;
  /** The least time between two questions that stays within its limit. */
  readonly paceMs: number;
  /** Records of an answer at most. */
  readonly most: number;
  /** Path and query of a question; null where the exchange takes none of this kind. @param symbol such as BTC/USDT */
  pathOf(symbol: string, question: RecordQuestion): string | null;
  /** The list of records in an answer; absent: the answer is the list. */
  listOf?(answer: unknown): unknown;
  /** Whether answers list the newest record first. */
  readonly isNewestFirst: boolean;
  /** The places of a record's fields, and how its time is read. */
  readonly fields: {
    readonly number: string | number;
    readonly time: string | number;
    readonly price: string | number;
  };
  msOf(time: unknown): number | null;
}

const PRICE = /^\d{1,20}(?:\.\d{1,20})?$/;
const NUMBER = /^(?:0|[1-9]\d{0,19})$/;
const WHOLE_MS = /^[1-9]\d{0,15}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?Z$/;

/** A record of an exchange's answer; null where one of its fields can't be. */
export function recordOf({ fields, msOf }: RecordVenue, row: unknown): VenueRecord | null {
  const number = numberOf(fieldOf(row, fields.number));
  const timeMs = msOf(fieldOf(row, fields.time));
  const price = fieldOf(row, fields.price);
  if (number === null || timeMs === null || !(timeMs > 0)) return null;
  if (typeof price !== 'string' || !PRICE.test(price) || !/[1-9]/.test(price)) return null;
  return { number, timeMs, price };
}

/** A number that JSON holds exactly, or its digits as text. */
function numberOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  return typeof value === 'string' && NUMBER.test(value) ? BigInt(value) : null;
}

/** Unix ms as a whole number or its digits. */
export function wholeMs(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !WHOLE_MS.test(text)) return null;
  const ms = Number(text);
  return Number.isSafeInteger(ms) ? ms : null;
}

/** Unix ms of seconds with a fraction, by their digits: a product of floats would move some by a millisecond. */
export function secondsMs(value: unknown): number | null {
  if (typeof value !== 'number') return null;
  const [, seconds, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(String(value)) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Unix ms of a time in ISO 8601 and UTC. */
export function isoMs(value: unknown): number | null {
  if (typeof value !== 'string' || !ISO.test(value)) return null;
  // Parsed without the digits after the millisecond, so that no engine rounds them.
  const ms = Date.parse(value.replace(/(\.\d{3})\d+Z$/, '$1Z'));
  return Number.isFinite(ms) ? ms : null;
}

/** The value of a key of an object or a list; undefined where there is none. */
export const fieldOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;
