import { type Points, points } from '@fairtick/money';
import {
  formatEntry,
  type HashReader,
  type LogEntry,
  leafHash,
  MerkleTree,
  parseEntry,
  rootAt,
  rootOf,
  TILE_WIDTH,
} from '@fairtick/proof';
import type { Gap, GapReason, Tick } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import { unpackQuotes } from '../quote-codec.ts';
import type { LoggedRules, RuleBook } from '../rule-book.ts';
import { unpackBundle } from './bundle-codec.ts';
import { LOG_KINDS } from './log-kinds.ts';

/** A tick or gap with its place in the log, its product and its rules. */
export type IndexedEntry = (Tick | Gap) & {
  readonly index: number;
  readonly productId: number;
  readonly rulesId: number;
};

export type EntryRow = {
  index: string;
  time_ms: string;
  n: string | null;
  price: string | null;
  rules_id: string | null;
  product_id: number | null;
  kind: number;
  quotes: Buffer | null;
  body: string | null;
};

export const ENTRY_COLUMNS = 'index, time_ms, n, price, rules_id, product_id, kind, quotes, body';

/** From this level on every eighth level of subtree hashes is stored; below, they come from one bundle. */
const NODE_LEVEL = 8;
/** Cached bundles, about 130 kB each. */
const KEPT_BUNDLES = 96;
/** Cached hashes of complete subtrees: a few megabytes. */
const KEPT_NODES = 30_000;

/** The exact texts of 256 entries, or of fewer at the log's end. */
interface Bundle {
  readonly texts: readonly string[];
  /** Made when it is first needed. */
  tree: MerkleTree | null;
}

type OfKind<Entry extends LogEntry, Kind> = Entry extends LogEntry
  ? Kind extends Entry['kind']
    ? Entry
    : never
  : never;

type Waiting<T> = ReturnType<typeof Promise.withResolvers<T>>;

/**
 * Reads the log: entries as text and as ticks, hashes of subtrees, roots of the past. Sees only what is committed. All requests of one
 * moment become one statement for bundles and one for stored hashes. Entries never change, so results are cached; the log's last
 * bundle is read again when a request needs more of it.
 */
export class LogReader implements HashReader {
  readonly #db: Queryable;
  readonly #products: Products;
  readonly #rules: RuleBook;
  /** Least recently used first. */
  readonly #bundles = new Map<number, Bundle>();
  readonly #nodes = new Map<string, Uint8Array>();
  #wantedBundles = new Map<number, Waiting<Bundle>>();
  #wantedNodes = new Map<string, Waiting<Uint8Array>>();
  #isPlanned = false;

  constructor(db: Queryable, products: Products, rules: RuleBook) {
    this.#db = db;
    this.#products = products;
    this.#rules = rules;
  }

