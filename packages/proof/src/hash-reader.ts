import { EMPTY_ROOT, nodeHash } from './merkle.ts';
import {
  assertGrowth,
  assertLeafOf,
  consistencyRanges,
  inclusionRanges,
  type Range,
  subtreesOf,
} from './ranges.ts';
import { HASH_BYTES } from './sha256.ts';
import { isTreeSize } from './tree-size.ts';

/**
 * A store of the hashes of complete subtrees. `read(level, index)` gives the 32-byte hash over the 2^level leaves that start at
 * `index * 2^level`. Callers ask only for subtrees that lie wholly within the tree; `read` rejects when it lacks one.
 */
export interface HashReader {
  read(level: number, index: number): Promise<Uint8Array>;
}

/** The root of the tree over the first `size` leaves. */
export async function rootAt(size: number, reader: HashReader): Promise<Uint8Array> {
  if (!isTreeSize(size)) throw new RangeError(`${size} is not a tree size`);
  return size === 0 ? EMPTY_ROOT.slice() : readRange(reader, { start: 0, end: size });
}

/** Reads at most about 2 log2(size) subtrees, all at once. @throws RangeError when there is no such leaf */
export async function inclusionProofFrom(
  reader: HashReader,
  index: number,
  size: number,
): Promise<Uint8Array[]> {
  assertLeafOf(index, size);
  return Promise.all(inclusionRanges(index, size).map((range) => readRange(reader, range)));
}

/** Empty when the sizes are the same and when `oldSize` is 0. Reads at most about 2 log2(newSize) subtrees, all at once. */
export async function consistencyProofFrom(
  reader: HashReader,
  oldSize: number,
  newSize: number,
): Promise<Uint8Array[]> {
  assertGrowth(oldSize, newSize);
  if (oldSize === 0 || oldSize === newSize) return [];
  return Promise.all(consistencyRanges(oldSize, newSize).map((range) => readRange(reader, range)));
}

async function readRange(reader: HashReader, range: Range): Promise<Uint8Array> {
  const reads = subtreesOf(range).map(({ level, index }) => reader.read(level, index));
  const hashes = await Promise.all(reads);
  if (hashes.some((each) => each.length !== HASH_BYTES)) {
    throw new RangeError('a hash reader must give 32 bytes');
  }
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}
