import { chosenZone } from '../../../state/format.ts';
import type { ChartPeriod } from './chart-settings.ts';

/** Length of a candle; of a month, 30 days. */
export const PERIOD_MS: Readonly<Record<ChartPeriod, number>> = {
  '1s': 1_000,
  '1m': 60_000,
  '5m': 300_000,
  '30m': 1_800_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
  '1M': 2_592_000_000,
};

const isIntraday = (period: ChartPeriod): boolean => PERIOD_MS[period] < PERIOD_MS['1d'];

/** Whether candles are of trading days. */
export const isLong = (period: ChartPeriod): boolean => !isIntraday(period);

const DAY: Intl.DateTimeFormatOptions = { month: '2-digit', day: '2-digit' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const clockOf = (period: ChartPeriod): Intl.DateTimeFormatOptions =>
  period === '1s' ? { ...CLOCK, second: '2-digit' } : CLOCK;

/** Candles of days, weeks and months stand at midnight UTC of their trading date; shorter periods are in the reader's zone. */
export function candleTime(ms: number, period: ChartPeriod, tag: string): string {
  if (!isIntraday(period)) return candleDay(ms, period, tag);
  return new Intl.DateTimeFormat(tag, { ...chosenZone(), ...DAY, ...clockOf(period) }).format(ms);
}

/** The day of a candle as text; for a candle of a month, the month. */
export function candleDay(ms: number, period: ChartPeriod, tag: string): string {
  const year: Intl.DateTimeFormatOptions = { year: 'numeric', timeZone: 'UTC' };
  const options: Intl.DateTimeFormatOptions = isIntraday(period)
    ? { ...chosenZone(), ...DAY }
    : period === '1M'
      ? { ...year, month: '2-digit' }
      : { ...year, ...DAY };
  return new Intl.DateTimeFormat(tag, options).format(ms);
}

/** The time of day at which a candle begins; null for a period that is no part of a day. */
export function candleClock(ms: number, period: ChartPeriod, tag: string): string | null {
  if (!isIntraday(period)) return null;
  return new Intl.DateTimeFormat(tag, { ...chosenZone(), ...clockOf(period) }).format(ms);
}

/** The label of a tick mark. `kind`: 0 year, 1 month, 2 day, 3 time, 4 time with seconds (TickMarkType of the chart). */
export function tickMark(ms: number, kind: number, period: ChartPeriod, tag: string): string {
  const zone: Intl.DateTimeFormatOptions = isIntraday(period) ? chosenZone() : { timeZone: 'UTC' };
  const options: Intl.DateTimeFormatOptions[] = [
    { year: 'numeric' },
    { month: 'short' },
    { month: '2-digit', day: '2-digit' },
    { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  ];
  return new Intl.DateTimeFormat(tag, { ...options[kind], ...zone }).format(ms);
}
