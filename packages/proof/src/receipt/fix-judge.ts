/** Checks a fix or close alone, and two of them together. docs/receipt-format.md, check 11. */
import { decideFix, hasRecord, isFixReady, type JudgedRecord, type ListedRecord } from '@fairtick/trading';
import { type FixEntry, formatRecords } from '../fix-entry.ts';
import type { DecidingRules } from './rules-json.ts';

/** Judges a fix or close by its rules alone. @returns the fault, or null */
export function judgeFix(entry: FixEntry, rules: DecidingRules): string | null {
  const { kind, records, fixMs, timeMs } = entry;
  const isComplete =
    records.length === rules.sources.length &&
    records.every(({ source }, at) => source === rules.sources[at]);
  if (!isComplete) return 'its sources are not exactly those of the rules';
  if (entry.decimals !== rules.decimals) return 'its prices have not the decimals of the product';
  for (const { source, last, closing } of records.filter(hasRecord)) {
    if (last.timeMs > fixMs) return `the record of ${source} is later than its second`;
    const next = closing.by === 'next' ? closing.next : null;
    if (next && (next.timeMs <= fixMs || next.number <= last.number))
      return `the record after that of ${source} is none`;
  }
  const answer = decideFix({ fixMs, records, rules });
  if (answer.records.some(({ use }, at) => use !== records[at]?.use))
    return 'a record was judged against the rule';
  if (answer.price !== entry.price) return 'its price is not what the rule makes of its records';
  if (kind === 'close') return records.some(isOpen) ? 'a record of it is open' : null;
  return isFixReady(answer, rules, timeMs >= fixMs + rules.waitMs)
    ? null
    : 'it was written before enough records were closed';
}

/** Whether a later record may still exist: nothing shows that this one is the last. */
export const isOpen = (part: ListedRecord): boolean => hasRecord(part) && part.closing.by === 'open';

/** Judges a close by its fix; both are right by themselves, and {@link findClash} compares their records. @returns the fault, or null */
export function judgeClose(fix: FixEntry, close: FixEntry): string | null {
  if (!fix.records.some(isOpen)) return 'no record of its fix was open';
  const textOf = (part: ListedRecord, { decimals }: FixEntry) =>
    formatRecords({ records: [hasRecord(part) ? { ...part, use: 'use' } : part], decimals });
  for (const [at, part] of fix.records.entries()) {
    const after = close.records[at];
    if (after?.source !== part.source) return 'its sources are not those of its fix';
    const isFree = isOpen(part) || part.use === 'none';
    if (isFree && after.use === 'away') return `it leaves ${part.source} out`;
    if (!isFree && textOf(part, fix) !== textOf(after, close))
      return `it changes ${part.source}, which was not open`;
  }
  return null;
}

/** Whether a close states a fix: one symbol, number, time and rules. */
export const isCloseOf = (close: FixEntry, fix: FixEntry): boolean =>
  close.symbol === fix.symbol &&
  close.n === fix.n &&
  close.fixMs === fix.fixMs &&
  close.rulesHash === fix.rulesHash;

/** A record with its price cut off after the decimals that two entries have in common: rules may change those of a product. */
interface Scaled {
  readonly number: bigint;
  readonly timeMs: number;
  readonly price: bigint;
}

/**
 * Compares the records of two fixes or closes of a product, in the order of the log. A source's times rise with its numbers, one number
 * is one record, and no part passes over a record that the other shows, unless it was open and the record came later.
 * @returns the fault, or null
 */
export function findClash(earlier: FixEntry, later: FixEntry): string | null {
  const places = Math.min(earlier.decimals, later.decimals);
  for (const before of earlier.records.filter(hasRecord)) {
    const { source } = before;
    const after = later.records.find((part) => part.source === source);
    if (after?.use === 'none' && later.fixMs >= earlier.fixMs)
      return `${source} had a record before and has none`;
    if (!after || !hasRecord(after)) continue;
    const [known, told] = [recordsIn(before, earlier, places), recordsIn(after, later, places)];
    const clash = known.flatMap((one) => told.flatMap((other) => clashOf(one, other) ?? []))[0];
    if (clash !== undefined) return `${clash} of ${source}`;
    if (passesOver(after, later.fixMs, known)) return `it passes over a record of ${source} that was shown`;
    if (!isOpen(before) && passesOver(before, earlier.fixMs, told))
      return `it shows a record of ${source} that was passed over before`;
  }
  return null;
}

function clashOf(one: Scaled, other: Scaled): string | null {
  if (one.number === other.number)
    return one.timeMs === other.timeMs && one.price === other.price
      ? null
      : 'there are two records with one number';
  const isRising = one.number < other.number ? one.timeMs <= other.timeMs : one.timeMs >= other.timeMs;
  return isRising ? null : 'the time falls while the number rises, in records';
}

function recordsIn({ last, closing }: JudgedRecord, { decimals }: FixEntry, places: number): Scaled[] {
  const unit = 10n ** BigInt(decimals - places);
  const records = closing.by === 'next' ? [last, closing.next] : [last];
  return records.map(({ number, timeMs, price }) => ({ number, timeMs, price: price / unit }));
}

/** Whether one of these records lies between the part's record and the next one that it states, or is of its second or earlier. */
const passesOver = ({ last, closing }: JudgedRecord, fixMs: number, records: readonly Scaled[]): boolean =>
  records.some(
    ({ number, timeMs }) =>
      number > last.number && (timeMs <= fixMs || (closing.by === 'next' && number < closing.next.number)),
  );
