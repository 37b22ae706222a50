/**
 * Reads every entry of the log around the opening and the settlement of a valid receipt, and checks that the receipt shows all
 * entries of the product there. A receipt alone can't show this; the entries come from the server, and each bundle is proved to
 * belong to the log of the receipt's checkpoint.
 */
import { equalBytes, fromHex } from '../encoding.ts';
import { parseEntry } from '../entry.ts';
import { inclusionProof, leafHash, verifyInclusion } from '../merkle.ts';
import { type Sha256, sha256 } from '../sha256.ts';
import { TILE_WIDTH, tileWidthAt } from '../tile.ts';
import type { Receipt, ReceiptRole } from './receipt.ts';

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

const RANGES: readonly (readonly ReceiptRole[])[] = [
  ['orders', 'beforeOpen', 'open'],
  ['beforeSettle', 'settle', 'afterSettle'],
];

/**
 * @param receipt a valid receipt
 * @param checkpoint the receipt's checkpoint; its root in hex
 * @returns null if there is nothing to scan, or more than {@link MOST_BUNDLES}
 */
export async function scanRanges(
  receipt: Receipt,
  { symbol, checkpoint }: { symbol: string; checkpoint: { readonly size: number; readonly root: string } },
  source: ScanSource,
  hash: Sha256 = sha256,
): Promise<RangeScan | null> {
  const root = fromHex(checkpoint.root);
  if (root === null) return null;
  const ranges = rangesOf(receipt);
  const bundles = ranges.map(
    ({ from, to }) => Math.floor(to / TILE_WIDTH) - Math.floor(from / TILE_WIDTH) + 1,
  );
  if (ranges.length === 0 || bundles.reduce((sum, each) => sum + each, 0) > MOST_BUNDLES) return null;

  const shown = new Set(receipt.entries.map(({ index }) => index));
  let count = 0;
  for (const { from, to } of ranges) {
    for (let number = Math.floor(from / TILE_WIDTH); number * TILE_WIDTH <= to; number += 1) {
      const start = number * TILE_WIDTH;
      const texts = await source.bundle(number, tileWidthAt('entries', number, checkpoint.size));
      const proof = await source.inclusion(start, checkpoint.size);
      if (!isBundle(texts, { start, size: checkpoint.size, root, proof }, hash))
        return { count, fault: `the entries from ${start} on are not those of the log that was signed` };
      for (const [at, text] of texts.entries()) {
        const index = start + at;
        if (index < from || index > to) continue;
        count += 1;
        const fault = shown.has(index) ? null : findHidden(text, { symbol, receipt });
        if (fault !== null) return { count, fault: `the receipt does not show entry ${index}: ${fault}` };
      }
    }
  }
  return { count, fault: null };
}

function rangesOf({ entries }: Receipt): { from: number; to: number }[] {
  const ranges = RANGES.flatMap((roles) => {
    const places = entries.filter(({ role }) => roles.includes(role)).map(({ index }) => index);
    return places.length === 0 ? [] : [{ from: Math.min(...places), to: Math.max(...places) }];
  });
  // If prices stopped, no entry of the product may exist until the log's time had passed the settlement or opening limit.
  const [last, head] = [ranges.at(-1), entries.find(({ role }) => role === 'head')];
  if (last && head) last.to = Math.max(last.to, head.index);
  return ranges;
}

/** The entry that the receipt should have shown; null if the entry does not concern the receipt. */
function findHidden(text: string, of: { symbol: string; receipt: Receipt }): string | null {
  const entry = parseEntry(text);
  if (entry === null) return 'it is not in the grammar of the log';
  if (entry.kind === 'tick' || entry.kind === 'gap')
    return entry.symbol === of.symbol ? `number ${entry.n} of ${entry.symbol} stands there too` : null;
  const { batch } = of.receipt;
  if (entry.kind === 'orders' && batch && entry.firstBatch <= batch.number && batch.number <= entry.lastBatch)
    return `it carries the order’s batch, ${batch.number}, once more`;
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
