import { type Acceptance, parseEntry, type ReceiptRole } from '@fairtick/proof';
import { MOST_FIX_WAIT_MS } from '@fairtick/trading';
import { LOG_KINDS } from '../../market/log/log-kinds.ts';
import type { LogReader } from '../../market/log/log-reader.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Readers } from '../../platform/db/readers.ts';
import { batchOf } from '../order-terms.ts';
import type { OrderQueryParts, SettledOrder } from '../orders/order-queries.ts';
import { type LoggedFix, readFacts } from '../settlement/logged-facts.ts';

export type ReceiptParts = Pick<OrderQueryParts, 'db' | 'assets' | 'products' | 'rules'> & {
  readonly reader: LogReader;
  /** Reads of a standby that already has the log of the receipt. Absent: the primary alone answers. */
  readonly readers?: { readonly db: Readers; readonly reader: LogReader };
};

export interface EntryPlace {
  readonly index: number;
  readonly text: string;
}

export interface Shown {
  readonly role: ReceiptRole;
  readonly place: EntryPlace;
}

interface Facts {
  readonly terms: Acceptance;
  /** The index of the `orders` entry. */
  readonly ordersIndex: number;
  /** Size of the checkpoint's log: later entries can't be proven. */
  readonly size: number;
}

type Wanted = readonly (readonly [ReceiptRole, number])[];

/**
 * The entries that a receipt shows, in its order, with their texts.
 * @returns null while one of them is not in the log of the checkpoint
 */
export async function readShown(
  parts: ReceiptParts,
  order: SettledOrder,
  facts: Facts,
): Promise<Shown[] | null> {
  const { terms, ordersIndex, size } = facts;
  const wanted = await findEntries(parts.db, order);
  if (wanted === null) return null;
  const all: Wanted = [['beforeAccept', terms.logSize - 1], ['orders', ordersIndex], ...wanted];
  if (all.some(([, index]) => index >= size)) return null;
  const texts = await Promise.all(all.map(([, index]) => parts.reader.text(index)));
  const shown = all.map(([role, index], at) => ({ role, place: { index, text: texts[at] as string } }));
  const fixes = shown.filter(({ role }) => role === 'opening' || role === 'settling');
  const hashes = fixes.flatMap(({ place }) => rulesNamed(place.text));
  const rules = await parts.rules.byHashes([terms.rulesHash, ...hashes]);
  const ofRules = rules.map(({ id, entry }) => ({
    role: 'rules' as const,
    place: { index: id, text: entry },
  }));
  return [...ofRules, ...shown];
}

/** The hash of the rules that a fix names. */
function rulesNamed(text: string): string[] {
  const entry = parseEntry(text);
  return entry?.kind === 'fix' || entry?.kind === 'close' ? [entry.rulesHash] : [];
}

/**
 * The fixes with their closes, and what shows that one is missing, depending on how the order ended. Null while there is none yet, or
 * while a close has still to do for the order what it does.
 */
async function findEntries(
  db: Queryable,
  { placed, voidReason, openPrice }: SettledOrder,
): Promise<Wanted | null> {
  if (voidReason === 'not_logged') return [];
  const { id, productId, opensAtMs, settlesAtMs } = placed;
  const [facts] = await readFacts(db, [{ batch: batchOf(id), productId, opensAtMs, settlesAtMs }]);
  const [open, settle] = [facts?.open ?? null, facts?.settle ?? null];
  const opening = shownAs('opening', open);
  if (voidReason !== null) return opening;
  if (openPrice === null) {
    const waited = await findEntryFrom(db, (open ? settlesAtMs : opensAtMs) + MOST_FIX_WAIT_MS);
    return waited === null ? null : [...opening, ['waited', waited]];
  }
  const isCorrecting = [open, settle].some(
    (fix) => fix?.close && fix.close.price !== fix.price && !fix.isCorrected,
  );
  return isCorrecting ? null : [...opening, ...shownAs('settling', settle)];
}

const shownAs = (role: ReceiptRole, fix: LoggedFix | null): Wanted =>
  [fix, fix?.close].flatMap((entry) => (entry ? [[role, entry.index] as const] : []));

/** The index of the first entry of this time or later, or of one soon after it; null while there is none. */
async function findEntryFrom(db: Queryable, timeMs: number): Promise<number | null> {
  const { tick, gap, orders, fix, close } = LOG_KINDS;
  const { rows } = await db.query<{ index: string }>({
    name: 'entry-from',
    text: `select index from log_entries
      where index >= (select size from log_checkpoints where time_ms < $1 order by time_ms desc limit 1) and time_ms >= $1
        and kind = any ($2::smallint[])
      order by index limit 1`,
    values: [timeMs, [tick, gap, orders, fix, close]],
  });
  return rows[0] ? Number(rows[0].index) : null;
}
