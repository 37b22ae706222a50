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
  if (!before || !after || !isHandOver(before, after, entry)) return null;
  return entry.key;
}

function isHandOver(before: NoteVerifier, after: NoteVerifier, { key, signature }: KeyEntry): boolean {
  return before.name === after.name && before.keyId !== after.keyId && before.verify(utf8(key), signature);
}

/** A key with the sizes of the log that it is valid for. */
export interface KeyInTime {
  readonly key: string;
  readonly from: number;
  readonly until: number | null;
}

/** A hand-over in the log, read. */
interface HandOver {
  readonly index: number;
  readonly entry: KeyEntry;
  readonly verifier: NoteVerifier;
}

type Known<V> = V & { readonly sizes: { readonly from: number; readonly until: number | null } };

/**
 * The keys that follow from those that are trusted, by the hand-overs of a log. Those of other names are passed over; so are those
 * of before a trusted key, for how that came to be is no concern any more. The places are believed here: each entry has to be
 * proved to stand at its own.
 * @param entries in the order of the log
 * @returns each key once; null where an entry is no hand-over, one is not signed by the key before it, or what is known says otherwise
 */
export function followKeys(
  trusted: readonly RangedVerifier[],
  entries: readonly PlacedKey[],
  hash: Sha256 = sha256,
): RangedVerifier[] | null {
  const handOvers = readHandOvers(entries, hash);
  const chains = handOvers && trusted.map((key) => followOne(key, handOvers));
  const keys: RangedVerifier[] = [];
  for (const chain of chains ?? [null]) {
    if (chain === null) return null;
    for (const key of chain) {
      const known = keys.find((other) => isSame(other, key));
      if (known && JSON.stringify(known.sizes) !== JSON.stringify(key.sizes)) return null;
      if (!known) keys.push(key);
    }
  }
  return keys;
}

/** The same for one key, in texts. Where `from` is absent, it is not known since when the key is valid. */
export function followKey(
  first: { readonly key: string; readonly from?: number; readonly until?: number | null },
  entries: readonly PlacedKey[],
  hash: Sha256 = sha256,
): KeyInTime[] | null {
  const { key, from, until = null } = first;
  const verifier = nobleVerifier(key, hash);
  const ranged = verifier && (from === undefined ? verifier : { ...verifier, sizes: { from, until } });
  const handOvers = readHandOvers(entries, hash);
  const chain = ranged && handOvers && followOne(ranged, handOvers);
  if (!chain) return null;
  return chain.map(({ sizes, name, keyId }, at) => {
    const by = handOvers.find((each) => isSame(each.verifier, { name, keyId }));
    return { key: at === 0 ? key : (by?.entry.key ?? key), ...sizes };
  });
}

function readHandOvers(entries: readonly PlacedKey[], hash: Sha256): HandOver[] | null {
  const all: HandOver[] = [];
  for (const { index, entry: text } of entries) {
    const entry = parseKeyEntry(text);
    const verifier = entry && nobleVerifier(entry.key, hash);
    if (!entry || !verifier || index <= (all.at(-1)?.index ?? -1)) return null;
    all.push({ index, entry, verifier });
  }
  return all;
}

const isSame = (one: { name: string; keyId: number }, other: { name: string; keyId: number }): boolean =>
  one.name === other.name && one.keyId === other.keyId;

/** The key and those after it, each with its range; null where the hand-overs contradict it or one another. */
function followOne(first: RangedVerifier, handOvers: readonly HandOver[]): Known<RangedVerifier>[] | null {
  const own = handOvers.filter(({ verifier }) => verifier.name === first.name);
  const arrival = own.find(({ verifier }) => isSame(verifier, first));
  // Where its own hand-over is shown it says since when the key is valid: not otherwise than it was known.
  if (arrival && first.sizes && first.sizes.from !== arrival.index + 1) return null;
  const from = arrival ? arrival.index + 1 : (first.sizes?.from ?? 0);
  let current: Known<RangedVerifier> = { ...first, sizes: { from, until: first.sizes?.until ?? null } };
  const keys: Known<RangedVerifier>[] = [];
  for (const { index, entry, verifier } of own) {
    // A key that is known to be retired has handed over already.
    if (index < current.sizes.from || first.sizes?.until != null) continue;
    const isNew = !keys.some((key) => isSame(key, verifier));
    if (!isNew || !isHandOver(current, verifier, entry)) return null;
    keys.push({ ...current, sizes: { from: current.sizes.from, until: index } });
    current = { ...verifier, sizes: { from: index + 1, until: null } };
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
