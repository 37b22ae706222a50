import type { Rhythm } from '../catalogue/drivers.ts';
import { DAY_MS, WINDOW_MS, WINDOWS_PER_DAY } from './timeline.ts';
import type { TradingHours } from './trading-hours.ts';

/**
 * Distributes a year's variance over the windows of a day: writes 96 shares. A share times the square of the annual volatility is
 * the variance of the window's increment. Over a year the shares add up to about 1.
 */
export type VarianceShares = (day: number, shares: Float64Array) => void;

const WEEKS_PER_YEAR = 365.25 / 7;
const TRADING_DAYS_PER_YEAR = 252;
/** Share of a trading day's variance that a product would gather if it stayed closed all day. */
const CLOSED_SHARE = 0.25;
/** Pace of a closed weekend day relative to a closed hour of a weekday. */
const CLOSED_WEEKEND = 0.1;

/** 1 is Monday, 7 is Sunday; day 0, 1970-01-01, was a Thursday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** Shares of a product that always trades, by the hours of the UTC day and the weekday. */
export function sharesByRhythm({ hourly, saturday, sunday }: Rhythm): VarianceShares {
  const perDay = hourly.reduce((sum, each) => sum + each, 0) * (WINDOWS_PER_DAY / 24);
  const share = 1 / (WEEKS_PER_YEAR * perDay * (5 + saturday + sunday));
  return (day, shares) => {
    const weekday = weekdayOf(day);
    const factor = weekday === 6 ? saturday : weekday === 7 ? sunday : 1;
    for (let window = 0; window < WINDOWS_PER_DAY; window += 1) {
      shares[window] = share * factor * (hourly[window >> 2] as number);
    }
  };
}

/**
 * Shares by a product's trading hours: most at their two ends, little outside them. The price is held while closed, so the variance
 * gathered then becomes the gap at the next opening; a weekend or a holiday gives a larger gap without a rule of its own.
 */
export function sharesByTradingHours(hours: TradingHours): VarianceShares {
  const openPerDay = openWindowsPerDay(hours);
  const closedPerDay = WINDOWS_PER_DAY - openPerDay;
  const closedShare = CLOSED_SHARE * (closedPerDay / WINDOWS_PER_DAY);
  const open = (1 - closedShare) / (TRADING_DAYS_PER_YEAR * openPerDay);
  const closed = closedPerDay > 0 ? closedShare / (TRADING_DAYS_PER_YEAR * closedPerDay) : 0;
  return (day, shares) => {
    shares.fill(weekdayOf(day) >= 6 ? closed * CLOSED_WEEKEND : closed);
    const dayMs = day * DAY_MS;
    for (const { startMs, endMs } of hours.periodsIn(dayMs, dayMs + DAY_MS)) {
      for (let window = 0; window < WINDOWS_PER_DAY; window += 1) {
        const middleMs = dayMs + (window + 0.5) * WINDOW_MS;
        if (middleMs < startMs) continue;
        if (middleMs >= endMs) break;
        const fromMiddle = (2 * (middleMs - startMs)) / (endMs - startMs) - 1;
        // A parabola with mean 1: 0.64 in the middle of the trading hours, 1.72 at its ends.
        shares[window] = open * (0.64 + 1.08 * fromMiddle * fromMiddle);
      }
    }
  };
}

/** Number of windows of a trading day that fall into its trading hours. */
function openWindowsPerDay({ schedule }: TradingHours): number {
  if (schedule.windows.length === 0) return WINDOWS_PER_DAY;
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const days = new Set<number>();
  let total = 0;
  for (const window of schedule.windows) {
    const length = minutes(window.to) - minutes(window.from);
    total += (length > 0 ? length : length + 1440) * window.days.length;
    for (const day of window.days) days.add(day);
  }
  return (total * 60_000) / WINDOW_MS / days.size;
}
