import type { Points } from '@fairtick/money';
import { krakenPair, krakenRows } from '@fairtick/proof';
import { marketPrice } from '../feeds/live/market-price.ts';
import { at, readFrame, textOf, type Written, wholeOf } from '../feeds/live/venue.ts';
import type { Minutes } from './reach.ts';

/** A candle as a venue states it, in points. */
export interface VenueCandle {
  /** Start, Unix ms. */
  readonly timeMs: number;
  readonly open: Points;
  readonly high: Points;
  readonly low: Points;
  readonly close: Points;
}

/** How a venue is asked for past candles, without a key. Its documents are the source of every number. */
export interface HistoryVenue {
  /** The source's name in the rules of a product. */
  readonly source: string;
  readonly url: string;
  /** The most candles of an answer. */
  readonly most: number;
  /** Whether it has candles before those of one answer. */
  readonly hasOlder: boolean;
  /** The address of the newest candles that begin before a time; of a venue without older ones, of its newest. */
  pathOf(asked: { symbol: string; minutes: Minutes; beforeMs: number }): string;
  /** The list of candles in an answer, each a list that begins with time, open, high, low and close; absent: the answer is the list. */
  rowsOf?(answer: unknown): unknown;
  /** The unit of its times, ms. */
  readonly timeUnitMs: number;
}

/** An answer that is no history: nothing of it is kept. */
export class WrongHistory extends Error {}

const INTERVALS: Readonly<Record<Minutes, string>> = { 1: '1m', 5: '5m', 30: '30m', 1440: '1d' };

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#klinecandlestick-data */
const binance: HistoryVenue = {
  source: 'binance',
  url: 'https://data-api.binance.vision',
  most: 1_000,
  hasOlder: true,
  pathOf: ({ symbol, minutes, beforeMs }) =>
    `/api/v3/klines?symbol=${symbol.replace('/', '')}&interval=${INTERVALS[minutes]}&endTime=${beforeMs - 1}&limit=1000`,
  timeUnitMs: 1,
};

/** https://docs.kraken.com/api/docs/rest-api/get-ohlc-data. An answer has its newest 720 candles, the last of them under way. */
const kraken: HistoryVenue = {
  source: 'kraken',
  url: 'https://api.kraken.com',
  most: 721,
  hasOlder: false,
  pathOf: ({ symbol, minutes }) => `/0/public/OHLC?pair=${krakenPair(symbol)}&interval=${minutes}`,
  rowsOf: krakenRows,
  timeUnitMs: 1_000,
};

/** The venues whose history is used, the first choice first. */
export const HISTORY_VENUES: readonly HistoryVenue[] = [binance, kraken];

/**
 * The candles of an answer, oldest first; times without trades are missing. One wrong candle refuses the whole answer: a venue that errs
 * in one is not believed in the others.
 * @throws WrongHistory
 */
export function readVenueCandles(
  venue: HistoryVenue,
  text: string,
  { minutes, decimals, beforeMs }: { minutes: Minutes; decimals: number; beforeMs: number },
): VenueCandle[] {
  const answer = readJson(text);
  const rows = venue.rowsOf ? venue.rowsOf(answer) : answer;
  if (!Array.isArray(rows)) throw new WrongHistory('its answer has no candles');
  if (rows.length > venue.most) throw new WrongHistory(`it answers ${rows.length} candles`);
  const candles: VenueCandle[] = [];
  for (const row of rows as readonly Written[]) {
    const time = wholeOf(at(row, 0));
    const timeMs = time === null ? Number.NaN : Number(time) * venue.timeUnitMs;
    if (!(timeMs % (minutes * 60_000) === 0)) throw new WrongHistory('a candle has no time of its period');
    if (timeMs <= (candles.at(-1)?.timeMs ?? -1)) throw new WrongHistory('its candles are out of order');
    if (venue.hasOlder && timeMs >= beforeMs) throw new WrongHistory('a candle is later than asked for');
    candles.push({ timeMs, ...pricesOf(row, decimals) });
  }
  return candles.filter(({ timeMs }) => timeMs < beforeMs);
}

function readJson(text: string): Written {
  try {
    return readFrame(text);
  } catch {
    throw new WrongHistory('its answer is no JSON');
  }
}

function pricesOf(row: Written, decimals: number): Omit<VenueCandle, 'timeMs'> {
  const [open, high, low, close] = [1, 2, 3, 4].map((place) => {
    const written = textOf(at(row, place));
    const price = written === null ? null : marketPrice([written], decimals);
    if (price === null) throw new WrongHistory('a candle has no price');
    return price;
  }) as [Points, Points, Points, Points];
  if (low > open || low > close || high < open || high < close)
    throw new WrongHistory('a candle’s prices contradict each other');
  return { open, high, low, close };
}
