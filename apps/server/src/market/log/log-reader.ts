import { type Points, points } from '@fairtick/money';
import { formatEntry, type HashReader, leafHash, rootAt, rootOf, TILE_WIDTH } from '@fairtick/proof';
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
/** From this level on a subtree is built of stored nodes; below, of the leaves of one bundle. */
const NODE_LEVEL = 8;
const CACHED_BUNDLES = 64;

/** Reads the log: entries as text and as ticks, hashes of subtrees, roots of the past. Sees only what is committed. */
export class LogReader implements HashReader {
  readonly #db: Queryable;
  readonly #products: Products;
  readonly #rules: RuleBook;
  /** Leaf hashes of complete bundles, least recently used first. */
  readonly #leaves = new Map<number, Promise<readonly Uint8Array[]>>();

  constructor(db: Queryable, products: Products, rules: RuleBook) {
    this.#db = db;
    this.#products = products;
    this.#rules = rules;
  }

  /**
   * The exact texts of one bundle: 256 entries, fewer at the log's end, none beyond it. Entries that the partitions no longer
   * hold come from the archive; both hold whole bundles.
   */
  async bundle(number: number): Promise<string[]> {
    const from = number * TILE_WIDTH;
    const { rows } = await this.#db.query<EntryRow>({
      name: 'log-bundle',
      text: `select ${ENTRY_COLUMNS} from log_entries where index >= $1 and index < $2 order by index`,
      values: [from, from + TILE_WIDTH],
    });
    if (rows.length > 0) return this.render(rows);
    const archived = await this.#db.query<{ body: string }>(
      'select body from log_bundles where number = $1',
      [number],
    );
    return archived.rows[0] ? this.unpack(archived.rows[0].body) : [];
  }

  /** The texts of an archived bundle, as they were hashed. */
  unpack(body: string): Promise<string[]> {
    return unpackBundle(body, async (rulesIds) => {
      const rules = await this.#rules.getMany(rulesIds);
      return new Map([...rules].map(([id, { hash }]) => [id, hash]));
    });
  }

  /** The texts of rows, as they were hashed. */
  async render(rows: readonly EntryRow[]): Promise<string[]> {
    const rules = await this.#rules.getMany(ruleIds(rows));
    const isKnown = ({ product_id }: EntryRow) => product_id === null || this.#products.has(product_id);
    if (!rows.every(isKnown)) await this.#products.refresh(this.#db);
    return rows.map((row) => {
      if (row.kind > LOG_KINDS.gap) return row.body as string;
      const symbol = this.#products.byId(row.product_id as number).symbol;
      const entry = this.#readSymbolEntry(row, rules);
      const { rules: terms, hash } = rules.get(entry.rulesId) as LoggedRules;
      return formatEntry({ ...entry, symbol, decimals: terms.decimals, rulesHash: hash });
    });
  }

  /** The rows that are ticks and gaps; other rows are left out. Within a transaction `db` is its client. */
  async symbolEntries(rows: readonly EntryRow[], db: Queryable = this.#db): Promise<IndexedEntry[]> {
    const rules = await this.#rules.getMany(ruleIds(rows), db);
    return rows.filter((row) => row.kind <= LOG_KINDS.gap).map((row) => this.#readSymbolEntry(row, rules));
  }

  /** Hash of a complete subtree; see {@link HashReader}. */
  async read(level: number, index: number): Promise<Uint8Array> {
    if (level >= NODE_LEVEL) return this.#node(level, index);
    const width = 2 ** level;
    const start = index * width;
    const bundle = Math.floor(start / TILE_WIDTH);
    const leaves = await this.#bundleLeaves(bundle, start + width);
    const offset = start - bundle * TILE_WIDTH;
    return rootOf(leaves.slice(offset, offset + width));
  }

  /** The first `width` hashes of a tile: leaves on level 0, else roots of subtrees of 256^level. */
  async tileHashes(level: number, index: number, width: number): Promise<Uint8Array[]> {
    if (level === 0) {
      const leaves = await this.#bundleLeaves(index, index * TILE_WIDTH + width);
      return leaves.slice(0, width);
    }
    return this.#nodes(level * NODE_LEVEL, index * TILE_WIDTH, width);
  }

  /** The root that the log had at `size`, which must not exceed its current size. */
  async rootAt(size: number): Promise<Uint8Array> {
    return rootAt(size, this);
  }

  #readSymbolEntry(row: EntryRow, rules: ReadonlyMap<number, LoggedRules>): IndexedEntry {
    const head = {
      index: Number(row.index),
      productId: row.product_id as number,
      n: Number(row.n),
      timeMs: Number(row.time_ms),
    };
    const rulesId = Number(row.rules_id);
    const price: Points = points(BigInt(row.price ?? 0));
    const { sources } = (rules.get(rulesId) as LoggedRules).rules;
    const quotes = unpackQuotes(row.quotes as Buffer, { sources, price, timeMs: head.timeMs });
    if (row.kind === LOG_KINDS.gap)
      return { ...head, kind: 'gap', reason: row.body as GapReason, quotes, rulesId };
    return { ...head, kind: 'tick', price, quotes, rulesId };
  }

  async #node(level: number, index: number): Promise<Uint8Array> {
    const stored = level - (level % NODE_LEVEL);
    const width = 2 ** (level - stored);
    return rootOf(await this.#nodes(stored, index * width, width));
  }

  async #nodes(level: number, first: number, count: number): Promise<Uint8Array[]> {
    const { rows } = await this.#db.query<{ hash: Buffer }>({
      name: 'log-nodes',
      text: 'select hash from log_nodes where level = $1 and index >= $2 and index < $3 order by index',
      values: [level, first, first + count],
    });
    if (rows.length !== count)
      throw new Error(`the log has no complete subtrees ${level}/${first} to ${first + count}`);
    return rows.map((row) => row.hash);
  }

  /** Leaf hashes of a bundle, at least up to entry `until`. Complete bundles never change and are cached. */
  async #bundleLeaves(bundle: number, until: number): Promise<readonly Uint8Array[]> {
    const known = this.#leaves.get(bundle);
    if (known) {
      this.#leaves.delete(bundle);
      this.#leaves.set(bundle, known);
      return known;
    }
    const start = bundle * TILE_WIDTH;
    const loading = this.bundle(bundle).then((texts) => texts.map((text) => leafHash(text)));
    const leaves = await loading;
    if (start + leaves.length < until) throw new Error(`the log has no entry ${until - 1}`);
    if (leaves.length === TILE_WIDTH) {
      this.#leaves.set(bundle, loading);
      const oldest = this.#leaves.keys().next().value;
      if (this.#leaves.size > CACHED_BUNDLES && oldest !== undefined) this.#leaves.delete(oldest);
    }
    return leaves;
  }
}

function ruleIds(rows: readonly EntryRow[]): Set<number> {
  return new Set(rows.flatMap((row) => (row.rules_id === null ? [] : [Number(row.rules_id)])));
}
