import type { Acceptance, Accepted, Carried, Proof, Receipt, Shown } from './document.ts';
import type { Orders, Rules } from './entries.ts';
import { decimalsOf, FIX_MS, fail, isConsistent, isIncluded, leafOf, must, readWhole } from './ground.ts';
import { keyAt, type Ranges } from './keys.ts';
import { type Checkpoint, checkSigned, type Note, readCheckpoint, readNote } from './reading.ts';

/** Checks 1 to 8: what is signed, and what stands in the log. */
const NAMED_WITHIN_MS = 10_000n;
const ACCEPTED_WITHIN_MS = 500;
const LOGGED_BEFORE_MS = 1000;

/** Check 1. Returns the batch's tree. */
export function checkAcceptance(accepted: Accepted, { acceptances, known }: Ranges): Checkpoint {
  const { acceptance, signed, size, index, proof } = accepted;
  const note = readNote(signed, 'acceptance');
  const key = keyAt(acceptances, acceptance.logSize, 'acceptance');
  checkSigned(note, key, known, 'acceptance');
  const batch = readCheckpoint(note, 'acceptance');
  must(batch.origin === key.name, 'acceptance', 'a note of another name');
  must(batch.size === size, 'acceptance', 'another size than that of the note');
  must(isIncluded(leafOf(acceptance.text), index, size, proof, batch.root), 'acceptance', 'not in the batch');
  return batch;
}

/** The rules with the highest number, of those shown, that have begun by this time. */
export function inForce(rules: readonly Shown<Rules>[], timeMs: number): Shown<Rules> | undefined {
  const begun = rules.filter(({ entry }) => entry.effectiveMs <= timeMs);
  return begun.sort((one, other) => other.entry.n - one.entry.n)[0];
}

const hashOf = ({ leaf }: Shown): string => leaf.toString('hex');
export const named = (rules: readonly Shown<Rules>[], hash: string): Shown<Rules> | undefined =>
  rules.find((each) => hashOf(each) === hash);

/** Check 2. */
export function checkRules(acceptance: Acceptance, rules: readonly Shown<Rules>[]): void {
  for (const one of rules) {
    const isOurs = one.entry.symbol === acceptance.symbol && one.entry.ofSymbol === acceptance.symbol;
    must(isOurs, 'rules', 'rules of another symbol');
    for (const other of rules.slice(rules.indexOf(one) + 1)) checkOrder(one, other);
  }
  const own = named(rules, acceptance.rulesHash) ?? fail('rules', 'those of the acceptance are not shown');
  must(inForce(rules, acceptance.acceptedAt) === own, 'rules', 'not in force at the acceptance');
  must(own.index < acceptance.logSize, 'rules', 'logged after the acceptance');
  checkTerms(acceptance, own.entry);
}

/** Of two rules, the first stands earlier in the document, and so at a lower index. */
function checkOrder(earlier: Shown<Rules>, later: Shown<Rules>): void {
  const { n, effectiveMs, previousHash } = later.entry;
  const isAfter =
    later.index > earlier.index && n > earlier.entry.n && effectiveMs > earlier.entry.effectiveMs;
  must(isAfter, 'rules', 'numbers or times of rules that fall');
  const isNext = n === earlier.entry.n + 1;
  must(!isNext || previousHash === hashOf(earlier), 'rules', 'other rules before these');
}

function checkTerms(acceptance: Acceptance, { cycles, limits, delayMs }: Rules): void {
  const cycle = cycles.find(({ minutes }) => minutes === acceptance.minutes);
  const limit = limits.find(({ asset }) => asset === acceptance.asset);
  const isPaid =
    cycle !== undefined && tenThousandths(cycle.payoutRate) === tenThousandths(acceptance.payoutRate);
  must(isPaid, 'rules', 'another payout rate');
  must(limit?.scale === decimalsOf(acceptance.amount), 'rules', 'other decimals of the amount');
  const [opens, settles] = [BigInt(acceptance.opensAt), BigInt(acceptance.settlesAt)];
  const earliest = BigInt(acceptance.acceptedAt) + BigInt(delayMs);
  const latest = acceptance.asked === null ? roundedUp(earliest, BigInt(FIX_MS)) : earliest + NAMED_WITHIN_MS;
  must(opens >= earliest && opens <= latest, 'rules', 'another opening time');
  const due = opens + BigInt(acceptance.minutes) * 60_000n;
  must(settles === due, 'rules', 'another time of settlement');
}
const roundedUp = (value: bigint, unit: bigint): bigint => ((value + unit - 1n) / unit) * unit;

/** 0.8 and 0.80 are the same rate. */
function tenThousandths(rate: string): bigint {
  const [whole = '', part = ''] = rate.split('.');
  return BigInt(whole + part.padEnd(4, '0'));
}

export interface LogCheckpoint extends Checkpoint {
  readonly timeMs: number;
  readonly note: Note;
}

/** A checkpoint of the log, signed by the key of its size, and with its time. */
function readOfLog(text: string, { log, known }: Ranges, check: string): LogCheckpoint {
  const note = readNote(text, check);
  const checkpoint = readCheckpoint(note, check);
  const key = keyAt(log, checkpoint.size, check);
  checkSigned(note, key, known, check);
  must(checkpoint.origin === key.name, check, 'a checkpoint of another log');
  const [time = '', ...more] = checkpoint.extensions;
  const timeMs = time.startsWith('time ') ? readWhole(time.slice(5)) : null;
  if (timeMs === null || more.length > 0) return fail(check, 'not with its time alone');
  return { ...checkpoint, timeMs, note };
}