  /** The exact texts of one bundle: 256 entries, fewer at the log's end, none beyond it. */
  async bundle(number: number): Promise<readonly string[]> {
    return (await this.#bundle(number, TILE_WIDTH)).texts;
  }

  /** The exact text of an entry. */
  async text(index: number): Promise<string> {
    const place = index % TILE_WIDTH;
    const { texts } = await this.#bundle(Math.floor(index / TILE_WIDTH), place + 1);
    const text = texts[place];
    if (text === undefined) throw new Error(`the log has no entry ${index}`);
    return text;
  }

  /** An entry that is of a kind. */
  async entry<Kind extends LogEntry['kind']>(index: number, kind: Kind): Promise<OfKind<LogEntry, Kind>> {
    const entry = parseEntry(await this.text(index));
    if (entry?.kind !== kind) throw new Error(`the entry at ${index} is not of kind ${kind}`);
    return entry as OfKind<LogEntry, Kind>;
  }

  /** The texts of rows, as they were hashed. */
  async render(rows: readonly EntryRow[]): Promise<string[]> {
    const rules = await this.#rules.getMany(ruleIds(rows));
    const isKnown = ({ product_id }: EntryRow) => product_id === null || this.#products.has(product_id);
    if (!rows.every(isKnown)) await this.#products.refresh(this.#db);
    return rows.map((row) => {
      if (row.kind > LOG_KINDS.gap) return row.body as string;
      const symbol = this.#products.byId(row.product_id as number).symbol;
      const entry = readSymbolEntry(row, rules);
      const { rules: terms, hash } = rules.get(entry.rulesId) as LoggedRules;
      return formatEntry({ ...entry, symbol, decimals: terms.decimals, rulesHash: hash });
    });
  }

  /** The rows that are ticks and gaps; other rows are left out. Within a transaction `db` is its client. */
  async symbolEntries(rows: readonly EntryRow[], db: Queryable = this.#db): Promise<IndexedEntry[]> {
    const rules = await this.#rules.getMany(ruleIds(rows), db);
    return rows.filter((row) => row.kind <= LOG_KINDS.gap).map((row) => readSymbolEntry(row, rules));
  }

  /** Hash of a complete subtree; see {@link HashReader}. */
  async read(level: number, index: number): Promise<Uint8Array> {
    if (level >= NODE_LEVEL) return this.#node(`${level}/${index}`);
    const width = 2 ** level;
    const start = index * width;
    const offset = start % TILE_WIDTH;
    const bundle = await this.#bundle(Math.floor(start / TILE_WIDTH), offset + width);
    bundle.tree ??= new MerkleTree(bundle.texts.map((text) => leafHash(text)));
    return bundle.tree.subtree(level, offset / width);
  }

  /** The first `width` hashes of a tile: leaves on level 0, else roots of subtrees of 256^level. */
  tileHashes(level: number, index: number, width: number): Promise<Uint8Array[]> {
    const hashes = Array.from({ length: width }, (_, place) =>
      this.read(level * NODE_LEVEL, index * TILE_WIDTH + place),
    );
    return Promise.all(hashes);
  }

  /** The root that the log had at `size`, which must not exceed its current size. */
  rootAt(size: number): Promise<Uint8Array> {
    return rootAt(size, this);
  }

  /** Entries from `number * 256` on: at least the first `least` of them, if the log has that many. */
  #bundle(number: number, least: number): Promise<Bundle> {
    const known = this.#bundles.get(number);
    if (known && known.texts.length >= least) {
      this.#bundles.delete(number);
      this.#bundles.set(number, known);
      return Promise.resolve(known);
    }
    return this.#want(this.#wantedBundles, number);
  }

