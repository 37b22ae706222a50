import { setTimeout as sleep } from 'node:timers/promises';
import {
  type RecordQuestion,
  type RecordVenue,
  readRecords,
  recordsAround,
  type VenueRecord,
} from '@fairtick/proof';
import { type Answer, ask } from './ask.ts';

/** Results of the questions to an exchange's history. */
export interface HistoryFacts {
  /** Of the newest records, how many have the number after the one before, and of how many. */
  readonly inARow: readonly [number, number];
  readonly hasNumbers: boolean;
  /** Null: it can't be asked for times. */
  readonly hasTimes: boolean | null;
  /** The oldest record that it gave; null: none of so long ago. */
  readonly oldestMs: number | null;
  /** The header that lets pages read an answer; null: there is none. */
  readonly origins: string | null;
  /** By how much its clock is ahead of ours at least; null: it names no time. */
  readonly clockMs: number | null;
  /** Of the records that the stream said, how many the history says digit by digit, and of how many. */
  readonly agreed: readonly [number, number];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long ago records are looked for, the longest first. */
const REACHES_DAYS = [1_500, 365, 80, 7];

/**
 * Asks the history of an exchange what its declaration says of it.
 * @param heard records of the stream, as they were said
 * @returns a text that is the reason why nothing was measured
 */
export async function measureHistory(
  venue: RecordVenue,
  {
    symbol,
    origin = venue.origin,
    heard = [],
    paceMs = venue.paceMs,
  }: { symbol: string; origin?: string | undefined; heard?: readonly VenueRecord[]; paceMs?: number },
): Promise<HistoryFacts | string> {
  const stopping = new AbortController().signal;
  const asked = async (
    question: RecordQuestion,
  ): Promise<{ answer: Answer; records: VenueRecord[] } | null> => {
    const url = recordsAround(venue.source, symbol, question, origin);
    if (url === null) return null;
    await sleep(paceMs);
    // With an origin, as a browser asks.
    const answer = await ask({ url: url.href, headers: { origin: 'https://app.example' } }, stopping);
    const json = 'text' in answer ? jsonOf(answer.text) : null;
    return { answer, records: readRecords(venue.source, json) ?? [] };
  };
  const newest = await asked({ by: 'newest' });
  const receivedMs = Date.now();
  if (newest === null) return 'it can’t be asked';
  const { answer, records } = newest;
  if (!('text' in answer)) return answer.fault;
  const [first, last] = [records[0], records.at(-1)];
  if (!first || !last) return 'its newest records can’t be read';
  const byNumber = await asked({ by: 'number', ...first });
  const byTime = await asked({ by: 'time', timeMs: last.timeMs, backMs: MINUTE_MS });
  const known = new Map([...records, ...(byNumber?.records ?? [])].map((one) => [one.number, one]));
  const compared = heard.filter(({ number }) => number >= first.number && number <= last.number);
  return {
    inARow: [countInARow(records), records.length - 1],
    hasNumbers: byNumber?.records.some((one) => isSame(one, first, venue)) === true,
    hasTimes: byTime?.records.some(({ timeMs }) => timeMs <= last.timeMs) ?? null,
    oldestMs: await oldestOf(venue, last, async (question) => (await asked(question))?.records ?? []),
    origins: answer.origins,
    clockMs: answer.madeMs === null ? null : answer.madeMs - receivedMs,
    agreed: [compared.filter((one) => isSame(one, known.get(one.number), venue)).length, compared.length],
  };
}

const countInARow = (records: readonly VenueRecord[]): number =>
  records.filter(({ number }, at) => number - 1n === records[at - 1]?.number).length;

const isSame = (one: VenueRecord, other: VenueRecord | undefined, { roundingMs }: RecordVenue): boolean =>
  other !== undefined &&
  one.number === other.number &&
  Number(one.price) === Number(other.price) &&
  Math.abs(one.timeMs - other.timeMs) <= roundingMs;

/** The oldest record of the longest reach that is answered; by number, that of the number 1. */
async function oldestOf(
  { hasTimes }: RecordVenue,
  last: VenueRecord,
  records: (question: RecordQuestion) => Promise<readonly VenueRecord[]>,
): Promise<number | null> {
  if (!hasTimes) return (await records({ by: 'number', number: 1n, timeMs: 0 }))[0]?.timeMs ?? null;
  for (const days of REACHES_DAYS) {
    const timeMs = last.timeMs - days * DAY_MS;
    const found = await records({ by: 'time', timeMs, backMs: MINUTE_MS });
    const near = found.find((one) => Math.abs(one.timeMs - timeMs) < DAY_MS);
    if (near) return near.timeMs;
  }
  return null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The facts in a line. */
export function factsLine(facts: HistoryFacts): string {
  const { inARow, hasNumbers, hasTimes, oldestMs, origins, clockMs, agreed } = facts;
  return [
    `${inARow[0]} of ${inARow[1]} numbers in a row`,
    `by number ${hasNumbers ? 'yes' : 'no'}`,
    `by time ${hasTimes === null ? 'never' : hasTimes ? 'yes' : 'no'}`,
    `back to ${oldestMs === null ? 'less than a week' : day(oldestMs)}`,
    `browsers ${origins ?? 'no'}`,
    clockMs === null ? 'no clock' : `clock ${clockMs} ms`,
    `stream agrees in ${agreed[0]} of ${agreed[1]}`,
  ].join('  ');
}
