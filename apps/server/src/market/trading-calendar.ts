import {
  lastClosing,
  nextOpening,
  type Schedule,
  type TradingPeriod,
  tradingPeriodAt,
} from '@fairtick/trading';

interface Known {
  /** The answer holds for times in [from, until). */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly period: TradingPeriod | null;
  readonly opensMs: number | null;
  readonly closedMs: number | null;
}

/** How long the answer for a closed product is cached when no opening is in sight. */
const RECHECK_MS = 3_600_000;

/**
 * Trading periods by time, with the last answer of each schedule cached: computing one takes wall-clock arithmetic, and the writer asks
 * for every product four times a second.
 */
export class TradingCalendar {
  readonly #known = new Map<string, Known>();
  readonly #keys = new WeakMap<Schedule, string>();

  /** The trading period that contains `timeMs`, or null. */
  tradingPeriodAt(schedule: Schedule, timeMs: number): TradingPeriod | null {
    return this.#lookUp(schedule, timeMs).period;
  }

  /** The next opening at or after `timeMs` of a product that is closed at `timeMs`; null when none is in sight. */
  opensAt(schedule: Schedule, timeMs: number): number | null {
    return this.#lookUp(schedule, timeMs).opensMs;
  }

  /** When the product's last period before `timeMs` ended; null when it never closes. */
  closedAt(schedule: Schedule, timeMs: number): number | null {
    return this.#lookUp(schedule, timeMs).closedMs;
  }

  #lookUp(schedule: Schedule, timeMs: number): Known {
    let key = this.#keys.get(schedule);
    if (key === undefined) {
      key = JSON.stringify(schedule);
      this.#keys.set(schedule, key);
    }
    const known = this.#known.get(key);
    if (known && known.fromMs <= timeMs && timeMs < known.untilMs) return known;
    const fresh = lookUp(schedule, timeMs);
    this.#known.set(key, fresh);
    return fresh;
  }
}

function lookUp(schedule: Schedule, timeMs: number): Known {
  const period = tradingPeriodAt(schedule, timeMs);
  const closedMs = lastClosing(schedule, timeMs);
  if (period) {
    return {
      fromMs: period.startMs,
      untilMs: period.endMs ?? Number.MAX_SAFE_INTEGER,
      period,
      opensMs: null,
      closedMs,
    };
  }
  const opensMs = nextOpening(schedule, timeMs);
  return { fromMs: timeMs, untilMs: opensMs ?? timeMs + RECHECK_MS, period: null, opensMs, closedMs };
}
