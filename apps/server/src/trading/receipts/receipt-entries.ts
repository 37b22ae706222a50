import { type Acceptance, parseEntry, type ReceiptRole } from '@fairtick/proof';
import { GRID_MS, gridBefore, lastOpening } from '@fairtick/trading';
import type { ProofReader } from '../../market/log/proof-reader.ts';
import type { OrderQueryParts, SettledOrder } from '../orders/order-queries.ts';
import type { LoggedBatch } from '../settlement/openings.ts';
import { type Mark, type RunPlace, readRun } from './symbol-run.ts';

export type ReceiptParts = Pick<OrderQueryParts, 'db' | 'assets' | 'products' | 'rules'> & {
  readonly proofs: ProofReader;
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
  readonly logged: LoggedBatch;
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
  const { terms, logged, size } = facts;
  const wanted = await findEntries(parts, order, facts);
  if (wanted === null) return null;
  const all: Wanted = [['beforeAccept', terms.logSize - 1], ['orders', logged.index], ...wanted];
  if (all.some(([, index]) => index >= size)) return null;
  const texts = await Promise.all(all.map(([, index]) => parts.proofs.text(index)));
  const shown = all.map(([role, index], at) => ({ role, place: { index, text: texts[at] as string } }));
  // Entries of other products serve only to show the log's time; their rules do not matter.
  const named = shown.filter(({ role }) => role === 'opening' || role === 'settling');
  const hashes = named.flatMap(({ place }) => rulesNamed(place.text));
  const rules = await parts.rules.byHashes([terms.rulesHash, ...hashes]);
  const ofRules = rules.map(({ id, entry }) => ({
    role: 'rules' as const,
    place: { index: id, text: entry },
  }));
  return [...ofRules, ...shown];
}

/** The hash of the rules that a tick or gap names. */
function rulesNamed(text: string): string[] {
  const entry = parseEntry(text);
  return entry?.kind === 'tick' || entry?.kind === 'gap' ? [entry.rulesHash] : [];
}

/** The entries of the product to show, depending on how the order ended. */
async function findEntries(parts: ReceiptParts, order: SettledOrder, facts: Facts): Promise<Wanted | null> {
  if (order.voidReason === 'not_logged') return [];
  const { productId, rulesId } = order.placed;
  const { openWithinMs } = (await parts.rules.get(rulesId)).rules;
  const { opensAt: fromMs, settlesAt: settlesAtMs, symbol, logSize } = facts.terms;
  const untilMs = lastOpening({ opensAtMs: fromMs, settlesAtMs, openWithinMs });
  // Entries from `fromMs` on are later than the acceptance, so the log did not have them then.
  const place = { productId, symbol, fromMs, below: logSize - 1, size: facts.size };
  const { openIndex, settleIndex } = order;
  if (openIndex === null) return findUnopened(parts, place, untilMs);
  const [opening, settling] = await Promise.all([
    readRun(parts, place, ({ index }) => index >= openIndex),
    settleIndex === null
      ? findUnpriced(parts, { ...place, fromMs: settlesAtMs, below: openIndex })
      : ([['settling', settleIndex]] as const),
  ]);
  return opening.isComplete ? settling && [...shownAs('opening', opening.marks), ...settling] : null;
}

const shownAs = (role: ReceiptRole, marks: readonly Mark[]): Wanted =>
  marks.map(({ index }) => [role, index]);

/** Every entry up to the one that kept the order from opening, or that shows that none came. Null while there is none. */
async function findUnopened(parts: ReceiptParts, place: RunPlace, untilMs: number): Promise<Wanted | null> {
  const gridMs = gridBefore(place.fromMs);
  // Ticks of grid time after grid time decide nothing until the last one.
  const isLast = ({ timeMs, isGap }: Mark, at: number) => {
    const expectedMs = gridMs + GRID_MS * (at + 1);
    return isGap || timeMs > expectedMs || expectedMs + GRID_MS > untilMs;
  };
  const { marks, isComplete } = await readRun(parts, place, isLast);
  const before = marks[0] as Mark;
  // Only the next entry shows which one is the last before the opening time.
  if (before.isGap || before.timeMs < gridMs)
    return marks.length > 1 ? shownAs('opening', marks.slice(0, 2)) : null;
  // Without a grid time in which it could open, the entry before decides alone.
  if (gridMs + GRID_MS > untilMs) return shownAs('opening', [before]);
  return isComplete ? shownAs('opening', marks) : null;
}

/**
 * The entries that show that there is no current tick at the settlement time: the one of that time, or its neighbours. Null while
 * there is no later one.
 */
async function findUnpriced(parts: ReceiptParts, place: RunPlace): Promise<Wanted | null> {
  const { marks, isComplete } = await readRun(parts, place, () => true);
  if (!isComplete) return null;
  const [before, next] = marks as [Mark, Mark];
  return shownAs('settling', next.timeMs === place.fromMs ? [next] : [before, next]);
}
