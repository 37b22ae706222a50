import { TILE_WIDTH } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import type { ProofReader } from './proof-reader.ts';

/** A product's tick or gap with its place in the log. */
export interface Mark {
  readonly index: number;
  readonly timeMs: number;
  readonly isGap: boolean;
}

export interface MarkPlace {
  readonly productId: number;
  readonly symbol: string;
  /** The place and time of an entry of any kind. */
  readonly index: number;
  readonly timeMs: number;
}

interface Parts {
  readonly db: Queryable;
  readonly proofs: ProofReader;
}

/**
 * How many entries back rows are searched: longer than any product goes without a tick or gap. This touches one or two
 * partitions, while the whole log may have hundreds.
 */
const LOOK_BACK = 262_144;
/** Where rows are dropped, bundles are read until the search succeeds; no search reads more than this. */
const MOST_BUNDLES = 256;
/** More entries than an opening window can hold. */
const MOST_MARKS = 160;

type MarkRow = { index: string; time_ms: string; kind: number };

/**
 * The product's entries before a place: its last tick, and the gap after it if there is one. Oldest first.
 * @throws Error when it has no earlier tick: such a product can't have an order
 */
export async function marksBefore(parts: Parts, place: MarkPlace): Promise<Mark[]> {
  const { rows } = await parts.db.query<MarkRow>({
    name: 'marks-before',
    text: `select index, time_ms, kind from log_entries where product_id = $1 and kind <= 2 and time_ms <= $2
      and index < $3 and index >= $4 order by time_ms desc, index desc limit 2`,
    values: [place.productId, place.timeMs, place.index, Math.max(0, place.index - LOOK_BACK)],
  });
  const marks = rows.map(readMark).reverse();
  const [first, last] = [marks[0], marks.at(-1)];
  if (last && !last.isGap) return [last];
  if (first && !first.isGap) return marks;
  return walkBack(parts.proofs, place);
}

/**
 * The product's entries after a place, oldest first, up to the first that satisfies `isLast`. Not complete where none below
 * `size` does, or none of the next {@link MOST_BUNDLES} archived bundles.
 */
export async function marksAfter(
  parts: Parts,
  place: MarkPlace,
  { isLast, size }: { isLast: (mark: Mark) => boolean; size: number },
): Promise<{ marks: Mark[]; isComplete: boolean }> {
  const { rows } = await parts.db.query<MarkRow>({
    name: 'marks-after',
    text: `(select index, time_ms, kind from log_entries where index = $3) union all
      (select index, time_ms, kind from log_entries where product_id = $1 and kind <= 2 and time_ms >= $2
        and index > $3 and index < $4 order by time_ms, index limit ${MOST_MARKS})`,
    values: [place.productId, place.timeMs, place.index, size],
  });
  const [there, ...marks] = rows.map(readMark);
  // If the place itself is in the archive, the entries right after it may be there too.
  if (there?.index !== place.index) return walkOn(parts.proofs, place, { isLast, size });
  const end = marks.findIndex(isLast);
  if (end < 0 && marks.length === MOST_MARKS) throw new Error(`too many entries after ${place.index}`);
  return end < 0 ? { marks, isComplete: false } : { marks: marks.slice(0, end + 1), isComplete: true };
}

function readMark({ index, time_ms, kind }: MarkRow): Mark {
  return { index: Number(index), timeMs: Number(time_ms), isGap: kind === 2 };
}

async function walkBack(proofs: ProofReader, { symbol, index }: MarkPlace): Promise<Mark[]> {
  const found: Mark[] = [];
  const first = Math.floor((index - 1) / TILE_WIDTH);
  for (let number = first; number >= Math.max(0, first - MOST_BUNDLES); number -= 1) {
    const { texts } = await proofs.bundle(number);
    for (let at = texts.length - 1; at >= 0; at -= 1) {
      const place = number * TILE_WIDTH + at;
      const mark = place < index ? markOf(texts[at] as string, symbol, place) : null;
      if (!mark) continue;
      found.unshift(mark);
      if (!mark.isGap) return found;
    }
  }
  throw new Error(`${symbol} has no tick before ${index}`);
}

async function walkOn(
  proofs: ProofReader,
  { symbol, index }: MarkPlace,
  { isLast, size }: { isLast: (mark: Mark) => boolean; size: number },
): Promise<{ marks: Mark[]; isComplete: boolean }> {
  const marks: Mark[] = [];
  const first = Math.floor(index / TILE_WIDTH);
  const end = Math.min(Math.ceil(size / TILE_WIDTH), first + MOST_BUNDLES);
  for (let number = first; number < end; number += 1) {
    const { texts } = await proofs.bundle(number);
    for (const [at, text] of texts.entries()) {
      const place = number * TILE_WIDTH + at;
      const mark = place > index && place < size ? markOf(text, symbol, place) : null;
      if (!mark) continue;
      marks.push(mark);
      if (isLast(mark)) return { marks, isComplete: true };
    }
  }
  return { marks, isComplete: false };
}

/** The product's tick or gap in an entry's text; null for every other entry. */
function markOf(text: string, symbol: string, index: number): Mark | null {
  const isGap = text.startsWith(`gap|2|${symbol}|`);
  if (!isGap && !text.startsWith(`tick|2|${symbol}|`)) return null;
  return { index, timeMs: Number(text.split('|', 5)[4]), isGap };
}
