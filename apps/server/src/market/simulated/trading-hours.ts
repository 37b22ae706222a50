import { periodsOn, type Schedule } from '@fairtick/trading';
import { Temporal } from 'temporal-polyfill';
import { RecentlyUsed } from './recently-used.ts';
import { DAY_MS, dayOf } from './timeline.ts';

/** A stretch of time, `endMs` excluded. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface TradingSpan extends Span {
  readonly open: boolean;
}

/** A little more than two years of dates, so that a product's history evaluates the zone's rules only once. */
const DATES_KEPT = 1024;
/** How many days before and after an opening is searched; nearly always the first radius is enough. */
const SEARCH_DAYS = [3, 16] as const;

/**
 * A schedule with its periods computed and cached. Gives the same answers as `tradingPeriodAt`; the model needs all periods of a span
 * in order, two years of them at once.
 */
export class TradingHours {
  readonly schedule: Schedule;
  readonly #periods = new RecentlyUsed(DATES_KEPT, (day: number): Span[] =>
    periodsOn(this.schedule, new Temporal.PlainDate(1970, 1, 1).add({ days: day })),
  );
  #span: TradingSpan;

  constructor(schedule: Schedule) {
    this.schedule = schedule;
    const always = schedule.windows.length === 0;
    this.#span = always
      ? { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY, open: true }
      : { startMs: 0, endMs: 0, open: false };
  }

  /** The period or the closed stretch that `timeMs` lies in. */
  spanAt(timeMs: number): TradingSpan {
    const span = this.#span;
    if (span.startMs <= timeMs && timeMs < span.endMs) return span;
    this.#span = this.#findSpan(timeMs);
    return this.#span;
  }

  /** The periods that overlap [fromMs, toMs), earliest first, not cut to it. */
  periodsIn(fromMs: number, toMs: number): Span[] {
    if (this.schedule.windows.length === 0) return [{ startMs: fromMs, endMs: toMs }];
    const found: Span[] = [];
    // A local date starts up to 14 hours off the UTC day, and its period may run past its midnight.
    for (let day = dayOf(fromMs) - 2; day <= dayOf(toMs) + 1; day += 1) {
      for (const period of this.#periods.get(day)) {
        if (period.startMs < toMs && period.endMs > fromMs) found.push(period);
      }
    }
    return found.sort((one, other) => one.startMs - other.startMs);
  }

  #findSpan(timeMs: number): TradingSpan {
    let startMs = Number.NEGATIVE_INFINITY;
    let endMs = Number.POSITIVE_INFINITY;
    for (const days of SEARCH_DAYS) {
      for (const period of this.periodsIn(timeMs - days * DAY_MS, timeMs + days * DAY_MS)) {
        if (period.startMs <= timeMs && timeMs < period.endMs) return { ...period, open: true };
        if (period.endMs <= timeMs) startMs = Math.max(startMs, period.endMs);
        else endMs = Math.min(endMs, period.startMs);
      }
      if (Number.isFinite(startMs) && Number.isFinite(endMs)) break;
    }
    return {
      startMs: Number.isFinite(startMs) ? startMs : timeMs,
      endMs: Number.isFinite(endMs) ? endMs : timeMs + 1,
      open: false,
    };
  }
}
