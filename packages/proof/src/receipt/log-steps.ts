/**
 * The verifier's checks of the log and its signatures: each function is one step. order-steps.ts has the checks of the order's
 * rules.
 */

import { fixFrom, isLoggedInTime, MOST_AHEAD_MS, settlementTime } from '@fairtick/trading';
import { ACCEPTANCE_ORIGIN_SUFFIX, type Acceptance, type SignedAcceptance } from '../acceptance.ts';
import { type Checkpoint, checkpointTime, parseCheckpoint } from '../checkpoint.ts';
import { cosignedAt } from '../cosignature.ts';
import { placesOf, rateOf } from '../decimal.ts';
import { ASKED_BYTES, type OrdersEntry } from '../entry.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../merkle.ts';
import { isSameKey, type NoteSignature, type NoteVerifier, openNote } from '../note.ts';
import { followKeys, isValidAt, type PlacedKey, parseKeyEntry, type RangedVerifier } from '../rotation.ts';
import { type Case, type Placed, type PlacedRules, timeOf } from './parsed-receipt.ts';
import { hashesOf, hashOf, type ReceiptConsistency } from './receipt.ts';

/** Public keys that the verifier trusts, from a source other than the receipt. */
export interface TrustedKeys {
  /** Keys of the log, which sign checkpoints; each within its range of log sizes. */
  readonly log: readonly RangedVerifier[];
  /** Keys of the same log's acceptances; each for acceptances that name a log size in its range. */
  readonly acceptances: readonly RangedVerifier[];
  readonly witnesses: readonly NoteVerifier[];
}

export type Values = Readonly<Record<string, string | number>>;
/** The result of a step: values to report, or the fault. */
export type Finding = { readonly values: Values } | { readonly fault: string };

/** A cosignature counts if its time is at most this far from the checkpoint's own. */
export const COSIGNED_WITHIN_S = 5;
/** An acceptance is at most this much later than the last entry of the log that it names. */
const ACCEPTED_WITHIN_MS = 500;

export const fault = (text: string): Finding => ({ fault: text });

/**
 * The keys that follow from the trusted ones by the hand-overs shown. {@link checkEntries} proves the hand-overs' log indexes
 * with all other entries. A null finding: the receipt shows no hand-over.
 */
export function checkKeys(
  handOvers: readonly PlacedKey[],
  keys: TrustedKeys,
): { finding: Finding | null; keys: TrustedKeys } {
  if (handOvers.length === 0) return { finding: null, keys };
  const names = [...keys.log, ...keys.acceptances].map(({ name }) => `${name}+`);
  for (const { index, entry } of handOvers) {
    const key = parseKeyEntry(entry)?.key ?? '';
    if (!names.some((name) => key.startsWith(name)))
      return { finding: fault(`the key at ${index} is of another log`), keys };
  }
  const [log, acceptances] = [keys.log, keys.acceptances].map((each) => followKeys(each, handOvers));
  if (!log || !acceptances)
    return { finding: fault('a new key was not handed over by the one before it that is trusted'), keys };
  return {
    finding: { values: { count: handOvers.length } },
    keys: { log, acceptances, witnesses: keys.witnesses },
  };
}

/** All keys that a note may be signed with: a false line of any of them makes the note refused. */
function allOf({ log, acceptances, witnesses }: TrustedKeys): NoteVerifier[] {
  const keys = [...log, ...acceptances, ...witnesses];
  return keys.filter((one, at) => keys.findIndex((other) => isSameKey(one, other)) === at);
}

/** Selects a note's verified signatures that one of these keys made. */
const signedBy = (verified: readonly NoteSignature[], keys: readonly NoteVerifier[]): NoteSignature[] =>
  verified.filter((signature) => keys.some((key) => isSameKey(key, signature)));

export function checkAcceptance(
  acceptance: SignedAcceptance,
  terms: Acceptance,
  keys: TrustedKeys,
): { finding: Finding; batch: Required<Checkpoint> | null } {
  const wrong = (text: string) => ({ finding: fault(text), batch: null });
  const note = openNote(acceptance.signed, allOf(keys));
  const valid = keys.acceptances.filter((key) => isValidAt(key, terms.logSize));
  const [signature] = signedBy(note?.verified ?? [], valid);
  if (!note || !signature) return wrong('the batch of acceptances is not signed by a key that is trusted');
  const batch = parseCheckpoint(note.text);
  const signer = signature.name;
  if (batch === null || batch.origin !== signer || !signer.endsWith(ACCEPTANCE_ORIGIN_SUFFIX))
    return wrong('what is signed is no batch of acceptances');
  const { index, size } = acceptance;
  const leaf = leafHash(acceptance.text);
  const proof = hashesOf(acceptance.proof);
  if (batch.size !== size || !verifyInclusion({ index, size, leaf, proof, root: batch.root }))
    return wrong('the acceptance is not in the batch that was signed');
  const values = { orderId: terms.orderId, timeMs: terms.acceptedAt, signer, index, size };
  return { finding: { values }, batch };
}

