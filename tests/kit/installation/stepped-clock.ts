import type { ClockSample, LogClock, LogTime } from '../../../apps/server/src/market-data/log/log-clock.ts';

/**
 * A log clock that stands where it is put: the offset that the writer keeps in the log's head makes up the difference to
 * the database's clock, so that everybody who asks for the log's time gets the stepped one (which then runs on until the
 * next step, as a clock does).
 */
export class SteppedClock implements LogClock {
  #targetMs: number;

  constructor(startMs: number) {
    this.#targetMs = startMs;
  }

  get targetMs(): number {
    return this.#targetMs;
  }

  stepTo(timeMs: number): void {
    if (timeMs < this.#targetMs) throw new Error('the log never goes back in time');
    this.#targetMs = timeMs;
  }

  read(sample: ClockSample, floorMs: number): LogTime {
    const timeMs = Math.max(this.#targetMs, floorMs);
    return { timeMs, offsetMs: timeMs - Math.floor(sample.databaseMs), hasStepped: false };
  }

  msUntil(): number {
    return 0;
  }
}
