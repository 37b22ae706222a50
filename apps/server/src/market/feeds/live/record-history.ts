import {
  type PythKeys,
  RECORD_VENUES,
  type RecordQuestion,
  type RecordVenue,
  readRecords,
  recordsAround,
} from '@fairtick/proof';
import { PYTH_SOURCE, type SourceRecord } from '@fairtick/trading';
import { marketPrice } from './market-price.ts';
import type { Numbering, SaidRecord, Sight } from './record-book.ts';
import { type Access, readFrame, type VenueEvent } from './venue.ts';
import { eventsOf, updatesOf } from './venues/pyth.ts';

/** A market of a source that has a product. */
export interface SourceMarket {
  readonly productId: number;
  /** The venue's name of it in its stream. */
  readonly market: string;
  /** Such as BTC/USDT. */
  readonly symbol: string;
  readonly decimals: number;
}

/** What is looked for: the records around a time, from what is known of them. */
export interface Search {
  readonly market: SourceMarket;
  readonly fixMs: number;
  /** What the book that takes the answer knows of that time. */
  readonly sight: Pick<Sight, 'last' | 'after'>;
  /** Questions for this time that were asked before. */
  readonly tries: number;
}

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The record that the answer begins with or has, and those after it; null where others are asked for. */
  readonly from: SourceRecord | null;
}

/** A source's public history, which is asked for the records that the stream did not bring. */
export interface RecordHistory extends Numbering {
  readonly source: string;
  /** The least time between two questions. */
  readonly paceMs: number;
  /** The next question; null: none would help. */
  requestFor(search: Search): Request | null;
  /** The records of an answer, ascending; null for anything else. */
  read(text: string, market: SourceMarket): readonly SaidRecord[] | null;
}

/** A record of an event; null where it has no price of the product. */
export function saidRecord(
  { number, price, sourceMs, previous, signed }: Omit<VenueEvent & { kind: 'record' }, 'kind' | 'market'>,
  decimals: number,
): SaidRecord | null {
  const points = marketPrice([price], decimals);
  return points && { number, timeMs: sourceMs, price: points, previous, ...(signed ? { signed } : {}) };
}

/** How long before a time its last record is looked for, by the number of tries. */
const BACK_MS = [2_000, 60_000, 3_600_000, 86_400_000];
/** Leaps to lower numbers double so often, and then start again: one too far may find nothing. */
const MOST_LEAPS = 10;
/** A gap of more answers than this is searched, and not read through. */
const MOST_READ_THROUGH = 2;

/** The history of a source that settles; null where it has none. @param origin another place of an exchange's history */
export function historyOf(
  source: string,
  { access, keys, origin }: { access: Access; keys: readonly PythKeys[]; origin?: string | undefined },
): RecordHistory | null {
  if (source === PYTH_SOURCE) return pythHistory(access, keys);
  const venue = RECORD_VENUES.find((one) => one.source === source);
  return venue ? exchangeHistory(venue, origin ?? venue.origin) : null;
}

function exchangeHistory(venue: RecordVenue, origin: string): RecordHistory {
  const { isGapless, roundingMs, paceMs, source } = venue;
  return {
    source,
    isGapless,
    roundingMs,
    paceMs,
    requestFor(search) {
      const question = questionFor(venue, search);
      const url = recordsAround(source, search.market.symbol, question, origin);
      const { last } = search.sight;
      const from = last && question.by === 'number' && question.number === last.number ? last : null;
      return url && { url: url.href, headers: {}, from };
    },
    read(text, { decimals }) {
      const records = readRecords(source, jsonOf(text));
      if (records === null) return null;
      const said = records.map(({ number, timeMs, price }) =>
        saidRecord({ number, price, sourceMs: timeMs, previous: null }, decimals),
      );
      return said.includes(null) ? null : (said as SaidRecord[]);
    },
  };
}

/** From the last known record on; else around the time; else backwards by numbers. */
function questionFor(
  venue: RecordVenue,
  { fixMs, sight: { last, after }, tries }: Omit<Search, 'market'>,
): RecordQuestion {
  const most = BigInt(venue.most);
  if (last) {
    const gap = after ? after.number - last.number : 0n;
    const isFar = venue.isGapless && after !== null && gap > most * BigInt(MOST_READ_THROUGH);
    if (!isFar) return { by: 'number', number: last.number, timeMs: last.timeMs };
    const share = tries % 2 === 0 ? shareOf(fixMs, last.timeMs, after.timeMs) : 500n;
    const middle = last.number + (gap * share) / 1_000n - most / 2n;
    return { by: 'number', number: middle > last.number ? middle : last.number, timeMs: last.timeMs };
  }
  if (venue.hasTimes)
    return { by: 'time', timeMs: fixMs, backMs: BACK_MS[tries] ?? (BACK_MS.at(-1) as number) };
  if (!after) return { by: 'newest' };
  const number = after.number - (most << BigInt(tries % MOST_LEAPS));
  return { by: 'number', number: number > 0n ? number : 0n, timeMs: after.timeMs };
}

/** Where a time lies between two others, in thousandths. */
const shareOf = (timeMs: number, fromMs: number, toMs: number): bigint =>
  toMs <= fromMs ? 500n : BigInt(Math.floor(((timeMs - fromMs) / (toMs - fromMs)) * 1_000));

/** Pyth answers for a second with the first update of that second, or with the first one after it. */
function pythHistory({ url, key }: Access, keys: readonly PythKeys[]): RecordHistory {
  return {
    source: PYTH_SOURCE,
    isGapless: false,
    roundingMs: 0,
    // Ten questions in ten seconds are allowed.
    paceMs: 1_000,
    requestFor({ market: { market }, fixMs, sight: { last, after } }) {
      const before = after?.previous ?? BigInt(Math.floor(fixMs / 1_000));
      const second = last ? last.number + 1n : before;
      return {
        url: `${url}/v2/updates/price/${second}?encoding=hex&parsed=false&ids[]=${market}`,
        headers: { authorization: `Bearer ${key}` },
        from: null,
      };
    },
    read(text, { market, decimals }) {
      const updates = updatesOf(jsonOf(text, readFrame));
      if (updates.length !== 1) return null;
      const events = eventsOf(updates[0] ?? null, new Set([market]), keys);
      const record = events.find((event) => event.kind === 'record');
      const said = record ? saidRecord(record, decimals) : null;
      return said && [said];
    },
  };
}

/** The value of a text; null where it is no JSON. */
function jsonOf<T = unknown>(text: string, parse: (text: string) => T = JSON.parse): T | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