/** Check 3. */
export function checkCheckpoint(text: string, batch: Checkpoint, ranges: Ranges): LogCheckpoint {
  const checkpoint = readOfLog(text, ranges, 'checkpoint');
  const isOurs = batch.origin === `${checkpoint.origin}/acceptances` && batch.extensions.length === 0;
  must(isOurs, 'checkpoint', 'an acceptance of another log, or with an extension');
  return checkpoint;
}

/** The time that an entry has of its own; rules and hand-overs have none. */
const timeOf = ({ entry }: Shown): number | null =>
  entry.type === 'rules' || entry.type === 'key' ? null : entry.timeMs;

/** Check 4. */
export function checkEntries(all: readonly Shown[], { size, root, timeMs }: LogCheckpoint): void {
  for (const { leaf, index, proof } of all)
    must(isIncluded(leaf, index, size, proof, root), 'entries', 'not in the log');
  let last: Shown | null = null;
  let latest = 0;
  for (const shown of [...all].sort((one, other) => one.index - other.index)) {
    if (last?.index === shown.index) must(last.text === shown.text, 'entries', 'two entries at one place');
    const time = timeOf(shown) ?? latest;
    must(time >= latest, 'entries', 'a time that falls');
    must(time <= timeMs, 'entries', 'an entry later than the checkpoint');
    [last, latest] = [shown, time];
  }
}

const leads = ({ fromSize, fromRoot, proof }: Proof, to: { size: number; root: Buffer }): boolean =>
  isConsistent({ size: fromSize, root: fromRoot }, to, proof);

/** Check 5. */
export function checkConsistency(
  { logSize, logRoot, acceptedAt }: Acceptance,
  { consistency, beforeAccept }: Pick<Carried, 'consistency' | 'beforeAccept'>,
  log: Checkpoint,
): void {
  const isFrom = consistency.fromSize === logSize && consistency.fromRoot.equals(logRoot);
  must(isFrom, 'consistency', 'from another log than that of the acceptance');
  must(leads(consistency, log), 'consistency', 'not the log of the acceptance');
  must(beforeAccept.index === logSize - 1, 'consistency', 'another entry than the last of the acceptance');
  const after = acceptedAt - beforeAccept.entry.timeMs;
  must(after >= 0 && after <= ACCEPTED_WITHIN_MS, 'consistency', 'a log ahead of the acceptance, or behind');
}

/** Check 6. */
export function checkSeen({ acceptance, seen }: Receipt): void {
  must((seen === null) === (acceptance.seen === null), 'seen', 'seen, and not shown, or the other way round');
  if (seen === null || acceptance.seen === null) return;
  const { size, root } = acceptance.seen;
  must(size <= acceptance.logSize, 'seen', 'seen after the acceptance');
  must(seen.fromSize === size && seen.fromRoot.equals(root), 'seen', 'another log than the one seen');
  must(leads(seen, { size: acceptance.logSize, root: acceptance.logRoot }), 'seen', 'not the log seen');
}

/** Check 7. Returns whether the entry is in time, which depends on the form of a receipt alone. */
export function checkLogged(
  { batch, asked, acceptedAt, opensAt, logSize }: Acceptance,
  { orders, batchProof }: Pick<Carried, 'orders' | 'batchProof'>,
  batchRoot: Buffer,
): boolean {
  const { firstBatch, lastBatch, firstMs, lastMs, root, timeMs } = orders.entry;
  must(firstBatch <= batch && batch <= lastBatch, 'logged', 'other batches');
  const [place, size] = [batch - firstBatch, lastBatch - firstBatch + 1];
  must(isIncluded(leafOf(batchRoot), place, size, batchProof, root), 'logged', 'without this batch');
  must(orders.index >= logSize, 'logged', 'before the acceptance, by its place');
  must(acceptedAt >= firstMs && acceptedAt <= lastMs, 'logged', 'at another time than its batch');
  must(batch !== firstBatch || acceptedAt === firstMs, 'logged', 'at another time than the first batch');
  must(batch !== lastBatch || acceptedAt === lastMs, 'logged', 'at another time than the last batch');
  const isNamed = asked === null || orders.entry.asked.includes(asked.slice(0, 32));
  must(isNamed, 'logged', 'what was asked for does not stand in the open');
  return timeMs <= opensAt - LOGGED_BEFORE_MS;
}

/** Check 8. */
export function checkHeld(
  { checkpoint, proof }: Receipt['held'],
  orders: Shown<Orders>,
  log: LogCheckpoint,
  ranges: Ranges,
): LogCheckpoint {
  const held = readOfLog(checkpoint, ranges, 'held');
  must(held.origin === log.origin, 'held', 'a checkpoint of another log');
  must(held.size > orders.index, 'held', 'does not cover the orders');
  must(held.timeMs >= orders.entry.timeMs, 'held', 'older than the orders');
  must(held.timeMs <= log.timeMs, 'held', 'later than the last checkpoint');
  must(isConsistent(held, log, proof), 'held', 'the last checkpoint does not go on from it');
  return held;
}
