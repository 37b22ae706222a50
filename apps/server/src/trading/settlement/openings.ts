import {
  decideOpening,
  gridBefore,
  isLoggedInTime,
  type Opening,
  type OpeningQuestion,
} from '@fairtick/trading';
import {
  ENTRY_COLUMNS,
  type EntryRow,
  type IndexedEntry,
  type LogReader,
} from '../../market/log/log-reader.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Orders that open together: of one batch, one product, one opening time and one settlement time. */
export interface OpeningGroup {
  readonly batch: number;
  readonly productId: number;
  readonly rulesId: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
}

export type IndexedOpening = Opening & { readonly index: number | null };

/** More entries than can decide: four per second during 1 s of opening times and 5 s, the one before and the one after. */
const MAX_ENTRIES = 40;
/** Most orders open at one of the first entries that may open them. The rest is read only where these do not decide. */
const FIRST_ENTRIES = 7;

export const groupKey = (
  group: Pick<OpeningGroup, 'batch' | 'productId' | 'opensAtMs' | 'settlesAtMs'>,
): string => `${group.batch}:${group.productId}:${group.opensAtMs}:${group.settlesAtMs}`;

/**
 * How each group opened, according to the log so far. Reads the `orders` entries and the products' entries that can matter;
 * {@link decideOpening} decides.
 * @returns by {@link groupKey}
 */
export async function readOpenings(
  parts: { db: Queryable; reader: LogReader; rules: RuleBook },
  groups: readonly OpeningGroup[],
): Promise<ReadonlyMap<string, IndexedOpening>> {
  const logged = await readLoggedBatches(parts.db, new Set(groups.map((group) => group.batch)));
  const book = await parts.rules.getMany(
    groups.map((group) => group.rulesId),
    parts.db,
  );
  const rulesOf = (group: OpeningGroup) => book.get(group.rulesId)?.rules ?? { delayMs: 0, openWithinMs: 0 };
  const windows = new Windows();
  for (const group of groups) {
    const entry = logged.get(group.batch);
    // A batch that is not logged, or late, decides by itself.
    if (entry && isLoggedInTime(entry.timeMs, group.opensAtMs)) windows.add(group, entry.logSize);
  }
  const first = await readWindows(parts, windows.of(groups), FIRST_ENTRIES);
  const openings = new Map<string, IndexedOpening>();
  const undecided: OpeningGroup[] = [];
  const decide = (group: OpeningGroup, entries: readonly IndexedEntry[]) => {
    const { delayMs, openWithinMs } = rulesOf(group);
    const loggedAtMs = logged.get(group.batch)?.timeMs ?? null;
    return decideGroup(group, entries, { delayMs, openWithinMs, loggedAtMs });
  };
  for (const group of groups) {
    const entries = first.get(windows.get(group)) ?? [];
    const opening = decide(group, entries);
    // Later entries can't change what the first entries of a window decide.
    if (opening.state !== 'open' && entries.length >= FIRST_ENTRIES) undecided.push(group);
    openings.set(groupKey(group), opening);
  }
  if (undecided.length === 0) return openings;
  const whole = await readWindows(parts, windows.of(undecided), MAX_ENTRIES);
  for (const group of undecided) {
    openings.set(groupKey(group), decide(group, whole.get(windows.get(group)) ?? []));
  }
  return openings;
}

function decideGroup(
  group: OpeningGroup,
  entries: readonly IndexedEntry[],
  facts: Pick<OpeningQuestion, 'delayMs' | 'openWithinMs' | 'loggedAtMs'>,
): IndexedOpening {
  const { opensAtMs, settlesAtMs } = group;
  const opening = decideOpening({ opensAtMs, settlesAtMs, ...facts, entries });
  const index =
    opening.state === 'open' ? (entries.find((entry) => entry === opening.tick)?.index ?? null) : null;
  return { ...opening, index };
}

/**
 * A range of the log that is read for groups of one product whose opening times lie within one second: from the product's last
 * entry before that on.
 */
interface Window {
  readonly productId: number;
  /** The opening time of the first of its groups. */
  firstFromMs: number;
  /** The log's size when the first of its groups was accepted: entries later than the acceptance have no lower index. */
  logSize: number;
}

/** Merges windows: a thousand batches of one second share a few of them. */
class Windows {
  readonly #byKey = new Map<string, Window>();
  readonly #byGroup = new Map<OpeningGroup, Window>();

  add(group: OpeningGroup, logSize: number): void {
    const { productId, opensAtMs: fromMs } = group;
    const key = `${productId}:${Math.floor(fromMs / 1_000)}`;
    const known = this.#byKey.get(key);
    const window = known ?? { productId, firstFromMs: fromMs, logSize };
    window.firstFromMs = Math.min(window.firstFromMs, fromMs);
    window.logSize = Math.min(window.logSize, logSize);
    if (!known) this.#byKey.set(key, window);
    this.#byGroup.set(group, window);
  }

