import { type Acceptance, parseEntry, type ReceiptRole, TILE_WIDTH } from '@fairtick/proof';
import { GRID_MS, gridBefore, openingWindow } from '@fairtick/trading';
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
  const { delayMs } = (await parts.rules.get(rulesId)).rules;
  const { acceptedAt: acceptedAtMs, settlesAt: settlesAtMs, symbol, logSize } = facts.terms;
  const { fromMs, untilMs } = openingWindow({ acceptedAtMs, settlesAtMs, delayMs });
  // Entries from `fromMs` on are later than the acceptance, so the log did not have them then.
  const place = { productId, symbol, fromMs, below: logSize - 1, size: facts.size };
  const { openIndex, settleIndex } = order;
  if (openIndex === null || settleIndex === null) return findUnopened(parts, place, untilMs);
  const [opening, settling] = await Promise.all([
    readRun(parts, place, ({ index }) => index >= openIndex),
    findSettling(parts, place, { settleIndex, settlesAtMs }),
  ]);
  return opening.isComplete ? settling && [...shownAs('opening', opening.marks), ...settling] : null;
}

const shownAs = (role: ReceiptRole, marks: readonly Mark[]): Wanted =>
  marks.map(({ index }) => [role, index]);

/** Every entry up to the one that kept the order from opening; or a later entry of the log that shows that none came. */
async function findUnopened(parts: ReceiptParts, place: RunPlace, untilMs: number): Promise<Wanted | null> {
  const gridMs = gridBefore(place.fromMs);
  // Ticks of grid time after grid time decide nothing until the last one.
  const isLast = ({ timeMs, isGap }: Mark, at: number) => {
    const expectedMs = gridMs + GRID_MS * (at + 1);
    return isGap || timeMs > expectedMs || expectedMs + GRID_MS > untilMs;
  };
  const { marks, isComplete } = await readRun(parts, place, isLast);
  const before = marks[0] as Mark;
  const isDecidedBefore = before.isGap || before.timeMs < gridMs;
  // Without a grid time in which it could open, the entry before decides alone.
  if (!isDecidedBefore && gridMs + GRID_MS > untilMs) return shownAs('opening', [before]);
  const shown = isDecidedBefore ? marks.slice(0, 2) : marks;
  if (isDecidedBefore ? shown.length === 2 : isComplete) return shownAs('opening', shown);
  const afterMs = isDecidedBefore ? gridMs : gridMs + GRID_MS * shown.length;
  return withHead(parts, place, { role: 'opening', marks: shown, afterMs });
}

/** The last tick at or before the settlement time; unless it is of that time, with the entries up to the first later one. */
async function findSettling(
  parts: ReceiptParts,
  place: RunPlace,
  { settleIndex, settlesAtMs }: { settleIndex: number; settlesAtMs: number },
): Promise<Wanted | null> {
  const entry = parseEntry(await parts.proofs.text(settleIndex));
  if (entry?.kind !== 'tick') throw new Error(`the entry at ${settleIndex} is no tick`);
  const { timeMs } = entry;
  if (timeMs === settlesAtMs) return [['settling', settleIndex]];
  const run = { ...place, fromMs: timeMs + 1, below: settleIndex };
  const { marks, isComplete } = await readRun(parts, run, (mark) => mark.timeMs > settlesAtMs);
  if (isComplete) return shownAs('settling', marks);
  return withHead(parts, place, { role: 'settling', marks, afterMs: settlesAtMs });
}

/** These entries, and an entry of the log later than `afterMs`, where the product has none. Null while there is none. */
async function withHead(
  parts: ReceiptParts,
  { symbol, size }: RunPlace,
  { role, marks, afterMs }: { role: ReceiptRole; marks: readonly Mark[]; afterMs: number },
): Promise<Wanted | null> {
  const afterIndex = (marks.at(-1) as Mark).index;
  const head = await findHead(parts, { symbol, afterMs, afterIndex, size });
  return head === null ? null : [...shownAs(role, marks), ['head', head]];
}

interface HeadWanted {
  /** No entry of this product. */
  readonly symbol: string;
  readonly afterMs: number;
  readonly afterIndex: number;
  readonly size: number;
}

/** An early one of the entries that qualify, which one checkpoint query and two bundles can find. */
async function findHead(parts: ReceiptParts, wanted: HeadWanted): Promise<number | null> {
  const { afterMs, size } = wanted;
  const { rows } = await parts.db.query<{ size: string }>({
    name: 'checkpoint-after',
    text: 'select size from log_checkpoints where time_ms > $1 and size <= $2 order by time_ms limit 1',
    values: [afterMs + 1_000, size],
  });
  for (const end of [Number(rows[0]?.size ?? size), size]) {
    const number = Math.floor((end - 1) / TILE_WIDTH);
    const bundle = await parts.proofs.bundle(number, Math.min(TILE_WIDTH, size - number * TILE_WIDTH));
    const place = bundle.texts.findIndex((text, at) => isHead(text, number * TILE_WIDTH + at, wanted));
    if (place >= 0) return number * TILE_WIDTH + place;
  }
  return null;
}

function isHead(text: string, index: number, { symbol, afterMs, afterIndex, size }: HeadWanted): boolean {
  if (index <= afterIndex || index >= size) return false;
  const entry = parseEntry(text);
  if (entry?.kind === 'orders') return entry.timeMs > afterMs;
  return (
    (entry?.kind === 'tick' || entry?.kind === 'gap') && entry.symbol !== symbol && entry.timeMs > afterMs
  );
}
