/** Roots and proofs by the recursive definitions of RFC 9162, section 2.1, which the code of src computes in other ways. */
import { EMPTY_ROOT, nodeHash } from '../src/index.ts';

type Leaves = readonly Uint8Array[];

/** The largest power of two below `size`. */
function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

function halves(leaves: Leaves): { split: number; left: Leaves; right: Leaves } {
  const split = splitPoint(leaves.length);
  return { split, left: leaves.slice(0, split), right: leaves.slice(split) };
}

/** MTH(D_n). */
export function rootOf(leaves: Leaves): Uint8Array {
  if (leaves.length < 2) return leaves[0] ?? EMPTY_ROOT;
  const { left, right } = halves(leaves);
  return nodeHash(rootOf(left), rootOf(right));
}

/** PATH(m, D_n). */
export function inclusionProof(leaves: Leaves, index: number): Uint8Array[] {
  if (leaves.length < 2) return [];
  const { split, left, right } = halves(leaves);
  return index < split
    ? [...inclusionProof(left, index), rootOf(right)]
    : [...inclusionProof(right, index - split), rootOf(left)];
}

/** PROOF(m, D_n); empty for the empty old tree, which every tree extends. */
export function consistencyProof(leaves: Leaves, oldSize: number): Uint8Array[] {
  return oldSize === 0 ? [] : subproof(leaves, oldSize, true);
}

function subproof(leaves: Leaves, oldSize: number, isOldTree: boolean): Uint8Array[] {
  if (oldSize === leaves.length) return isOldTree ? [] : [rootOf(leaves)];
  const { split, left, right } = halves(leaves);
  return oldSize <= split
    ? [...subproof(left, oldSize, isOldTree), rootOf(right)]
    : [...subproof(right, oldSize - split, false), rootOf(left)];
}
