import { TZDateMini } from '@date-fns/tz/date/mini';
import type { ChartPeriod } from './chart-settings.ts';
import { isLong, PERIOD_MS } from './chart-times.ts';

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
