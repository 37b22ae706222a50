/**
 * A new key of the log or of its acceptances: `key|4|timeMs|the new key|the old key's signature over it`. The old key is valid up
 * to the entry's index, the new key after it. So receipts from before and after stay valid, and a thief of a retired key can sign
 * nothing newer.
 */
import { fromBase64, toBase64, utf8 } from './encoding.ts';
import { isSameKey, type NoteSigner, type NoteVerifier, nobleVerifier } from './note.ts';

/** Log sizes that a key may sign, or that its acceptances may name. `until` null: the key is in use. */
export interface KeyRange {
  readonly from: number;
  readonly until: number | null;
}

export interface RangedVerifier extends NoteVerifier {
  /** All sizes if absent. */
  readonly sizes?: KeyRange;
}

export interface KeyEntry {
  readonly timeMs: number;
  /** The new verifier key; its name is the old one's. */
  readonly key: string;
  readonly signature: Uint8Array;
}

/** A `key` entry with its index in the log. */
export interface PlacedKey {
  readonly index: number;
  readonly entry: string;
}

const FORM = /^key\|4\|(0|[1-9]\d{0,15})\|([^|]{1,1024})\|([A-Za-z0-9+/]{86}==)$/u;

export function formatKeyEntry(timeMs: number, newKey: string, oldKey: NoteSigner): string {
  return `key|4|${timeMs}|${newKey}|${toBase64(oldKey.sign(utf8(newKey)))}`;
}

export function parseKeyEntry(text: string): KeyEntry | null {
  const [, timeMs, key, base64] = FORM.exec(text) ?? [];
  const signature = fromBase64(base64 ?? '');
  if (key === undefined || signature?.length !== 64 || !Number.isSafeInteger(Number(timeMs))) return null;
  return { timeMs: Number(timeMs), key, signature };
}

/** The new key, if this entry hands over from the old key: same name, and signed by the old key. Null otherwise. */
export function handedOver(entry: KeyEntry, oldKey: string): string | null {
  const [before, after] = [nobleVerifier(oldKey), nobleVerifier(entry.key)];
  if (!before || !after || !isHandOver(before, after, entry)) return null;
  return entry.key;
}

function isHandOver(before: NoteVerifier, after: NoteVerifier, { key, signature }: KeyEntry): boolean {
  return before.name === after.name && before.keyId !== after.keyId && before.verify(utf8(key), signature);
}

export interface KeyInTime extends KeyRange {
  readonly key: string;
}

/** A key that a user trusts; `from` is absent if the start of its range is unknown. */
export type PinnedKey = Pick<KeyInTime, 'key'> & Partial<KeyRange>;

interface HandOver {
  readonly index: number;
  readonly entry: KeyEntry;
  readonly verifier: NoteVerifier & { readonly key: string };
}

/** A key whose range is known. */
type Followed = RangedVerifier & { readonly key?: string; readonly sizes: KeyRange };

/**
 * The keys that follow from the trusted ones by the hand-overs of a log. It skips hand-overs of other names, and those before a
 * trusted key, whose history does not matter. It does not verify the indexes: the caller must prove each entry's index.
 * @param entries in log order
 * @returns each key once; null if an entry is no hand-over or is not signed by the key before it, or if two known ranges
 *   contradict
 */
export function followKeys(
  trusted: readonly RangedVerifier[],
  entries: readonly PlacedKey[],
): RangedVerifier[] | null {
  const handOvers = readHandOvers(entries);
  const chains = handOvers && trusted.map((key) => followOne(key, handOvers));
  const keys: RangedVerifier[] = [];
  for (const chain of chains ?? [null]) {
    if (chain === null) return null;
    for (const key of chain) {
      const known = keys.find((other) => isSameKey(other, key));
      if (known && JSON.stringify(known.sizes) !== JSON.stringify(key.sizes)) return null;
      if (!known) keys.push(key);
    }
  }
  return keys;
}

/** The same for one key, as texts. */
export function followKey(first: PinnedKey, entries: readonly PlacedKey[]): KeyInTime[] | null {
  const { key } = first;
  const verifier = rangedVerifier(first);
  const handOvers = readHandOvers(entries);
  if (!verifier || !handOvers) return null;
  const chain = followOne({ ...verifier, key }, handOvers);
  return chain?.map((each) => ({ key: each.key ?? key, ...each.sizes })) ?? null;
}

function readHandOvers(entries: readonly PlacedKey[]): HandOver[] | null {
  const all: HandOver[] = [];
  for (const { index, entry: text } of entries) {
    const entry = parseKeyEntry(text);
    const verifier = entry && nobleVerifier(entry.key);
    if (!entry || !verifier || index <= (all.at(-1)?.index ?? -1)) return null;
    all.push({ index, entry, verifier: { ...verifier, key: entry.key } });
  }
  return all;
}

/** The key and its successors, each with its range; null if the hand-overs contradict the key's range or one another. */
function followOne(
  first: RangedVerifier & { readonly key?: string },
  handOvers: readonly HandOver[],
): Followed[] | null {
  const own = handOvers.filter(({ verifier }) => verifier.name === first.name);
  const arrival = own.find(({ verifier }) => isSameKey(verifier, first));
  // The key's own hand-over fixes the start of its range; this must match the known range.
  if (arrival && first.sizes && first.sizes.from !== arrival.index + 1) return null;
  const from = arrival ? arrival.index + 1 : (first.sizes?.from ?? 0);
  let current: Followed = { ...first, sizes: { from, until: first.sizes?.until ?? null } };
  const keys: Followed[] = [];
  for (const { index, entry, verifier } of own) {
    // A key with a known end has handed over already.
    if (index < current.sizes.from || first.sizes?.until != null) continue;
    const isNew = !keys.some((key) => isSameKey(key, verifier));
    if (!isNew || !isHandOver(current, verifier, entry)) return null;
    keys.push({ ...current, sizes: { from: current.sizes.from, until: index } });
    current = { ...verifier, sizes: { from: index + 1, until: null } };
  }
  return [...keys, current];
}

/** The verifier of a key with its range; null when the text is no key. */
export function rangedVerifier({ key, from, until = null }: PinnedKey): RangedVerifier | null {
  const verifier = nobleVerifier(key);
  return verifier && from !== undefined ? { ...verifier, sizes: { from, until } } : verifier;
}

/** Whether a key may sign for this size of the log. */
export function isValidAt({ sizes }: RangedVerifier, size: number): boolean {
  return !sizes || (size >= sizes.from && (sizes.until === null || size <= sizes.until));
}