  #node(key: string): Promise<Uint8Array> {
    const known = this.#nodes.get(key);
    return known ? Promise.resolve(known) : this.#want(this.#wantedNodes, key);
  }

  /** The read runs in a microtask, after all requests of this moment are collected. */
  #want<K, T>(wanted: Map<K, Waiting<T>>, key: K): Promise<T> {
    if (!this.#isPlanned) queueMicrotask(() => this.#work());
    this.#isPlanned = true;
    const waiting = wanted.get(key) ?? Promise.withResolvers<T>();
    wanted.set(key, waiting);
    return waiting.promise;
  }

  #work(): void {
    this.#isPlanned = false;
    const [bundles, nodes] = [this.#wantedBundles, this.#wantedNodes];
    this.#wantedBundles = new Map();
    this.#wantedNodes = new Map();
    if (bundles.size > 0) answer(bundles, this.#readBundles([...bundles.keys()]));
    if (nodes.size > 0) answer(nodes, this.#readNodes([...nodes.keys()]));
  }

  /** Entries that the partitions no longer hold come from the archive; both hold whole bundles. */
  async #readBundles(numbers: readonly number[]): Promise<ReadonlyMap<number, Bundle>> {
    const { rows } = await this.#db.query<EntryRow>({
      name: 'log-bundles',
      text: `select e.* from unnest($1::bigint[]) as w (first) cross join lateral (
          select ${ENTRY_COLUMNS} from log_entries where index >= w.first and index < w.first + ${TILE_WIDTH}
        ) e order by e.index`,
      values: [numbers.map((number) => number * TILE_WIDTH)],
    });
    const texts = await this.render(rows);
    const found = Map.groupBy(texts.keys(), (place) =>
      Math.floor(Number((rows[place] as EntryRow).index) / TILE_WIDTH),
    );
    const archived = await this.#readArchived(numbers.filter((number) => !found.has(number)));
    return new Map(
      numbers.map((number) => {
        const stored = found.get(number)?.map((place) => texts[place] as string);
        return [number, this.#keepBundle(number, stored ?? archived.get(number) ?? [])];
      }),
    );
  }

  async #readArchived(numbers: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
    if (numbers.length === 0) return new Map();
    const { rows } = await this.#db.query<{ number: string; body: string }>({
      name: 'log-archived',
      text: 'select number, body from log_bundles where number = any ($1::bigint[])',
      values: [numbers],
    });
    const found = new Map<number, string[]>();
    for (const { number, body } of rows) {
      const texts = await unpackBundle(body, async (rulesIds) => {
        const rules = await this.#rules.getMany(rulesIds);
        return new Map([...rules].map(([id, { hash }]) => [id, hash]));
      });
      found.set(Number(number), texts);
    }
    return found;
  }

  #keepBundle(number: number, texts: readonly string[]): Bundle {
    const bundle = { texts, tree: null };
    // Two reads of the last bundle may overlap: keep the longer one.
    if (texts.length > (this.#bundles.get(number)?.texts.length ?? 0)) {
      this.#bundles.delete(number);
      this.#bundles.set(number, bundle);
      const oldest = this.#bundles.keys().next().value;
      if (this.#bundles.size > KEPT_BUNDLES && oldest !== undefined) this.#bundles.delete(oldest);
    }
    return bundle;
  }

  async #readNodes(keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const ranges = keys.map((key) => {
      const [level, index] = key.split('/').map(Number) as [number, number];
      const width = 2 ** (level % NODE_LEVEL);
      return { key, stored: level - (level % NODE_LEVEL), first: index * width, width };
    });
    const { rows } = await this.#db.query<{ hashes: Buffer[] }>({
      name: 'log-nodes',
      text: `select array(
          select hash from log_nodes n where n.level = w.level and n.index >= w.first and n.index < w.first + w.width
          order by n.index
        ) as hashes
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality as w (level, first, width, place) order by w.place`,
      values: [
        ranges.map(({ stored }) => stored),
        ranges.map(({ first }) => first),
        ranges.map(({ width }) => width),
      ],
    });
    if (this.#nodes.size > KEPT_NODES) this.#nodes.clear();
    for (const [place, { key, width }] of ranges.entries()) {
      const hashes = rows[place]?.hashes ?? [];
      if (hashes.length !== width) throw new Error(`the log has no complete subtree ${key}`);
      this.#nodes.set(key, rootOf(hashes));
    }
    return this.#nodes;
  }
}

function ruleIds(rows: readonly EntryRow[]): Set<number> {
  return new Set(rows.flatMap((row) => (row.rules_id === null ? [] : [Number(row.rules_id)])));
}

function readSymbolEntry(row: EntryRow, rules: ReadonlyMap<number, LoggedRules>): IndexedEntry {
  const timeMs = Number(row.time_ms);
  const rulesId = Number(row.rules_id);
  const price: Points = points(BigInt(row.price ?? 0));
  const { sources } = (rules.get(rulesId) as LoggedRules).rules;
  const quotes = unpackQuotes(row.quotes as Buffer, { sources, price, timeMs });
  const entry = {
    index: Number(row.index),
    productId: row.product_id as number,
    n: Number(row.n),
    timeMs,
    quotes,
    rulesId,
  };
  return row.kind === LOG_KINDS.gap
    ? { ...entry, kind: 'gap', reason: row.body as GapReason }
    : { ...entry, kind: 'tick', price };
}

/** Resolves each waiting request with its result, or rejects it with the error. */
function answer<K, T>(waiting: ReadonlyMap<K, Waiting<T>>, reading: Promise<ReadonlyMap<K, T>>): void {
  reading.then(
    (found) => {
      for (const [key, { resolve }] of waiting) resolve(found.get(key) as T);
    },
    (error: unknown) => {
      for (const { reject } of waiting.values()) reject(error);
    },
  );
}
