import type { Period } from '@fairtick/protocol';
import { type DayStart, tradingDayAt, tradingDayOf } from '@fairtick/trading';
import type { Temporal } from 'temporal-polyfill';
import type { Queryable } from '../../platform/db/database.ts';
import type { Product } from '../products.ts';
import { MINUTE_MS } from './candle-batch.ts';

/** One candle in points and ticks. `timeMs` is its start, UTC. */
export interface StoredCandle {
  readonly timeMs: number;
  /** The venue whose own history it is, from before the log. Absent: it is made of the log's ticks. */
  readonly source?: string;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  /** Volume and turnover of a venue's candle are 0: they are not known. */
  readonly volume: bigint;
  readonly turnover: bigint;
}

type Amount = 'open' | 'high' | 'low' | 'close' | 'volume' | 'turnover';
type CandleRow = { time_ms: string; source: string | null } & Record<Amount, string>;

/**
 * Length in minutes of the stored candles that each period is built from, and the most of them in one: a month has 31 days at most. A
 * period of several is built when it is read.
 */
const STORED: Readonly<Record<Period, { readonly minutes: number; readonly most: number }>> = {
  '1m': { minutes: 1, most: 1 },
  '5m': { minutes: 5, most: 1 },
  '15m': { minutes: 5, most: 3 },
  '30m': { minutes: 30, most: 1 },
  '1h': { minutes: 30, most: 2 },
  '4h': { minutes: 30, most: 8 },
  '1d': { minutes: 1440, most: 1 },
  '1w': { minutes: 1440, most: 7 },
  '1M': { minutes: 1440, most: 31 },
};

type LongPeriod = '1d' | '1w' | '1M';

export const isLong = (period: Period): period is LongPeriod => STORED[period].minutes === 1440;

/** The facts of a product that reading candles needs. */
export type CandleProduct = Pick<Product, 'id' | 'day'>;

/**
 * Candles of a product, oldest first: at most `limit`, the newest that start before `beforeMs`. Every period includes the current
 * minute, which is stored as a minute only. Days are the product's trading days; a week starts with Monday's, a month with the first.
 */
export async function readCandles(
  db: Queryable,
  question: { product: CandleProduct; period: Period; beforeMs: number | null; limit: number },
): Promise<StoredCandle[]> {
  const { product, period, limit } = question;
  const wantedMs = question.beforeMs ?? Number.MAX_SAFE_INTEGER;
  const { most } = STORED[period];
  if (most === 1) return (await readStored(db, product, period, { beforeMs: wantedMs, limit })).slice(-limit);
  // Enough rows for `limit` candles, and for one more, so that the oldest is complete.
  const parts = await readStored(db, product, period, {
    beforeMs: endOf(period, product.day, wantedMs),
    limit: (limit + 1) * most,
  });
  const grouped = groupByStart(parts, (timeMs) => candleStart(period, product.day, timeMs));
  return grouped.filter((candle) => candle.timeMs < wantedMs).slice(-limit);
}

/** Dates end in the year 275760, at 8.64e15 ms; no candle begins later than this. */
const LAST_MS = 8e15;

/** The date that names the candle of a day, week or month which contains a time: of a week its Monday, of a month its first. */
export function candleDate(period: LongPeriod, day: DayStart, timeMs: number): Temporal.PlainDate {
  const { date } = tradingDayAt(day, timeMs);
  if (period === '1d') return date;
  return period === '1w' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 });
}

/** Start of the candle that contains a time. */
export function candleStart(period: Period, day: DayStart, timeMs: number): number {
  return isLong(period)
    ? tradingDayOf(day, candleDate(period, day, timeMs)).startMs
    : timeMs - (timeMs % lengthMs(period));
}

const lengthMs = (period: Exclude<Period, LongPeriod>): number =>
  STORED[period].minutes * STORED[period].most * MINUTE_MS;

