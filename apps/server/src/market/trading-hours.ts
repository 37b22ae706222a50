import { periodsOn, type Schedule, type TradingPeriod } from '@fairtick/trading';
import { Temporal } from 'temporal-polyfill';
import { RecentlyUsed } from '../platform/recently-used.ts';

/** A stretch of time, Unix ms; `endMs` is excluded. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A stretch in which a product trades, or is closed. An end that is not in sight is infinite. */
export interface TradingSpan extends Span {
  readonly isOpen: boolean;
}

const DAY_MS = 86_400_000;
/** A little more than two years of dates, so that a product's history evaluates the zone's rules only once. */
const DATES_KEPT = 1024;
/** How many days before and after an opening is searched; nearly always the first radius is enough. */
const SEARCH_DAYS = [3, 16];
/** How long an answer is kept where an end is not in sight. */
const RECHECK_MS = 3_600_000;
const ALWAYS: TradingSpan = {
  startMs: Number.NEGATIVE_INFINITY,
  endMs: Number.POSITIVE_INFINITY,
  isOpen: true,
};

const MOST_SCHEDULES = 500;

const bySchedule = new WeakMap<Schedule, TradingHours>();
const byText = new RecentlyUsed(MOST_SCHEDULES, (text: string) => new TradingHours(JSON.parse(text)));

/**
 * The trading periods of a schedule, as `tradingPeriodAt` has them, cached: computing one takes wall-clock arithmetic, and the writer
 * asks for every product four times a second. Schedules with the same content share their cache.
 */
export class TradingHours {
  readonly schedule: Schedule;
  readonly #periods = new RecentlyUsed(DATES_KEPT, (day: number): Span[] =>
    periodsOn(this.schedule, new Temporal.PlainDate(1970, 1, 1).add({ days: day })),
  );
  #last: { readonly span: TradingSpan; readonly foundMs: number } | null = null;

  constructor(schedule: Schedule) {
    this.schedule = schedule;
  }

  static of(schedule: Schedule): TradingHours {
    const hours = bySchedule.get(schedule) ?? byText.get(JSON.stringify(schedule));
    bySchedule.set(schedule, hours);
    return hours;
  }

  /** The trading period that contains `timeMs`, or null. */
  periodAt(timeMs: number): TradingPeriod | null {
    const { isOpen, startMs, endMs } = this.spanAt(timeMs);
    if (!isOpen) return null;
    return Number.isFinite(endMs) ? { startMs, endMs } : { startMs: 0, endMs: null };
  }

  /** The next opening after `timeMs` of a product that is closed then; null when none is in sight. */
  opensAt(timeMs: number): number | null {
    const { isOpen, endMs } = this.spanAt(timeMs);
    return isOpen || !Number.isFinite(endMs) ? null : endMs;
  }

  /** When the product's last period before `timeMs` ended; null when none is in sight. */
  closedAt(timeMs: number): number | null {
    const { isOpen, startMs } = this.spanAt(timeMs);
    if (!Number.isFinite(startMs)) return null;
    const before = isOpen ? this.#find(startMs - 1) : null;
    // A period may follow another at once.
    const closedMs = before && !before.isOpen ? before.startMs : startMs;
    return Number.isFinite(closedMs) ? closedMs : null;
  }

  /** The period or the closed stretch that `timeMs` lies in. */
  spanAt(timeMs: number): TradingSpan {
    const last = this.#last;
    if (last && last.span.startMs <= timeMs && timeMs < last.span.endMs) {
      const isWhole = Number.isFinite(last.span.endMs - last.span.startMs) || last.span === ALWAYS;
      if (isWhole || Math.abs(timeMs - last.foundMs) < RECHECK_MS) return last.span;
    }
    const span = this.#find(timeMs);
    this.#last = { span, foundMs: timeMs };
    return span;
  }

  /** The periods that overlap [fromMs, toMs), earliest first, not cut to it. */
  periodsIn(fromMs: number, toMs: number): Span[] {
    if (this.schedule.windows.length === 0) return [{ startMs: fromMs, endMs: toMs }];
    const found: Span[] = [];
    // A local date starts up to 14 hours off the UTC day, and its period may run past its midnight.
    for (let day = Math.floor(fromMs / DAY_MS) - 2; day <= Math.floor(toMs / DAY_MS) + 1; day += 1)
      for (const period of this.#periods.get(day))
        if (period.startMs < toMs && period.endMs > fromMs) found.push(period);
    return found.sort((one, other) => one.startMs - other.startMs);
  }

  #find(timeMs: number): TradingSpan {
    if (this.schedule.windows.length === 0) return ALWAYS;
    let { startMs, endMs } = ALWAYS;
    for (const days of SEARCH_DAYS) {
      for (const period of this.periodsIn(timeMs - days * DAY_MS, timeMs + days * DAY_MS)) {
        if (period.startMs <= timeMs && timeMs < period.endMs) return { ...period, isOpen: true };
        if (period.endMs <= timeMs) startMs = Math.max(startMs, period.endMs);
        else endMs = Math.min(endMs, period.startMs);
      }
      if (Number.isFinite(endMs - startMs)) break;
    }
    return { startMs, endMs, isOpen: false };
  }
}
