import { parseEntry, toBase64 } from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { PYTH_SOURCE } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Shown } from './receipt-entries.ts';

type Updates = NonNullable<Data<'orderReceipt'>['updates']>;

/** More between an update and the next one received is a silence, of which the next one shows nothing. */
const NEXT_WITHIN_MS = 60_000;

/** The signed updates that are kept of the ticks that opened and settled an order, by rising place in the log. */
export async function readShownUpdates(
  db: Queryable,
  productId: number,
  shown: readonly Shown[],
): Promise<Updates> {
  const quoted = quotedIn(shown);
  if (quoted.size === 0) return [];
  const { rows } = await db.query<{ source_seq: string; signed: Buffer; next: Buffer | null }>({
    name: 'signed-updates-of',
    text: `select u.source_seq, u.signed, (
        select n.signed from signed_updates n
        where n.product_id = u.product_id and n.source_seq > u.source_seq and n.taken_ms <= u.taken_ms + ${NEXT_WITHIN_MS}
        order by n.source_seq limit 1) as next
      from signed_updates u where u.product_id = $1 and u.source_seq = any ($2::bigint[])`,
    values: [productId, [...new Set(quoted.values())].map(String)],
  });
  const kept = new Map(rows.map((row) => [row.source_seq, row]));
  return [...quoted].flatMap(([index, sourceSeq]) => {
    const row = kept.get(String(sourceSeq));
    return row ? [{ index, update: toBase64(row.signed), next: row.next && toBase64(row.next) }] : [];
  });
}

/** The numbers of Pyth's quotes in the ticks that opened and settled an order, by rising place in the log. */
function quotedIn(shown: readonly Shown[]): Map<number, bigint> {
  const [opening, settling] = (['opening', 'settling'] as const).map((role) =>
    shown.filter((each) => each.role === role).map(({ place }) => place),
  ) as [Shown['place'][], Shown['place'][]];
  if (settling.length === 0) return new Map();
  const deciding = [...opening.slice(-1), ...(settling.length === 1 ? settling : [])];
  return new Map(
    deciding.flatMap(({ index, text }) => {
      const entry = parseEntry(text);
      const quote = entry?.kind === 'tick' && entry.quotes.find(({ source }) => source === PYTH_SOURCE);
      return quote && quote.use !== 'none' && quote.sourceSeq < 2n ** 63n
        ? [[index, quote.sourceSeq] as const]
        : [];
    }),
  );
}
