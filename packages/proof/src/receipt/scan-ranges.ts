/**
 * Reads every entry of the log around the opening and the settlement of a valid receipt, and checks that the receipt shows all
 * entries of the product there. A receipt alone can't show this; the entries come from the server, and each bundle is proved to
 * belong to the log of the receipt's checkpoint.
 */
import { type Acceptance, parseAcceptance } from '../acceptance.ts';
import { equalBytes, fromHex } from '../encoding.ts';
import { parseEntry } from '../entry.ts';
import { inclusionProof, leafHash, verifyInclusion } from '../merkle.ts';
import { type Sha256, sha256 } from '../sha256.ts';
import { TILE_WIDTH, tileWidthAt } from '../tile.ts';
import type { Receipt } from './receipt.ts';

export interface ScanSource {
  /** The texts of a bundle, exactly `width` of them. */
  bundle(index: number, width: number): Promise<string[]>;
  /** The inclusion proof of an entry in the log of this size. */
  inclusion(index: number, size: number): Promise<Uint8Array[]>;
}

export interface RangeScan {
  /** Entries read, of any product. */
  readonly count: number;
  /** The fault, in plain English. */
  readonly fault: string | null;
}

/** With 150 products at four prices a second, the longest range of an opened order takes about 20 bundles. */
const MOST_BUNDLES = 256;

/**
 * @param receipt a valid receipt
 * @param checkpoint the receipt's checkpoint; its root in hex
 * @returns null if there are more than {@link MOST_BUNDLES} to read
 */
export async function scanRanges(
  receipt: Receipt,
  { checkpoint }: { checkpoint: { readonly size: number; readonly root: string } },
  source: ScanSource,
  hash: Sha256 = sha256,
): Promise<RangeScan | null> {
  const root = fromHex(checkpoint.root);
  const terms = parseAcceptance(receipt.acceptance.text);
  if (root === null || terms === null) return null;
  const ranges = rangesOf(receipt, terms);
  const bundles = bundlesOf(ranges);
  if (bundles.length > MOST_BUNDLES) return null;

  const shown = new Set(receipt.entries.map(({ index }) => index));
  let count = 0;
  for (const number of bundles) {
    const start = number * TILE_WIDTH;
    const texts = await readBundle(number, { size: checkpoint.size, root }, source, hash);
    if (texts === null)
      return { count, fault: `the entries from ${start} on are not those of the log that was signed` };
    for (const [at, text] of texts.entries()) {
      const index = start + at;
      count += 1;
      const fault = shown.has(index) ? null : findHidden({ index, text }, terms, ranges);
      if (fault !== null) return { count, fault: `the receipt does not show entry ${index}: ${fault}` };
    }
  }
  return { count, fault: null };
}

/** The entries of a bundle; null if they are not those of the log with this root. */
export async function readBundle(
  number: number,
  { size, root }: { readonly size: number; readonly root: Uint8Array },
  source: ScanSource,
  hash: Sha256 = sha256,
): Promise<string[] | null> {
  const start = number * TILE_WIDTH;
  const texts = await source.bundle(number, tileWidthAt('entries', number, size));
  const proof = await source.inclusion(start, size);
  return isBundle(texts, { start, size, root, proof }, hash) ? texts : null;
}

/** A part of the log to read. */
interface ScanRange {
  readonly from: number;
  readonly to: number;
  /** Numbers of the product's entries that the receipt shows of this part; null: it need not show any. */
  readonly numbers: { readonly first: number; readonly last: number } | null;
}

function rangesOf({ entries }: Receipt, { logSize }: Acceptance): ScanRange[] {
  const orders = entries.find(({ role }) => role === 'orders')?.index ?? logSize;
  const ranges: ScanRange[] = [{ from: Math.min(logSize, orders), to: orders, numbers: null }];
  for (const role of ['opening', 'settling'] as const) {
    const run = entries.filter((each) => each.role === role);
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last) continue;
    const numbers = { first: numberOf(first.entry), last: numberOf(last.entry) };
    ranges.push({ from: first.index, to: last.index, numbers });
  }
  return ranges;
}

/** The bundles that the ranges touch, ascending. */
function bundlesOf(ranges: readonly ScanRange[]): number[] {
  const found = new Set<number>();
  for (const { from, to } of ranges) {
    const last = Math.floor(to / TILE_WIDTH);
    for (let number = Math.floor(from / TILE_WIDTH); number <= last; number += 1) {
      found.add(number);
      if (found.size > MOST_BUNDLES) return [...found];
    }
  }
  return [...found].sort((one, other) => one - other);
}

function numberOf(text: string): number {
  const entry = parseEntry(text);
  return entry?.kind === 'tick' || entry?.kind === 'gap' ? entry.n : 0;
}

/**
 * Why the receipt should have shown an entry: it stands between the product's entries that are shown, has the number of one of them,
 * or carries the order's batch. Null if it does not concern the receipt.
 */
function findHidden(
  { index, text }: { index: number; text: string },
  { symbol, batch }: Acceptance,
  ranges: readonly ScanRange[],
): string | null {
  const entry = parseEntry(text);
  if (entry === null) return 'it is not in the grammar of the log';
  if (entry.kind === 'tick' || entry.kind === 'gap') {
    if (entry.symbol !== symbol) return null;
    const isShown = ({ from, to, numbers }: ScanRange) =>
      numbers !== null &&
      ((index >= from && index <= to) || (entry.n >= numbers.first && entry.n <= numbers.last));
    return ranges.some(isShown) ? `number ${entry.n} of ${symbol} stands there too` : null;
  }
  if (entry.kind === 'orders' && entry.firstBatch <= batch && batch <= entry.lastBatch)
    return `it carries the order’s batch, ${batch}, once more`;
  return null;
}

/**
 * Whether these are all the entries of a bundle. The part of the inclusion proof inside the bundle is recomputed from them; the
 * rest comes from the server. The bundle at the right edge is a subtree of the tree, too.
 */
function isBundle(
  texts: readonly string[],
  {
    start,
    size,
    root,
    proof,
  }: { start: number; size: number; root: Uint8Array; proof: readonly Uint8Array[] },
  hash: Sha256,
): boolean {
  const leaves = texts.map((text) => leafHash(text, hash));
  const [leaf] = leaves;
  if (!leaf) return false;
  const within = inclusionProof(leaves, 0, hash);
  const isSame = within.every((each, at) => proof[at] !== undefined && equalBytes(each, proof[at]));
  return isSame && verifyInclusion({ index: start, size, leaf, proof, root }, hash);
}