/**
 * Checks that all rules shown are one sequence of the symbol, and that the terms match those that the acceptance names, which were
 * logged and in force before it.
 */
export function checkRules(subject: Pick<Case, 'terms' | 'rules'>): Finding {
  const { terms, rules } = subject;
  for (const [at, { index, entry, rules: parts }] of rules.entries()) {
    const before = rules[at - 1];
    if (entry.symbol !== terms.symbol || parts.symbol !== terms.symbol)
      return fault(`the rules at ${index} are of another product`);
    if (!before) continue;
    if (entry.n <= before.entry.n || entry.effectiveMs <= before.entry.effectiveMs)
      return fault(`the rules at ${index} do not follow those at ${before.index}`);
    if (entry.n === before.entry.n + 1 && entry.previousHash !== before.hash)
      return fault(`the rules at ${index} name other rules before them than those at ${before.index}`);
  }
  const named = rules.find(({ hash }) => hash === terms.rulesHash);
  if (!named) return fault('the rules that the acceptance names are not shown');
  if (named.index >= terms.logSize) return fault('the rules were logged after the order was accepted');
  if (named.entry.effectiveMs > terms.acceptedAt) return fault('the rules were not in force yet');
  if (rulesInForce(subject, terms.acceptedAt) !== named)
    return fault('newer rules were in force when the order was accepted');
  const cycle = named.rules.cycles.find(({ minutes }) => minutes === terms.minutes);
  const rate = rateOf(terms.payoutRate);
  if (!cycle || rate === null || rateOf(cycle.payoutRate) !== rate)
    return fault('the payout rate is not that of the rules');
  const limit = named.rules.limits.find(({ asset }) => asset === terms.asset);
  if (limit?.scale !== placesOf(terms.amount))
    return fault('the amount has not the decimals that the rules give its asset');
  const earliest = terms.acceptedAt + named.rules.delayMs;
  const latest = terms.asked === null ? fixFrom(earliest) : earliest + MOST_AHEAD_MS;
  if (terms.opensAt < earliest || terms.opensAt > latest)
    return fault('the order opens at a time that the rules do not allow');
  if (terms.settlesAt !== settlementTime(terms.opensAt, terms.minutes))
    return fault('the settlement time is not the opening time plus the cycle');
  const values = { index: named.index, payoutRate: terms.payoutRate, timeMs: terms.settlesAt };
  return { values };
}

/** A checkpoint of the log, with its own time. */
export interface TimedCheckpoint extends Required<Checkpoint> {
  readonly timeMs: number;
}

/** A pinned witness's cosignature that counts, and its time, Unix ms. */
interface Cosigned {
  readonly name: string;
  readonly timeMs: number;
}

interface SignedLog {
  readonly checkpoint: TimedCheckpoint;
  readonly cosigned: readonly Cosigned[];
}

/** Opens a note of the log: its checkpoint with its time, under a key that is valid for its size; a text is the fault. */
function openLog(signed: string, keys: TrustedKeys): SignedLog | string {
  const note = openNote(signed, allOf(keys));
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint) return 'the checkpoint is not signed by a key that is trusted';
  const valid = keys.log.filter((key) => isValidAt(key, checkpoint.size));
  if (!signedBy(note.verified, valid).some(({ name }) => name === checkpoint.origin))
    return 'the checkpoint is not signed by the key of its log';
  const timeMs = checkpointTime(checkpoint);
  if (timeMs === null) return 'the checkpoint does not say its time, or says more';
  const cosigned = signedBy(note.verified, keys.witnesses)
    .map((signature) => ({ name: signature.name, timeMs: (cosignedAt(signature) ?? 0) * 1000 }))
    .filter((each) => Math.abs(each.timeMs - timeMs) <= COSIGNED_WITHIN_S * 1000);
  return { checkpoint: { ...checkpoint, timeMs }, cosigned };
}

