import { parseEntry, toBase64 } from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { hasRecord, PYTH_SOURCE, type SourceRecord } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Shown } from './receipt-entries.ts';

type Updates = NonNullable<Data<'orderReceipt'>['updates']>;

/** The signed updates that are kept of the records in the fixes and closes of an order, by rising place in the log. */
export async function readShownUpdates(
  db: Queryable,
  productId: number,
  shown: readonly Shown[],
): Promise<Updates> {
  const wanted = shown.flatMap(recordsIn).sort((a, b) => a.index - b.index);
  if (wanted.length === 0) return [];
  const numbers = wanted
    .flatMap(({ last, next }) => [last, ...(next ? [next] : [])])
    .map(({ number }) => number);
  const { rows } = await db.query<{ number: string; signed: Buffer }>({
    name: 'signed-updates-of',
    text: 'select number, signed from signed_updates where product_id = $1 and number = any ($2::bigint[])',
    values: [productId, [...new Set(numbers)].filter((number) => number < 2n ** 63n).map(String)],
  });
  const kept = new Map(rows.map(({ number, signed }) => [number, toBase64(signed)]));
  const updateOf = (record: SourceRecord | null) => (record && kept.get(String(record.number))) ?? null;
  return wanted.flatMap(({ index, last, next }) => {
    const update = updateOf(last);
    return update === null ? [] : [{ index, update, next: updateOf(next) }];
  });
}

/** The record of Pyth in a fix or close, and the one after it. */
function recordsIn({
  role,
  place: { index, text },
}: Shown): { index: number; last: SourceRecord; next: SourceRecord | null }[] {
  const entry = role === 'opening' || role === 'settling' ? parseEntry(text) : null;
  if (entry?.kind !== 'fix' && entry?.kind !== 'close') return [];
  const record = entry.records.find(({ source }) => source === PYTH_SOURCE);
  if (!record || !hasRecord(record)) return [];
  const { last, closing } = record;
  return [{ index, last, next: closing.by === 'next' ? closing.next : null }];
}
