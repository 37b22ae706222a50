import { Temporal } from 'temporal-polyfill';
/**
 * Trading hours of a product. A schedule is a list of weekly windows in the wall clock of one IANA time zone, with whole days
 * off; an empty list means round the clock. Windows may run past midnight (`to` at or before `from`).
 */
export interface TradingWindow {
  /** ISO weekdays on which the window starts: 1 is Monday, 7 is Sunday. */
  readonly days: readonly number[];
  /** Wall-clock times `HH:MM`. */
  readonly from: string;
  readonly to: string;
}

export interface Schedule {
  /** IANA time zone, such as `America/New_York`. */
  readonly zone: string;
  readonly windows: readonly TradingWindow[];
  /** Local dates `YYYY-MM-DD` on which no window starts. */
  readonly holidays: readonly string[];
  /** Local dates with windows of their own in place of the weekly ones. Absent: none. */
  readonly shortDays?: readonly ShortDay[];
  /** The last local date whose holidays are known: no window starts after it. Absent: there is no such date. */
  readonly until?: string;
}

export interface ShortDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly windows: readonly Pick<TradingWindow, 'from' | 'to'>[];
}

export interface TradingPeriod {
  readonly startMs: number;
  /** Exclusive; `null` for a product that never closes. */
  readonly endMs: number | null;
}

export const ROUND_THE_CLOCK: Schedule = { zone: 'UTC', windows: [], holidays: [] };

/** Search range in days for the next opening: longer than any run of holidays. */
const LOOK_AHEAD_DAYS = 15;

/** The trading period that contains `timeMs`, or null when the product is closed then. */
export function tradingPeriodAt(schedule: Schedule, timeMs: number): TradingPeriod | null {
  if (schedule.windows.length === 0) return { startMs: 0, endMs: null };
  for (const period of periodsFrom(schedule, timeMs, -1, 0)) {
    if (period.startMs <= timeMs && timeMs < period.endMs) return period;
  }
  return null;
}

/** When the product opens next, at or after `timeMs`; null if it never closes or does not open in two weeks. */
export function nextOpening(schedule: Schedule, timeMs: number): number | null {
  if (schedule.windows.length === 0) return null;
  let next: number | null = null;
  for (const period of periodsFrom(schedule, timeMs, 0, LOOK_AHEAD_DAYS)) {
    if (period.startMs >= timeMs && (next === null || period.startMs < next)) next = period.startMs;
  }
  return next;
}

/** The periods that start on the local days from `fromDay` to `toDay`, counted from the day of `timeMs`. */
function* periodsFrom(
  schedule: Schedule,
  timeMs: number,
  fromDay: number,
  toDay: number,
): Generator<{ startMs: number; endMs: number }> {
  const today = Temporal.Instant.fromEpochMilliseconds(timeMs)
    .toZonedDateTimeISO(schedule.zone)
    .toPlainDate();
  for (let offset = fromDay; offset <= toDay; offset += 1) {
    yield* periodsOn(schedule, today.add({ days: offset }));
  }
}

/** The periods that start on a local date; both ends in Unix ms, the second excluded. */
export function periodsOn(
  schedule: Schedule,
  date: Temporal.PlainDate,
): { startMs: number; endMs: number }[] {
  const day = date.toString();
  // `YYYY-MM-DD` sorts as the dates do.
  if (schedule.holidays.includes(day) || (schedule.until !== undefined && day > schedule.until)) return [];
  const windows =
    schedule.shortDays?.find((each) => each.date === day)?.windows ??
    schedule.windows.filter((window) => window.days.includes(date.dayOfWeek));
  const instant = (on: Temporal.PlainDate, plainTime: string) =>
    on.toZonedDateTime({ timeZone: schedule.zone, plainTime }).epochMilliseconds;
  return windows.map(({ from, to }) => ({
    startMs: instant(date, from),
    // `HH:MM` sorts as the times do.
    endMs: instant(to > from ? date : date.add({ days: 1 }), to),
  }));
}
