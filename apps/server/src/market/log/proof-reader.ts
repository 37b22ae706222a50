import { type HashReader, leafHash, MerkleTree, rootOf, TILE_WIDTH } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import { ENTRY_COLUMNS, type EntryRow, type LogReader } from './log-reader.ts';

/** A bundle's exact texts and the tree over them. */
export interface ReadBundle {
  readonly texts: readonly string[];
  readonly tree: MerkleTree;
}

/** From this level on every eighth level of subtree hashes is stored; below, they come from one bundle. */
const NODE_LEVEL = 8;
/** Cached bundles, about 130 kB each. */
const KEPT_BUNDLES = 96;
/** Cached hashes of complete subtrees: a few megabytes. */
const KEPT_NODES = 30_000;

interface Waiting<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the data of proofs in sets: all requests of one moment, of however many proofs, become one statement for bundles and one
 * for stored hashes. Entries never change, so results are cached; the log's last bundle is read again when a request needs more
 * of it.
 */
export class ProofReader implements HashReader {
  readonly #db: Queryable;
  readonly #reader: LogReader;
  /** Least recently used first. */
  readonly #bundles = new Map<number, ReadBundle>();
  readonly #nodes = new Map<string, Uint8Array>();
  #wantedBundles = new Map<number, Waiting<ReadBundle>>();
  #wantedNodes = new Map<string, Waiting<Uint8Array> & { readonly level: number; readonly index: number }>();
  #isPlanned = false;

  constructor(db: Queryable, reader: LogReader) {
    this.#db = db;
    this.#reader = reader;
  }

  /** The exact text of an entry. */
  async text(index: number): Promise<string> {
    const place = index % TILE_WIDTH;
    const { texts } = await this.bundle(Math.floor(index / TILE_WIDTH), place + 1);
    const text = texts[place];
    if (text === undefined) throw new Error(`the log has no entry ${index}`);
    return text;
  }

  /** Entries from `number * 256` on: at least the first `least` of them, if the log has that many. */
  bundle(number: number, least: number = TILE_WIDTH): Promise<ReadBundle> {
    const known = this.#bundles.get(number);
    if (known && known.texts.length >= least) {
      this.#bundles.delete(number);
      this.#bundles.set(number, known);
      return Promise.resolve(known);
    }
    const waiting = this.#wantedBundles.get(number) ?? this.#plan<ReadBundle>();
    this.#wantedBundles.set(number, waiting);
    return waiting.promise;
  }

  /** Hash of a complete subtree; see {@link HashReader}. */
  async read(level: number, index: number): Promise<Uint8Array> {
    if (level >= NODE_LEVEL) return this.#node(level, index);
    const width = 2 ** level;
    const start = index * width;
    const offset = start % TILE_WIDTH;
    const { tree } = await this.bundle(Math.floor(start / TILE_WIDTH), offset + width);
    return tree.subtree(level, offset / width);
  }

  #node(level: number, index: number): Promise<Uint8Array> {
    const key = `${level}/${index}`;
    const known = this.#nodes.get(key);
    if (known) return Promise.resolve(known);
    const waiting = this.#wantedNodes.get(key) ?? { ...this.#plan<Uint8Array>(), level, index };
    this.#wantedNodes.set(key, waiting);
    return waiting.promise;
  }

  /** The read runs in a microtask, after all requests of this moment are collected. */
  #plan<T>(): Waiting<T> {
    if (!this.#isPlanned) {
      this.#isPlanned = true;
      queueMicrotask(() => this.#work());
    }
    return Promise.withResolvers<T>();
  }

  #work(): void {
    this.#isPlanned = false;
    const [bundles, nodes] = [this.#wantedBundles, this.#wantedNodes];
    this.#wantedBundles = new Map();
    this.#wantedNodes = new Map();
    if (bundles.size > 0) answer(bundles, this.#readBundles([...bundles.keys()]));
    if (nodes.size > 0) answer(nodes, this.#readNodes([...nodes.values()]));
  }

  async #readBundles(numbers: readonly number[]): Promise<ReadonlyMap<number, ReadBundle>> {
    const { rows } = await this.#db.query<EntryRow>({
      name: 'proof-bundles',
      text: `select e.* from unnest($1::bigint[]) as w (first) cross join lateral (
          select ${ENTRY_COLUMNS} from log_entries where index >= w.first and index < w.first + ${TILE_WIDTH}
        ) e order by e.index`,
      values: [numbers.map((number) => number * TILE_WIDTH)],
    });
    const texts = await this.#reader.render(rows);
    const found = new Map<number, string[]>();
    for (const [place, row] of rows.entries()) {
      const number = Math.floor(Number(row.index) / TILE_WIDTH);
      const list = found.get(number) ?? [];
      list.push(texts[place] as string);
      found.set(number, list);
    }
    const missing = numbers.filter((number) => !found.has(number));
    if (missing.length > 0) {
      const archived = await this.#db.query<{ number: string; body: string }>({
        name: 'proof-archived',
        text: 'select number, body from log_bundles where number = any ($1::bigint[])',
        values: [missing],
      });
      for (const { number, body } of archived.rows) {
        found.set(Number(number), await this.#reader.unpack(body));
      }
    }
    return new Map(numbers.map((number) => [number, this.#keepBundle(number, found.get(number) ?? [])]));
  }

  #keepBundle(number: number, texts: readonly string[]): ReadBundle {
    const leaves = texts.map((text) => leafHash(text));
    const bundle = { texts, tree: new MerkleTree(leaves) };
    // Two reads of the last bundle may overlap: keep the longer one.
    if (texts.length > (this.#bundles.get(number)?.texts.length ?? 0)) {
      this.#bundles.delete(number);
      this.#bundles.set(number, bundle);
      const oldest = this.#bundles.keys().next().value;
      if (this.#bundles.size > KEPT_BUNDLES && oldest !== undefined) this.#bundles.delete(oldest);
    }
    return bundle;
  }

  async #readNodes(
    wanted: readonly { readonly level: number; readonly index: number }[],
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const ranges = wanted.map(({ level, index }) => {
      const stored = level - (level % NODE_LEVEL);
      const width = 2 ** (level - stored);
      return { key: `${level}/${index}`, stored, first: index * width, width };
    });
    const { rows } = await this.#db.query<{ place: string; hashes: Buffer[] }>({
      name: 'proof-nodes',
      text: `select w.place, array(
          select hash from log_nodes n where n.level = w.level and n.index >= w.first and n.index < w.first + w.width
          order by n.index
        ) as hashes
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality as w (level, first, width, place)`,
      values: [
        ranges.map(({ stored }) => stored),
        ranges.map(({ first }) => first),
        ranges.map(({ width }) => width),
      ],
    });
    if (this.#nodes.size > KEPT_NODES) this.#nodes.clear();
    const found = new Map<string, Uint8Array>();
    for (const { place, hashes } of rows) {
      const range = ranges[Number(place) - 1] as (typeof ranges)[number];
      if (hashes.length !== range.width) throw new Error(`the log has no complete subtree ${range.key}`);
      const hash = rootOf(hashes);
      found.set(range.key, hash);
      this.#nodes.set(range.key, hash);
    }
    return found;
  }
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
