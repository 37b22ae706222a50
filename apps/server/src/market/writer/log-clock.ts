/**
 * The log's time, from two clocks: the database's, which all processes can read, and this process's monotonic one, which can't be
 * set. The offset cancels a step of the database's clock at once; the clock then makes it up slowly.
 */

/** One reading of both clocks, in ms. The database reads its clock between the two readings of our own. */
export interface ClockSample {
  readonly databaseMs: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface LogTime {
  readonly timeMs: number;
  readonly offsetMs: number;
  /** The database's clock was set since the last sample. */
  readonly hasStepped: boolean;
}

export interface LogClock {
  /** The log's time at a sample, never below `floorMs`. */
  read(sample: ClockSample, floorMs: number): LogTime;
  /** Time until the log's clock shows `timeMs`, ms; 0 when it is past or unknown. */
  msUntil(timeMs: number, nowMs: number): number;
  /** The log's time; null before the first sample. */
  at(nowMs: number): number | null;
}

/** A difference between the clocks above this is a step, not drift. */
const STEP_MS = 1_000;
/** The share of the elapsed time by which the offset may shrink. */
const MAKE_UP = 0.1;

export class RunningClock implements LogClock {
  #offsetMs: number;
  #last: ClockSample | null = null;

  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs;
  }

  read(sample: ClockSample, floorMs: number): LogTime {
    const step = this.#last === null ? this.#stepWhileAway(sample, floorMs) : stepBetween(this.#last, sample);
    if (step !== 0) {
      this.#offsetMs -= step;
    } else if (this.#last !== null) {
      const most = Math.floor((sample.receivedMs - this.#last.receivedMs) * MAKE_UP);
      const change = Math.min(Math.abs(this.#offsetMs), Math.max(0, most));
      this.#offsetMs -= Math.sign(this.#offsetMs) * change;
    }
    this.#last = sample;
    const timeMs = Math.max(Math.floor(sample.databaseMs) + this.#offsetMs, floorMs);
    return { timeMs, offsetMs: this.#offsetMs, hasStepped: step !== 0 };
  }

  msUntil(timeMs: number, nowMs: number): number {
    return Math.max(0, timeMs - (this.at(nowMs) ?? timeMs));
  }

  at(nowMs: number): number | null {
    return this.#last && this.#last.databaseMs + this.#offsetMs + nowMs - this.#last.receivedMs;
  }

  /**
   * At the first sample no earlier one exists to compare with. A database clock set back would hold the log's time still, so a
   * large lag behind the floor counts as a step.
   */
  #stepWhileAway(sample: ClockSample, floorMs: number): number {
    const behind = floorMs - (Math.floor(sample.databaseMs) + this.#offsetMs);
    return behind > STEP_MS ? -behind : 0;
  }
}

/** How far the database's clock was set between two samples, whole ms; 0 when the clocks agree within {@link STEP_MS}. */
function stepBetween(before: ClockSample, after: ClockSample): number {
  const database = after.databaseMs - before.databaseMs;
  // The exact moment of the database's reading within each exchange is unknown: only a difference that no moment explains is a
  // step.
  const least = after.sentMs - before.receivedMs;
  const most = after.receivedMs - before.sentMs;
  if (database > most + STEP_MS) return Math.round(database - most);
  if (database < least - STEP_MS) return Math.round(database - least);
  return 0;
}
