import type { Accepted, Logged, Proof, Receipt, Shown } from './document.ts';
import type { Rules } from './entries.ts';
import { decimalsOf, fail, isConsistent, isIncluded, leafOf, must, readWhole } from './ground.ts';
import { keyAt, keysOf, type Ranges } from './keys.ts';
import {
  type Checkpoint,
  checkSigned,
  readCheckpoint,
  readNote,
  type TrustedKey,
  witnessesOf,
} from './reading.ts';

/** Checks 1 to 7: what is signed, and what stands in the log. */
export function checkAcceptance(
  accepted: Accepted,
  ranges: Ranges,
  witnesses: readonly TrustedKey[],
): Checkpoint {
  const { acceptances } = ranges;
  const { acceptance, signed, size, index, proof } = accepted;
  const note = readNote(signed, 'acceptance');
  const key = keyAt(acceptances, acceptance.logSize, 'acceptance');
  checkSigned(note, key, { trusted: keysOf(ranges), witnesses }, 'acceptance');
  const batch = readCheckpoint(note, 'acceptance');
  must(batch.origin === acceptances[0]?.key.name, 'acceptance', 'a note of another name');
  must(batch.size === size, 'acceptance', 'another size than that of the note');
  must(isIncluded(leafOf(acceptance.text), index, size, proof, batch.root), 'acceptance', 'not in the batch');
  return batch;
}

/** The rules with the highest number, of those shown, that have begun by this time. */
export const inForce = (rules: readonly Shown<Rules>[], timeMs: number): Shown<Rules> | undefined =>
  rules.findLast(({ entry }) => entry.effectiveMs <= timeMs);

const hashOf = ({ leaf }: Shown): string => leaf.toString('hex');
export const named = (rules: readonly Shown<Rules>[], hash: string): Shown<Rules> | undefined =>
  rules.find((each) => hashOf(each) === hash);

export function checkRules({ acceptance, rules }: Receipt): Rules {
  for (const [at, { entry }] of rules.entries()) {
    const isOurs = entry.symbol === acceptance.symbol && entry.ofSymbol === acceptance.symbol;
    must(isOurs, 'rules', 'rules of another symbol');
    const before = rules[at - 1];
    if (!before) continue;
    // Those shown stand in the order of their indexes.
    const follows = entry.n > before.entry.n && entry.effectiveMs > before.entry.effectiveMs;
    must(follows, 'rules', 'numbers or times of rules that fall');
    const isNext = entry.n === before.entry.n + 1;
    must(!isNext || entry.previousHash === hashOf(before), 'rules', 'other rules before these');
  }
  const own = named(rules, acceptance.rulesHash) ?? fail('rules', 'those of the acceptance are not shown');
  must(inForce(rules, acceptance.acceptedAt) === own, 'rules', 'not in force at the acceptance');
  must(own.index < acceptance.logSize, 'rules', 'logged after the acceptance');
  const cycle = own.entry.cycles.find(({ minutes }) => minutes === acceptance.minutes);
  const limit = own.entry.limits.find(({ asset }) => asset === acceptance.asset);
  const pays =
    cycle !== undefined && tenThousandths(cycle.payoutRate) === tenThousandths(acceptance.payoutRate);
  must(pays, 'rules', 'another payout rate');
  must(limit?.scale === decimalsOf(acceptance.amount), 'rules', 'other decimals of the amount');
  const due = BigInt(acceptance.acceptedAt) + BigInt(acceptance.minutes) * 60_000n;
  const settles = ((due + 999n) / 1000n) * 1000n;
  must(BigInt(acceptance.settlesAt) === settles, 'rules', 'another time of settlement');
  return own.entry;
}

/** 0.8 and 0.80 are the same rate. */
function tenThousandths(rate: string): bigint {
  const [whole = '', part = ''] = rate.split('.');
  return BigInt(whole + part.padEnd(4, '0'));
}

export interface LogCheckpoint extends Checkpoint {
  readonly timeMs: number;
  /** How many of the pinned witnesses count. */
  readonly witnesses: number;
}

