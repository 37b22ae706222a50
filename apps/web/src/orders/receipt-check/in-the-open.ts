import {
  ASKED_BYTES,
  followLogKeys,
  hashAsked,
  httpSource,
  parseEntry,
  readBundle,
  type StateOfLog,
  TILE_WIDTH,
  tellsSameLog,
  toHex,
} from '@fairtick/proof';
import { get } from '../../api/client.ts';
import type { Asked } from './asked.ts';
import { isSameLog, trustedLog } from './trusted-log.ts';

/** The log's entry that carries an order, as a document: anybody who has the nonce can tell whose it is. */
export interface OpenEntry {
  readonly index: number;
  readonly entry: string;
  /** That it is in the log of the checkpoint, in hex. */
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

/** Decimals that an asset's amounts may have. */
const MOST_SCALE = 18;
/** Bundles that are read for one order: the log of the seconds between the order and its opening. */
const MOST_BUNDLES = 256;

/** How the log may name an order: the acceptance writes the amount with all decimals of its asset, which the app need not know. */
export function openNames(asked: Asked): ReadonlySet<string> {
  const [whole = '', fraction = ''] = asked.amount.split('.');
  const names = new Set<string>();
  for (let scale = fraction.length; scale <= MOST_SCALE; scale += 1) {
    const amount = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`;
    names.add(toHex(hashAsked({ ...asked, amount })).slice(0, 2 * ASKED_BYTES));
  }
  return names;
}

/** Looks for an order in entries that follow each other: its place among them, `past` if its opening time is over, else null. */
export function lookIn(
  texts: readonly string[],
  names: ReadonlySet<string>,
  opensAt: number,
): number | 'past' | null {
  for (const [at, text] of texts.entries()) {
    const entry = parseEntry(text);
    if (entry?.kind === 'orders' && entry.asked.some((name) => names.has(name))) return at;
    if (entry && 'timeMs' in entry && entry.timeMs > opensAt) return 'past';
  }
  return null;
}

/**
 * Reads the signed log from the state that the customer had seen before the order up to the order's opening time. That the state is of this
 * log shows that it was no later one: nobody knows the root of a log before its entries.
 * @returns the entry that carries the order; null: there is none; undefined: that can't be told yet
 * @throws LogFault, ServerTrouble, NetworkError, RefusedError
 */
export async function findInTheOpen(asked: Asked, seen: StateOfLog): Promise<OpenEntry | null | undefined> {
  const source = httpSource(location.origin);
  // A private window may have no storage: it trusts the key that the server names.
  const trusted = typeof indexedDB === 'undefined' ? null : await trustedLog();
  const pinned = trusted
    ? (trusted.kept.keys?.log.at(-1) ?? { key: trusted.kept.checkpointKey })
    : { key: (await get('transparency/key', {}, { isSilent: true })).checkpoints };
  const { checkpoint, note } = await followLogKeys(source, [pinned]);
  const { size } = checkpoint;
  const state = { size, root: toHex(checkpoint.root) };
  if (trusted && !(await isSameLog(trusted, state))) return undefined;
  if (seen.size > size || !(await tellsSameLog(seen, state, source))) return undefined;
  const names = openNames(asked);
  const first = Math.floor(seen.size / TILE_WIDTH);
  const end = Math.min(Math.ceil(size / TILE_WIDTH), first + MOST_BUNDLES);
  for (let number = first; number < end; number += 1) {
    const texts = await readBundle(number, checkpoint, source);
    if (texts === null) return undefined;
    const found = lookIn(texts, names, asked.opensAt);
    if (found === 'past') return null;
    if (found === null) continue;
    const index = number * TILE_WIDTH + found;
    const proof = (await source.inclusion(index, size)).map(toHex);
    return { index, entry: texts[found] as string, proof, checkpoint: note };
  }
  return undefined;
}
