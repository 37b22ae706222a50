import { type Acceptance, parseEntry, type ReceiptRole, TILE_WIDTH } from '@fairtick/proof';
import { LOG_WITHIN_MS, OPEN_WINDOW_MS } from '@fairtick/trading';
import type { ProofReader } from '../../market/log/proof-reader.ts';
import { type Mark, type MarkPlace, marksAfter, marksBefore } from '../../market/log/symbol-marks.ts';
import type { OrderQueryParts, SettledOrder } from '../orders/order-queries.ts';

export type ReceiptParts = Pick<OrderQueryParts, 'db' | 'assets' | 'products' | 'rules'> & {
  readonly proofs: ProofReader;
};

export interface EntryPlace {
  readonly index: number;
  readonly text: string;
}

interface Shown {
  readonly role: ReceiptRole;
  readonly place: EntryPlace;
}

interface Facts {
  readonly terms: Acceptance;
  /** The `orders` entry that carries the order's batch. */
  readonly orders: { readonly index: number; readonly timeMs: number } | null;
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
  const { terms, orders, size } = facts;
  const wanted = await findEntries(parts, order, facts);
  if (wanted === null) return null;
  const accepted: Wanted = [
    ['beforeAccept', terms.logSize - 1],
    ...(orders ? [['orders', orders.index] as const] : []),
  ];
  const all = [...accepted, ...wanted];
  if (all.some(([, index]) => index >= size)) return null;
  const texts = await Promise.all(all.map(([, index]) => parts.proofs.text(index)));
  const shown = all.map(([role, index], at) => ({ role, place: { index, text: texts[at] as string } }));
  // Ticks of other products serve only to show the log's time; their rules do not matter.
  const named = shown.filter(({ role }) => role !== 'beforeAccept' && role !== 'head');
  const hashes = named.flatMap(({ place }) => rulesNamed(place.text));
  const rules = await parts.rules.byHashes([terms.rulesHash, ...hashes]);
  const ofRules = rules.map(({ id, entry }) => ({
    role: 'rules' as const,
    place: { index: id, text: entry },
  }));
  return [...ofRules, ...shown];
}

/** The hash of the rules that a tick names. */
function rulesNamed(text: string): string[] {
  const entry = parseEntry(text);
  return entry?.kind === 'tick' ? [entry.rulesHash] : [];
}

/** The entries of the product's prices to show, depending on how the order ended. */
async function findEntries(parts: ReceiptParts, order: SettledOrder, facts: Facts): Promise<Wanted | null> {
  const { terms, orders, size } = facts;
  if (order.voidReason === 'not_logged') {
    if (orders) return [];
    const head = await findHead(parts, { afterMs: terms.acceptedAt + LOG_WITHIN_MS, afterIndex: 0, size });
    return head === null ? null : [['head', head]];
  }
  if (!orders) throw new Error(`order ${order.placed.id} was settled but is not logged`);
  const product = { productId: order.placed.productId, symbol: terms.symbol };
  if (order.openIndex === null || order.settleIndex === null)
    return findUnopened(parts, facts, { ...product, ...orders, rulesId: order.placed.rulesId });
  const [opening, settling] = await Promise.all([
    findOpening(parts, { ...product, ...orders }, { openIndex: order.openIndex, size }),
    findSettling(parts, { ...product, index: order.settleIndex }, facts),
  ]);
  return opening && settling && [...opening, ...settling];
}

/** Every entry of the product from the tick before the `orders` entry to the opening tick. */
async function findOpening(
  parts: ReceiptParts,
  place: MarkPlace,
  { openIndex, size }: { openIndex: number; size: number },
): Promise<Wanted | null> {
  const [before, after] = await Promise.all([
    marksBefore(parts, place),
    marksAfter(parts, place, { isLast: ({ index }) => index >= openIndex, size }),
  ]);
  if (!after.isComplete) return null;
  return [...before, ...after.marks].map(({ index }) => [index === openIndex ? 'open' : 'beforeOpen', index]);
}

