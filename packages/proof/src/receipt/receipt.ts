/**
 * The receipt of an order: a document that shows how the order ended, to anyone who holds the log's public keys.
 * docs/receipt-format.md has its exact form. This file reads it strictly; {@link verifyReceipt} judges it.
 */

import { VOID_REASONS, type VoidReason } from '@fairtick/trading';
import type { SignedAcceptance } from '../acceptance.ts';
import { isDecimal } from '../decimal.ts';
import { charactersIn, fromHex, isHash, isWellFormed, utf8 } from '../encoding.ts';
import { MAX_PROOF_LENGTH } from '../merkle.ts';
import { MAX_NOTE_BYTES } from '../note.ts';
import { MAX_PYTH_COMPACT_BYTES } from '../pyth/pyth-update.ts';
import { HASH_BYTES } from '../sha256.ts';
import { MAX_ENTRY_BYTES } from '../tile.ts';
import { isPlainJson } from './plain-json.ts';

export const RECEIPT_VERSION = 4;
/** Longest allowed receipt, in characters of its JSON. */
export const MAX_RECEIPT_LENGTH = 2_000_000;
/** Enough for many hand-overs of keys; an order by itself needs about ten. */
const MAX_RECEIPT_ENTRIES = 256;

/** An order has two fixes, each with at most one close. */
const MAX_UPDATES = 4;
/** Base64 of {@link MAX_PYTH_COMPACT_BYTES}. */
const MAX_UPDATE_TEXT = 4 * Math.ceil(MAX_PYTH_COMPACT_BYTES / 3);

/** The reasons for which a receipt shows an entry. Entries are sorted by role in this order, and within a role in log order. */
export const RECEIPT_ROLES = [
  'rules',
  'beforeAccept',
  'orders',
  'opening',
  'settling',
  'waited',
  'key',
] as const;
export type ReceiptRole = (typeof RECEIPT_ROLES)[number];

export interface ReceiptEntry {
  readonly role: ReceiptRole;
  readonly index: number;
  readonly entry: string;
  readonly proof: readonly string[];
}

/** The consistency proof that the log of `fromSize` entries with root `fromRoot` is the beginning of a later one. */
export interface ReceiptConsistency {
  readonly fromSize: number;
  readonly fromRoot: string;
  readonly proof: readonly string[];
}

/** The signed update that is the record of the source `pyth` in the entry at `index` of the log. Base64. */
export interface ReceiptUpdate {
  readonly index: number;
  readonly update: string;
  /** The update that is the record after it; null where the entry has none. */
  readonly next: string | null;
}

export interface ReceiptOutcome {
  /** The price of the opening fix, or of its close where that counts; null if the order did not open, or without a fix. */
  readonly openPrice: string | null;
  /** The same of the settling fix. */
  readonly settlePrice: string | null;
  readonly result: 'profit' | 'loss' | 'none';
  /** The amount credited, including the stake. */
  readonly payout: string;
  readonly voidReason: VoidReason | null;
}

export interface Receipt {
  readonly version: typeof RECEIPT_VERSION;
  readonly acceptance: SignedAcceptance;
  /** The proof that the root of the batch, which the acceptance names, is under the `orders` entry's root. */
  readonly batch: { readonly proof: readonly string[] };
  readonly entries: readonly ReceiptEntry[];
  readonly checkpoint: string;
  /** From the acceptance's log to the checkpoint. */
  readonly consistency: ReceiptConsistency;
  /** From the log that the customer had seen to the acceptance's log; null if the customer sent none. */
  readonly seen: ReceiptConsistency | null;
  /** The first checkpoint over the `orders` entry, and the consistency proof from it to the receipt's checkpoint. */
  readonly held: { readonly checkpoint: string; readonly proof: readonly string[] };
  /** Signed updates of the fixes and closes shown, by strictly ascending index; absent where none is kept. */
  readonly updates?: readonly ReceiptUpdate[] | undefined;
  readonly outcome: ReceiptOutcome;
}

/** Reads the JSON text of a receipt; null if it is none, or if another reader could read it differently. */
export function parseReceipt(text: string): Receipt | null {
  if (charactersIn(text) > MAX_RECEIPT_LENGTH) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainJson(text) ? readReceipt(value) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Reads a receipt from any value; null unless it has exactly a receipt's members, each within its bounds. */
export function readReceipt(value: unknown): Receipt | null {
  return isReceipt(value) || isReceiptWithUpdates(value) ? (value as Receipt) : null;
}

export function hashesOf(proof: readonly string[]): Uint8Array[] {
  return proof.map(hashOf);
}

export function hashOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes?.length !== HASH_BYTES) throw new RangeError('not a hash');
  return bytes;
}

type Check = (value: unknown) => boolean;

/** A check of an object with exactly these members. */
export function isShape(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === checks.length &&
    checks.every(([name, isRight]) => Object.hasOwn(value, name) && isRight(Reflect.get(value, name)));
}

/** @param most bytes of UTF-8 */
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && isWellFormed(value) && utf8(value).length <= most;
export const isEntryText: Check = (value) => isText(value, MAX_ENTRY_BYTES);
export const isNote: Check = (value) => isText(value, MAX_NOTE_BYTES);
const isUpdateText: Check = (value) => isText(value, MAX_UPDATE_TEXT);

export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);

/** Spreads the array, so that holes of a sparse array are checked too. */
const isListOf = (value: unknown, most: number, isRight: Check): value is unknown[] =>
  Array.isArray(value) && value.length <= most && [...value].every(isRight);
const orNull =
  (isRight: Check): Check =>
  (value) =>
    value === null || isRight(value);
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

export const isProof: Check = (value) => isListOf(value, MAX_PROOF_LENGTH, isHash);
const place = { index: isCount, entry: isEntryText, proof: isProof };
export const isPlace = isShape(place);
export const arePlaces: Check = (value) => isListOf(value, MAX_RECEIPT_ENTRIES, isPlace);
export const isConsistency = isShape({ fromSize: isCount, fromRoot: isHash, proof: isProof });
export const isAcceptance = isShape({
  text: isEntryText,
  index: isCount,
  size: isCount,
  proof: isProof,
  signed: isNote,
});
const isEntry = isShape({ role: oneOf(RECEIPT_ROLES), ...place });
const isUpdate = isShape({ index: isCount, update: isUpdateText, next: orNull(isUpdateText) });

function areUpdates(value: unknown): boolean {
  if (!isListOf(value, MAX_UPDATES, isUpdate) || value.length === 0) return false;
  const places = (value as ReceiptUpdate[]).map(({ index }) => index);
  return places.every((index, at) => at === 0 || (places[at - 1] as number) < index);
}

const MEMBERS = {
  version: oneOf([RECEIPT_VERSION]),
  acceptance: isAcceptance,
  batch: isShape({ proof: isProof }),
  entries: (value: unknown) => isListOf(value, MAX_RECEIPT_ENTRIES, isEntry),
  checkpoint: isNote,
  consistency: isConsistency,
  seen: orNull(isConsistency),
  held: isShape({ checkpoint: isNote, proof: isProof }),
  outcome: isShape({
    openPrice: orNull((value) => isDecimal(value)),
    settlePrice: orNull((value) => isDecimal(value)),
    result: oneOf(['profit', 'loss', 'none']),
    payout: (value) => isDecimal(value),
    voidReason: orNull(oneOf(VOID_REASONS)),
  }),
};
const isReceipt = isShape(MEMBERS);
const isReceiptWithUpdates = isShape({ ...MEMBERS, updates: areUpdates });
