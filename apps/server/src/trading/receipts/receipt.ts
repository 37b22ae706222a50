import { formatDecimal } from '@fairtick/money';
import {
  consistencyProofFrom,
  fromHex,
  inclusionProof,
  inclusionProofFrom,
  leafHash,
  parseAcceptance,
  parseCheckpoint,
  RECEIPT_VERSION,
  type ReceiptRole,
  splitNoteText,
  toHex,
} from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { type HandOver, handOversWithin, readHandOvers } from '../../market/log/hand-overs.ts';
import { nativeSha256 } from '../../market/log/hash.ts';
import { readLastCheckpoint } from '../../market/log/log-head.ts';
import type { ProofReader } from '../../market/log/proof-reader.ts';
import { readWitnessed } from '../../market/log/witnesses.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { SettledOrder } from '../orders/order-queries.ts';
import { acceptanceOf, batchOf } from '../orders/order-terms.ts';
import { readLoggedBatches } from '../settlement/openings.ts';
import { type EntryPlace, type ReceiptParts, readShown } from './receipt-entries.ts';

type Receipt = Data<'orderReceipt'>;

const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex);

/**
 * The receipt of a settled order, made from the log and the batch alone; only the outcome comes from the ledger.
 * @returns null until a signed checkpoint covers all entries of the receipt
 */
export async function makeReceipt(parts: ReceiptParts, order: SettledOrder): Promise<Receipt | null> {
  const { placed } = order;
  const number = batchOf(placed.id);
  const [note, logged] = await Promise.all([
    readLastCheckpoint(parts.db),
    readLoggedBatches(parts.db, new Set([number])),
  ]);
  const newest = note === null ? 0 : sizeOf(note);
  const acceptance = acceptanceOf(placed.acceptance);
  const terms = parseAcceptance(acceptance.text);
  if (!terms) throw new Error(`the acceptance of order ${placed.id} is not in its grammar`);
  const entry = logged.get(number) ?? null;
  const shown = await readShown(parts, order, { terms, orders: entry, size: newest });
  if (note === null || shown === null) return null;
  // A cosigned checkpoint proves more than the newest one, if it covers all entries of this receipt.
  const least = Math.max(terms.logSize, ...shown.map(({ place }) => place.index + 1));
  // Hand-overs are read after the newest checkpoint, and the witnessed one is no newer, so the hand-overs within either log are
  // among them.
  const [witnessed, handOvers, batch] = await Promise.all([
    readWitnessed(parts.db, { least, most: newest }),
    readHandOvers(parts.db),
    entry && proveBatch(parts.db, number, entry.index),
  ]);
  const checkpoint = witnessed ?? note;
  const size = sizeOf(checkpoint);

  const [entries, consistency, seen] = await Promise.all([
    proveEntries(parts.proofs, [...shown, ...keysShown(handOvers, checkpoint)], size),
    proveGrowth(parts.proofs, { size: terms.logSize, root: terms.logRoot }, size),
    terms.seenSize === null || terms.seenRoot === null
      ? null
      : proveGrowth(parts.proofs, { size: terms.seenSize, root: terms.seenRoot }, terms.logSize),
  ]);
  const outcome = outcomeOf(parts, order);
  return {
    version: RECEIPT_VERSION,
    acceptance,
    batch,
    entries,
    checkpoint,
    consistency,
    seen,
    outcome,
  };
}

const sizeOf = (note: string): number => parseCheckpoint(splitNoteText(note) ?? '')?.size ?? 0;

/** The proof of the batch's root under the root of its `orders` entry. */
async function proveBatch(db: Queryable, number: number, entryIndex: number): Promise<Receipt['batch']> {
  const { rows } = await db.query<{ number: string; root: Buffer }>({
    name: 'batch-roots',
    text: `select b.number, b.root from logged_batches l
      join order_batches b on b.number between l.first_batch and l.last_batch
      where l.first_batch = (select max(first_batch) from logged_batches where first_batch <= $1) and l.entry_index = $2
      order by b.number`,
    values: [number, entryIndex],
  });
  const leaves = rows.map(({ root }) => leafHash(root, nativeSha256));
  const place = rows.findIndex((row) => Number(row.number) === number);
  return { number, proof: hexes(inclusionProof(leaves, place, nativeSha256)) };
}

/** The hand-overs from a key that the customer has kept to the keys that sign this receipt. */
function keysShown(handOvers: readonly HandOver[], checkpoint: string): { role: 'key'; place: EntryPlace }[] {
  const log = parseCheckpoint(splitNoteText(checkpoint) ?? '');
  const within = log === null ? [] : handOversWithin(handOvers, log);
  return within.map(({ index, entry: text }) => ({ role: 'key', place: { index, text } }));
}

function proveEntries(
  proofs: ProofReader,
  shown: readonly { role: ReceiptRole; place: EntryPlace }[],
  size: number,
): Promise<Receipt['entries'][number][]> {
  return Promise.all(
    shown.map(async ({ role, place: { index, text } }) => {
      const proof = await inclusionProofFrom(proofs, index, size, nativeSha256);
      return { role, index, entry: text, proof: hexes(proof) };
    }),
  );
}

async function proveGrowth(
  proofs: ProofReader,
  from: { size: number; root: string },
  size: number,
): Promise<Receipt['consistency']> {
  if (fromHex(from.root) === null) throw new Error('a root that is no hash');
  const proof = await consistencyProofFrom(proofs, from.size, size, nativeSha256);
  return { fromSize: from.size, fromRoot: from.root, proof: hexes(proof) };
}

/** The outcome according to the ledger: the amount credited, and the prices used. */
function outcomeOf({ assets, products }: ReceiptParts, order: SettledOrder): Receipt['outcome'] {
  const { decimals } = products.byId(order.placed.productId);
  const price = (points: bigint | null) => (points === null ? null : formatDecimal(points, decimals));
  return {
    openPrice: price(order.openPrice),
    settlePrice: price(order.settlePrice),
    result: order.result,
    payout: formatDecimal(order.credited, assets.byId(order.placed.assetId).scale),
    voidReason: order.voidReason,
  };
}
