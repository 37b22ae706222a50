import { type Keystream, uniform, writeGaussians } from './keystream.ts';
import { WINDOW_MS, WINDOWS_PER_DAY } from './timeline.ts';
import type { VarianceShares } from './variance-shares.ts';

/** One factor's day: how much each of its 96 windows adds to the log level. All but `burstAt` in log units. */
export interface DayPlan {
  /** Standard deviation of a window's walk without its burst. */
  readonly sigma: Float64Array;
  /** Standard deviation that a burst adds to the walk, mostly 0; and the start of the burst, in ms. */
  readonly burst: Float64Array;
  readonly burstAt: Float64Array;
  /** Level at the window's end above its start: drawn from walk and burst together. */
  readonly rise: Float64Array;
  /** 97 sums: the level at each window's start and at the day's end, above the day's start. */
  readonly sum: Float64Array;
}

/**
 * A burst is the model's jump: ten seconds in which the price moves as after news. It has no direction of its own. A jump spread
 * along a ramp would look the same on a chart, but its first second would show a trader the direction of the other nine.
 */
export const BURST_MS = 10_000;

/** Words of the stream that plan a day; the words of the windows' walks follow them. */
export const PLAN_WORDS = 352;
const REGIMES_FROM = 96;
const BURSTS_FROM = 144;

/** Variance multipliers of a calm, a normal and a wild market, and how often each is drawn. */
const REGIMES = [
  { often: 0.4, variance: 0.45 },
  { often: 0.45, variance: 1 },
  { often: 0.15, variance: 2.6 },
] as const;
const MEAN_REGIME = REGIMES.reduce((sum, { often, variance }) => sum + often * variance, 0);

const BURST_CHANCE = 0.0025;
/** Size of a burst in standard deviations of the window at its normal pace, uniform between the two. */
const BURST_LEAST = 2.5;
const BURST_MOST = 6;
const BURST_VARIANCE = (BURST_LEAST ** 2 + BURST_LEAST * BURST_MOST + BURST_MOST ** 2) / 3;
/** Scales a window's pace so that walks and bursts together have the variance that the shares give. */
const PACE_SCALE = 1 / Math.sqrt(1 + BURST_CHANCE * BURST_VARIANCE);

export function emptyDayPlan(): DayPlan {
  return {
    sigma: new Float64Array(WINDOWS_PER_DAY),
    rise: new Float64Array(WINDOWS_PER_DAY),
    burst: new Float64Array(WINDOWS_PER_DAY),
    burstAt: new Float64Array(WINDOWS_PER_DAY),
    sum: new Float64Array(WINDOWS_PER_DAY + 1),
  };
}

const gaussians = new Float64Array(WINDOWS_PER_DAY);

/**
 * Draws the plan of a day from the first words of its stream; overwrites `plan`.
 * @param volatility annual, of the factor
 */
export function planDay(
  plan: DayPlan,
  stream: Keystream,
  day: number,
  volatility: number,
  sharesOf: VarianceShares,
): void {
  const words = stream.words(0, PLAN_WORDS);
  const { sigma, rise, burst, burstAt, sum } = plan;
  burst.fill(0);
  sharesOf(day, sigma);
  writeGaussians(words, 0, WINDOWS_PER_DAY, gaussians);
  let regimeEnd = 0;
  let regime = 1;
  let drawn = REGIMES_FROM;
  let level = 0;
  for (let window = 0; window < WINDOWS_PER_DAY; window += 1) {
    if (window === regimeEnd) {
      regime = drawRegime(uniform(words[drawn] as number)) / MEAN_REGIME;
      // One to three hours.
      regimeEnd = window + 4 + Math.floor(uniform(words[drawn + 1] as number) * 9);
      drawn += 2;
    }
    const pace = volatility * PACE_SCALE * Math.sqrt(sigma[window] as number);
    const chance = uniform(words[BURSTS_FROM + 2 * window] as number);
    if (chance < BURST_CHANCE) {
      burst[window] = pace * (BURST_LEAST + (BURST_MOST - BURST_LEAST) * (chance / BURST_CHANCE));
      burstAt[window] = uniform(words[BURSTS_FROM + 2 * window + 1] as number) * (WINDOW_MS - BURST_MS);
    }
    sigma[window] = pace * Math.sqrt(regime);
    const deviation = Math.hypot(sigma[window] as number, burst[window] as number);
    rise[window] = deviation * (gaussians[window] as number);
    level += rise[window] as number;
    sum[window + 1] = level;
  }
}

function drawRegime(drawn: number): number {
  let rest = drawn;
  for (const { often, variance } of REGIMES) {
    if (rest < often) return variance;
    rest -= often;
  }
  return 1;
}
