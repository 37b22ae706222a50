/**
 * The evidence that a customer holds soon after the acceptance: the log's own `orders` entry that carries the order's batch, under a
 * signed checkpoint. docs/receipt-format.md, "Evidence soon after the acceptance".
 */
import { isLoggedInTime } from '@fairtick/trading';
import type { SignedAcceptance } from '../acceptance.ts';
import { parseAcceptance } from '../acceptance.ts';
import { toHex } from '../encoding.ts';
import { parseEntry } from '../entry.ts';
import { type Sha256, sha256 } from '../sha256.ts';
import { type Placed, placedOf } from './case.ts';
import {
  hasExactly,
  isAcceptance,
  isCount,
  isListOf,
  isNote,
  isPlace,
  isProof,
  MAX_RECEIPT_ENTRIES,
  type Receipt,
} from './receipt.ts';
import {
  checkAcceptance,
  checkCheckpoint,
  checkEntries,
  checkKeys,
  checkLogged,
  type Finding,
  type TrustedKeys,
} from './steps.ts';

/** An entry of the log with the proof that it stands there; hashes as 64 lower-case hex digits. */
export interface ProvedEntry {
  readonly index: number;
  readonly entry: string;
  readonly proof: readonly string[];
}

/** What `/api/order/logged` answers in `data`. */
export interface LoggedAnswer {
  /** The `orders` entry that carries the batch, its place in the log, and the proof that it stands there. */
  readonly entry: string;
  readonly index: number;
  readonly entryProof: readonly string[];
  /** The number of the batch, and the proof that it is under the entry's root. */
  readonly batch: number;
  readonly batchProof: readonly string[];
  /** The log's signed checkpoint. */
  readonly checkpoint: string;
  /** Hand-overs of the log's keys up to the checkpoint. */
  readonly keys: readonly ProvedEntry[];
}

export interface LoggedReport {
  readonly isValid: boolean;
  /** The fault, in plain English; null if valid. */
  readonly fault: string | null;
  /** Null unless valid. */
  readonly found: {
    /** Place and time (Unix ms) of the `orders` entry. */
    readonly index: number;
    readonly timeMs: number;
    /** Whether it stands a second before the order opens; if not, the order is void. */
    readonly isInTime: boolean;
    readonly checkpoint: { readonly size: number; readonly root: string; readonly timeMs: number };
    /** Names of the pinned witnesses that cosigned it in time. */
    readonly witnesses: readonly string[];
  } | null;
}

/** Reads such an answer from any value; null unless it has exactly its members, each within its bounds. */
export function readLogged(value: unknown): LoggedAnswer | null {
  const names = ['entry', 'index', 'entryProof', 'batch', 'batchProof', 'checkpoint', 'keys'];
  if (!hasExactly(value, names)) return null;
  const { entry, index, entryProof, batch, batchProof, checkpoint, keys } = value;
  const isRight =
    isPlace({ entry, index, proof: entryProof }) &&
    isCount(batch) &&
    isProof(batchProof) &&
    isNote(checkpoint) &&
    isListOf(keys, MAX_RECEIPT_ENTRIES, isPlace);
  return isRight ? (value as unknown as LoggedAnswer) : null;
}

/**
 * Judges the answer for an acceptance that the customer holds. Nothing that an answer holds makes it throw.
 */
export function verifyLogged(
  acceptance: SignedAcceptance,
  value: unknown,
  options: { readonly keys: TrustedKeys; readonly hash?: Sha256 },
): LoggedReport {
  const hash = options.hash ?? sha256;
  const refused = (fault: string): LoggedReport => ({ isValid: false, fault, found: null });
  const answer = readLogged(value);
  const terms = isAcceptance(acceptance) ? parseAcceptance(acceptance.text) : null;
  if (answer === null || terms === null) return refused('this is no answer about an acceptance');
  if (answer.batch !== terms.batch) return refused('this is an answer about another batch');
  const orders = placedOf({ ...answer, proof: answer.entryProof }, hash);
  const handOvers = answer.keys.map((key) => placedOf(key, hash));
  if (orders?.entry.kind !== 'orders') return refused(`the entry at ${answer.index} is no orders entry`);
  const places = handOvers.filter((place) => place !== null);
  const isInOrder = places.every(({ index }, at) => at === 0 || index > (places[at - 1]?.index ?? 0));
  if (places.length !== handOvers.length || !isInOrder) return refused('the keys are not entries of a log');

  const { keys, ...followed } = checkKeys(answer.keys, options.keys, hash);
  if (followed.finding && 'fault' in followed.finding) return refused(followed.finding.fault);
  const accepted = checkAcceptance(acceptance, terms, { keys, hash });
  if (!accepted.batch) return refused(faultOf(accepted.finding));
  const signed = checkCheckpoint({ acceptance, checkpoint: answer.checkpoint }, keys);
  if (!signed.checkpoint) return refused(faultOf(signed.finding));
  const placed = checkEntries([orders, ...places], signed.checkpoint, hash);
  if ('fault' in placed) return refused(placed.fault);
  const order = { terms, orders: orders as Placed<typeof orders.entry>, batchProof: answer.batchProof };
  const isInTime = isLoggedInTime(orders.entry.timeMs, terms.opensAt);
  const logged = checkLogged(order, accepted.batch, { hash, isLate: !isInTime });
  if ('fault' in logged) return refused(logged.fault);
  const { size, root, timeMs } = signed.checkpoint;
  return {
    isValid: true,
    fault: null,
    found: {
      index: orders.index,
      timeMs: orders.entry.timeMs,
      isInTime,
      checkpoint: { size, root: toHex(root), timeMs },
      witnesses: signed.witnesses,
    },
  };
}

const faultOf = (finding: Finding): string => ('fault' in finding ? finding.fault : 'it can’t be judged');

/** What a customer holds of an order: the acceptance's text and, once it was logged, the entry that carries its batch. */
export interface HeldEvidence {
  readonly acceptanceText: string;
  readonly orders?: Pick<ProvedEntry, 'index' | 'entry'>;
}

/**
 * Whether a receipt contradicts what the customer holds of the same order. Both have to be valid: then both are signed, and one of
 * them is false.
 * @returns `acceptance`: it has another text; `orders`: its `orders` entry has another place or text; null: no contradiction, or
 *   another order's
 */
export function contradictionOf(held: HeldEvidence, receipt: Receipt): 'acceptance' | 'orders' | null {
  const [mine, theirs] = [parseAcceptance(held.acceptanceText), parseAcceptance(receipt.acceptance.text)];
  if (!mine || !theirs || mine.orderId !== theirs.orderId) return null;
  if (held.acceptanceText !== receipt.acceptance.text) return 'acceptance';
  const orders = receipt.entries.find(({ role }) => role === 'orders');
  if (!held.orders || !orders || parseEntry(orders.entry)?.kind !== 'orders') return null;
  return orders.index === held.orders.index && orders.entry === held.orders.entry ? null : 'orders';
}
