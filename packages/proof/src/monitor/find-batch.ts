/** Finds the entry of a log that carries an order's batch, from the acceptance alone. */
import { isLoggedInTime, LOGGED_BEFORE_MS } from '@fairtick/trading';
import {
  ACCEPTANCE_ORIGIN_SUFFIX,
  type Acceptance,
  parseAcceptance,
  type SignedAcceptance,
} from '../acceptance.ts';
import { fromHex } from '../encoding.ts';
import { type OrdersEntry, parseEntry } from '../entry.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../merkle.ts';
import { checkAcceptance, checkCarrier, checkLogged, type Finding } from '../receipt/log-steps.ts';
import { timeOf } from '../receipt/parsed-receipt.ts';
import { type PinnedKey, rangedVerifier } from '../rotation.ts';
import { TILE_WIDTH, tileWidthAt } from '../tile.ts';
import { followLogKeys } from './follow-log-keys.ts';
import type { LogSource } from './log-source.ts';
import { LogFault } from './monitor.ts';

/**
 * - `logged`: an entry carries the batch a second before the order opens; `late`: one does, and later, so the order is void
 * - `missing`: the log has passed that time without it, so the order is void; `pending`: the log has not come so far
 */
export type FoundBatch =
  | {
      readonly state: 'logged' | 'late';
      readonly index: number;
      readonly timeMs: number;
      /** Whether the entry's root proves the acceptance, which it does only if the entry carries no other batch. */
      readonly isProved: boolean;
      /** Whether the entry names what was asked for; null if the acceptance does not. */
      readonly isNamed: boolean | null;
    }
  | { readonly state: 'missing' | 'pending'; readonly size: number };

/** The search ends at entries that are later than the opening by more than this. */
const MOST_LATE_MS = 60_000;

/**
 * @throws LogFault if the acceptance or the log contradicts what is signed
 * @throws ServerTrouble if the server did not answer usably
 */
export async function findBatch(
  source: LogSource,
  acceptance: SignedAcceptance,
  pinned: readonly PinnedKey[],
): Promise<FoundBatch> {
  const { checkpoint, note, keys } = await followLogKeys(source, pinned);
  const { size, root } = checkpoint;
  const wrong = (text: string) => new LogFault(text, { acceptance, checkpoint: note });
  const terms = parseAcceptance(acceptance.text);
  if (terms === null) throw wrong('the acceptance is not in its grammar');
  const verifiers = keys.flatMap((key) => rangedVerifier(key) ?? []);
  const [acceptances, log] = [true, false].map((isOf) =>
    verifiers.filter(({ name }) => name.endsWith(ACCEPTANCE_ORIGIN_SUFFIX) === isOf),
  );
  const trusted = { log: log ?? [], acceptances: acceptances ?? [], witnesses: [] };
  const { batch, finding } = checkAcceptance(acceptance, terms, trusted);
  if (batch === null) throw wrong('fault' in finding ? finding.fault : 'the acceptance is none');
  if (size < terms.logSize) return { state: 'pending', size };
  const grown = {
    oldSize: terms.logSize,
    oldRoot: fromHex(terms.logRoot) ?? root,
    newSize: size,
    newRoot: root,
  };
  const proof = await source.consistency(terms.logSize, size);
  if (!verifyConsistency({ ...grown, proof }))
    throw wrong('the log is not one that goes on from that of the acceptance');

  const found = await readToBatch(source, terms, size);
  if (found === 'missing' || found === 'pending') return { state: found, size };
  const { index, entry, text } = found;
  const claim = { index, size, leaf: leafHash(text), root };
  const inclusion = await source.inclusion(index, size);
  if (!verifyInclusion({ ...claim, proof: inclusion }))
    throw wrong(`the entry that is shown at ${index} is not in the log that was signed`);
  const isProved = entry.firstBatch === entry.lastBatch;
  const isLate = !isLoggedInTime(entry.timeMs, terms.opensAt);
  const orders = { index, entry, leaf: claim.leaf, proof: inclusion };
  const judged: Finding = isProved
    ? checkLogged({ terms, orders, batchProof: [] }, batch, isLate)
    : checkCarrier({ terms, orders }, isLate);
  if ('fault' in judged) throw wrong(`entry ${index}: ${judged.fault}`);
  const isNamed = terms.asked === null ? null : true;
  return { state: isLate ? 'late' : 'logged', index, timeMs: entry.timeMs, isProved, isNamed };
}

async function readToBatch(
  source: LogSource,
  { batch, logSize, opensAt }: Acceptance,
  size: number,
): Promise<{ index: number; entry: OrdersEntry; text: string } | 'missing' | 'pending'> {
  let isPast = false;
  for (let number = Math.floor(logSize / TILE_WIDTH); number * TILE_WIDTH < size; number += 1) {
    const texts = await source.bundle(number, tileWidthAt('entries', number, size));
    for (const [at, text] of texts.entries()) {
      const index = number * TILE_WIDTH + at;
      const entry = index < logSize ? null : parseEntry(text);
      if (entry?.kind === 'orders' && entry.lastBatch >= batch)
        return entry.firstBatch <= batch ? { index, entry, text } : 'missing';
      const timeMs = (entry && timeOf(entry)) ?? 0;
      isPast ||= timeMs > opensAt - LOGGED_BEFORE_MS;
      if (timeMs > opensAt + MOST_LATE_MS) return 'missing';
    }
  }
  return isPast ? 'missing' : 'pending';
}