export const namesOf = (cosigned: readonly Cosigned[]): string[] => [
  ...new Set(cosigned.map(({ name }) => name)),
];

/** The cosignatures of before a time, Unix ms. */
export const cosignedBefore = (cosigned: readonly Cosigned[], ms: number): readonly Cosigned[] =>
  cosigned.filter(({ timeMs }) => timeMs < ms);

/** Checks that the checkpoint is the log's and has its time, and that the acceptances belong to the same log. */
export function checkCheckpoint(
  { acceptance, checkpoint: signed }: { acceptance: SignedAcceptance; checkpoint: string },
  keys: TrustedKeys,
): { finding: Finding; checkpoint: TimedCheckpoint | null; cosigned: readonly Cosigned[] } {
  const wrong = (text: string) => ({ finding: fault(text), checkpoint: null, cosigned: [] });
  const log = openLog(signed, keys);
  if (typeof log === 'string') return wrong(log);
  const { checkpoint, cosigned } = log;
  const batch = parseCheckpoint(openNote(acceptance.signed, allOf(keys))?.text ?? '');
  if (batch?.origin !== `${checkpoint.origin}${ACCEPTANCE_ORIGIN_SUFFIX}`)
    return wrong('the acceptance is of another log');
  if (batch.extensions.length > 0) return wrong('the signed batch of acceptances says more than its root');
  const { size, timeMs, origin: signer } = checkpoint;
  const values = { signer, size, timeMs, witnesses: namesOf(cosigned).length };
  return { finding: { values }, checkpoint, cosigned };
}

/** The first checkpoint of the log that covers the `orders` entry, as a receipt shows it. */
export interface HeldCheckpoint extends TimedCheckpoint {
  /** Names of the pinned witnesses that cosigned it in time and before the order opened. */
  readonly witnesses: readonly string[];
}

/** Checks that the first checkpoint over the `orders` entry is the log's, and its log the beginning of the receipt's. */
export function checkHeld(
  { receipt, terms, orders }: Case,
  last: TimedCheckpoint,
  keys: TrustedKeys,
): { finding: Finding; held: HeldCheckpoint | null } {
  const wrong = (text: string) => ({ finding: fault(text), held: null });
  const log = openLog(receipt.held.checkpoint, keys);
  if (typeof log === 'string') return wrong(`of the log soon after the order, ${log}`);
  const { size, root, timeMs, origin } = log.checkpoint;
  if (origin !== last.origin) return wrong('the log soon after the order is another one');
  if (size <= orders.index) return wrong('the checkpoint soon after the order does not cover its batch');
  if (timeMs < orders.entry.timeMs || timeMs > last.timeMs)
    return wrong('the checkpoint soon after the order is not of a time between its batch and the last one');
  const claim = { oldSize: size, oldRoot: root, newSize: last.size, newRoot: last.root };
  if (!verifyConsistency({ ...claim, proof: hashesOf(receipt.held.proof) }))
    return wrong('the log soon after the order is not the beginning of the log of the checkpoint');
  const witnesses = namesOf(cosignedBefore(log.cosigned, terms.opensAt));
  const values = { size, timeMs, witnesses: witnesses.join(', ') };
  return { finding: { values }, held: { ...log.checkpoint, witnesses } };
}

/**
 * Checks that every entry shown is in the log of the checkpoint, so one index has one text, and that times don't fall from entry to
 * entry, nor go beyond the checkpoint's.
 */
export function checkEntries(all: readonly Placed[], checkpoint: TimedCheckpoint): Finding {
  const { size, root, timeMs } = checkpoint;
  for (const { index, leaf, proof } of all) {
    if (!verifyInclusion({ index, size, leaf, proof, root }))
      return fault(`the entry at ${index} is not in the log of the checkpoint`);
  }
  let last = 0;
  for (const { index, entry } of [...all].sort((one, other) => one.index - other.index)) {
    const at = timeOf(entry);
    if (at === null) continue;
    if (at < last) return fault(`the entry at ${index} is older than one before it`);
    if (at > timeMs) return fault(`the entry at ${index} is later than the checkpoint`);
    last = at;
  }
  return { values: { count: new Set(all.map(({ index }) => index)).size, size } };
}

