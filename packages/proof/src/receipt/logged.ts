/**
 * The evidence that a customer holds soon after the acceptance: the log's own `orders` entry that carries the order's batch, under a
 * signed checkpoint. docs/receipt-format.md, "Evidence soon after the acceptance".
 */
import { isLoggedInTime } from '@fairtick/trading';
import { parseAcceptance, type SignedAcceptance } from '../acceptance.ts';
import { checkpointIn } from '../checkpoint.ts';
import { equalBytes, toHex } from '../encoding.ts';
import { type OrdersEntry, parseEntry, type RulesEntry } from '../entry.ts';
import { parseKeyEntry } from '../rotation.ts';
import {
  checkAcceptance,
  checkCheckpoint,
  checkConsistency,
  checkEntries,
  checkKeys,
  checkLogged,
  checkRules,
  cosignedBefore,
  type Finding,
  namesOf,
  type TrustedKeys,
} from './log-steps.ts';
import { BEFORE_ACCEPT, type Placed, placedOf, readAllRules } from './parsed-receipt.ts';
import {
  arePlaces,
  isAcceptance,
  isConsistency,
  isCount,
  isEntryText,
  isNote,
  isPlace,
  isProof,
  isShape,
  type Receipt,
  type ReceiptConsistency,
} from './receipt.ts';

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
  /** The rules that the acceptance names, and the last entry of the log that it names. */
  readonly rules: ProvedEntry;
  readonly beforeAccept: ProvedEntry;
  /** From the acceptance's log to the checkpoint. */
  readonly consistency: ReceiptConsistency;
  /** The first signed checkpoint of the log that covers the `orders` entry. */
  readonly checkpoint: string;
  /** Hand-overs of the log's keys up to the checkpoint. */
  readonly keys: readonly ProvedEntry[];
}

/** The checks of an answer, in the order in which they run; named as those of a receipt. */
export type LoggedStepId =
  | 'form'
  | 'keys'
  | 'acceptance'
  | 'rules'
  | 'checkpoint'
  | 'entries'
  | 'consistency'
  | 'logged';

export interface LoggedReport {
  readonly isValid: boolean;
  /** The check that refuses it, and the fault in plain English; null if valid. */
  readonly refusedBy: LoggedStepId | null;
  readonly fault: string | null;
  readonly found: {
    /** Place and time (Unix ms) of the `orders` entry. */
    readonly index: number;
    readonly timeMs: number;
    /** Whether it stands a second before the order opens; if not, the order is void. */
    readonly isInTime: boolean;
    readonly checkpoint: { readonly size: number; readonly root: string; readonly timeMs: number };
    /** Names of the pinned witnesses that cosigned it in time, and of those that did so before the order opens. */
    readonly witnesses: readonly string[];
    readonly witnessedBefore: readonly string[];
  } | null;
}

const isLoggedAnswer = isShape({
  entry: isEntryText,
  index: isCount,
  entryProof: isProof,
  batch: isCount,
  batchProof: isProof,
  rules: isPlace,
  beforeAccept: isPlace,
  consistency: isConsistency,
  checkpoint: isNote,
  keys: arePlaces,
});

/** Reads such an answer from any value; null unless it has exactly its members, each within its bounds. */
export const readLogged = (value: unknown): LoggedAnswer | null =>
  isLoggedAnswer(value) ? (value as LoggedAnswer) : null;

/**
 * Judges the answer for an acceptance that the customer holds, by the checks of a receipt up to `logged`, without `seen`. Nothing that
 * an answer holds makes it throw.
 */
