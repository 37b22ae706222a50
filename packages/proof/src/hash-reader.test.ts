import { describe, expect, test } from 'vitest';
import { consistencyProofFrom, type HashReader, inclusionProofFrom, rootAt } from './hash-reader.ts';
import { leafHash, nodeHash, verifyConsistency, verifyInclusion } from './merkle.ts';
import { MAX_TREE_SIZE } from './tree-size.ts';

const LEAF = leafHash('the same entry, over and over');

/**
 * A log of any length with identical leaves, so that all subtrees of one level are identical too. Records every read, and the
 * highest number of concurrent reads.
 */
function uniformLog(): HashReader & { asked: { level: number; index: number }[]; mostOpen: number } {
  const levels = [LEAF];
  for (let level = 1; level <= 53; level += 1) levels.push(nodeHash(levels[level - 1]!, levels[level - 1]!));
  let open = 0;
  return {
    asked: [],
    mostOpen: 0,
    async read(level, index) {
      this.asked.push({ level, index });
      open += 1;
      this.mostOpen = Math.max(this.mostOpen, open);
      await Promise.resolve();
      open -= 1;
      return levels[level]!;
    },
  };
}

/** Sizes on both sides of where 32-bit arithmetic would go wrong, up to the largest. */
const LARGE = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 40 + 12_345, 2 ** 52, 2 ** 53 - 2, MAX_TREE_SIZE];

describe.each(LARGE)('a log of %d entries', (size) => {
  const others = [
    1,
    2,
    3,
    1000,
    2 ** 31 - 1,
    2 ** 31 + 1,
    2 ** 32,
    2 ** 33 + 7,
    Math.floor(size / 2),
    size - 1,
  ];

  test('gives inclusion proofs that verify, with few reads', async () => {
    const root = await rootAt(size, uniformLog());
    for (const index of [0, ...others.filter((other) => other < size)]) {
      const log = uniformLog();
      const proof = await inclusionProofFrom(log, index, size);
      expect(verifyInclusion({ index, size, leaf: LEAF, proof, root }), `leaf ${index}`).toBe(true);
      expect(log.asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
      expect(log.mostOpen).toBe(log.asked.length);
      const outside = log.asked.filter(({ level, index: at }) => (at + 1) * 2 ** level > size);
      expect(outside).toEqual([]);
    }
  });

  test('gives consistency proofs that verify, with few reads', async () => {
    const newRoot = await rootAt(size, uniformLog());
    for (const oldSize of others.filter((other) => other < size)) {
      const log = uniformLog();
      const oldRoot = await rootAt(oldSize, uniformLog());
      const proof = await consistencyProofFrom(log, oldSize, size);
      const claim = { oldSize, oldRoot, newSize: size, newRoot, proof };
      expect(verifyConsistency(claim), `from ${oldSize}`).toBe(true);
      expect(verifyConsistency({ ...claim, oldSize: oldSize - 1 }), `from ${oldSize} less one`).toBe(false);
      expect(log.asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
      expect(log.mostOpen).toBe(log.asked.length);
    }
  });
});

describe('reading from a store fails for', () => {
  test('invalid sizes and indexes', async () => {
    const log = uniformLog();
    await expect(rootAt(-1, log)).rejects.toThrow(RangeError);
    await expect(rootAt(2 ** 53, log)).rejects.toThrow(RangeError);
    await expect(inclusionProofFrom(log, 5, 5)).rejects.toThrow(RangeError);
    await expect(inclusionProofFrom(log, 0, 0)).rejects.toThrow(RangeError);
    await expect(consistencyProofFrom(log, 6, 5)).rejects.toThrow(RangeError);
    expect(log.asked).toEqual([]);
  });

  test('a store that fails or returns something other than a hash', async () => {
    const failing: HashReader = { read: () => Promise.reject(new Error('not there')) };
    const short: HashReader = { read: () => Promise.resolve(new Uint8Array(31)) };
    await expect(rootAt(5, failing)).rejects.toThrow('not there');
    await expect(inclusionProofFrom(failing, 2, 5)).rejects.toThrow('not there');
    await expect(rootAt(1, short)).rejects.toThrow(RangeError);
    await expect(inclusionProofFrom(short, 2, 4)).rejects.toThrow(RangeError);
    await expect(consistencyProofFrom(short, 3, 5)).rejects.toThrow(RangeError);
  });
});
