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
export const MAX_RECEIPT_ENTRIES = 256;

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
  const members = [
    'version',
    'acceptance',
    'batch',
    'entries',
    'checkpoint',
    'consistency',
    'seen',
    'held',
    'outcome',
  ];
  const isWithUpdates = hasExactly(value, [...members, 'updates']);
  if (!isWithUpdates && !hasExactly(value, members)) return null;
  const { version, acceptance, batch, entries, checkpoint, consistency, seen, held, outcome } = value;
  const isRight =
    version === RECEIPT_VERSION &&
    isAcceptance(acceptance) &&
    isBatch(batch) &&
    isListOf(entries, MAX_RECEIPT_ENTRIES, isEntry) &&
    isNote(checkpoint) &&
    isConsistency(consistency) &&
    (seen === null || isConsistency(seen)) &&
    hasExactly(held, ['checkpoint', 'proof']) &&
    isNote(held.checkpoint) &&
    isProof(held.proof) &&
    (!isWithUpdates || areUpdates(value.updates)) &&
    isOutcome(outcome);
  return isRight ? (value as unknown as Receipt) : null;
}

export function hashesOf(proof: readonly string[]): Uint8Array[] {
  return proof.map(hashOf);
}

export function hashOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes?.length !== HASH_BYTES) throw new RangeError('not a hash');
  return bytes;
}

type Members = Readonly<Record<string, unknown>>;

export function hasExactly(value: unknown, names: readonly string[]): value is Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** @param most bytes of UTF-8 */
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && isWellFormed(value) && utf8(value).length <= most;

export const isNote = (value: unknown): value is string => isText(value, MAX_NOTE_BYTES);

export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);

/** Spreads the array, so that holes of a sparse array are checked too. */
export const isListOf = (
  value: unknown,
  most: number,
  isRight: (each: unknown) => boolean,
): value is unknown[] => Array.isArray(value) && value.length <= most && [...value].every(isRight);

export const isProof = (value: unknown): boolean => isListOf(value, MAX_PROOF_LENGTH, isHash);

export function isAcceptance(value: unknown): boolean {
  return (
    hasExactly(value, ['text', 'index', 'size', 'proof', 'signed']) &&
    isText(value.text, MAX_ENTRY_BYTES) &&
    isCount(value.index) &&
    isCount(value.size) &&
    isProof(value.proof) &&
    isNote(value.signed)
  );
}

function isBatch(value: unknown): boolean {
  return hasExactly(value, ['proof']) && isProof(value.proof);
}

function isEntry(value: unknown): boolean {
  if (!hasExactly(value, ['role', 'index', 'entry', 'proof'])) return false;
  const { role, ...place } = value;
  return (RECEIPT_ROLES as readonly unknown[]).includes(role) && isPlace(place);
}

export function isPlace(value: unknown): boolean {
  return (
    hasExactly(value, ['index', 'entry', 'proof']) &&
    isCount(value.index) &&
    isText(value.entry, MAX_ENTRY_BYTES) &&
    isProof(value.proof)
  );
}

export function isConsistency(value: unknown): boolean {
  return (
    hasExactly(value, ['fromSize', 'fromRoot', 'proof']) &&
    isCount(value.fromSize) &&
    isHash(value.fromRoot) &&
    isProof(value.proof)
  );
}

function areUpdates(value: unknown): boolean {
  const isUpdate = (each: unknown) =>
    hasExactly(each, ['index', 'update', 'next']) &&
    isCount(each.index) &&
    isText(each.update, MAX_UPDATE_TEXT) &&
    (each.next === null || isText(each.next, MAX_UPDATE_TEXT));
  if (!isListOf(value, MAX_UPDATES, isUpdate) || value.length === 0) return false;
  const places = (value as ReceiptUpdate[]).map(({ index }) => index);
  return places.every((index, at) => at === 0 || (places[at - 1] as number) < index);
}

function isOutcome(value: unknown): boolean {
  const isPrice = (price: unknown) => price === null || isDecimal(price);
  return (
    hasExactly(value, ['openPrice', 'settlePrice', 'result', 'payout', 'voidReason']) &&
    isPrice(value.openPrice) &&
    isPrice(value.settlePrice) &&
    ['profit', 'loss', 'none'].includes(value.result as string) &&
    isDecimal(value.payout) &&
    (value.voidReason === null || VOID_REASONS.includes(value.voidReason as VoidReason))
  );
}
