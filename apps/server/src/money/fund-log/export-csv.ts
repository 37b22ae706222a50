import type { FundEntry } from '@fairtick/protocol';
import { stringify } from 'csv-stringify/sync';
import { Temporal } from 'temporal-polyfill';

/**
 * The fund log as CSV (RFC 4180), with a byte order mark by which spreadsheets detect UTF-8. A field that a spreadsheet would
 * read as a formula gets a leading apostrophe, negative amounts too; the columns `in` and `out` can be added up.
 */
export function fundCsv(entries: readonly FundEntry[], zone: string): Buffer {
  const rows = entries.map(({ time, type, result, asset, amount, balance, ref, order }) => ({
    time: isoTime(time, zone),
    type,
    result,
    asset,
    amount,
    in: amount.startsWith('-') ? '' : amount,
    out: amount.startsWith('-') ? amount.slice(1) : '',
    balance: balance ?? '',
    ref,
    product: order?.symbol ?? '',
    minutes: order === null ? '' : String(order.minutes),
  }));
  const columns = [
    'time',
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

/** 2026-11-26T22:00:00.000+08:00, or with a Z in UTC. */
function isoTime(ms: number, zone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(ms);
  const format = { fractionalSecondDigits: 3 } as const;
  return instant.toString(zone === 'UTC' ? format : { ...format, timeZone: zone });
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
