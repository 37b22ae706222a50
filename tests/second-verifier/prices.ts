import { inForce, named } from './checks.ts';
import type { Receipt, ShownFix } from './document.ts';
import { type After, type Fix, isRecord, type Part, type Rules, type SourceRecord } from './entries.ts';
import { isThin } from './fixes.ts';
import { decimalsOf, fail, must, unitsOf } from './ground.ts';

/** Check 11: every shown fix and close follows from its own records, and they fit together. */
export function checkPrices(receipt: Receipt): void {
  const { acceptance, opening, settling, rules } = receipt;
  const all = [...opening, ...settling];
  for (const one of all) checkFix(receipt, one);
  for (const [fix, close] of [opening, settling]) if (fix && close) checkClose(fix.entry, close.entry);
  checkAll(all);
  const wanted = new Set([acceptance.rulesHash, ...all.map(({ entry }) => entry.rulesHash)]);
  const areNamed = rules.every(({ leaf }) => wanted.has(leaf.toString('hex')));
  must(areNamed, 'prices', 'rules that nothing names');
}

const afterOf = ({ closing }: SourceRecord): After | null => (typeof closing === 'string' ? null : closing);

function checkFix({ rules }: Receipt, { entry, index }: ShownFix): void {
  const own = named(rules, entry.rulesHash) ?? fail('prices', 'rules that are not shown');
  must(inForce(rules, entry.fixMs) === own, 'prices', 'rules that are not in force');
  must(own.index < index, 'prices', 'rules that were logged later');
  const sources = entry.parts.map(({ source }) => source).join();
  must(sources === own.entry.sources.join(), 'prices', 'other sources than the rules name');
  must(decimalsOf(entry.price) === own.entry.decimals, 'prices', 'decimals');
  const records = entry.parts.filter(isRecord);
  for (const record of records) {
    const after = afterOf(record);
    must(record.timeMs <= entry.fixMs, 'prices', `${record.source} after the fix`);
    const isAfter = !after || (after.timeMs > entry.fixMs && after.number > record.number);
    must(isAfter, 'prices', `the record of ${record.source} after it is none`);
  }
  checkUses(entry, records, own.entry);
  const counted = isThin(entry, rules) ? records : records.filter(({ use }) => use === 'use');
  must(unitsOf(entry.price) === medianOf(counted), 'prices', 'another price than its records give');
  if (entry.type === 'fix') checkWait(entry, records, own.entry);
}

function checkUses(entry: Fix, records: readonly SourceRecord[], { quietMs, outlierBps }: Rules): void {
  const isQuiet = ({ timeMs }: After): boolean => entry.fixMs - timeMs > quietMs;
  const centre = medianOf(records.filter((record) => !isQuiet(record)));
  const isFar = ({ price }: After): boolean => {
    const away = price > centre ? price - centre : centre - price;
    return away * 10_000n > centre * BigInt(outlierBps);
  };
  for (const record of records) {
    const use = isQuiet(record) ? 'quiet' : isFar(record) ? 'outlier' : 'use';
    must(record.use === use, 'prices', `${record.source} is ${use}`);
  }
}

/** What is not closed is waited for, and the others are enough. */
function checkWait(entry: Fix, records: readonly SourceRecord[], { quorum, waitMs }: Rules): void {
  const isWhole = entry.parts.every((part) =>
    isRecord(part) ? part.closing !== 'open' : part.use === 'away',
  );
  if (isWhole) return;
  must(entry.timeMs - entry.fixMs >= waitMs, 'prices', 'open, and not waited for');
  const closed = records.filter(({ use, closing }) => use === 'use' && closing !== 'open');
  must(closed.length >= quorum, 'prices', 'open, and too few others');
}

/** Of none it is 0, which is no price. */
function medianOf(records: readonly After[]): bigint {
  const sorted = records
    .map(({ price }) => price)
    .sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const [low = 0n, high = 0n] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2n;
}

/** The sources are the same, as the rules are. */
function checkClose(fix: Fix, close: Fix): void {
  must(fix.parts.some(isOpen), 'prices', 'a close of a fix without an open record');
  must(!close.parts.some(isOpen), 'prices', 'a close with an open record');
  fix.parts.forEach((before, at) => {
    const part = close.parts[at] as Part;
    const isFree = isOpen(before) || before.use === 'none';
    const isRight = isFree ? isRecord(part) || part.use === before.use : part.written === before.written;
    must(isRight, 'prices', `the close changes ${part.source}`);
  });
}
const isOpen = (part: Part): boolean => isRecord(part) && part.closing === 'open';

interface Stated extends After {
  readonly source: string;
  /** Of the entry that shows it. */
  readonly index: number;
  readonly decimals: number;
}

/** What the entries show of each source is one history, of which none leaves anything out. */
function checkAll(shown: readonly ShownFix[]): void {
  const stated = shown.flatMap(statedBy);
  for (const one of stated)
    for (const other of stated)
      must(one.source !== other.source || fits(one, other), 'prices', `${one.source} contradicts itself`);
  for (const own of shown) {
    for (const other of stated) if (other.index !== own.index) checkPassing(own, other);
    for (const other of shown) checkKept(other, own);
  }
}

const statedBy = ({ entry, index }: ShownFix): Stated[] =>
  entry.parts
    .filter(isRecord)
    .flatMap((record) =>
      [record, afterOf(record)]
        .filter((each) => each !== null)
        .map((each) => ({ ...each, source: record.source, index, decimals: decimalsOf(entry.price) })),
    );

function fits(one: Stated, other: Stated): boolean {
  if (one.number === other.number) return one.timeMs === other.timeMs && isSamePrice(one, other);
  return one.number < other.number ? one.timeMs <= other.timeMs : one.timeMs >= other.timeMs;
}

/** Rules may change the decimals: digits beyond the fewer ones are cut off. */
function isSamePrice(one: Stated, other: Stated): boolean {
  const decimals = Math.min(one.decimals, other.decimals);
  const [left, right] = [one, other].map((each) => each.price / 10n ** BigInt(each.decimals - decimals));
  return left === right;
}

/** What another entry shows does not lie between a record and what follows it. */
function checkPassing({ entry, index }: ShownFix, other: Stated): void {
  const part = entry.parts.find(({ source }) => source === other.source);
  if (!part || !isRecord(part) || other.number <= part.number) return;
  if (part.closing === 'open' && other.index > index) return;
  const after = afterOf(part);
  const isPassed = other.timeMs <= entry.fixMs || (after !== null && other.number < after.number);
  must(!isPassed, 'prices', `a record of ${part.source} is passed over`);
}

/** A source that has said something has not said nothing afterwards. */
function checkKept(earlier: ShownFix, later: ShownFix): void {
  if (earlier.index >= later.index || earlier.entry.fixMs > later.entry.fixMs) return;
  const known = new Set(earlier.entry.parts.filter(isRecord).map(({ source }) => source));
  const isLost = later.entry.parts.some(({ source, use }) => use === 'none' && known.has(source));
  must(!isLost, 'prices', 'a source that had a record before has none');
}
