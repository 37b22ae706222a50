/**
 * Compares the records in a receipt with what their exchanges say of the same numbers today. The answers come from the exchanges and not
 * from the server, so they show whether the log repeats what is on public record.
 */
import { formatDecimal } from '@fairtick/money';
import { hasRecord, type JudgedRecord, type SourceRecord } from '@fairtick/trading';
import { type FixEntry, parseEntry } from '../entry.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { RECORD_VENUES, readRecords, recordPoints, recordsAround, type VenueRecord } from './venues.ts';

/**
 * - `same`: the record, and that it is the last one by then, are as the exchange has them
 * - `differs`: the number has another price or time, or the exchange does not have it
 * - `skipped`: another record lies between it and the time of the fix, or before the one that is said to follow
 * - `unread`: the exchange can't be reached, or answers something else
 * - `unasked`: the source publishes no records under their numbers
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
}

/** Asks one public address. @returns the answer's JSON @throws Error where there is no answer, or none that is JSON */
export type Ask = (url: URL) => Promise<unknown>;

/**
 * All sources of the fixes that a valid receipt shows, asked one after the other.
 * @param origins other places that answer as an exchange does, by source
 */
export async function checkAtSources(
  receipt: Receipt,
  ask: Ask,
  origins: Readonly<Record<string, string>> = {},
): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  for (const { role, index, entry: text } of receipt.entries) {
    const entry = role === 'opening' || role === 'settling' ? parseEntry(text) : null;
    if (entry?.kind !== 'fix' && entry?.kind !== 'close') continue;
    for (const part of entry.records) {
      if (hasRecord(part)) findings.push(await checkRecord({ index, entry, part }, ask, origins));
    }
  }
  return findings;
}

async function checkRecord(
  { index, entry, part }: { index: number; entry: FixEntry; part: JudgedRecord },
  ask: Ask,
  origins: Readonly<Record<string, string>>,
): Promise<SourceFinding> {
  const { source, last } = part;
  const { number, timeMs } = last;
  const url = recordsAround(source, entry.symbol, { by: 'number', number, timeMs }, origins[source]);
  const price = formatDecimal(last.price, entry.decimals);
  const shown = { number: String(number), timeMs, price };
  const found = (state: SourceState): SourceFinding => ({
    index,
    fixMs: entry.fixMs,
    source,
    state,
    shown,
    url: url?.href ?? null,
  });
  if (!url) return found('unasked');
  let records: readonly VenueRecord[] | null;
  try {
    records = readRecords(source, await ask(url));
  } catch {
    return found('unread');
  }
  return found(records === null ? 'unread' : compare(records, entry, part));
}

function compare(
  records: readonly VenueRecord[],
  { fixMs, decimals }: FixEntry,
  part: JudgedRecord,
): SourceState {
  const { source, last, closing } = part;
  const roundingMs = RECORD_VENUES.find((venue) => venue.source === source)?.roundingMs ?? 0;
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
  unasked: 'publishes no records under their numbers',
};

/** A finding in plain English, one line. */
export const wordsOfFinding = ({ source, state, shown, fixMs, url }: SourceFinding): string =>
  `${source}, record ${shown.number} at ${shown.price} for ${new Date(fixMs).toISOString()}: the source ${SAYS[state]}.${url ? ` ${url}` : ''}`;