/** Checks that the acceptance's log is the beginning of the checkpoint's, and its last entry is not later than the acceptance. */
export function checkConsistency(
  { terms, beforeAccept }: Pick<Case, 'terms' | 'beforeAccept'>,
  { fromSize, fromRoot, proof }: ReceiptConsistency,
  { size, root }: Checkpoint,
): Finding {
  if (fromSize !== terms.logSize || fromRoot !== terms.logRoot)
    return fault('the consistency proof does not start at the log of the acceptance');
  const claim = { oldSize: fromSize, oldRoot: hashOf(fromRoot), newSize: size, newRoot: root };
  if (!verifyConsistency({ ...claim, proof: hashesOf(proof) }))
    return fault('the log of the acceptance is not the beginning of the log of the checkpoint');
  if (beforeAccept.index !== terms.logSize - 1)
    return fault('the entry before the acceptance is not the last one of its log');
  const sinceMs = terms.acceptedAt - (timeOf(beforeAccept.entry) ?? Number.NaN);
  if (sinceMs < 0) return fault('the acceptance says an earlier time than the log that it names had reached');
  if (!(sinceMs <= ACCEPTED_WITHIN_MS))
    return fault('the acceptance is not of the moment of the log that it names');
  return { values: { fromSize, size } };
}

/** Checks that the log the customer had seen is the beginning of the acceptance's log. Null: the customer sent none. */
export function checkSeen({ receipt, terms }: Case): Finding | null {
  const { seen } = receipt;
  if (terms.seenSize === null || terms.seenRoot === null)
    return seen === null ? null : fault('a proof for what was not seen');
  if (terms.seenSize > terms.logSize)
    return fault('the acceptance names an older log than the customer had seen');
  if (seen?.fromSize !== terms.seenSize || seen.fromRoot !== terms.seenRoot)
    return fault('the proof does not start at what the customer had seen');
  const isRight = verifyConsistency({
    oldSize: seen.fromSize,
    oldRoot: hashOf(seen.fromRoot),
    newSize: terms.logSize,
    newRoot: hashOf(terms.logRoot),
    proof: hashesOf(seen.proof),
  });
  if (!isRight) return fault('the customer had seen another log than the acceptance names');
  return { values: { fromSize: seen.fromSize, size: terms.logSize } };
}

/**
 * Checks that the `orders` entry carries the batch with its time, stands after the acceptance's log, is as late as claimed, and names what
 * was asked for.
 */
export function checkLogged(
  order: { terms: Acceptance; orders: Placed<OrdersEntry>; batchProof: readonly string[] },
  batch: Checkpoint,
  isLate: boolean,
): Finding {
  const { terms, batchProof } = order;
  const { entry } = order.orders;
  const { firstBatch, lastBatch } = entry;
  if (terms.batch < firstBatch || terms.batch > lastBatch)
    return fault('the orders entry does not carry the batch');
  const claim = { index: terms.batch - firstBatch, size: lastBatch - firstBatch + 1 };
  const leaf = leafHash(batch.root);
  if (!verifyInclusion({ ...claim, leaf, proof: hashesOf(batchProof), root: hashOf(entry.root) }))
    return fault('the batch is not under the root of the orders entry');
  return checkCarrier(order, isLate);
}

/** The same without the batch's place under the root of the entry. */
export function checkCarrier(
  { terms, orders }: { terms: Acceptance; orders: Pick<Placed<OrdersEntry>, 'entry' | 'index'> },
  isLate: boolean,
): Finding {
  const { entry, index } = orders;
  const { firstBatch, lastBatch, timeMs } = entry;
  if (index < terms.logSize) return fault('the orders entry is older than the log of the acceptance');
  const leastMs = terms.batch === lastBatch ? entry.lastMs : entry.firstMs;
  const mostMs = terms.batch === firstBatch ? entry.firstMs : entry.lastMs;
  if (terms.acceptedAt < leastMs || terms.acceptedAt > mostMs)
    return fault('the acceptance is of another time than the orders entry gives its batch');
  const cameLate = !isLoggedInTime(timeMs, terms.opensAt);
  if (cameLate !== isLate)
    return fault(
      cameLate ? 'the orders entry came too late, which voids the order' : 'the orders entry came in time',
    );
  if (terms.asked !== null && !entry.asked.includes(terms.asked.slice(0, 2 * ASKED_BYTES)))
    return fault('the orders entry does not name what was asked for');
  return { values: { index, timeMs, delayMs: timeMs - terms.acceptedAt } };
}

/** The rules in force at a time: of the rules shown, the newest that take effect by then. */
export function rulesInForce({ rules }: Pick<Case, 'rules'>, timeMs: number): PlacedRules | null {
  return rules.filter(({ entry }) => entry.effectiveMs <= timeMs).at(-1) ?? null;
}
