/**
 * The verifier's checks of the log and its signatures: each function is one step. order-steps.ts has the checks of the order's
 * rules.
 */

import { parseRate } from '@fairtick/money';
import { LOG_WITHIN_MS, settlementTime } from '@fairtick/trading';
import { ACCEPTANCE_ORIGIN_SUFFIX } from '../acceptance.ts';
import { type Checkpoint, parseCheckpoint } from '../checkpoint.ts';
import { equalBytes } from '../encoding.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../merkle.ts';
import { type NoteVerifier, openNote } from '../note.ts';
import { followKeys, isValidAt, parseKeyEntry, type RangedVerifier } from '../rotation.ts';
import type { Sha256 } from '../sha256.ts';
import { type Case, type PlacedRules, timeOf } from './case.ts';
import { hashesOf, hashOf } from './receipt.ts';

/** Public keys that the verifier trusts, from a source other than the receipt. */
export interface TrustedKeys {
  /** Keys of the log, which sign checkpoints; each within its range of log sizes. */
  readonly log: readonly RangedVerifier[];
  /** Keys of the same log's acceptances; each for acceptances that name a log size in its range. */
  readonly acceptances: readonly RangedVerifier[];
  /** Independent witnesses that cosign checkpoints. */
  readonly witnesses: readonly NoteVerifier[];
}

export type Values = Readonly<Record<string, string | number>>;
/** The result of a step: values to report, or the fault. */
export type Finding = { readonly values: Values } | { readonly fault: string };

export const fault = (text: string): Finding => ({ fault: text });

/**
 * The keys that follow from the trusted ones by the hand-overs shown. {@link checkEntries} proves the hand-overs' log indexes
 * with all other entries. A null finding: the receipt shows no hand-over.
 */
export function checkKeys(
  { handOvers }: Case,
  keys: TrustedKeys,
  hash: Sha256,
): { finding: Finding | null; keys: TrustedKeys } {
  if (handOvers.length === 0) return { finding: null, keys };
  const names = [...keys.log, ...keys.acceptances].map(({ name }) => `${name}+`);
  for (const { index, entry } of handOvers) {
    const key = parseKeyEntry(entry)?.key ?? '';
    if (!names.some((name) => key.startsWith(name)))
      return { finding: fault(`the key at ${index} is of another log`), keys };
  }
  const [log, acceptances] = [keys.log, keys.acceptances].map((each) => followKeys(each, handOvers, hash));
  if (!log || !acceptances)
    return { finding: fault('a new key was not handed over by the one before it that is trusted'), keys };
  return {
    finding: { values: { count: handOvers.length } },
    keys: { log, acceptances, witnesses: keys.witnesses },
  };
}

/** Checks that the acceptance is a leaf of a batch that the acceptances' key signed. */
export function checkAcceptance(
  { receipt, terms }: Case,
  keys: TrustedKeys,
  hash: Sha256,
): { finding: Finding; batch: Required<Checkpoint> | null } {
  const wrong = (text: string) => ({ finding: fault(text), batch: null });
  const { acceptance } = receipt;
  const note = openNote(
    acceptance.signed,
    keys.acceptances.filter((key) => isValidAt(key, terms.logSize)),
  );
  if (note === null) return wrong('the batch of acceptances is not signed by a key that is trusted');
  const batch = parseCheckpoint(note.text);
  const signer = note.verified[0]?.name ?? '';
  if (batch === null || batch.origin !== signer || !signer.endsWith(ACCEPTANCE_ORIGIN_SUFFIX))
    return wrong('what is signed is no batch of acceptances');
  const { index, size } = acceptance;
  const leaf = leafHash(acceptance.text, hash);
  const proof = hashesOf(acceptance.proof);
  if (batch.size !== size || !verifyInclusion({ index, size, leaf, proof, root: batch.root }, hash))
    return wrong('the acceptance is not in the batch that was signed');
  const values = { orderId: terms.orderId, timeMs: terms.acceptedAt, signer, index, size };
  return { finding: { values }, batch };
}

/** Checks that the terms match the rules that the acceptance names, and that these were logged and in force before it. */
export function checkRules({ terms, rules }: Case): Finding {
  const named = rules.get(terms.rulesHash);
  if (!named) return fault('the rules that the acceptance names are not shown');
  if (named.rules.symbol !== terms.symbol) return fault('the rules are of another product');
  if (named.index >= terms.logSize) return fault('the rules were logged after the order was accepted');
  if (named.entry.effectiveMs > terms.acceptedAt) return fault('the rules were not in force yet');
  const cycle = named.rules.cycles.find(({ minutes }) => minutes === terms.minutes);
  const rate = parseRate(terms.payoutRate);
  if (!cycle || rate === null || parseRate(cycle.payoutRate) !== rate)
    return fault('the payout rate is not that of the rules');
  if (terms.settlesAt !== settlementTime(terms.acceptedAt, terms.minutes))
    return fault('the settlement time is not acceptance plus cycle');
  const values = { index: named.index, payoutRate: terms.payoutRate, timeMs: terms.settlesAt };
  return { values };
}

