import { TZDateMini } from '@date-fns/tz/date/mini';
import { CLOCK, CLOCK_SECONDS, DATE, timeText } from '../../../state/format.ts';
import type { ChartPeriod } from './chart-settings.ts';

/** Length of a candle; of a month, 30 days. */
export const PERIOD_MS: Readonly<Record<ChartPeriod, number>> = {
  '1s': 1_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
  '1M': 2_592_000_000,
};

/** Whether candles are of trading days. Those stand at midnight UTC of their trading date; others are in the reader's zone. */
export const isLong = (period: ChartPeriod): boolean => PERIOD_MS[period] >= PERIOD_MS['1d'];

const UTC = { timeZone: 'UTC' } as const;
const clockOf = (period: ChartPeriod) => (period === '1s' ? CLOCK_SECONDS : CLOCK);

export const candleTime = (ms: number, period: ChartPeriod, tag: string): string =>
  isLong(period) ? candleDay(ms, period, tag) : timeText(ms, tag, { ...DATE, ...clockOf(period) });

/** The day of a candle as text; for a candle of a month, the month. */
export function candleDay(ms: number, period: ChartPeriod, tag: string): string {
  if (!isLong(period)) return timeText(ms, tag, DATE);
  const date = period === '1M' ? { month: DATE.month } : DATE;
  return timeText(ms, tag, { ...date, year: 'numeric', ...UTC });
}

/** The time of day at which a candle begins; null for a period that is no part of a day. */
export const candleClock = (ms: number, period: ChartPeriod, tag: string): string | null =>
  isLong(period) ? null : timeText(ms, tag, clockOf(period));

/** By the kind of mark: year, month, day, time, time with seconds (TickMarkType of the chart). */
const MARKS = [{ year: 'numeric' }, { month: 'short' }, DATE, CLOCK, CLOCK_SECONDS] as const;

export const tickMark = (ms: number, kind: number, period: ChartPeriod, tag: string): string =>
  timeText(ms, tag, { ...MARKS[kind], ...(isLong(period) && UTC) });

/**
 * When a candle ends, Unix ms. One of days, weeks or months ends where the trading day of the next one's first date begins.
 * @param startMs as the chart places it: one of days, weeks and months at midnight UTC of its first date
 * @param day the wall clock at which trading days begin; those that begin in the evening have the next date
 */
export function candleEnd(startMs: number, period: ChartPeriod, day: { zone: string; from: string }): number {
  if (!isLong(period)) return startMs + PERIOD_MS[period];
  const date = new Date(startMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [hour = 0, minute = 0] = day.from.split(':').map(Number);
  const eve = day.from >= '12:00' ? 1 : 0;
  const next = date.getUTCDate() + (period === '1w' ? 7 : 1);
  const [nextMonth, nextDate] = period === '1M' ? [month + 1, 1] : [month, next];
  return new TZDateMini(year, nextMonth, nextDate - eve, hour, minute, 0, day.zone).getTime();
}
