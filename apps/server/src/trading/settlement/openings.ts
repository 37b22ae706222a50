import { decideOpening, type Opening } from '@fairtick/trading';
import {
  ENTRY_COLUMNS,
  type EntryRow,
  type IndexedEntry,
  type LogReader,
} from '../../market/log/log-reader.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Orders that open together: of one batch, one product and one settlement time. */
export interface OpeningGroup {
  readonly batch: number;
  readonly productId: number;
  readonly rulesId: number;
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
}

export type IndexedOpening = Opening & { readonly index: number | null };

/** More entries than a window can hold: four per second during 1 s of acceptances, D and 5 s, plus a margin. */
const MAX_ENTRIES = 100;
/** Most orders open at one of the first entries that may open them. The rest is read only where these do not decide. */
const FIRST_ENTRIES = 6;

export const groupKey = (group: Pick<OpeningGroup, 'batch' | 'productId' | 'settlesAtMs'>): string =>
  `${group.batch}:${group.productId}:${group.settlesAtMs}`;

/**
 * How each group opened, according to the log so far. Reads the `orders` entries and the products' entries that can matter;
 * {@link decideOpening} decides.
 * @returns by {@link groupKey}
 */
export async function readOpenings(
  parts: { db: Queryable; reader: LogReader; rules: RuleBook },
  groups: readonly OpeningGroup[],
  logTimeMs: number,
): Promise<ReadonlyMap<string, IndexedOpening>> {
  const logged = await readLoggedBatches(parts.db, new Set(groups.map((group) => group.batch)));
  const book = await parts.rules.getMany(
    groups.map((group) => group.rulesId),
    parts.db,
  );
  const delayOf = (group: OpeningGroup) => book.get(group.rulesId)?.rules.delayMs ?? 0;
  const windows = new Windows();
  for (const group of groups) {
    const entry = logged.get(group.batch);
    if (entry) windows.add(group, { delayMs: delayOf(group), afterIndex: entry.index });
  }
  const first = await readWindows(parts, windows.of(groups), FIRST_ENTRIES);
  const openings = new Map<string, IndexedOpening>();
  const undecided: OpeningGroup[] = [];
  const decide = (group: OpeningGroup, entries: readonly IndexedEntry[]) =>
    decideGroup(group, entries, {
      delayMs: delayOf(group),
      loggedAtMs: logged.get(group.batch)?.timeMs ?? null,
      logTimeMs,
    });
  for (const group of groups) {
    const entries = first.get(windows.get(group)) ?? [];
    const opening = decide(group, entries);
    // Later entries can't change what the first entries of a window decide.
    if (opening.state !== 'open' && entries.length === FIRST_ENTRIES) undecided.push(group);
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
  facts: { delayMs: number; loggedAtMs: number | null; logTimeMs: number },
): IndexedOpening {
  const { acceptedAtMs, settlesAtMs } = group;
  const opening = decideOpening({ acceptedAtMs, settlesAtMs, ...facts, entries });
  const index =
    opening.state === 'open' ? (entries.find((entry) => entry === opening.tick)?.index ?? null) : null;
  return { ...opening, index };
}

/**
 * A range of the log that is read for groups of one product and one `orders` entry that were accepted within one second. An
 * `orders` entry carries only orders accepted up to its time, and log time never falls, so every later entry is at or after their
 * acceptances.
 */
interface Window {
  readonly productId: number;
  readonly delayMs: number;
  readonly afterIndex: number;
  /** Acceptance times of the first and the last of its groups. */
  firstAcceptedAtMs: number;
  lastAcceptedAtMs: number;
}

/** Merges windows: a thousand batches of one second share a few of them. */
class Windows {
  readonly #byKey = new Map<string, Window>();
  readonly #byGroup = new Map<OpeningGroup, Window>();

  add(group: OpeningGroup, { delayMs, afterIndex }: Pick<Window, 'delayMs' | 'afterIndex'>): void {
    const { productId, acceptedAtMs } = group;
    const key = `${afterIndex}:${productId}:${delayMs}:${Math.floor(acceptedAtMs / 1_000)}`;
    const known = this.#byKey.get(key);
    const window = known ?? {
      productId,
      delayMs,
      afterIndex,
      firstAcceptedAtMs: acceptedAtMs,
      lastAcceptedAtMs: acceptedAtMs,
    };
    window.firstAcceptedAtMs = Math.min(window.firstAcceptedAtMs, acceptedAtMs);
    window.lastAcceptedAtMs = Math.max(window.lastAcceptedAtMs, acceptedAtMs);
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

/** The place in the log and the time of each batch's `orders` entry. Batches without one are absent. */
export async function readLoggedBatches(
  db: Queryable,
  batches: ReadonlySet<number>,
): Promise<ReadonlyMap<number, { index: number; timeMs: number }>> {
  const { rows } = await db.query<{ batch: string; entry_index: string; time_ms: string }>({
    name: 'logged-batches',
    text: `select b.batch, l.entry_index, l.time_ms from unnest($1::bigint[]) as b (batch)
      cross join lateral (
        select * from logged_batches where first_batch <= b.batch order by first_batch desc limit 1
      ) l where l.last_batch >= b.batch`,
    values: [[...batches]],
  });
  return new Map(
    rows.map((row) => [Number(row.batch), { index: Number(row.entry_index), timeMs: Number(row.time_ms) }]),
  );
}

/**
 * For each window, the first of the product's entries after the `orders` entry: every gap, and the ticks from acceptance + D on.
 * Earlier ticks can't open an order.
 */
async function readWindows(
  parts: { db: Queryable; reader: LogReader },
  windows: readonly Window[],
  limit: number,
): Promise<ReadonlyMap<Window | undefined, IndexedEntry[]>> {
  if (windows.length === 0) return new Map();
  const { rows } = await parts.db.query<EntryRow & { place: string }>({
    name: 'opening-windows',
    text: `select w.place, e.* from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality
        as w (product_id, first_ms, last_ms, delay_ms, after_index, place)
      cross join lateral (
        select ${ENTRY_COLUMNS} from log_entries l
        where l.product_id = w.product_id and l.kind <= 2 and l.index > w.after_index
          and l.time_ms >= w.first_ms and l.time_ms <= w.last_ms + w.delay_ms + 6000
          and (l.kind = 2 or l.time_ms >= w.first_ms + w.delay_ms)
        order by l.time_ms limit $6
      ) e order by w.place, e.time_ms`,
    values: [
      windows.map((window) => window.productId),
      windows.map((window) => window.firstAcceptedAtMs),
      windows.map((window) => window.lastAcceptedAtMs),
      windows.map((window) => window.delayMs),
      windows.map((window) => window.afterIndex),
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
  return byWindow;
}
