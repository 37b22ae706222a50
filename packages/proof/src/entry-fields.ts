/** Fields of log entries. */
import { type Points, points } from '@fairtick/money';
import { unitsOf } from './decimal.ts';

const SOURCE = /^[a-z0-9-]{1,32}$/;

/** Whether a value can be the name of a source. */
export const isSource = (value: unknown): value is string => typeof value === 'string' && SOURCE.test(value);

/** A plain decimal integer that a JavaScript number holds exactly. */
export function parseCount(text: string | undefined): number | null {
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** A source's number: up to 20 digits. */
export function parseNumber(text: string): bigint | null {
  return /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : null;
}

/** Above 0, in units of its last decimal. */
export function priceOf(text: string): Points | null {
  const units = unitsOf(text);
  return units === null || units === 0n ? null : points(units);
}