/** Every entry up to the one that kept the order from opening; or the gap, and a later entry that shows the log's time. */
async function findUnopened(
  parts: ReceiptParts,
  { terms, size }: Facts,
  { rulesId, ...place }: MarkPlace & { readonly rulesId: number },
): Promise<Wanted | null> {
  const { delayMs } = (await parts.rules.get(rulesId)).rules;
  const opensBy = Math.min(terms.acceptedAt + delayMs + OPEN_WINDOW_MS, terms.settlesAt);
  const isLast = ({ timeMs, isGap }: Mark) => timeMs > opensBy || isGap;
  const [before, after] = await Promise.all([
    marksBefore(parts, place),
    marksAfter(parts, place, { isLast, size }),
  ]);
  const marks = [...before, ...after.marks];
  const last = marks.at(-1) as Mark;
  if (after.isComplete) {
    return marks.map(({ index }) => [index === last.index ? 'open' : 'beforeOpen', index]);
  }
  const head = last.isGap ? await findHead(parts, { afterMs: opensBy, afterIndex: last.index, size }) : null;
  if (head === null) return null;
  return [...marks.map(({ index }) => ['beforeOpen', index] as const), ['head', head]];
}

/** The settlement tick between its neighbours; or the tick, the gap after it, and a later entry that shows the log's time. */
async function findSettling(
  parts: ReceiptParts,
  settle: Omit<MarkPlace, 'timeMs'>,
  { terms, size }: Facts,
): Promise<Wanted | null> {
  const entry = parseEntry(await parts.proofs.text(settle.index));
  if (entry?.kind !== 'tick') throw new Error(`the entry at ${settle.index} is no tick`);
  const place = { ...settle, timeMs: entry.timeMs };
  const [before, after] = await Promise.all([
    marksBefore(parts, place),
    marksAfter(parts, place, { isLast: ({ timeMs }) => timeMs > terms.settlesAt, size }),
  ]);
  const wanted: Wanted = [
    ...before.map(({ index }) => ['beforeSettle', index] as const),
    ['settle', settle.index],
    ...after.marks.map(({ index }) => ['afterSettle', index] as const),
  ];
  if (after.isComplete) return wanted;
  const last = after.marks.at(-1);
  const afterMs = terms.settlesAt;
  const head = last?.isGap ? await findHead(parts, { afterMs, afterIndex: last.index, size }) : null;
  return head === null ? null : [...wanted, ['head', head]];
}

/** An entry of the log after `afterMs`: an early one that one checkpoint query and two bundles can find. */
async function findHead(
  parts: ReceiptParts,
  { afterMs, afterIndex, size }: { afterMs: number; afterIndex: number; size: number },
): Promise<number | null> {
  const { rows } = await parts.db.query<{ size: string }>({
    name: 'checkpoint-after',
    text: 'select size from log_checkpoints where time_ms > $1 and size <= $2 order by time_ms limit 1',
    values: [afterMs + 1_000, size],
  });
  for (const end of [Number(rows[0]?.size ?? size), size]) {
    const number = Math.floor((end - 1) / TILE_WIDTH);
    const bundle = await parts.proofs.bundle(number, Math.min(TILE_WIDTH, size - number * TILE_WIDTH));
    const index = firstAfter(bundle, { number, afterMs, afterIndex, size });
    if (index !== null) return index;
  }
  return null;
}

function firstAfter(
  { texts }: Awaited<ReturnType<ProofReader['bundle']>>,
  at: { number: number; afterMs: number; afterIndex: number; size: number },
): number | null {
  for (const [place, text] of texts.entries()) {
    const index = at.number * TILE_WIDTH + place;
    const entry = parseEntry(text);
    const isTimed = entry?.kind === 'tick' || entry?.kind === 'gap' || entry?.kind === 'orders';
    if (isTimed && entry.timeMs > at.afterMs && index > at.afterIndex && index < at.size) return index;
  }
  return null;
}
