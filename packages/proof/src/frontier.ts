import { EMPTY_ROOT, nodeHash } from './merkle.ts';
import { HASH_BYTES } from './sha256.ts';
import { isTreeSize, MAX_TREE_SIZE } from './tree-size.ts';

/** Called for each subtree that an append completes, leaf first. The callee may keep the hash. */
export type OnSubtree = (level: number, index: number, hash: Uint8Array) => void;

/** One slot for each bit of the largest size. */
const LEVELS = 53;
const SIZE_BYTES = 8;

/**
 * The right edge of a growing tree: its size and its peaks, the roots of the complete subtrees whose sizes are the set bits of
 * the tree's size. Appending needs nothing else, so a log of any length grows in constant space, with two hashes a leaf: the
 * leaf's own and on average less than one more.
 */
export class Frontier {
  // If bit k of the size is set, the peak of level k is at k * 32. Slots of clear bits hold stale bytes.
  readonly #slots = new Uint8Array(LEVELS * HASH_BYTES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a copy of a leaf hash. `onSubtree` is told of the leaf (level 0) and of every larger subtree that it completes. */
  append(leafHash: Uint8Array, onSubtree?: OnSubtree): void {
    if (leafHash.length !== HASH_BYTES) throw new RangeError('a leaf hash must be 32 bytes');
    if (this.#size >= MAX_TREE_SIZE) throw new RangeError('the tree is full');
    let node = leafHash;
    let level = 0;
    let index = this.#size;
    // Not slice(): on a Node Buffer it shares the memory.
    onSubtree?.(0, index, new Uint8Array(leafHash));
    while (index % 2 === 1) {
      node = nodeHash(this.#peak(level), node);
      index = (index - 1) / 2;
      level += 1;
      onSubtree?.(level, index, node);
    }
    this.#slots.set(node, level * HASH_BYTES);
    this.#size += 1;
  }

  appendMany(leafHashes: Iterable<Uint8Array>, onSubtree?: OnSubtree): void {
    for (const leafHash of leafHashes) this.append(leafHash, onSubtree);
  }

  /** The root of the tree so far; at most 52 hashes. */
  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (const level of levelsOf(this.#size)) {
      const peak = this.#peak(level);
      root = root === null ? peak.slice() : nodeHash(peak, root);
    }
    return root ?? EMPTY_ROOT.slice();
  }

  clone(): Frontier {
    const copy = new Frontier();
    copy.#slots.set(this.#slots);
    copy.#size = this.#size;
    return copy;
  }

  /** The frontier as bytes: the size as a big-endian uint64, then the peaks, largest subtree first. */
  toBytes(): Uint8Array {
    const levels = levelsOf(this.#size).reverse();
    const bytes = new Uint8Array(SIZE_BYTES + levels.length * HASH_BYTES);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(this.#size));
    for (const [place, level] of levels.entries()) {
      bytes.set(this.#peak(level), SIZE_BYTES + place * HASH_BYTES);
    }
    return bytes;
  }

  /** Reads what {@link toBytes} wrote; null for anything else. */
  static fromBytes(bytes: Uint8Array): Frontier | null {
    if (bytes.length < SIZE_BYTES) return null;
    const size = Number(new DataView(bytes.buffer, bytes.byteOffset, SIZE_BYTES).getBigUint64(0));
    if (!isTreeSize(size)) return null;
    const levels = levelsOf(size).reverse();
    if (bytes.length !== SIZE_BYTES + levels.length * HASH_BYTES) return null;
    const frontier = new Frontier();
    frontier.#size = size;
    for (const [place, level] of levels.entries()) {
      const start = SIZE_BYTES + place * HASH_BYTES;
      frontier.#slots.set(bytes.subarray(start, start + HASH_BYTES), level * HASH_BYTES);
    }
    return frontier;
  }

  #peak(level: number): Uint8Array {
    return this.#slots.subarray(level * HASH_BYTES, (level + 1) * HASH_BYTES);
  }
}

/** The set bits of a size, lowest first: the levels that have a peak. */
function levelsOf(size: number): number[] {
  const levels: number[] = [];
  let rest = size;
  for (let level = 0; rest > 0; level += 1) {
    if (rest % 2 === 1) levels.push(level);
    rest = Math.floor(rest / 2);
  }
  return levels;
}
