import { MAX_MINOR, type Points, points } from '@fairtick/money';
import { binanceRecords } from './binance.ts';
import { coinbaseRecords } from './coinbase.ts';
import { krakenRecords } from './kraken.ts';
import { okxRecords } from './okx.ts';
import type { RecordQuestion, RecordVenue, VenueRecord } from './record-venue.ts';

export type { Evidence, RecordQuestion, RecordVenue, VenueRecord } from './record-venue.ts';

/** The exchanges whose records settle orders, by source. */
export const RECORD_VENUES: readonly RecordVenue[] = [
  binanceRecords,
  coinbaseRecords,
  krakenRecords,
  okxRecords,
];

export const venueOf = (source: string): RecordVenue | undefined =>
  RECORD_VENUES.find((venue) => venue.source === source);

/**
 * The public address that answers a question for a market's records; null for another source, and where the exchange takes no
 * question of this kind.
 * @param symbol such as BTC/USDT  @param origin another place that answers as the exchange does
 */
export function recordsAround(
  source: string,
  symbol: string,
  question: RecordQuestion,
  origin = venueOf(source)?.origin,
): URL | null {
  const path = venueOf(source)?.pathOf(symbol, question) ?? null;
  return path === null || origin === undefined ? null : new URL(origin.replace(/(?<!\/)\/+$/, '') + path);
}

/**
 * The records of an answer, ascending by number, without a fall in time; null for anything else: one wrong record refuses all, because
 * who errs in one is not believed in the others.
 * @param json the answer after `JSON.parse`
 */
export function readRecords(source: string, json: unknown): VenueRecord[] | null {
  const venue = venueOf(source);
  const listed = venue?.listOf(json) ?? null;
  if (!venue || listed === null || listed.length > venue.most) return null;
  const records = listed.filter((record) => record !== null);
  if (records.length < listed.length) return null;
  if (venue.isNewestFirst) records.reverse();
  return records.every((record, at) => at === 0 || follows(record, records[at - 1] as VenueRecord))
    ? records
    : null;
}

const follows = (record: VenueRecord, before: VenueRecord): boolean =>
  record.number > before.number && record.timeMs >= before.timeMs;

/** A record's price in units of a product's last decimal, cut off after it; null where nothing is left, or where it is beyond a price. */
export function recordPoints(price: string, decimals: number): Points | null {
  const [whole = '', fraction = ''] = price.split('.');
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return units > 0n && units <= MAX_MINOR ? points(units) : null;
}
