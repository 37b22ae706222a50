import { MerkleTree } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import { splitLeaves } from '../order-terms.ts';

/** The parts that all acceptances of a batch share. */
export interface SignedTree {
  readonly logSize: number;
  /** Hex. */
  readonly logRoot: string;
  readonly tree: MerkleTree;
  readonly signed: string;
}

/** The cache keeps batches with up to this many orders in total: a few megabytes. */
const MAX_KEPT_LEAVES = 20_000;

type BatchRow = { number: string; log_size: string; log_root: Buffer; leaves: Buffer; signed: string };

/** A cache of signed batches, which never change. Orders of one batch are often read together, and its tree is hashed once. */
export class BatchBook {
  readonly #db: Queryable;
  /** Least recently used first. */
  readonly #kept = new Map<number, SignedTree>();
  #keptLeaves = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Returns these batches. All of them exist: callers take the numbers from order ids. */
  async getMany(numbers: Iterable<number>): Promise<ReadonlyMap<number, SignedTree>> {
    const found = new Map<number, SignedTree>();
    const missing: number[] = [];
    for (const number of new Set(numbers)) {
      const known = this.#kept.get(number);
      if (!known) {
        missing.push(number);
        continue;
      }
      found.set(number, known);
      this.#kept.delete(number);
      this.#kept.set(number, known);
    }
    if (missing.length === 0) return found;
    const { rows } = await this.#db.query<BatchRow>({
      name: 'order-batches',
      text: `select number, log_size, log_root, leaves, signed from order_batches where number = any ($1::bigint[])`,
      values: [missing],
    });
    if (rows.length !== missing.length) throw new Error(`batches are missing among ${missing.join(', ')}`);
    for (const row of rows) {
      const batch = readBatch(row);
      found.set(Number(row.number), batch);
      this.#keep(Number(row.number), batch);
    }
    return found;
  }

  #keep(number: number, batch: SignedTree): void {
    if (this.#kept.has(number)) return;
    this.#kept.set(number, batch);
    this.#keptLeaves += batch.tree.size;
    for (const [oldest, { tree }] of this.#kept) {
      if (this.#keptLeaves <= MAX_KEPT_LEAVES) return;
      this.#kept.delete(oldest);
      this.#keptLeaves -= tree.size;
    }
  }
}

function readBatch(row: BatchRow): SignedTree {
  return {
    logSize: Number(row.log_size),
    logRoot: row.log_root.toString('hex'),
    tree: new MerkleTree(splitLeaves(row.leaves)),
    signed: row.signed,
  };
}
