import { type DayPlan, emptyDayPlan, PLAN_WORDS, planDay } from './day-plan.ts';
import { Keystream } from './keystream.ts';
import { RecentlyUsed } from './recently-used.ts';
import { dateOf, type Timeline, WINDOW_MS, WINDOWS_PER_DAY } from './timeline.ts';
import type { VarianceShares } from './variance-shares.ts';
import { wordsOfWindow, writePath } from './window-path.ts';

export interface SeedSource {
  /** 32 secret bytes of one UTC date `YYYY-MM-DD`. Synchronous: the caller has loaded them. */
  seedOf(date: string): Uint8Array;
}

/** A day of a factor, ready for its walk. */
export interface FactorDay {
  readonly plan: DayPlan;
  /** Level at the day's first instant. */
  readonly level: number;
  readonly stream: Keystream;
  /** Words from one window's start in the stream to the next's; a window may leave some unused. */
  readonly stride: number;
}

/** A cached path of a window: levels at every step from start to end, both included. */
interface KeptPath {
  readonly window: number;
  readonly stepMs: number;
  readonly levels: Float64Array;
}

/** Bounds the memory of the days' opening levels, and the time that a wrong date can cost. */
const MOST_DAYS = 7305;
const DAYS_KEPT = 3;

const NO_WORDS = new Uint32Array(0);
/** Scratch plan for days of which only the sum is needed. */
const passingPlan = emptyDayPlan();

/**
 * One independent random walk of log level over all time, readable at any instant. Its level is 0 at midnight UTC on the
 * installation's date; later days add up from there, earlier days backwards.
 */
export class Factor {
  readonly #id: string;
  readonly #volatility: number;
  readonly #sharesOf: VarianceShares;
  readonly #seeds: SeedSource;
  readonly #timeline: Timeline;
  readonly #days = new RecentlyUsed(DAYS_KEPT, (day: number) => this.#makeDay(day));
  /** Levels at the starts of the days after and before the installation's, as far as computed. */
  readonly #after: number[] = [0];
  readonly #before: number[] = [0];
  /** The two windows used last: at a window's border both are in use. */
  #path: KeptPath | null = null;
  #otherPath: KeptPath | null = null;

  /** @param id names the stream of its random numbers  @param volatility annual */
  constructor(
    id: string,
    volatility: number,
    sharesOf: VarianceShares,
    seeds: SeedSource,
    timeline: Timeline,
  ) {
    this.#id = id;
    this.#volatility = volatility;
    this.#sharesOf = sharesOf;
    this.#seeds = seeds;
    this.#timeline = timeline;
  }

  /** The level at an instant, linear between steps. */
  levelAt(timeMs: number): number {
    const window = Math.floor(timeMs / WINDOW_MS);
    let path = this.#path;
    if (path === null || path.window !== window) path = this.#pathOf(window);
    const position = (timeMs - window * WINDOW_MS) / path.stepMs;
    const index = Math.floor(position);
    const level = path.levels[index] as number;
    return position === index
      ? level
      : level + (position - index) * ((path.levels[index + 1] as number) - level);
  }

  /** A day by its number, for {@link writeWindow}. */
  day(day: number): FactorDay {
    return this.#days.get(day);
  }

  /** Random words for the walks of a whole day, for {@link writeWindow}; null where a day has too many of them. */
  wordsOf(day: number): Uint32Array | null {
    if (day >= this.#timeline.installedDay) return null;
    const { stream, stride } = this.day(day);
    if (stride === 0) return NO_WORDS;
    return stream.words(PLAN_WORDS, stride * WINDOWS_PER_DAY);
  }

  /**
   * Writes the levels of one of a day's 96 windows to `out`, one more than its steps.
   * @param dayWords the result of {@link wordsOf} for the day
   */
  writeWindow(
    { plan, level, stream, stride }: FactorDay,
    windowOfDay: number,
    stepMs: number,
    dayWords: Uint32Array | null,
    out: Float64Array,
  ): void {
    const from = stride * windowOfDay;
    const count = wordsOfWindow(stepMs);
    const words = dayWords ?? (count === 0 ? NO_WORDS : stream.words(PLAN_WORDS + from, count));
    const steps = writePath(plan, windowOfDay, stepMs, words, dayWords ? from : 0, out);
    const start = level + (plan.sum[windowOfDay] as number);
    for (let index = 0; index < steps; index += 1) out[index] = start + (out[index] as number);
    // Summed like the next window's start, so that both are exactly the same number.
    out[steps] = level + (plan.sum[windowOfDay + 1] as number);
  }

  /** The level at a day's first instant. Sums up from the farthest known day, once. */
  #levelAtStartOf(day: number): number {
    const offset = day - this.#timeline.installedDay;
    if (!(Math.abs(offset) <= MOST_DAYS)) throw new RangeError(`no prices as far away as day ${day}`);
    const [known, sign] = offset >= 0 ? [this.#after, 1] : [this.#before, -1];
    while (known.length <= Math.abs(offset)) {
      // Forward, a day's sum is added to the next day's start; backward, it is subtracted from the day's own end.
      const passed = this.#timeline.installedDay + (sign > 0 ? known.length - 1 : -known.length);
      planDay(passingPlan, this.#streamOf(passed), passed, this.#volatility, this.#sharesOf);
      const total = passingPlan.sum[WINDOWS_PER_DAY] as number;
      known.push((known[known.length - 1] as number) + sign * total);
    }
    return known[Math.abs(offset)] as number;
  }

  #pathOf(window: number): KeptPath {
    const other = this.#otherPath;
    this.#otherPath = this.#path;
    if (other !== null && other.window === window) {
      this.#path = other;
      return other;
    }
    const day = Math.floor(window / WINDOWS_PER_DAY);
    const stepMs = this.#timeline.stepOf(window);
    const levels = new Float64Array(WINDOW_MS / stepMs + 1);
    this.writeWindow(this.day(day), window - day * WINDOWS_PER_DAY, stepMs, null, levels);
    this.#path = { window, stepMs, levels };
    return this.#path;
  }

  #makeDay(day: number): FactorDay {
    const level = this.#levelAtStartOf(day);
    const plan = emptyDayPlan();
    const stream = this.#streamOf(day);
    planDay(plan, stream, day, this.#volatility, this.#sharesOf);
    return { plan, level, stream, stride: wordsOfWindow(this.#timeline.finestStepOf(day)) };
  }

  #streamOf(day: number): Keystream {
    return new Keystream(this.#seeds.seedOf(dateOf(day)), `walk of ${this.#id}`);
  }
}
