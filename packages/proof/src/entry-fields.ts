import { type Points, points } from '@fairtick/money';
import { unitsOf } from './decimal.ts';

const SOURCE = /^[a-z0-9-]{1,32}$/;

export const isSource = (value: unknown): value is string => typeof value === 'string' && SOURCE.test(value);

/** A source's number: up to 20 digits. */
export function parseNumber(text: string): bigint | null {
  return /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : null;
}

/** Above 0, in units of its last decimal. */
export function priceOf(text: string): Points | null {
  const units = unitsOf(text);
  return units === null || units === 0n ? null : points(units);
}

const MOST_PARTS = 64;

/** Reads a list of parts, of which each begins with its source; null unless there are 1 to 64, ascending by source. */
export function parseParts<T extends { readonly source: string }>(
  list: string,
  parse: (fields: readonly string[]) => T | null,
): T[] | null {
  const parts: T[] = [];
  for (const text of list.split(';')) {
    const part = parse(text.split(','));
    const before = parts.at(-1);
    if (part === null || parts.length >= MOST_PARTS || (before && before.source >= part.source)) return null;
    parts.push(part);
  }
  return parts;
}
