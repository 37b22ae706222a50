/**
 * Reads the log where the order of a valid receipt was logged and where its prices were written, and looks for what the receipt hides
 * there: the order once more, another fix of the same second, a close. A receipt alone can't show this, and only whoever reads the whole
 * log sees all of it; the entries come from the server, and each bundle is proved to belong to the log of the receipt's checkpoint.
 */
import { type Acceptance, parseAcceptance } from '../acceptance.ts';
import { equalBytes, fromHex } from '../encoding.ts';
import { ASKED_BYTES, type FixEntry, parseEntry } from '../entry.ts';
import { leafHash, verifyInclusion } from '../merkle.ts';
import { MerkleTree } from '../merkle-tree.ts';
import { TILE_WIDTH, tileWidthAt } from '../tile.ts';
import type { Receipt } from './receipt.ts';

export interface ScanSource {
  /** The texts of a bundle, exactly `width` of them. */
  bundle(index: number, width: number): Promise<string[]>;
  inclusion(index: number, size: number): Promise<Uint8Array[]>;
}

export interface RangeScan {
  readonly count: number;
  readonly fault: string | null;
}

/** An order is logged within seconds, which are a few bundles. */
const MOST_BUNDLES = 256;

/** Null if there are more than {@link MOST_BUNDLES} to read. @param receipt a valid one, with its checkpoint */
export async function scanRanges(
  receipt: Receipt,
  { checkpoint }: { checkpoint: { readonly size: number; readonly root: string } },
  source: ScanSource,
): Promise<RangeScan | null> {
  const root = fromHex(checkpoint.root);
  const terms = parseAcceptance(receipt.acceptance.text);
  if (root === null || terms === null) return null;
  const fixes = fixesIn(receipt);
  const bundles = bundlesOf(receipt, terms, fixes);
  if (bundles.length > MOST_BUNDLES) return null;

  const shown = new Set(receipt.entries.map(({ index }) => index));
  let count = 0;
  for (const number of bundles) {
    const start = number * TILE_WIDTH;
    const texts = await readBundle(number, { size: checkpoint.size, root }, source);
    if (texts === null)
      return { count, fault: `the entries from ${start} on are not those of the log that was signed` };
    for (const [at, text] of texts.entries()) {
      const index = start + at;
      count += 1;
      const fault = shown.has(index) ? null : findHidden(text, terms, fixes);
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
): Promise<string[] | null> {
  const start = number * TILE_WIDTH;
  const texts = await source.bundle(number, tileWidthAt('entries', number, size));
  const proof = await source.inclusion(start, size);
  return isBundle(texts, { start, size, root, proof }) ? texts : null;
}

interface ShownFix {
  readonly index: number;
  readonly entry: FixEntry;
}

function fixesIn({ entries }: Receipt): ShownFix[] {
  return entries.flatMap(({ role, index, entry: text }) => {
    const entry = role === 'opening' || role === 'settling' ? parseEntry(text) : null;
    return entry?.kind === 'fix' || entry?.kind === 'close' ? [{ index, entry }] : [];
  });
}

/** The bundles from the acceptance's log to the entry that carries its batch, and those of the fixes; ascending. */
function bundlesOf(
  { entries }: Receipt,
  { logSize }: Acceptance,
  fixes: readonly ShownFix[],
): readonly number[] {
  const orders = entries.find(({ role }) => role === 'orders')?.index ?? logSize;
  const found = new Set(fixes.map(({ index }) => Math.floor(index / TILE_WIDTH)));
  const last = Math.floor(orders / TILE_WIDTH);
  for (let number = Math.floor(Math.min(logSize, orders) / TILE_WIDTH); number <= last; number += 1) {
    found.add(number);
    if (found.size > MOST_BUNDLES) break;
  }
  return [...found].sort((one, other) => one - other);
}

/** Why the receipt should have shown an entry; null if it does not concern the receipt. */
function findHidden(text: string, { batch, asked }: Acceptance, fixes: readonly ShownFix[]): string | null {
  const entry = parseEntry(text);
  if (entry === null) return 'it is not in the grammar of the log';
  if (entry.kind === 'fix' || entry.kind === 'close') {
    const { symbol, n, fixMs } = entry;
    const isSame = (shown: FixEntry) => symbol === shown.symbol && (n === shown.n || fixMs === shown.fixMs);
    return fixes.some((shown) => isSame(shown.entry)) ? `it is a ${entry.kind} ${n} of ${symbol}, too` : null;
  }
  if (entry.kind !== 'orders') return null;
  if (entry.firstBatch <= batch && batch <= entry.lastBatch)
    return `it carries the order’s batch, ${batch}, once more`;
  const name = asked?.slice(0, 2 * ASKED_BYTES);
  return name !== undefined && entry.asked.includes(name) ? 'it names the order once more' : null;
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
): boolean {
  const [leaf, ...others] = texts.map((text) => leafHash(text));
  if (!leaf) return false;
  const within = new MerkleTree([leaf, ...others]).inclusionProof(0);
  const isSame = within.every((each, at) => proof[at] !== undefined && equalBytes(each, proof[at]));
  return isSame && verifyInclusion({ index: start, size, leaf, proof, root });
}