/** End of the candle that contains the last moment before `beforeMs`: its parts after `beforeMs` count too. */
function endOf(period: Period, day: DayStart, beforeMs: number): number {
  if (beforeMs > LAST_MS || beforeMs < 1) return beforeMs;
  if (!isLong(period)) return candleStart(period, day, beforeMs - 1) + lengthMs(period);
  const next = candleDate(period, day, beforeMs - 1).add(period === '1w' ? { weeks: 1 } : { months: 1 });
  return tradingDayOf(day, next).startMs;
}

/** Candles of the length that the period is built from, oldest first; the current minute is added to the one that contains it. */
async function readStored(
  db: Queryable,
  { id, day }: CandleProduct,
  period: Period,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<StoredCandle[]> {
  // One statement, and so one snapshot: between two statements a minute could end, and be counted in neither or in both.
  const { rows } = await db.query<CandleRow & { is_under_way: boolean }>({
    name: 'candles-newest',
    text: `select * from (
        (select false as is_under_way, * from (
          (select time_ms, null as source, open, high, low, close, volume, turnover from candles
           where product_id = $1 and period = $2 and time_ms < $3 order by time_ms desc limit $4)
          union all
          (select time_ms, source, open, high, low, close, 0, 0 from venue_candles
           where product_id = $1 and period = $2 and time_ms < $3 order by time_ms desc limit $4)
        ) ended order by time_ms desc limit $4)
        union all
        (select true, c.time_ms, null, c.open, c.high, c.low, c.close, c.volume, c.turnover
         from product_states s join candles c
           on c.product_id = s.product_id and c.period = 1 and c.time_ms = s.tick_ms / 60000 * 60000
         where s.product_id = $1 and $2 > 1)
      ) found order by is_under_way, time_ms`,
    values: [id, STORED[period].minutes, beforeMs, limit],
  });
  const candles = rows.filter((row) => !row.is_under_way).map(readRow);
  const minute = rows.find((row) => row.is_under_way);
  if (minute) {
    const atMs = Number(minute.time_ms);
    const partMs = STORED[period].minutes * MINUTE_MS;
    const timeMs = isLong(period) ? candleStart('1d', day, atMs) : atMs - (atMs % partMs);
    if (timeMs < beforeMs) addMinuteUnderWay(candles, { ...readRow(minute), timeMs });
  }
  return candles;
}

/** The newest minute is not in the longer periods yet: this adds it to the candle that begins at its time. */
function addMinuteUnderWay(candles: StoredCandle[], minute: StoredCandle): void {
  const last = candles.at(-1);
  if (last && last.timeMs > minute.timeMs) return;
  if (last?.timeMs === minute.timeMs) candles[candles.length - 1] = merge(last, minute);
  else candles.push(minute);
}

function merge(first: StoredCandle, second: StoredCandle): StoredCandle {
  return {
    ...first,
    high: second.high > first.high ? second.high : first.high,
    low: second.low < first.low ? second.low : first.low,
    close: second.close,
    volume: first.volume + second.volume,
    turnover: first.turnover + second.turnover,
  };
}

function groupByStart(candles: readonly StoredCandle[], start: (timeMs: number) => number): StoredCandle[] {
  const grouped: StoredCandle[] = [];
  for (const candle of candles) {
    const timeMs = start(candle.timeMs);
    const last = grouped.at(-1);
    // A week or month in which the log begins is the log's: its ticks are not mixed with a venue's candles.
    if (last?.timeMs === timeMs)
      grouped[grouped.length - 1] =
        last.source === candle.source ? merge(last, candle) : { ...candle, timeMs };
    else grouped.push({ ...candle, timeMs });
  }
  return grouped;
}

function readRow(row: CandleRow): StoredCandle {
  return {
    timeMs: Number(row.time_ms),
    ...(row.source === null ? {} : { source: row.source }),
    open: BigInt(row.open),
    high: BigInt(row.high),
    low: BigInt(row.low),
    close: BigInt(row.close),
    volume: BigInt(row.volume),
    turnover: BigInt(row.turnover),
  };
}
