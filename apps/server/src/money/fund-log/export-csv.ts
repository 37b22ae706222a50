import type { FundEntry } from '@fairtick/protocol';
import { allDigits, csvOf, timeIn } from '../../platform/csv.ts';

/** The fund log as CSV. The columns `in` and `out` can be added up: negative amounts are texts there. */
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
