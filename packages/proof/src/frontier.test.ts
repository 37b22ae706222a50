import { describe, expect, test } from 'vitest';
import { rootOf } from '../test/rfc-proofs.ts';
import { Frontier } from './frontier.ts';
import { EMPTY_ROOT, leafHash, nodeHash } from './merkle.ts';
import { sha256 } from './sha256.ts';

const leaves = Array.from({ length: 300 }, (_, index) => leafHash(`entry ${index}`));

function frontierOf(size: number): Frontier {
  const frontier = new Frontier();
  frontier.appendMany(leaves.slice(0, size));
  return frontier;
}

/** The bytes of a frontier of `size` with `peaks` all-zero peaks. */
function zeroFrontier(size: bigint, peaks: number): Uint8Array {
  const bytes = new Uint8Array(8 + 32 * peaks);
  new DataView(bytes.buffer).setBigUint64(0, size);
  return bytes;
}

test('a frontier has the root of the tree over its leaves after each append', () => {
  const frontier = new Frontier();
  expect(frontier.root()).toEqual(EMPTY_ROOT);
  for (const [index, leaf] of leaves.entries()) {
    frontier.append(leaf);
    expect(frontier.size).toBe(index + 1);
    expect(frontier.root()).toEqual(rootOf(leaves.slice(0, index + 1)));
  }
});

test('a frontier shares no memory with its arguments and results', () => {
  const leaf = leaves[0]!.slice();
  const frontier = new Frontier();
  let told: Uint8Array | null = null;
  frontier.append(leaf, (_level, _index, hash) => {
    told = hash;
  });
  leaf.fill(0);
  expect(told).toEqual(leaves[0]);
  frontier.root().fill(0);
  expect(frontier.root()).toEqual(leaves[0]);
  new Frontier().root().fill(0);
  expect(new Frontier().root()).toEqual(sha256(new Uint8Array(0)));
});

test('a frontier reports each complete subtree once', () => {
  const told = new Map<string, Uint8Array>();
  new Frontier().appendMany(leaves.slice(0, 77), (level, index, hash) => {
    expect(told.has(`${level}/${index}`)).toBe(false);
    told.set(`${level}/${index}`, hash);
  });
  let subtrees = 0;
  for (let level = 0; 2 ** level <= 77; level += 1) {
    for (let index = 0; (index + 1) * 2 ** level <= 77; index += 1) {
      const covered = leaves.slice(index * 2 ** level, (index + 1) * 2 ** level);
      expect(told.get(`${level}/${index}`)).toEqual(rootOf(covered));
      subtrees += 1;
    }
  }
  expect(told.size).toBe(subtrees);
});

test('a clone of a frontier grows independently', () => {
  const frontier = frontierOf(7);
  const clone = frontier.clone();
  clone.append(leaves[7]!);
  expect(frontier.root()).toEqual(rootOf(leaves.slice(0, 7)));
  expect(clone.root()).toEqual(rootOf(leaves.slice(0, 8)));
});

describe('the bytes of a frontier', () => {
  test('are read back as the same frontier, which can grow further', () => {
    for (let size = 0; size < 140; size += 1) {
      const bytes = frontierOf(size).toBytes();
      const framed = Uint8Array.of(9, ...bytes, 9).subarray(1, -1);
      const frontier = Frontier.fromBytes(framed);
      expect(frontier?.size).toBe(size);
      expect(frontier?.root()).toEqual(rootOf(leaves.slice(0, size)));
      frontier?.append(leaves[size]!);
      expect(frontier?.root()).toEqual(rootOf(leaves.slice(0, size + 1)));
    }
  });

  test('start with the largest peak', () => {
    const expected = Uint8Array.of(
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      3,
      ...nodeHash(leaves[0]!, leaves[1]!),
      ...leaves[2]!,
    );
    expect(frontierOf(3).toBytes()).toEqual(expected);
  });

  test.each([
    ['nothing', new Uint8Array(0)],
    ['half a size', new Uint8Array(7)],
    ['a peak too few', zeroFrontier(3n, 1)],
    ['a peak too many', zeroFrontier(3n, 3)],
    ['a peak for the empty tree', zeroFrontier(0n, 1)],
    ['half a peak', zeroFrontier(1n, 1).subarray(0, -1)],
    ['a size that is not exact', zeroFrontier(2n ** 53n, 1)],
    ['the largest uint64', zeroFrontier(2n ** 64n - 1n, 64)],
  ])('are refused with %s', (_what, bytes) => {
    expect(Frontier.fromBytes(bytes)).toBeNull();
  });
});

test('a frontier refuses a leaf hash of another length and a leaf beyond the largest size', () => {
  expect(() => new Frontier().append(new Uint8Array(31))).toThrow(RangeError);
  expect(() => new Frontier().append(new Uint8Array(33))).toThrow(RangeError);
  const full = Frontier.fromBytes(zeroFrontier(2n ** 53n - 1n, 53));
  expect(full?.size).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => full?.append(leaves[0]!)).toThrow(RangeError);
  expect(full?.root()).toHaveLength(32);
  const nearlyFull = Frontier.fromBytes(zeroFrontier(2n ** 53n - 2n, 52));
  nearlyFull?.append(leaves[0]!);
  expect(nearlyFull?.size).toBe(Number.MAX_SAFE_INTEGER);
});
