import { describe, expect, test } from 'vitest';
import { inclusionProof, rootOf } from '../test/rfc-proofs.ts';
import { leafHash, MerkleTree, verifyInclusion } from './index.ts';

describe('a tree in memory', () => {
  test('has the root and the proofs of the definition, for every size up to 70 and every leaf', () => {
    for (let size = 0; size <= 70; size += 1) {
      const leaves = Array.from({ length: size }, (_, place) => leafHash(`entry ${place}`));
      const tree = new MerkleTree(leaves);
      expect(tree.size).toBe(size);
      expect(tree.root).toEqual(rootOf(leaves));
      for (const [index, leaf] of leaves.entries()) {
        const proof = tree.inclusionProof(index);
        expect(proof).toEqual(inclusionProof(leaves, index));
        expect(verifyInclusion({ index, size, leaf, proof, root: tree.root })).toBe(true);
      }
    }
  });

  test('gives each complete subtree and refuses all others', () => {
    const leaves = Array.from({ length: 11 }, (_, place) => leafHash(`entry ${place}`));
    const tree = new MerkleTree(leaves);
    for (let level = 0; level <= 3; level += 1) {
      const width = 2 ** level;
      const complete = Math.floor(11 / width);
      for (let index = 0; index < complete; index += 1)
        expect(tree.subtree(level, index)).toEqual(rootOf(leaves.slice(index * width, (index + 1) * width)));
      expect(() => tree.subtree(level, complete)).toThrow(RangeError);
    }
    for (const [level, index] of [
      [0, -1],
      [0, 0.5],
      [4, 0],
      [-1, 0],
    ] as const)
      expect(() => tree.subtree(level, index)).toThrow(RangeError);
  });

  test('refuses a proof for a leaf that it does not hold', () => {
    const tree = new MerkleTree([leafHash('only')]);
    for (const index of [-1, 1, 0.5, Number.NaN])
      expect(() => tree.inclusionProof(index)).toThrow(RangeError);
    expect(() => new MerkleTree([]).inclusionProof(0)).toThrow(RangeError);
  });

  test('refuses hashes of another length', () => {
    expect(() => new MerkleTree([new Uint8Array(31), new Uint8Array(32)])).toThrow(RangeError);
    expect(() => new MerkleTree([new Uint8Array(31)])).toThrow(RangeError);
  });
});
