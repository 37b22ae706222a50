import { isTreeSize } from './tree-size.ts';

/**
 * The parts of a tree that make up a proof. Sizes are plain numbers below 2^53, so no code here may use 32-bit operators.
 */

/** Leaves `start` up to but not including `end`, standing for the Merkle tree hash over them. Never empty. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree: the 2^level leaves that start at `index * 2^level`. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The largest power of two below `size` (RFC 9162, section 2.1.1). `size` is at least 2. */
function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** The ranges of PATH(index, D_size) of RFC 9162, section 2.1.3.1, nearest the leaf first. */
export function inclusionRanges(index: number, size: number): Range[] {
  const siblings: Range[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      siblings.push({ start: middle, end });
      end = middle;
    } else {
      siblings.push({ start, end: middle });
      start = middle;
    }
  }
  return siblings.reverse();
}

/** The ranges of PROOF(oldSize, D_newSize) of RFC 9162, section 2.1.4.1, in proof order, for 0 < oldSize < newSize. */
export function consistencyRanges(oldSize: number, newSize: number): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  let end = newSize;
  while (end !== oldSize) {
    const middle = start + splitPoint(end - start);
    if (oldSize <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // A subtree that starts at 0 is the whole old tree, whose root the verifier already has.
  if (start !== 0) ranges.push({ start, end });
  return ranges.reverse();
}

/**
 * The complete subtrees that make up a range of a proof, or a whole tree, largest first. Their hashes fold from the right into
 * the range's hash. `start` must be a multiple of the largest of them, as it is for every range made above.
 */
export function subtreesOf(range: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  let start = range.start;
  while (start < range.end) {
    let level = 0;
    let width = 1;
    while (width * 2 <= range.end - start) {
      width *= 2;
      level += 1;
    }
    subtrees.push({ level, index: start / width });
    start += width;
  }
  return subtrees;
}

/** @throws RangeError unless `index` is a leaf of a tree of `size` leaves */
export function assertLeafOf(index: number, size: number): void {
  if (!isTreeSize(size) || !isTreeSize(index) || index >= size) {
    throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  }
}

/** @throws RangeError unless a tree of `oldSize` leaves can grow to `newSize` */
export function assertGrowth(oldSize: number, newSize: number): void {
  if (!isTreeSize(oldSize) || !isTreeSize(newSize) || oldSize > newSize) {
    throw new RangeError(`a tree of ${oldSize} does not grow to ${newSize}`);
  }
}
