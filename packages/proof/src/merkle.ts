import { equalBytes, isWellFormed, utf8 } from './encoding.ts';
import { HASH_BYTES, sha256 } from './sha256.ts';
import { isTreeSize } from './tree-size.ts';

/** Longest possible proof, in hashes: one per level, and one more for a consistency proof. */
export const MAX_PROOF_LENGTH = 54;

/** The root of the tree with no leaves: SHA-256 of the empty string. Shared: do not modify it. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array(0));

const encoder = new TextEncoder();
// Inputs are assembled in these two buffers, because one allocation per hash costs as much as the hash itself. This is safe
// because sha256 keeps nothing.
const LEAF_INPUT = new Uint8Array(4096);
const NODE_INPUT = new Uint8Array(1 + 2 * HASH_BYTES);
LEAF_INPUT[0] = 0x00;
NODE_INPUT[0] = 0x01;

/** SHA-256(0x00 ‖ entry) (RFC 9162, 2.1.1). @throws RangeError for a lone surrogate: two such strings would share a leaf */
export function leafHash(entry: Uint8Array | string): Uint8Array {
  if (typeof entry !== 'string') return sha256(prefixed(entry));
  if (!isWellFormed(entry)) throw new RangeError('a log entry must be well-formed Unicode');
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  if (entry.length * 3 >= LEAF_INPUT.length) return sha256(prefixed(utf8(entry)));
  const { written } = encoder.encodeInto(entry, LEAF_INPUT.subarray(1));
  return sha256(LEAF_INPUT.subarray(0, 1 + written));
}

function prefixed(entry: Uint8Array): Uint8Array {
  const fits = entry.length < LEAF_INPUT.length;
  const input = fits ? LEAF_INPUT.subarray(0, 1 + entry.length) : new Uint8Array(1 + entry.length);
  input.set(entry, 1);
  return input;
}

/** SHA-256(0x01 ‖ left ‖ right) (RFC 9162, section 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES) {
    throw new RangeError('the children of a node must be 32 bytes each');
  }
  NODE_INPUT.set(left, 1);
  NODE_INPUT.set(right, 1 + HASH_BYTES);
  return sha256(NODE_INPUT);
}

/** All hashes are 32 bytes; `leaf` is a leaf hash. */
export interface InclusionClaim {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/**
 * Checks an inclusion proof (RFC 9162, section 2.1.3.2).
 *
 * `size` must come from the same source as `root`, such as a signed checkpoint. A root does not commit to its size: a leaf's path
 * can have the same shape in trees of several sizes, and then the proof verifies for all of them.
 * @returns true only for a proof of exactly the right length that leads to the root
 */
export function verifyInclusion(claim: InclusionClaim): boolean {
  const { index, size, leaf, proof, root } = claim;
  if (!isTreeSize(size) || !isTreeSize(index) || index >= size) return false;
  if (proof.length > MAX_PROOF_LENGTH || ![leaf, root, ...proof].every(isHash)) return false;
  let node = index;
  let last = size - 1;
  let computed = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      computed = nodeHash(sibling, computed);
      // A last node without a sibling moves up unchanged until it is a right child.
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      computed = nodeHash(computed, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(computed, root);
}

/** The tree with `oldRoot` is the start of the tree with `newRoot`. */
export interface ConsistencyClaim {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * Checks a consistency proof (RFC 9162, section 2.1.4.2). It adds two cases that the RFC leaves out: equal sizes need the same
 * root and an empty proof, and an old size of 0 needs {@link EMPTY_ROOT} and an empty proof, since every tree extends the empty
 * one. Each size must come from the same source as its root; see {@link verifyInclusion}.
 * @returns true only for a proof of exactly the right length that leads to both roots
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { oldSize, oldRoot, newSize, newRoot, proof } = claim;
  if (!isTreeSize(oldSize) || !isTreeSize(newSize) || oldSize > newSize) return false;
  if (proof.length > MAX_PROOF_LENGTH || ![oldRoot, newRoot, ...proof].every(isHash)) return false;
  if (oldSize === 0 && !equalBytes(oldRoot, EMPTY_ROOT)) return false;
  if (oldSize === newSize) return proof.length === 0 && equalBytes(oldRoot, newRoot);
  if (oldSize === 0) return proof.length === 0;
  if (proof.length === 0) return false;
  return leadsToBoth(claim);
}

/** The loop of RFC 9162, section 2.1.4.2, for 0 < oldSize < newSize and a proof that is not empty. */
function leadsToBoth(claim: ConsistencyClaim): boolean {
  let node = claim.oldSize - 1;
  let last = claim.newSize - 1;
  while (node % 2 === 1) {
    node = (node - 1) / 2;
    last = Math.floor(last / 2);
  }
  // The proof omits the old root exactly when the old size is a power of two; it is then the first node of the path.
  const path = node === 0 ? [claim.oldRoot, ...claim.proof] : claim.proof;
  let [oldComputed, newComputed] = [path[0] as Uint8Array, path[0] as Uint8Array];
  for (const sibling of path.slice(1)) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldComputed = nodeHash(sibling, oldComputed);
      newComputed = nodeHash(sibling, newComputed);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      newComputed = nodeHash(newComputed, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(oldComputed, claim.oldRoot) && equalBytes(newComputed, claim.newRoot);
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES;
}
