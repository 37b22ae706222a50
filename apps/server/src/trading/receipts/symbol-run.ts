import { parseEntry, TILE_WIDTH } from '@fairtick/proof';
import { LOG_KINDS } from '../../market/log/log-kinds.ts';
import type { ProofReader } from '../../market/log/proof-reader.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** A product's tick or gap with its place in the log. */
export interface Mark {
  readonly index: number;
  readonly timeMs: number;
  readonly isGap: boolean;
}

/** The part of a product's entries that a receipt shows. */
export interface RunPlace {
  readonly productId: number;
  readonly symbol: string;
  /** The run begins with the product's last entry before this time. */
  readonly fromMs: number;
  /** An index of the log below those of all entries of the product from `fromMs` on. */
  readonly below: number;
  /** Only entries below this index can be shown. */
  readonly size: number;
}

interface Parts {
  readonly db: Queryable;
  readonly proofs: ProofReader;
}

/** Asked for each entry at or after `fromMs`, with its place among them, from 0. */
export type IsLast = (mark: Mark, at: number) => boolean;

export interface Run {
  readonly marks: readonly Mark[];
  /** Whether its last entry satisfies `isLast`; else no entry of the product below `size` does. */
  readonly isComplete: boolean;
}

/**
 * How many entries back rows are searched: longer than any product goes without a tick or gap. This touches one or two
 * partitions, while the whole log may have hundreds.
 */
const LOOK_BACK = 262_144;
/** The search in dropped rows reads bundles until it succeeds, and at most this many in each direction from its start. */
const MOST_BUNDLES = 256;
/** More entries than an opening window can hold, and than a receipt can show. */
const MOST_MARKS = 256;

type MarkRow = { index: string; time_ms: string; kind: number };

/**
 * The product's entries from the last one before a time on, oldest first, up to the first that satisfies `isLast`.
 * @throws Error when the product has no entry before the time: such a product can't have an order
 */
export async function readRun(parts: Parts, place: RunPlace, isLast: IsLast): Promise<Run> {
  const { rows } = await parts.db.query<MarkRow>({
    name: 'symbol-run',
    text: `(select index, time_ms, kind from log_entries where index = $3) union all
      (select index, time_ms, kind from log_entries where product_id = $1 and kind <= log_kind('gap') and time_ms < $2 and index >= $4
        and index < $5 order by time_ms desc limit 1) union all
      (select index, time_ms, kind from log_entries where product_id = $1 and kind <= log_kind('gap') and time_ms >= $2
        and index > $3 and index < $5 order by time_ms limit ${MOST_MARKS + 1})`,
    values: [place.productId, place.fromMs, place.below, Math.max(0, place.below - LOOK_BACK), place.size],
  });
  const [there, ...marks] = rows.map(readMark);
  // If the place itself is only in the archive, the entries right after it may be there too.
  const isHeld = there?.index === place.below && marks[0] !== undefined && marks[0].timeMs < place.fromMs;
  if (!isHeld) return walk(parts.proofs, place, isLast);
  const [before, ...after] = marks as [Mark, ...Mark[]];
  const end = after.findIndex(isLast);
  if (end < 0 && after.length > MOST_MARKS) throw new Error(`too many entries after ${place.below}`);
  if (end < 0) return { marks, isComplete: false };
  return { marks: [before, ...after.slice(0, end + 1)], isComplete: true };
}

function readMark({ index, time_ms, kind }: MarkRow): Mark {
  return { index: Number(index), timeMs: Number(time_ms), isGap: kind === LOG_KINDS.gap };
}

/** The same from bundles, which may be archived. */
async function walk(proofs: ProofReader, place: RunPlace, isLast: IsLast): Promise<Run> {
  const { symbol, fromMs, below, size } = place;
  let before: Mark | null = null;
  const after: Mark[] = [];
  const isComplete = () => after.length > 0 && isLast(after.at(-1) as Mark, after.length - 1);
  const first = await lastBundleBefore(proofs, place);
  const end = Math.min(Math.ceil(size / TILE_WIDTH), first + MOST_BUNDLES);
  for (let number = first; number < end && !isComplete(); number += 1) {
    for (const mark of await marksOf(proofs, number, symbol)) {
      if (mark.index <= below || mark.index >= size || isComplete()) continue;
      if (mark.timeMs < fromMs) before = mark;
      else after.push(mark);
    }
  }
  before ??= await walkBack(proofs, place, first);
  return { marks: [before, ...after], isComplete: isComplete() };
}

/**
 * A bundle at or after that of `below`, at most the last one that begins before `fromMs`: the log's time never falls. It doubles its
 * steps and then halves them.
 */
async function lastBundleBefore(proofs: ProofReader, { fromMs, below, size }: RunPlace): Promise<number> {
  const isBefore = async (number: number) => {
    if (number * TILE_WIDTH >= size) return false;
    const { texts } = await proofs.bundle(number);
    const time = texts.map(timeOf).find((timeMs) => timeMs !== null);
    return time !== undefined && time !== null && time < fromMs;
  };
  let first = Math.floor(below / TILE_WIDTH);
  let step = 1;
  for (; await isBefore(first + step); step *= 2) first += step;
  for (; step >= 1; step /= 2) if (await isBefore(first + step)) first += step;
  return first;
}

function timeOf(text: string): number | null {
  const entry = parseEntry(text);
  return entry?.kind === 'tick' || entry?.kind === 'gap' || entry?.kind === 'orders' ? entry.timeMs : null;
}

async function walkBack(proofs: ProofReader, { symbol, fromMs }: RunPlace, first: number): Promise<Mark> {
  for (let number = first; number >= Math.max(0, first - MOST_BUNDLES); number -= 1) {
    const marks = await marksOf(proofs, number, symbol);
    const found = marks.findLast(({ timeMs }) => timeMs < fromMs);
    if (found) return found;
  }
  throw new Error(`${symbol} has no entry before ${fromMs}`);
}

/** The product's ticks and gaps in one bundle. */
async function marksOf(proofs: ProofReader, number: number, symbol: string): Promise<Mark[]> {
  const { texts } = await proofs.bundle(number);
  return texts.flatMap((text, at) => {
    const isGap = text.startsWith(`gap|3|${symbol}|`);
    if (!isGap && !text.startsWith(`tick|3|${symbol}|`)) return [];
    return [{ index: number * TILE_WIDTH + at, timeMs: Number(text.split('|', 5)[4]), isGap }];
  });
}
