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
  const [open, closedOpen] = opening;
  const [settle, closedSettle] = settling;
  for (const [earlier, later] of [
    [open, settle],
    [open, closedSettle],
    [closedOpen, closedSettle],
  ])
    if (earlier && later) checkLater(earlier.entry, later.entry);
  checkNumbers(all.map(({ entry }) => entry));
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
  if (entry.type === 'close') {
    const areClosed = records.every(({ closing }) => closing !== 'open');
    must(areClosed, 'prices', 'a close with an open record');
  } else checkWait(entry, records, own.entry);
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
  fix.parts.forEach((before, at) => {
    const part = close.parts[at] as Part;
    if (before.use === 'none')
      must(part.use !== 'away', 'prices', `${part.source} is away only in the close`);
    else if (!isRecord(before) || before.closing !== 'open')
      must(part.written === before.written, 'prices', `the close changes ${part.source}`);
    else if (!isRecord(part)) fail('prices', `the close takes the record of ${part.source} away`);
    else {
      const isKept =
        before.number === part.number && before.timeMs === part.timeMs && before.price === part.price;
      must(isKept || part.number > before.number, 'prices', `the close has an earlier ${part.source}`);
    }
  });
}

/** No source goes back from a fix to a later one. */
function checkLater(earlier: Fix, later: Fix): void {
  for (const before of earlier.parts.filter(isRecord)) {
    const { source } = before;
    const part = later.parts.find((each) => each.source === source);
    must(part?.use !== 'none', 'prices', `${source} had a record before`);
    if (!part || !isRecord(part)) continue;
    const [follows, own] = [afterOf(before), afterOf(part)];
    must(isSince(part, before), 'prices', `${source} goes back`);
    if (follows && own) must(isSince(own, follows), 'prices', `what follows of ${source} goes back`);
    if (follows && follows.timeMs <= later.fixMs)
      must(isSince(part, follows), 'prices', `${source} goes back`);
  }
}
const isSince = (one: After, other: After): boolean =>
  one.number >= other.number && one.timeMs >= other.timeMs;

/** One number of a source has one time and one price, whose decimals rules may change. */
function checkNumbers(all: readonly Fix[]): void {
  const known = new Map<string, string>();
  for (const { parts, price } of all)
    for (const record of parts.filter(isRecord))
      for (const each of [record, afterOf(record)]) {
        if (!each) continue;
        const name = `${record.source},${each.number}`;
        const said = `${each.timeMs},${each.price * 10n ** BigInt(18 - decimalsOf(price))}`;
        must((known.get(name) ?? said) === said, 'prices', `two records of one number: ${name}`);
        known.set(name, said);
      }
}
