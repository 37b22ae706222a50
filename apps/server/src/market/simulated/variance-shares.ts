import { RecentlyUsed } from '../../platform/recently-used.ts';
import type { Rhythm } from '../catalogue/drivers.ts';
import type { TradingHours } from '../trading-hours.ts';
import { DAY_MS, dayOf, type VarianceShares, WINDOW_MS } from './walk.ts';

const WINDOWS_PER_HOUR = 3_600_000 / WINDOW_MS;
const WINDOWS_PER_DAY = DAY_MS / WINDOW_MS;
const WEEKS_PER_YEAR = 365.25 / 7;
/** More than two years, which a product's past has. */
const DAYS_KEPT = 1024;
/** A week without holidays. */
const USUAL_MONDAY = dayOf(Date.UTC(2026, 2, 9));
/** Paces of a closed product, relative to its mean while it is open: what it gathers is the gap at the next opening. */
const CLOSED = 0.08;
const CLOSED_WEEKEND = 0.008;

/** 1 is Monday, 7 is Sunday; day 0, 1970-01-01, was a Thursday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** Scales weights so that those of a usual week add up to a week's share of a year. */
function scaled(weightsOf: VarianceShares): VarianceShares {
  let week = 0;
  for (let day = 0; day < 7; day += 1)
    week += weightsOf(USUAL_MONDAY + day).reduce((sum, each) => sum + each, 0);
  return (day) => weightsOf(day).map((weight) => weight / (week * WEEKS_PER_YEAR));
}

/** Shares of what always trades, by the hours of the UTC day and the weekday. */
export function sharesByRhythm({ hourly, saturday, sunday }: Rhythm): VarianceShares {
  const sharesOf = scaled((day) => {
    const weekday = weekdayOf(day);
    const factor = weekday === 6 ? saturday : weekday === 7 ? sunday : 1;
    return hourly.flatMap((hour) => Array<number>(WINDOWS_PER_HOUR).fill(hour * factor));
  });
  const week = Array.from({ length: 7 }, (_, place) => sharesOf(USUAL_MONDAY + place));
  return (day) => week[weekdayOf(day) - 1] as readonly number[];
}

/** Shares by a product's trading hours: most at their two ends, little outside them. */
export function sharesByTradingHours(hours: TradingHours): VarianceShares {
  const byDay = new RecentlyUsed(DAYS_KEPT, (day: number) => {
    const weights = Array<number>(WINDOWS_PER_DAY).fill(weekdayOf(day) >= 6 ? CLOSED_WEEKEND : CLOSED);
    const dayMs = day * DAY_MS;
    for (const { startMs, endMs } of hours.periodsIn(dayMs, dayMs + DAY_MS))
      for (const window of weights.keys()) {
        const share = (dayMs + (window + 0.5) * WINDOW_MS - startMs) / (endMs - startMs);
        // A parabola with mean 1: 0.64 in the middle of the trading hours, 1.72 at its ends.
        if (share >= 0 && share < 1) weights[window] = 0.64 + 1.08 * (2 * share - 1) ** 2;
      }
    return weights;
  });
  return scaled((day) => byDay.get(day));
}
