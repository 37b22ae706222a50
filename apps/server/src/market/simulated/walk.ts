import { RecentlyUsed } from '../../platform/recently-used.ts';
import { Keystream, writeGaussians } from './keystream.ts';

export const DAY_MS = 86_400_000;
/** A walk is planned from window to window; the steps within one follow when they are asked for. */
export const WINDOW_MS = 900_000;
const WINDOWS_PER_DAY = 96;

export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);
export const windowOf = (timeMs: number): number => Math.floor(timeMs / WINDOW_MS);

const LIVE_STEP_MS = 250;
/** Steps before the installation, by how many days before it; older windows are one step, which is enough for candles of days. */
const PAST_STEPS = [
  { untilDays: 2, stepMs: 5_000 },
  { untilDays: 10, stepMs: 15_000 },
  { untilDays: 60, stepMs: 60_000 },
] as const;

/** Bounds the memory of the days' first levels, and the time that a wrong date can cost. */
const MOST_DAYS = 7_305;
const DAYS_KEPT = 3;
/** At a window's border both are in use. */
const WINDOWS_KEPT = 2;
/** Spread of the windows' paces: the standard deviation of the log of their variances. Some are calm, a few are wild. */
const PACE_SPREAD = 0.8;
/** Words of a day's stream that plan it: a rise and a pace of each window. Those of the windows' steps follow, as many for each. */
const PLAN_WORDS = 2 * WINDOWS_PER_DAY;
const WINDOW_WORDS = WINDOW_MS / LIVE_STEP_MS;

export interface SeedSource {
  /** 32 secret bytes of one UTC date `YYYY-MM-DD`. Synchronous: the caller has loaded them. */
  seedOf(date: string): Uint8Array;
}

/** The stream of random numbers of one purpose and day. */
export const streamOf = (seeds: SeedSource, day: number, purpose: string): Keystream =>
  new Keystream(seeds.seedOf(new Date(day * DAY_MS).toISOString().slice(0, 10)), purpose);

/** The variance of each of a day's 96 windows, as shares of a year's. */
export type VarianceShares = (day: number) => readonly number[];

/** One window's levels at every step from its start to its end, both included. */
export interface WindowLevels {
  readonly stepMs: number;
  readonly levels: readonly number[];
}

interface Plan {
  readonly stream: Keystream;
  /** Standard deviation of each window's walk. */
  readonly deviations: readonly number[];
  /** 97 sums: the level at each window's start and at the day's end, above the day's start. */
  readonly borders: readonly number[];
}

const drawn: number[] = [];

/**
 * One random walk of a log price over all time, readable at any instant. Its level is 0 at midnight UTC on the installation's date;
 * later days add up from there, earlier days backwards. Past steps do not predict later ones.
 */
export class Walk {
  readonly #purpose: string;
  readonly #volatility: number;
  readonly #sharesOf: VarianceShares;
  readonly #seeds: SeedSource;
  readonly #installedMs: number;
  readonly #days = new RecentlyUsed(DAYS_KEPT, (day: number) => ({
    level: this.#levelAtStartOf(day),
    ...this.#plan(day),
  }));
  readonly #windows = new RecentlyUsed(WINDOWS_KEPT, (window: number) => this.#walk(window));
  /** Levels at the starts of the days after and before the installation's, as far as computed. */
  readonly #after = [0];
  readonly #before = [0];

  /** @param id names the stream of its random numbers  @param volatility annual */
  constructor(
    { id, volatility }: { id: string; volatility: number },
    sharesOf: VarianceShares,
    { seeds, installedMs }: { seeds: SeedSource; installedMs: number },
  ) {
    this.#purpose = `walk of ${id}`;
    this.#volatility = volatility;
    this.#sharesOf = sharesOf;
    this.#seeds = seeds;
    this.#installedMs = installedMs;
  }

  /** The level at an instant, linear between steps. */
  levelAt(timeMs: number): number {
    const window = windowOf(timeMs);
    const { stepMs, levels } = this.#windows.get(window);
    const position = (timeMs - window * WINDOW_MS) / stepMs;
    const step = Math.floor(position);
    const level = levels[step] as number;
    return position === step ? level : level + (position - step) * ((levels[step + 1] as number) - level);
  }

  /** The levels of a window by its number since 1970. */
  windowAt(window: number): WindowLevels {
    return this.#windows.get(window);
  }

  /** A Brownian bridge between the window's two ends. */
  #walk(window: number): WindowLevels {
    const day = Math.floor(window / WINDOWS_PER_DAY);
    const place = window - day * WINDOWS_PER_DAY;
    const { stream, deviations, borders, level } = this.#days.get(day);
    const stepMs = this.#stepOf(window);
    const steps = WINDOW_MS / stepMs;
    const [start, end] = [level + (borders[place] as number), level + (borders[place + 1] as number)];
    if (steps === 1) return { stepMs, levels: [start, end] };
    const levels: number[] = [];
    writeGaussians(stream.words(PLAN_WORDS + place * WINDOW_WORDS, Math.ceil(steps / 4) * 4), steps, levels);
    const deviation = (deviations[place] as number) / Math.sqrt(steps);
    let walked = 0;
    for (let step = 0; step < steps; step += 1) {
      const move = deviation * (levels[step] as number);
      levels[step] = start + walked;
      walked += move;
    }
    const excess = walked - (end - start);
    for (let step = 1; step < steps; step += 1)
      levels[step] = (levels[step] as number) - (excess * step) / steps;
    levels[steps] = end;
    return { stepMs, levels };
  }

  #stepOf(window: number): number {
    if (window >= windowOf(this.#installedMs)) return LIVE_STEP_MS;
    const daysBefore = dayOf(this.#installedMs) - Math.floor(window / WINDOWS_PER_DAY);
    return PAST_STEPS.find(({ untilDays }) => daysBefore <= untilDays)?.stepMs ?? WINDOW_MS;
  }

  /** The level at a day's first instant. Sums up from the farthest known day, once. */
  #levelAtStartOf(day: number): number {
    const installedDay = dayOf(this.#installedMs);
    const away = Math.abs(day - installedDay);
    if (!(away <= MOST_DAYS)) throw new RangeError(`no prices as far away as day ${day}`);
    const isLater = day >= installedDay;
    const known = isLater ? this.#after : this.#before;
    while (known.length <= away) {
      const passed = installedDay + (isLater ? known.length - 1 : -known.length);
      const rise = this.#plan(passed).borders[WINDOWS_PER_DAY] as number;
      known.push((known.at(-1) as number) + (isLater ? rise : -rise));
    }
    return known[away] as number;
  }

  #plan(day: number): Plan {
    const stream = streamOf(this.#seeds, day, this.#purpose);
    writeGaussians(stream.words(0, PLAN_WORDS), PLAN_WORDS, drawn);
    const deviations: number[] = [];
    const borders = [0];
    for (const [window, share] of this.#sharesOf(day).entries()) {
      // The mean of the paces is 1.
      const pace = Math.exp(PACE_SPREAD * (drawn[WINDOWS_PER_DAY + window] as number) - PACE_SPREAD ** 2 / 2);
      const deviation = this.#volatility * Math.sqrt(share * pace);
      deviations[window] = deviation;
      borders[window + 1] = (borders[window] as number) + deviation * (drawn[window] as number);
    }
    return { stream, deviations, borders };
  }
}
