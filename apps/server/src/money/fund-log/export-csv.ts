import { withoutTrailingZeros } from '@fairtick/money';
import type { FundEntry } from '@fairtick/protocol';
import { stringify } from 'csv-stringify/sync';
import { Temporal } from 'temporal-polyfill';

/**
 * The fund log as CSV (RFC 4180), with a byte order mark by which spreadsheets detect UTF-8. A field that a spreadsheet would
 * read as a formula gets a leading apostrophe, negative amounts too; the columns `in` and `out` can be added up. A number of more
 * digits than a spreadsheet keeps gets one as well. `time` is one that spreadsheets read, in `zone`; `exact` has milliseconds.
 */
export function fundCsv(entries: readonly FundEntry[], zone: string): Buffer {
  const rows = entries.map(({ time, type, result, ending, asset, amount, balance, ref, order }) => ({
    ...timeIn(time, zone),
    type,
    result: ending ?? result,
    asset,
    amount: allDigits(amount),
    in: amount.startsWith('-') ? '' : allDigits(amount),
    out: amount.startsWith('-') ? allDigits(amount.slice(1)) : '',
    balance: allDigits(balance ?? ''),
    ref,
    product: order?.symbol ?? '',
    minutes: order === null ? '' : String(order.minutes),
  }));
  const columns = [
    'time',
    'zone',
    'exact',
    'type',
    'result',
    'asset',
    'amount',
    'in',
    'out',
    'balance',
    'ref',
    'product',
    'minutes',
  ];
  return Buffer.from(csvOf(columns, rows));
}

/** 2026-11-26 22:00:00 in UTC+08:00, exactly 2026-11-26T14:00:00.000Z. */
function timeIn(ms: number, timeZone: string) {
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

export function allDigits(amount: string): string {
  const digits = withoutTrailingZeros(amount).replace(/[-.]/g, '').replace(/^0+/, '');
  return digits.length > MOST_DIGITS ? `'${amount}` : amount;
}

/** Any table of texts as CSV; see {@link fundCsv}. */
export function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, string>>[]): string {
  return stringify([...rows], {
    header: true,
    columns: [...columns],
    bom: true,
    record_delimiter: 'windows',
    escape_formulas: true,
  });
}
