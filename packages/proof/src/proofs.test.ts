import { sized } from '@fairtick/kit/size.ts';
import { describe, expect, test, vi } from 'vitest';
import { consistencyProof, inclusionProof, rootOf } from '../test/rfc-proofs.ts';
import { Frontier } from './frontier.ts';
import { consistencyProofFrom, type HashReader, inclusionProofFrom, rootAt } from './hash-reader.ts';
import {
  type ConsistencyClaim,
  EMPTY_ROOT,
  type InclusionClaim,
  leafHash,
  MAX_PROOF_LENGTH,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts';
import { consistencyRanges, inclusionRanges } from './ranges.ts';

// Millions of hashes: a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Up to this size, every leaf and every older tree of every tree is tested. */
const SIZES = sized(34, 70);
/** Up to this size, every single bit is flipped; above it, one bit of every hash. */
const EVERY_BIT = sized(8, 16);
/** Below this size, every claim is tried with the numbers of every other claim. */
const EVERY_PAIR = sized(18, 24);

const leaves = Array.from({ length: SIZES + 2 }, (_, index) => leafHash(`entry ${index}`));
const roots = Array.from({ length: SIZES + 2 }, (_, size) => rootOf(leaves.slice(0, size)));
const rootFor = (size: number) => roots[size]!;

/** A store of all complete subtrees of a tree; it throws when asked for any other. */
function storeOf(size: number): HashReader & { reads: number } {
  const subtrees = new Map<string, Uint8Array>();
  new Frontier().appendMany(leaves.slice(0, size), (level, index, hash) => {
    subtrees.set(`${level}/${index}`, hash);
  });
  return {
    reads: 0,
    async read(level, index) {
      this.reads += 1;
      const hash = subtrees.get(`${level}/${index}`);
      if (hash === undefined) throw new Error(`no complete subtree ${level}/${index} in ${size}`);
      return hash;
    },
  };
}

function flipped(hash: Uint8Array, bit: number): Uint8Array {
  const changed = hash.slice();
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

/** The bits to flip in one hash in a tree of `size`; `salt` varies which single bit. */
function bitsFor(size: number, salt: number): number[] {
  return size <= EVERY_BIT ? Array.from({ length: 256 }, (_, bit) => bit) : [(salt * 37) % 256];
}

function* bitMutations(proof: readonly Uint8Array[], size: number): Generator<Uint8Array[]> {
  for (const [at, hash] of proof.entries()) {
    for (const bit of bitsFor(size, at + size)) yield proof.with(at, flipped(hash, bit));
  }
}

function* elementMutations(
  proof: readonly Uint8Array[],
  extras: readonly Uint8Array[],
): Generator<Uint8Array[]> {
  for (const [at, hash] of proof.entries()) {
    yield proof.toSpliced(at, 1);
    yield proof.toSpliced(at, 0, hash);
    yield proof.with(at, hash.subarray(1));
    yield proof.with(at, Uint8Array.of(...hash, 0));
    yield proof.with(at, new Uint8Array(0));
    if (at > 0) yield proof.with(at, proof[at - 1]!).with(at - 1, hash);
  }
  for (const extra of [...extras, new Uint8Array(32), new Uint8Array(0)]) {
    yield [...proof, extra];
    yield [extra, ...proof];
  }
  yield [...proof, ...Array.from({ length: MAX_PROOF_LENGTH + 1 }, () => new Uint8Array(32))];
}

/**
 * The turns of a proof's path, derived from the tree's definition and not from the verifier's arithmetic. A root does not commit
 * to its size: a proof verifies for another size exactly when its path takes the same turns there.
 */
function inclusionTurns(index: number, size: number): string {
  return inclusionRanges(index, size)
    .map(({ start }) => (start > index ? 'right' : 'left'))
    .join();
}

function consistencyTurns(oldSize: number, newSize: number): string {
  const ranges = consistencyRanges(oldSize, newSize);
  return ranges
    .map(({ start, end }) => (start >= oldSize ? 'right' : end === oldSize ? 'seed' : 'left'))
    .join();
}

const sizes = Array.from({ length: SIZES }, (_, at) => at + 1);
const otherSizes = Array.from({ length: SIZES + 2 }, (_, at) => at);

/** All pairs of whole numbers from 0 whose first is less than the second and the second less than `end`. */
function pairsBelow(end: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let second = 1; second < end; second += 1) {
    for (let first = 0; first < second; first += 1) pairs.push([first, second]);
  }
  return pairs;
}

function inclusionClaim(index: number, size: number): InclusionClaim {
  const proof = inclusionProof(leaves.slice(0, size), index);
  return { index, size, leaf: leaves[index]!, proof, root: rootFor(size) };
}

function consistencyClaim(oldSize: number, newSize: number): ConsistencyClaim {
  const proof = consistencyProof(leaves.slice(0, newSize), oldSize);
  return { oldSize, oldRoot: rootFor(oldSize), newSize, newRoot: rootFor(newSize), proof };
}

describe('inclusion', () => {
  test('every proof from a store equals the computed one and verifies', async () => {
    for (const size of sizes) {
      const store = storeOf(size);
      const tree = leaves.slice(0, size);
      for (let index = 0; index < size; index += 1) {
        store.reads = 0;
        const proof = await inclusionProofFrom(store, index, size);
        expect(store.reads).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
        expect(proof).toEqual(inclusionProof(tree, index));
        const claim = { index, size, leaf: tree[index]!, proof, root: rootFor(size) };
        expect(verifyInclusion(claim), `${index} in ${size}`).toBe(true);
      }
    }
  });

  test('no proof verifies with a bit or an element changed', () => {
    for (const size of sizes) {
      for (let index = 0; index < size; index += 1) {
        const [leaf, root] = [leaves[index]!, rootFor(size)];
        const proof = inclusionProof(leaves.slice(0, size), index);
        const claim = { index, size, leaf, proof, root };
        const changed = [...bitMutations(proof, size), ...elementMutations(proof, [leaf, root])];
        expect(changed.filter((other) => verifyInclusion({ ...claim, proof: other }))).toEqual([]);
        const roots = bitsFor(size, index).map((bit) => flipped(root, bit));
        expect(roots.filter((other) => verifyInclusion({ ...claim, root: other }))).toEqual([]);
        const others = bitsFor(size, index).map((bit) => flipped(leaf, bit));
        expect(others.filter((other) => verifyInclusion({ ...claim, leaf: other }))).toEqual([]);
        expect(verifyInclusion({ ...claim, root: root.subarray(1) })).toBe(false);
        expect(verifyInclusion({ ...claim, leaf: leaf.subarray(1) })).toBe(false);
      }
    }
  });

  test('no proof verifies for another leaf, or for another size unless the path is the same', () => {
    const wrong: string[] = [];
    let shared = 0;
    for (const [index, end] of pairsBelow(SIZES + 1)) {
      const claim = inclusionClaim(index, end);
      const turns = inclusionTurns(index, end);
      for (const other of otherSizes) {
        if (other !== index && verifyInclusion({ ...claim, index: other }))
          wrong.push(`${index} as ${other}`);
        const same = other > index && inclusionTurns(index, other) === turns;
        if (verifyInclusion({ ...claim, size: other }) !== same) wrong.push(`${index}: ${end} as ${other}`);
        if (same && other !== end) shared += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(shared).toBeGreaterThan(0);
  });

  test('no proof verifies for another leaf of another size unless the path is the same', () => {
    const wrong: string[] = [];
    const claims = pairsBelow(EVERY_PAIR);
    for (const [index, size] of claims) {
      const claim = inclusionClaim(index, size);
      const turns = inclusionTurns(index, size);
      for (const [otherIndex, otherSize] of claims) {
        const same = inclusionTurns(otherIndex, otherSize) === turns;
        const verified = verifyInclusion({ ...claim, index: otherIndex, size: otherSize });
        if (verified !== same) wrong.push(`${index} of ${size} as ${otherIndex} of ${otherSize}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('consistency', () => {
  test('every proof from a store equals the computed one and verifies', async () => {
    for (const newSize of [0, ...sizes]) {
      const store = storeOf(newSize);
      for (let oldSize = 0; oldSize <= newSize; oldSize += 1) {
        store.reads = 0;
        const proof = await consistencyProofFrom(store, oldSize, newSize);
        expect(store.reads).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(newSize + 1)));
        expect(proof).toEqual(consistencyProof(leaves.slice(0, newSize), oldSize));
        const claim = { oldSize, oldRoot: rootFor(oldSize), newSize, newRoot: rootFor(newSize), proof };
        expect(verifyConsistency(claim), `${oldSize} to ${newSize}`).toBe(true);
      }
    }
  });

  test('no proof verifies with a bit or an element changed', () => {
    for (const newSize of sizes) {
      for (let oldSize = 1; oldSize <= newSize; oldSize += 1) {
        const [oldRoot, newRoot] = [rootFor(oldSize), rootFor(newSize)];
        const proof = consistencyProof(leaves.slice(0, newSize), oldSize);
        const claim = { oldSize, oldRoot, newSize, newRoot, proof };
        const changed = [...bitMutations(proof, newSize), ...elementMutations(proof, [oldRoot, newRoot])];
        expect(changed.filter((other) => verifyConsistency({ ...claim, proof: other }))).toEqual([]);
        const olds = bitsFor(newSize, oldSize).map((bit) => flipped(oldRoot, bit));
        expect(olds.filter((other) => verifyConsistency({ ...claim, oldRoot: other }))).toEqual([]);
        const news = bitsFor(newSize, oldSize).map((bit) => flipped(newRoot, bit));
        expect(news.filter((other) => verifyConsistency({ ...claim, newRoot: other }))).toEqual([]);
        expect(verifyConsistency({ ...claim, oldRoot: oldRoot.subarray(1) })).toBe(false);
        if (oldSize !== newSize) {
          expect(verifyConsistency({ ...claim, oldRoot: newRoot, newRoot: oldRoot })).toBe(false);
        }
      }
    }
  });

  test('no proof verifies for another old size, or for another new size unless the path is the same', () => {
    const wrong: string[] = [];
    for (const [oldSize, newSize] of pairsBelow(SIZES + 1).filter(([first]) => first > 0)) {
      const claim = consistencyClaim(oldSize, newSize);
      const turns = consistencyTurns(oldSize, newSize);
      for (const other of otherSizes) {
        const asOld = other !== oldSize && verifyConsistency({ ...claim, oldSize: other });
        if (asOld) wrong.push(`${oldSize} as ${other}`);
        const same = other > oldSize && consistencyTurns(oldSize, other) === turns;
        if (verifyConsistency({ ...claim, newSize: other }) !== same) wrong.push(`${newSize} as ${other}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('no proof verifies for other sizes unless the path is the same', () => {
    const wrong: string[] = [];
    const claims = pairsBelow(EVERY_PAIR).filter(([first]) => first > 0);
    for (const [oldSize, newSize] of claims) {
      const claim = consistencyClaim(oldSize, newSize);
      const turns = consistencyTurns(oldSize, newSize);
      for (const [otherOld, otherNew] of claims) {
        const same = consistencyTurns(otherOld, otherNew) === turns;
        const verified = verifyConsistency({ ...claim, oldSize: otherOld, newSize: otherNew });
        if (verified !== same) wrong.push(`${oldSize} to ${newSize} as ${otherOld} to ${otherNew}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a rewritten entry makes the proof fail', () => {
    const rewritten = leaves.slice(0, 20).with(3, leafHash('something else'));
    for (let oldSize = 4; oldSize < 20; oldSize += 1) {
      const claim = { oldSize, oldRoot: rootFor(oldSize), newSize: 20, newRoot: rootOf(rewritten) };
      expect(verifyConsistency({ ...claim, proof: consistencyProof(rewritten, oldSize) })).toBe(false);
      expect(verifyConsistency({ ...claim, proof: consistencyProof(leaves.slice(0, 20), oldSize) })).toBe(
        false,
      );
    }
  });
});

describe('roots', () => {
  test('are the same from leaves, from a frontier and out of a store', async () => {
    const frontier = new Frontier();
    for (let size = 0; size <= SIZES; size += 1) {
      expect(frontier.root()).toEqual(rootFor(size));
      expect(await rootAt(size, storeOf(size))).toEqual(rootFor(size));
      frontier.append(leaves[size]!);
    }
    expect(rootFor(0)).toEqual(EMPTY_ROOT);
  });
});
