/**
 * A new key of the log or of its acceptances: `key|1|timeMs|the new key|the old key's signature over it`. The entry's place divides
 * the log: up to it the old key is valid, behind it the new one. So receipts of before and after stand, and whoever steals a key
 * that was retired can sign nothing that is younger.
 */
import { fromBase64, toBase64, utf8 } from './encoding.ts';
import { type NoteSigner, type NoteVerifier, nobleVerifier } from './note.ts';
import { type Sha256, sha256 } from './sha256.ts';

/** A key that is valid for a range of the log. */
export interface RangedVerifier extends NoteVerifier {
  /** Sizes of the log that it may sign, or that its acceptances may name; all where absent. `until` null: it is in use. */
  readonly sizes?: { readonly from: number; readonly until: number | null };
}

/** A `key` entry taken apart. */
export interface KeyEntry {
  readonly timeMs: number;
  /** The new verifier key; its name is the old one's. */
  readonly key: string;
  readonly signature: Uint8Array;
}

/** A `key` entry with its place in the log. */
export interface PlacedKey {
  readonly index: number;
  readonly entry: string;
}

const FORM = /^key\|1\|(0|[1-9]\d{0,15})\|([^|]{1,1024})\|([A-Za-z0-9+/]{86}==)$/;

/** The entry with which the old key hands over to the new one. */
export function formatKeyEntry(timeMs: number, newKey: string, oldKey: NoteSigner): string {
  return `key|1|${timeMs}|${newKey}|${toBase64(oldKey.sign(utf8(newKey)))}`;
}

/** Reads a `key` entry; null for anything else. */
export function parseKeyEntry(text: string): KeyEntry | null {
  const [, timeMs, key, base64] = FORM.exec(text) ?? [];
  const signature = fromBase64(base64 ?? '');
  if (key === undefined || signature?.length !== 64) return null;
  return { timeMs: Number(timeMs), key, signature };
}

/** The new key, if this entry is the old one's hand-over: of the same name, and signed by it. Null otherwise. */
export function handedOver(entry: KeyEntry, oldKey: string, hash: Sha256 = sha256): string | null {
  const [before, after] = [nobleVerifier(oldKey, hash), nobleVerifier(entry.key, hash)];
  if (!before || !after || before.name !== after.name || before.keyId === after.keyId) return null;
  return before.verify(utf8(entry.key), entry.signature) ? entry.key : null;
}

/** A key with the sizes of the log that it is valid for. */
export interface KeyInTime {
  readonly key: string;
  readonly from: number;
  readonly until: number | null;
}

/**
 * The keys that follow from one that is trusted, by the hand-overs in the log. Those of other names are passed over. The places
 * are believed here: who can has to check that each entry stands there.
 * @param first valid from `from` on
 * @returns null where a hand-over of this name is not signed by the key before it, or they are not in the log's order
 */
export function followKey(
  first: { readonly key: string; readonly from: number },
  entries: readonly PlacedKey[],
  hash: Sha256 = sha256,
): KeyInTime[] | null {
  const name = nobleVerifier(first.key, hash)?.name;
  if (name === undefined) return null;
  let current: KeyInTime = { key: first.key, from: first.from, until: null };
  const keys: KeyInTime[] = [];
  for (const { index, entry: text } of entries) {
    const entry = parseKeyEntry(text);
    if (!entry?.key.startsWith(`${name}+`)) continue;
    // Of a time before the key that is trusted: how that came to be is no concern any more.
    if (index < first.from) continue;
    const next = handedOver(entry, current.key, hash);
    if (next === null || index < current.from) return null;
    keys.push({ ...current, until: index });
    current = { key: next, from: index + 1, until: null };
  }
  return [...keys, current];
}

/** The verifier of a key within its range; null when the text is no key. */
export function rangedVerifier(
  { key, from, until }: KeyInTime,
  hash: Sha256 = sha256,
): RangedVerifier | null {
  const verifier = nobleVerifier(key, hash);
  return verifier && { ...verifier, sizes: { from, until } };
}

/** Whether a key may sign for this size of the log. */
export function isValidAt({ sizes }: RangedVerifier, size: number): boolean {
  return !sizes || (size >= sizes.from && (sizes.until === null || size <= sizes.until));
}
