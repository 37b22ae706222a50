/**
 * Compares the records in a receipt with what their exchanges say of the same numbers today. The answers come from the exchanges and not
 * from the server, so they show whether the log repeats what is on public record.
 */
import { formatDecimal } from '@fairtick/money';
import { hasRecord, type JudgedRecord, type SourceRecord } from '@fairtick/trading';
import { type FixEntry, parseEntry } from '../entry.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { readRecords, recordPoints, recordsAround, type VenueRecord, venueOf } from './venues.ts';

const DAY_MS = 86_400_000;

/**
 * - `same`: the record, and that it is the last one by then, are as the exchange has them
 * - `differs`: the number has another price or time, or the exchange does not have it
 * - `skipped`: another record lies between it and the time of the fix, or before the one that is said to follow
 * - `unread`: the exchange can't be reached, or answers something else
 * - `unasked`: the source publishes no records under their numbers, or not so far back
 */
export type SourceState = 'same' | 'differs' | 'skipped' | 'unread' | 'unasked';

export interface SourceFinding {
  /** Place of the entry in the log. */
  readonly index: number;
  readonly fixMs: number;
  readonly source: string;
  readonly state: SourceState;
  /** What the receipt has: number, Unix ms and price. */
  readonly shown: { readonly number: string; readonly timeMs: number; readonly price: string };
  /** Where anybody can look; null where the source can't be asked. */
  readonly url: string | null;
  /** What the exchange has instead, where it contradicts: the records around this number, as it writes them. */
  readonly has: readonly { readonly number: string; readonly timeMs: number; readonly price: string }[];
}

/** Whether the exchange contradicts the log. */
export const isContradiction = ({ state }: SourceFinding): boolean =>
  state === 'differs' || state === 'skipped';

/** Asks one public address. @returns the answer's JSON @throws Error where there is no answer, or none that is JSON */
export type Ask = (url: URL) => Promise<unknown>;

/** A fix or close with its place in the log. */
export interface AskedFix {
  readonly index: number;
  readonly entry: FixEntry;
}

export interface AskOptions {
  /** Other places that answer as an exchange does, by source. */
  readonly origins?: Readonly<Record<string, string>>;
  /** Unix ms; some exchanges answer for their last months alone. */
  readonly nowMs?: number;
}

/** All sources of the fixes that a valid receipt shows, asked one after the other. */
export async function checkAtSources(
  receipt: Receipt,
  ask: Ask,
  options: AskOptions = {},
): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  for (const { role, index, entry: text } of receipt.entries) {
    const entry = role === 'opening' || role === 'settling' ? parseEntry(text) : null;
    if (entry?.kind === 'fix' || entry?.kind === 'close')
      findings.push(...(await checkFixAtSources({ index, entry }, ask, options)));
  }
  return findings;
}

/** All sources of one fix, asked one after the other: one question for each. */
export async function checkFixAtSources(
  fix: AskedFix,
  ask: Ask,
  options: AskOptions = {},
): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  for (const part of fix.entry.records)
    if (hasRecord(part)) findings.push(await checkRecord(fix, part, ask, options));
  return findings;
}

/** The address that shows a record of a fix; null where its exchange does not answer for it. */
export function recordAddress(
  symbol: string,
  { source, last: { number, timeMs } }: JudgedRecord,
  { origins = {}, nowMs = Date.now() }: AskOptions = {},
): URL | null {
  const reachDays = venueOf(source)?.reachDays ?? null;
  if (reachDays !== null && timeMs < nowMs - reachDays * DAY_MS) return null;
  return recordsAround(source, symbol, { by: 'number', number, timeMs }, origins[source]);
}

/** Whether an exchange answers for any record of a fix. */
export const canBeAsked = ({ symbol, records }: FixEntry, options: AskOptions = {}): boolean =>
  records.some((part) => hasRecord(part) && recordAddress(symbol, part, options) !== null);

async function checkRecord(
  { index, entry }: AskedFix,
  part: JudgedRecord,
  ask: Ask,
  options: AskOptions,
): Promise<SourceFinding> {
  const { source, last } = part;
  const url = recordAddress(entry.symbol, part, options);
  const price = formatDecimal(last.price, entry.decimals);
  const shown = { number: String(last.number), timeMs: last.timeMs, price };
  const at = { index, fixMs: entry.fixMs, source, shown, url: url?.href ?? null };
  const found = (state: SourceState): SourceFinding => ({ ...at, state, has: [] });
  if (!url) return found('unasked');
  let records: readonly VenueRecord[] | null;
  try {
    records = readRecords(source, await ask(url));
  } catch {
    return found('unread');
  }
  if (records === null) return found('unread');
  const finding = found(compare(records, entry, part));
  return isContradiction(finding) ? { ...finding, has: around(records, last.number) } : finding;
}

/** The records beside a number: one before it, and up to three from it on. */
function around(records: readonly VenueRecord[], number: bigint): SourceFinding['has'] {
  const from = records.findIndex((record) => record.number >= number);
  const start = from < 0 ? records.length : from;
  return records
    .slice(Math.max(0, start - 1), start + 3)
    .map((record) => ({ ...record, number: String(record.number) }));
}

function compare(
  records: readonly VenueRecord[],
  { fixMs, decimals }: FixEntry,
  part: JudgedRecord,
): SourceState {
  const { source, last, closing } = part;
  const roundingMs = venueOf(source)?.roundingMs ?? 0;
  const isSame = (record: VenueRecord | undefined, shown: SourceRecord): boolean =>
    record?.number === shown.number &&
    Math.abs(record.timeMs - shown.timeMs) <= roundingMs &&
    recordPoints(record.price, decimals) === shown.price;
  const at = records.findIndex(({ number }) => number === last.number);
  if (!isSame(records[at], last)) return 'differs';
  const after = records[at + 1];
  if (closing.by === 'next') {
    if (after && after.number < closing.next.number) return 'skipped';
    return isSame(after, closing.next) ? 'same' : 'differs';
  }
  return after && after.timeMs <= fixMs ? 'skipped' : 'same';
}

const SAYS: Readonly<Record<SourceState, string>> = {
  same: 'has it, and nothing between it and that second',
  differs: 'HAS SOMETHING ELSE UNDER THIS NUMBER',
  skipped: 'HAS A RECORD THAT WAS LEFT OUT',
  unread: 'could not be read',
  unasked: 'publishes no records under their numbers, or not so far back',
};

/** A finding in plain English, one line. */
export function wordsOfFinding({ source, state, shown, fixMs, url, has }: SourceFinding): string {
  const others = has.map(({ number, timeMs, price }) => `${number} at ${price} of ${timeMs}`).join(', ');
  return [
    `${source}, record ${shown.number} at ${shown.price} for ${new Date(fixMs).toISOString()}: the source ${SAYS[state]}`,
    others === '' ? '.' : `; it has ${others}.`,
    url === null ? '' : ` ${url}`,
  ].join('');
}