export function verifyLogged(
  acceptance: SignedAcceptance,
  value: unknown,
  options: { readonly keys: TrustedKeys },
): LoggedReport {
  const answer = readLogged(value);
  const terms = isAcceptance(acceptance) ? parseAcceptance(acceptance.text) : null;
  if (answer === null || terms === null) return refused('form', 'this is no answer about an acceptance');
  if (answer.batch !== terms.batch) return refused('form', 'this is an answer about another batch');
  const subject = takeEvidence(answer);
  if (typeof subject === 'string') return refused('form', subject);
  const { orders, rules, beforeAccept, handOvers } = subject;

  const { keys, finding: followed } = checkKeys(answer.keys, options.keys);
  if (followed && 'fault' in followed) return refused('keys', followed.fault);
  const { batch, finding: accepted } = checkAcceptance(acceptance, terms, keys);
  if (!batch) return refused('acceptance', faultOf(accepted));
  const agreed = checkRules({ terms, rules });
  if ('fault' in agreed) return refused('rules', agreed.fault);
  const signed = checkCheckpoint({ acceptance, checkpoint: answer.checkpoint }, keys);
  const { checkpoint } = signed;
  if (!checkpoint) return refused('checkpoint', faultOf(signed.finding));
  const isInTime = isLoggedInTime(orders.entry.timeMs, terms.opensAt);
  const order = { terms, orders, batchProof: answer.batchProof };
  const findings: readonly (readonly [LoggedStepId, Finding])[] = [
    ['entries', checkEntries([...rules, beforeAccept, orders, ...handOvers], checkpoint)],
    ['consistency', checkConsistency({ terms, beforeAccept }, answer.consistency, checkpoint)],
    ['logged', checkLogged(order, batch, !isInTime)],
  ];
  for (const [id, finding] of findings) if ('fault' in finding) return refused(id, finding.fault);
  const { size, root, timeMs } = checkpoint;
  const found = {
    index: orders.index,
    timeMs: orders.entry.timeMs,
    isInTime,
    checkpoint: { size, root: toHex(root), timeMs },
    witnesses: namesOf(signed.cosigned),
    witnessedBefore: namesOf(cosignedBefore(signed.cosigned, terms.opensAt)),
  };
  return { isValid: true, refusedBy: null, fault: null, found };
}

const refused = (refusedBy: LoggedStepId, fault: string): LoggedReport => ({
  isValid: false,
  refusedBy,
  fault,
  found: null,
});

/** Parses the entries of an answer; returns a text that states the fault if one is malformed. */
function takeEvidence(answer: LoggedAnswer) {
  const orders = placedOf({ ...answer, proof: answer.entryProof });
  if (orders?.entry.kind !== 'orders') return `the entry at ${answer.index} is no orders entry`;
  const rules = placedOf(answer.rules);
  const named =
    rules?.entry.kind === 'rules' ? readAllRules([rules as Placed<RulesEntry>]) : 'the rules are none';
  if (typeof named === 'string') return named;
  const beforeAccept = placedOf(answer.beforeAccept);
  if (!beforeAccept || !BEFORE_ACCEPT.includes(beforeAccept.entry.kind))
    return `the entry at ${answer.beforeAccept.index} is no beforeAccept`;
  const handOvers: Placed[] = [];
  for (const key of answer.keys) {
    const place = placedOf(key);
    if (place === null || parseKeyEntry(key.entry) === null)
      return `the entry at ${key.index} hands over no key`;
    if (place.index <= (handOvers.at(-1)?.index ?? -1))
      return `the entry at ${key.index} stands in the wrong place`;
    handOvers.push(place);
  }
  return { orders: orders as Placed<OrdersEntry>, rules: named, beforeAccept, handOvers };
}

const faultOf = (finding: Finding): string => ('fault' in finding ? finding.fault : 'it can’t be judged');

/** The part of an answer that is compared with a receipt. */
export type HeldLogged = Pick<LoggedAnswer, 'index' | 'entry' | 'checkpoint'>;

/** What a customer holds of an order: the acceptance's text and, once it was logged, the answer about it. */
export interface HeldEvidence {
  readonly acceptanceText: string;
  readonly logged?: HeldLogged;
}

/**
 * Whether a receipt contradicts what the customer holds of the same order. Both have to be valid: then both are signed, and one of
 * them is false, or withholds how the two logs belong together.
 * @returns `acceptance`: it has another text; `orders`: its `orders` entry has another place or text; `checkpoint`: its `held`
 *   checkpoint has another size or root; null: no contradiction, or another order's
 */
export function contradictionOf(
  held: HeldEvidence,
  receipt: Receipt,
): 'acceptance' | 'orders' | 'checkpoint' | null {
  const [mine, theirs] = [parseAcceptance(held.acceptanceText), parseAcceptance(receipt.acceptance.text)];
  if (!mine || !theirs || mine.orderId !== theirs.orderId) return null;
  if (held.acceptanceText !== receipt.acceptance.text) return 'acceptance';
  const orders = receipt.entries.find(({ role }) => role === 'orders');
  if (!held.logged || !orders || parseEntry(orders.entry)?.kind !== 'orders') return null;
  if (orders.index !== held.logged.index || orders.entry !== held.logged.entry) return 'orders';
  const [log, later] = [held.logged.checkpoint, receipt.held.checkpoint].map(checkpointIn);
  const isSame = log && later && log.size === later.size && equalBytes(log.root, later.root);
  return isSame ? null : 'checkpoint';
}