  get(group: OpeningGroup): Window | undefined {
    return this.#byGroup.get(group);
  }

  /** The distinct windows of these groups. */
  of(groups: readonly OpeningGroup[]): Window[] {
    const found = new Set<Window>();
    for (const group of groups) {
      const window = this.#byGroup.get(group);
      if (window) found.add(window);
    }
    return [...found];
  }
}

/** A batch in the log. */
export interface LoggedBatch {
  /** The index of the `orders` entry that carries the batch. */
  readonly index: number;
  readonly timeMs: number;
  /** The log's size when the batch was accepted. */
  readonly logSize: number;
  /** The log's root at that size, hex. */
  readonly logRoot: string;
}

/** Where each batch stands in the log. Batches that are not logged yet are absent. */
export async function readLoggedBatches(
  db: Queryable,
  batches: ReadonlySet<number>,
): Promise<ReadonlyMap<number, LoggedBatch>> {
  const { rows } = await db.query<{
    batch: string;
    entry_index: string;
    time_ms: string;
    log_size: string;
    log_root: Buffer;
  }>({
    name: 'logged-batches',
    text: `select b.batch, l.entry_index, l.time_ms, o.log_size, o.log_root from unnest($1::bigint[]) as b (batch)
      join order_batches o on o.number = b.batch
      cross join lateral (
        select * from logged_batches where first_batch <= b.batch order by first_batch desc limit 1
      ) l where l.last_batch >= b.batch`,
    values: [[...batches]],
  });
  return new Map(
    rows.map((row) => [
      Number(row.batch),
      {
        index: Number(row.entry_index),
        timeMs: Number(row.time_ms),
        logSize: Number(row.log_size),
        logRoot: row.log_root.toString('hex'),
      },
    ]),
  );
}

/**
 * For each window, the product's entries from the last one before its first opening time on, at most `limit` of them. That entry is of the
 * last grid time before, or else it is looked up in the whole log.
 */
async function readWindows(
  parts: { db: Queryable; reader: LogReader },
  windows: readonly Window[],
  limit: number,
): Promise<ReadonlyMap<Window | undefined, IndexedEntry[]>> {
  if (windows.length === 0) return new Map();
  const { rows } = await parts.db.query<EntryRow & { place: string }>({
    name: 'opening-windows',
    text: `select w.place, e.* from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as w (product_id, from_ms, log_size, place)
      cross join lateral (
        select ${ENTRY_COLUMNS} from log_entries l
        where l.product_id = w.product_id and l.kind <= log_kind('gap') and l.index >= w.log_size
          and l.time_ms >= w.from_ms
        order by l.time_ms limit $4
      ) e order by w.place, e.time_ms`,
    values: [
      windows.map((window) => window.productId),
      windows.map((window) => gridBefore(window.firstFromMs)),
      windows.map((window) => window.logSize),
      limit,
    ],
  });
  const entries = await parts.reader.symbolEntries(rows, parts.db);
  const byWindow = new Map<Window | undefined, IndexedEntry[]>();
  for (const [at, row] of rows.entries()) {
    const window = windows[Number(row.place) - 1];
    const list = byWindow.get(window) ?? [];
    list.push(entries[at] as IndexedEntry);
    byWindow.set(window, list);
  }
  const isCut = (window: Window) => byWindow.get(window)?.[0]?.timeMs !== gridBefore(window.firstFromMs);
  for (const [window, before] of await readBefore(parts, windows.filter(isCut))) {
    byWindow.set(window, [before, ...(byWindow.get(window) ?? [])]);
  }
  return byWindow;
}

/** For each window, the product's last entry before the first grid time that it covers; none for a product that had none by then. */
async function readBefore(
  parts: { db: Queryable; reader: LogReader },
  windows: readonly Window[],
): Promise<[Window, IndexedEntry][]> {
  if (windows.length === 0) return [];
  const { rows } = await parts.db.query<EntryRow & { place: string }>({
    name: 'opening-before',
    text: `select w.place, e.* from unnest($1::smallint[], $2::bigint[]) with ordinality as w (product_id, from_ms, place)
      cross join lateral (
        select ${ENTRY_COLUMNS} from log_entries l
        where l.product_id = w.product_id and l.kind <= log_kind('gap') and l.time_ms < w.from_ms order by l.time_ms desc limit 1
      ) e order by w.place`,
    values: [
      windows.map((window) => window.productId),
      windows.map((window) => gridBefore(window.firstFromMs)),
    ],
  });
  const entries = await parts.reader.symbolEntries(rows, parts.db);
  return rows.map((row, at) => [windows[Number(row.place) - 1] as Window, entries[at] as IndexedEntry]);
}
