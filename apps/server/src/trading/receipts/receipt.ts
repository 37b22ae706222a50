import { formatDecimal } from '@fairtick/money';
import { consistencyProofFrom, parseAcceptance, RECEIPT_VERSION } from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { readHandOvers } from '../../market/keys/hand-overs.ts';
import { readLastCheckpoint } from '../../market/log/log-head.ts';
import { readFirstCheckpoint, readWitnessed } from '../../market/witnesses/witnesses.ts';
import { acceptanceOf, batchOf } from '../order-terms.ts';
import type { SettledOrder } from '../orders/order-queries.ts';
import { readLoggedBatch } from '../settlement/logged-facts.ts';
import { type ReceiptParts, readShown } from './receipt-entries.ts';
import { hexes, keysWithin, proveBatch, proveEntry, proveGrowth, sizeOf } from './shown-proofs.ts';
import { readShownUpdates } from './shown-updates.ts';

type Receipt = Data<'orderReceipt'>;

/**
 * The receipt of a settled order, made from the log and the batch alone; only the outcome comes from the ledger.
 * @returns null until a signed checkpoint covers all entries of the receipt
 */
export async function makeReceipt(all: ReceiptParts, order: SettledOrder): Promise<Receipt | null> {
  const { placed } = order;
  const number = batchOf(placed.id);
  const [note, entry] = await Promise.all([readLastCheckpoint(all.db), readLoggedBatch(all.db, number)]);
  const newest = note === null ? 0 : sizeOf(note);
  all.readers?.db.shown(newest);
  const parts = { ...all, ...all.readers };
  const acceptance = acceptanceOf(placed.acceptance);
  const terms = parseAcceptance(acceptance.text);
  if (!terms) throw new Error(`the acceptance of order ${placed.id} is not in its grammar`);
  if (!entry) throw new Error(`order ${placed.id} was settled but is not logged`);
  const shown = await readShown(parts, order, { terms, ordersIndex: entry.index, size: newest });
  if (note === null || shown === null) return null;
  // A cosigned checkpoint proves more than the newest one, if it covers all entries of this receipt.
  const least = Math.max(terms.logSize, ...shown.map(({ place }) => place.index + 1));
  // Hand-overs are read after the newest checkpoint, and the witnessed one is no newer, so the hand-overs within either log are
  // among them.
  const [witnessed, handOvers, batch, first] = await Promise.all([
    readWitnessed(parts.db, { least, most: newest }),
    readHandOvers(parts.db),
    proveBatch(parts.db, number, entry.index),
    readFirstCheckpoint(parts.db, entry.index),
  ]);
  if (first === null) throw new Error(`no checkpoint covers the batch of order ${placed.id}`);
  const checkpoint = witnessed ?? note;
  const size = sizeOf(checkpoint);
  const keys = keysWithin(handOvers, checkpoint).map((place) => ({ role: 'key' as const, place }));

  const [entries, consistency, seen, held] = await Promise.all([
    Promise.all(
      [...shown, ...keys].map(async ({ role, place }) => ({
        role,
        ...(await proveEntry(parts.reader, place, size)),
      })),
    ),
    proveGrowth(parts.reader, { size: terms.logSize, root: terms.logRoot }, size),
    terms.seenSize === null || terms.seenRoot === null
      ? null
      : proveGrowth(parts.reader, { size: terms.seenSize, root: terms.seenRoot }, terms.logSize),
    consistencyProofFrom(parts.reader, sizeOf(first), size),
  ]);
  const updates = await readShownUpdates(parts.db, placed.productId, shown);
  const outcome = outcomeOf(parts, order);
  return {
    version: RECEIPT_VERSION,
    acceptance,
    batch,
    entries,
    checkpoint,
    consistency,
    seen,
    held: { checkpoint: first, proof: hexes(held) },
    ...(updates.length > 0 ? { updates } : {}),
    outcome,
  };
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