export function checkCheckpoint(
  note: string,
  signed: string,
  ranges: Ranges,
  witnesses: readonly TrustedKey[],
): LogCheckpoint {
  const { log } = ranges;
  const read = readNote(note, 'checkpoint');
  const checkpoint = readCheckpoint(read, 'checkpoint');
  const key = keyAt(log, checkpoint.size, 'checkpoint');
  checkSigned(read, key, { trusted: keysOf(ranges), witnesses }, 'checkpoint');
  must(checkpoint.origin === log[0]?.key.name, 'checkpoint', 'a checkpoint of another log');
  const [time = '', ...more] = checkpoint.extensions;
  const timeMs = time.startsWith('time ') ? readWhole(time.slice(5)) : null;
  if (timeMs === null || more.length > 0) return fail('checkpoint', 'not with its time alone');
  const own = readCheckpoint(readNote(signed, 'checkpoint'), 'checkpoint');
  const isOurs = own.origin === `${checkpoint.origin}/acceptances` && own.extensions.length === 0;
  must(isOurs, 'checkpoint', 'an acceptance of another log, or with an extension');
  return { ...checkpoint, timeMs, witnesses: witnessesOf(read, timeMs, witnesses) };
}

/** The time that an entry has; rules, and kinds that are not judged, have none. */
const timeOf = ({ entry }: Shown): number | null => ('timeMs' in entry ? entry.timeMs : null);

export function checkEntries(all: readonly Shown[], { size, root, timeMs }: LogCheckpoint): void {
  for (const { leaf, index, proof } of all)
    must(isIncluded(leaf, index, size, proof, root), 'entries', `${index} is not in the log`);
  const ordered = [...all].sort((one, other) => one.index - other.index);
  let latest = 0;
  for (const [at, shown] of ordered.entries()) {
    const before = ordered[at - 1];
    if (before?.index === shown.index)
      must(before.text === shown.text, 'entries', 'two entries at one place');
    const time = timeOf(shown);
    if (time === null) continue;
    must(time >= latest, 'entries', 'a time that falls');
    must(time <= timeMs, 'entries', 'an entry later than the checkpoint');
    latest = time;
  }
}

const leads = ({ fromSize, fromRoot, proof }: Proof, to: { size: number; root: Buffer }): boolean =>
  isConsistent({ size: fromSize, root: fromRoot }, to, proof);

export function checkConsistency({ acceptance, consistency, beforeAccept }: Receipt, log: Checkpoint): void {
  const { logSize, logRoot, acceptedAt } = acceptance;
  const isFrom = consistency.fromSize === logSize && consistency.fromRoot.equals(logRoot);
  must(isFrom, 'consistency', 'from another log than that of the acceptance');
  must(leads(consistency, log), 'consistency', 'not the log of the acceptance');
  must(beforeAccept.index === logSize - 1, 'consistency', 'another entry than the last of the acceptance');
  must((timeOf(beforeAccept) ?? 0) <= acceptedAt, 'consistency', 'accepted before the log it names');
}

export function checkSeen({ acceptance, seen }: Receipt): void {
  must((seen === null) === (acceptance.seen === null), 'seen', 'seen, and not shown, or the other way round');
  if (seen === null || acceptance.seen === null) return;
  const { size, root } = acceptance.seen;
  must(size <= acceptance.logSize, 'seen', 'seen after the acceptance');
  must(seen.fromSize === size && seen.fromRoot.equals(root), 'seen', 'another log than the one seen');
  must(leads(seen, { size: acceptance.logSize, root: acceptance.logRoot }), 'seen', 'not the log seen');
}

export function checkLogged(
  { acceptance }: Accepted,
  { orders, batchProof }: Pick<Logged, 'orders' | 'batchProof'>,
  batchRoot: Buffer,
  /** Null where the form says nothing of when it has to stand there. */
  due: { readonly fromMs: number; readonly isLate: boolean } | null,
): void {
  const { first, last, root, timeMs } = orders.entry;
  must(first <= acceptance.batch && acceptance.batch <= last, 'logged', 'other batches');
  const [place, size] = [acceptance.batch - first, last - first + 1];
  must(isIncluded(leafOf(batchRoot), place, size, batchProof, root), 'logged', 'without this batch');
  must(orders.index >= acceptance.logSize, 'logged', 'before the acceptance, by its place');
  must(timeMs >= acceptance.acceptedAt, 'logged', 'before the acceptance, by its time');
  if (due) must(timeMs >= due.fromMs === due.isLate, 'logged', due.isLate ? 'in time' : 'too late');
}
