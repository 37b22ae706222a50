import { withoutTrailingZeros } from '@fairtick/money';
import { stringify } from 'csv-stringify/sync';
import { Temporal } from 'temporal-polyfill';

/**
 * Any table of texts as CSV (RFC 4180), with a byte order mark by which spreadsheets detect UTF-8. A field that a spreadsheet would
 * read as a formula gets a leading apostrophe, negative amounts too.
 * @param options.hasHead false for rows that continue a table
 */
export function csvOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string>>[],
  { hasHead = true }: { readonly hasHead?: boolean } = {},
): string {
  return stringify([...rows], {
    header: hasHead,
    columns: [...columns],
    bom: hasHead,
    record_delimiter: 'windows',
    escape_formulas: true,
  });
}

/** A time that spreadsheets read with its zone, and exactly: 2026-11-26 22:00:00 in UTC+08:00, 2026-11-26T14:00:00.000Z. */
export function timeIn(ms: number, timeZone: string): { time: string; zone: string; exact: string } {
  const instant = Temporal.Instant.fromEpochMilliseconds(ms);
  const [date, clock = ''] = instant.toString({ timeZone, smallestUnit: 'second' }).split('T');
  return {
    time: `${date} ${clock.slice(0, 8)}`,
    zone: `UTC${clock.slice(8).replace('+00:00', '')}`,
    exact: instant.toString({ fractionalSecondDigits: 3 }),
  };
}

/** Spreadsheets keep 15 digits of a number, and all of a text. */
const MOST_DIGITS = 15;

/** A number of more digits than a spreadsheet keeps gets an apostrophe. */
export function allDigits(amount: string): string {
  const digits = withoutTrailingZeros(amount).replace(/[-.]/g, '').replace(/^0+/, '');
  return digits.length > MOST_DIGITS ? `'${amount}` : amount;
}
