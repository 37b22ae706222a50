import { formatDecimal, formatRate } from '@fairtick/money';
import {
  formatAcceptance,
  formatCheckpoint,
  fromHex,
  leafHash,
  MerkleTree,
  type NoteSigner,
  signNote,
  toHex,
} from '@fairtick/proof';
import type { Direction } from '@fairtick/trading';

/** Orders of one batch have ids `batch * ORDERS_PER_BATCH + place`; `orders_per_batch` (schema/values.sql) is the same number. */
export const ORDERS_PER_BATCH = 1024;

export const batchOf = (orderId: number): number => Math.floor(orderId / ORDERS_PER_BATCH);

/** All fields of an acceptance; the order's id has its batch. */
export interface AcceptedOrder {
  readonly id: number;
  /** The hash of what the customer asked for; null where no opening time was named. */
  readonly asked: Uint8Array | null;
  readonly symbol: string;
  readonly direction: Direction;
  readonly minutes: number;
  readonly asset: { readonly code: string; readonly scale: number };
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly rulesHash: string;
  readonly acceptedAtMs: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  readonly logSize: number;
  /** Hex. */
  readonly logRoot: string;
  readonly seen: { readonly size: number; readonly root: string } | null;
}

/** The text that is signed for an order: a leaf of its batch's tree. */
export function acceptanceText(order: AcceptedOrder): string {
  return formatAcceptance({
    orderId: String(order.id),
    batch: batchOf(order.id),
    asked: order.asked && toHex(order.asked),
    symbol: order.symbol,
    direction: order.direction,
    minutes: order.minutes,
    asset: order.asset.code,
    amount: formatDecimal(order.stake, order.asset.scale),
    payoutRate: formatRate(order.payoutRateBps),
    rulesHash: order.rulesHash,
    acceptedAt: order.acceptedAtMs,
    opensAt: order.opensAtMs,
    settlesAt: order.settlesAtMs,
    logSize: order.logSize,
    logRoot: order.logRoot,
    seenSize: order.seen?.size ?? null,
    seenRoot: order.seen?.root ?? null,
  });
}

export interface SignedBatch {
  /** 32 bytes each, in the order of the acceptances. */
  readonly leaves: readonly Uint8Array[];
  readonly tree: MerkleTree;
  /** Signed note over the batch's size and root. */
  readonly signed: string;
}

/** An order as it was placed: its terms, and the place of its acceptance in its batch. */
export interface PlacedOrder {
  readonly id: number;
  readonly productId: number;
  readonly assetId: number;
  readonly direction: Direction;
  readonly minutes: number;
  readonly stake: bigint;
  readonly income: bigint;
  readonly payoutRateBps: number;
  readonly rulesId: number;
  readonly acceptedAtMs: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  readonly acceptance: {
    readonly text: string;
    readonly place: number;
    readonly batch: Pick<SignedBatch, 'tree' | 'signed'>;
  };
}

/** One signature covers all acceptances of a batch, because one signature costs as much time as placing an order. */
export function signBatch(texts: readonly string[], signer: NoteSigner): SignedBatch {
  const leaves = texts.map((text) => leafHash(text));
  const tree = new MerkleTree(leaves);
  const { size, root } = tree;
  const signed = signNote(formatCheckpoint({ origin: signer.name, size, root }), signer);
  return { leaves, tree, signed };
}

/** The acceptance as the customer gets it. */
export function acceptanceOf({ text, place, batch }: PlacedOrder['acceptance']) {
  const proof = batch.tree.inclusionProof(place).map(toHex);
  return { text, index: place, size: batch.tree.size, proof, signed: batch.signed };
}

/** The leaves, which are stored as one concatenation of 32-byte hashes. */
export function splitLeaves(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / 32 }, (_, place) =>
    bytes.subarray(place * 32, (place + 1) * 32),
  );
}

/** @throws RangeError when the text is not hex */
export function readHex(text: string): Uint8Array {
  const bytes = fromHex(text);
  if (!bytes) throw new RangeError('not hex');
  return bytes;
}
