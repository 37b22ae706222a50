import { EMPTY_ROOT, nodeHash } from './merkle.ts';
import { assertLeafOf } from './ranges.ts';
import { HASH_BYTES } from './sha256.ts';

/**
 * A whole Merkle tree in memory, level by level: each hash is computed once, and a proof only reads. It suits a batch in which
 * every leaf needs a proof; a long log stores its subtrees elsewhere. A last node without a sibling moves up unchanged, which
 * gives the tree of RFC 9162, section 2.1.1.
 */
export class MerkleTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly #levels: readonly (readonly Uint8Array[])[];

  constructor(leafHashes: readonly Uint8Array[]) {
    if (leafHashes.some(({ length }) => length !== HASH_BYTES))
      throw new RangeError('a leaf hash must be 32 bytes');
    this.size = leafHashes.length;
    const levels = [leafHashes];
    let level = leafHashes;
    while (level.length > 1) {
      level = parentsOf(level);
      levels.push(level);
    }
    this.#levels = levels;
    this.root = level[0] ?? EMPTY_ROOT.slice();
  }

  /** The hash over the 2^level leaves from `index * 2^level` on. @throws RangeError when some of them are not in the tree */
  subtree(level: number, index: number): Uint8Array {
    const hash = (index + 1) * 2 ** level <= this.size ? this.#levels[level]?.[index] : undefined;
    if (!hash) throw new RangeError(`the tree has no subtree ${level}/${index}`);
    return hash;
  }

  /** Nearest the leaf first (RFC 9162, section 2.1.3.1). @throws RangeError when there is no such leaf */
  inclusionProof(index: number): Uint8Array[] {
    assertLeafOf(index, this.size);
    const proof: Uint8Array[] = [];
    let node = index;
    for (const level of this.#levels) {
      const sibling = level[node ^ 1];
      if (sibling) proof.push(sibling);
      node >>>= 1;
    }
    return proof;
  }
}

export const rootOf = (leafHashes: readonly Uint8Array[]): Uint8Array => new MerkleTree(leafHashes).root;

function parentsOf(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const left = level[at] as Uint8Array;
    const right = level[at + 1];
    parents.push(right ? nodeHash(left, right) : left);
  }
  return parents;
}
