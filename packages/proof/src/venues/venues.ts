import { MAX_MINOR, type Points, points } from '@fairtick/money';
import {
  fieldOf,
  isoMs,
  type RecordQuestion,
  type RecordVenue,
  recordOf,
  secondsMs,
  type VenueRecord,
  wholeMs,
} from './record-venue.ts';

export type { RecordQuestion, RecordVenue, VenueRecord } from './record-venue.ts';

/**
 * Binance spot. A record is an aggregate trade: the fills of one order at one price and time. Its stream has the same numbers.
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#compressedaggregate-trades-list
 */
const binance: RecordVenue = {
  source: 'binance',
  origin: 'https://data-api.binance.vision',
  isGapless: true,
  roundingMs: 0,
  hasTimes: true,
  reachDays: null,
  // Each question weighs 4 of 6 000 a minute.
  paceMs: 100,
  most: 1_000,
  pathOf(symbol, question) {
    const path = `/api/v3/aggTrades?symbol=${symbol.replace('/', '')}&limit=${binance.most}`;
    if (question.by === 'number') return `${path}&fromId=${question.number}`;
    if (question.by === 'time') return `${path}&startTime=${question.timeMs - question.backMs}`;
    return path;
  },
  isNewestFirst: false,
  fields: { number: 'a', time: 'T', price: 'p' },
  msOf: wholeMs,
};

/**
 * Coinbase Exchange. `after` answers trades below a number, newest first; `before` answers the newest of all, so it isn't used.
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-trades
 */
const coinbase: RecordVenue = {
  source: 'coinbase',
  origin: 'https://api.exchange.coinbase.com',
  isGapless: true,
  roundingMs: 0,
  hasTimes: false,
  reachDays: null,
  // Ten questions a second are allowed.
  paceMs: 200,
  most: 1_000,
  pathOf(symbol, question) {
    const path = `/products/${symbol.replace('/', '-')}/trades?limit=${coinbase.most}`;
    if (question.by === 'number') return `${path}&after=${question.number + BigInt(coinbase.most)}`;
    return question.by === 'newest' ? path : null;
  },
  isNewestFirst: true,
  fields: { number: 'trade_id', time: 'time', price: 'price' },
  msOf: isoMs,
};

const NANOS_A_MS = 1_000_000n;
/** Kraken's own names in its REST addresses. */
const KRAKEN_NAMES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };

/** Kraken's name of a market in its REST addresses. */
export function krakenPair(symbol: string): string {
  const [base = '', quote = ''] = symbol.split('/');
  return `${KRAKEN_NAMES[base] ?? base}${quote}`;
}

/** The rows of Kraken's answer for one market. */
export function krakenRows(answer: unknown): unknown {
  const [faults, result] = [fieldOf(answer, 'error'), fieldOf(answer, 'result')];
  if (!Array.isArray(faults) || faults.length > 0 || typeof result !== 'object' || result === null)
    return null;
  const [market, ...others] = Object.keys(result).filter((key) => key !== 'last');
  return market === undefined || others.length > 0 ? null : fieldOf(result, market);
}

/**
 * Kraken spot. Records are asked for by time alone, in nanoseconds: an answer has those after it. Numbers rise, and not always by one.
 * https://docs.kraken.com/api/docs/rest-api/get-recent-trades
 */
const kraken: RecordVenue = {
  source: 'kraken',
  origin: 'https://api.kraken.com',
  isGapless: false,
  // The stream writes microseconds, an answer a float of seconds.
  roundingMs: 1,
  hasTimes: true,
  reachDays: null,
  // One question a second and address is allowed for good.
  paceMs: 1_000,
  most: 1_000,
  pathOf(symbol, question) {
    const path = `/0/public/Trades?pair=${krakenPair(symbol)}&count=${kraken.most}`;
    if (question.by === 'newest') return path;
    const fromMs = question.timeMs - (question.by === 'time' ? question.backMs : kraken.roundingMs);
    return `${path}&since=${BigInt(fromMs) * NANOS_A_MS - 1n}`;
  },
  isNewestFirst: false,
  listOf: krakenRows,
  fields: { number: 6, time: 2, price: 0 },
  msOf: secondsMs,
};

/**
 * OKX. `after` answers trades below a number (`type=1`) or before a time (`type=2`), newest first.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-trades-history
 */
const okx: RecordVenue = {
  source: 'okx',
  origin: 'https://www.okx.com',
  isGapless: true,
  roundingMs: 0,
  hasTimes: true,
  reachDays: 90,
  // Twenty questions in two seconds are allowed.
  paceMs: 200,
  most: 100,
  pathOf(symbol, question) {
    const path = `/api/v5/market/history-trades?instId=${symbol.replace('/', '-')}&limit=${okx.most}`;
    if (question.by === 'number') return `${path}&type=1&after=${question.number + BigInt(okx.most)}`;
    if (question.by === 'time') return `${path}&type=2&after=${question.timeMs + 1}`;
    return path;
  },
  isNewestFirst: true,
  listOf: (answer) => (fieldOf(answer, 'code') === '0' ? fieldOf(answer, 'data') : null),
  fields: { number: 'tradeId', time: 'ts', price: 'px' },
  msOf: wholeMs,
};

/** The exchanges whose records settle orders, by source. */
export const RECORD_VENUES: readonly RecordVenue[] = [binance, coinbase, kraken, okx];

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
  const listed = venue?.listOf ? venue.listOf(json) : json;
  if (!venue || !Array.isArray(listed) || listed.length > venue.most) return null;
  const records = listed.map((row) => recordOf(venue, row)).filter((record) => record !== null);
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