/** Checks that the checkpoint is the log's, and that the acceptances belong to the same log. */
export function checkCheckpoint(
  { receipt }: Case,
  keys: TrustedKeys,
): { finding: Finding; checkpoint: Required<Checkpoint> | null; witnesses: readonly string[] } {
  const wrong = (text: string) => ({ finding: fault(text), checkpoint: null, witnesses: [] });
  const note = openNote(receipt.checkpoint, [...keys.log, ...keys.witnesses]);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint) return wrong('the checkpoint is not signed by a key that is trusted');
  const isOf = (verifiers: readonly NoteVerifier[]) =>
    note.verified.filter(({ name, keyId }) =>
      verifiers.some((verifier) => verifier.name === name && verifier.keyId === keyId),
    );
  const valid = keys.log.filter((key) => isValidAt(key, checkpoint.size));
  if (!isOf(valid).some(({ name }) => name === checkpoint.origin))
    return wrong('the checkpoint is not signed by the key of its log');
  if (!receipt.acceptance.signed.startsWith(`${checkpoint.origin}${ACCEPTANCE_ORIGIN_SUFFIX}\n`))
    return wrong('the acceptance is of another log');
  const witnesses = [...new Set(isOf(keys.witnesses).map(({ name }) => name))];
  const values = { signer: checkpoint.origin, size: checkpoint.size, witnesses: witnesses.length };
  return { finding: { values }, checkpoint, witnesses };
}

/** Checks that every entry shown is in the log of the checkpoint. One index then has one text. */
export function checkEntries({ all }: Case, { size, root }: Checkpoint, hash: Sha256): Finding {
  for (const { index, leaf, proof } of all) {
    if (!verifyInclusion({ index, size, leaf, proof, root }, hash))
      return fault(`the entry at ${index} is not in the log of the checkpoint`);
  }
  return { values: { count: new Set(all.map(({ index }) => index)).size, size } };
}

/** Checks that the acceptance's log is the beginning of the checkpoint's, and its last entry is not later than the acceptance. */
export function checkConsistency(subject: Case, { size, root }: Checkpoint, hash: Sha256): Finding {
  const { receipt, terms, beforeAccept } = subject;
  const { fromSize, fromRoot, proof } = receipt.consistency;
  if (fromSize !== terms.logSize || fromRoot !== terms.logRoot)
    return fault('the consistency proof does not start at the log of the acceptance');
  const claim = { oldSize: fromSize, oldRoot: hashOf(fromRoot), newSize: size, newRoot: root };
  if (!verifyConsistency({ ...claim, proof: hashesOf(proof) }, hash))
    return fault('the log of the acceptance is not the beginning of the log of the checkpoint');
  if (beforeAccept.index !== terms.logSize - 1)
    return fault('the entry before the acceptance is not the last one of its log');
  const timeMs = timeOf(beforeAccept.entry);
  if (timeMs !== null && timeMs > terms.acceptedAt)
    return fault('the acceptance says an earlier time than the log that it names had reached');
  return { values: { fromSize, size } };
}

/** Checks that the log the customer had seen is the beginning of the acceptance's log. Null: the customer sent none. */
export function checkSeen({ receipt, terms }: Case, hash: Sha256): Finding | null {
  const { seen } = receipt;
  if (terms.seenSize === null || terms.seenRoot === null)
    return seen === null ? null : fault('a proof for what was not seen');
  if (terms.seenSize > terms.logSize)
    return fault('the acceptance names an older log than the customer had seen');
  if (seen?.fromSize !== terms.seenSize || seen.fromRoot !== terms.seenRoot)
    return fault('the proof does not start at what the customer had seen');
  const isRight = verifyConsistency(
    {
      oldSize: seen.fromSize,
      oldRoot: hashOf(seen.fromRoot),
      newSize: terms.logSize,
      newRoot: hashOf(terms.logRoot),
      proof: hashesOf(seen.proof),
    },
    hash,
  );
  if (!isRight) return fault('the customer had seen another log than the acceptance names');
  return { values: { fromSize: seen.fromSize, size: terms.logSize } };
}

/** Checks that the `orders` entry carries the batch, and is not older than the acceptance. */
export function checkLogged(subject: Case, batch: Checkpoint, hash: Sha256): Finding {
  const { receipt, terms, orders, head } = subject;
  if (!orders || !receipt.batch) {
    const timeMs = head && timeOf(head.entry);
    if (timeMs === null || timeMs <= terms.acceptedAt + LOG_WITHIN_MS || (head?.index ?? 0) < terms.logSize)
      return fault('the log had not passed the two seconds in which the acceptance has to be logged');
    return { values: { index: -1, timeMs } };
  }
  const { entry, index } = orders;
  const { number } = receipt.batch;
  if (number < entry.firstBatch || number > entry.lastBatch)
    return fault('the orders entry does not carry the batch');
  const claim = { index: number - entry.firstBatch, size: entry.lastBatch - entry.firstBatch + 1 };
  const proof = hashesOf(receipt.batch.proof);
  const leaf = leafHash(batch.root, hash);
  if (!verifyInclusion({ ...claim, leaf, proof, root: hashOf(entry.root) }, hash))
    return fault('the batch is not under the root of the orders entry');
  if (index < terms.logSize) return fault('the orders entry is older than the log of the acceptance');
  if (entry.timeMs < terms.acceptedAt) return fault('the orders entry is older than the acceptance');
  const isLate = entry.timeMs > terms.acceptedAt + LOG_WITHIN_MS;
  if (isLate !== (subject.form === 'late'))
    return fault(
      isLate ? 'the orders entry came too late, which voids the order' : 'the orders entry came in time',
    );
  return { values: { index, timeMs: entry.timeMs, delayMs: entry.timeMs - terms.acceptedAt } };
}

/** The rules with this hash, if they were logged before `index` and in force at `timeMs`; else null. */
export function rulesAt(
  subject: Case,
  name: string,
  at: { index: number; timeMs: number },
): PlacedRules | null {
  const found = subject.rules.get(name);
  const isRight = found && found.index < at.index && found.entry.effectiveMs <= at.timeMs;
  return isRight && found.rules.symbol === subject.terms.symbol ? found : null;
}

/** Whether two entries at the same index are equal. */
export function isSameLeaf(left: { leaf: Uint8Array }, right: { leaf: Uint8Array }): boolean {
  return equalBytes(left.leaf, right.leaf);
}
