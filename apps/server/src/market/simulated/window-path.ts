import { BURST_MS, type DayPlan } from './day-plan.ts';
import { writeGaussians } from './keystream.ts';
import { LIVE_STEP_MS, WINDOW_MS } from './timeline.ts';

const MINUTES = WINDOW_MS / 60_000;
/** Words for the paces of the 15 minutes, in whole AES blocks. */
const PACE_WORDS = 16;
/** Spread of the minutes' paces: the standard deviation of the log of their variances. */
const PACE_SPREAD = 0.7;

/** Number of words of the stream that a window's walk takes, in whole AES blocks; 0 for a single step. */
export function wordsOfWindow(stepMs: number): number {
  if (stepMs === WINDOW_MS) return 0;
  return PACE_WORDS + Math.ceil(WINDOW_MS / stepMs / 4) * 4;
}

const paces = new Float64Array(PACE_WORDS);
/** Standard deviation of each step. */
const deviations = new Float64Array(WINDOW_MS / LIVE_STEP_MS);

/**
 * Writes a window's path to the start of `out`: the log level above the window's start, at every step from the start to the end,
 * both included. Between the ends that the day's plan fixes it is a Brownian bridge, on a clock whose pace differs from minute to
 * minute. The planned rise is drawn from the variance of that same walk, so the whole is a plain random walk, and past steps do
 * not predict later ones.
 * @returns the number of steps; `out` holds one more than that
 */
export function writePath(
  plan: DayPlan,
  windowOfDay: number,
  stepMs: number,
  words: Uint32Array,
  from: number,
  out: Float64Array,
): number {
  const steps = WINDOW_MS / stepMs;
  const rise = plan.rise[windowOfDay] as number;
  if (steps === 1) {
    out[0] = 0;
    out[1] = rise;
    return steps;
  }
  writeDeviations(plan, windowOfDay, stepMs, words, from);
  writeGaussians(words, from + PACE_WORDS, steps, out);
  let walked = 0;
  let variance = 0;
  for (let index = 0; index < steps; index += 1) {
    const deviation = deviations[index] as number;
    const step = deviation * (out[index] as number);
    out[index] = walked;
    walked += step;
    variance += deviation * deviation;
  }
  // Subtracting the walk's excess over the planned rise in proportion to the clock makes it a bridge.
  const correction = variance > 0 ? (rise - walked) / variance : 0;
  let clock = 0;
  for (let index = 0; index < steps; index += 1) {
    const deviation = deviations[index] as number;
    out[index] = (out[index] as number) + correction * clock;
    clock += deviation * deviation;
  }
  out[steps] = rise;
  return steps;
}

function writeDeviations(
  plan: DayPlan,
  windowOfDay: number,
  stepMs: number,
  words: Uint32Array,
  from: number,
): void {
  const sigma = plan.sigma[windowOfDay] as number;
  const burst = plan.burst[windowOfDay] as number;
  const steps = WINDOW_MS / stepMs;
  // Steps of a minute or more are too long for paces per minute.
  const stretches = stepMs < 60_000 ? MINUTES : 1;
  const perStretch = steps / stretches;
  writePaces(words, from, stretches);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const deviation = sigma * Math.sqrt((paces[stretch] as number) / perStretch);
    deviations.fill(deviation, stretch * perStretch, (stretch + 1) * perStretch);
  }
  if (burst === 0) return;
  const burstAt = plan.burstAt[windowOfDay] as number;
  const burstEnd = burstAt + BURST_MS;
  for (let step = Math.floor(burstAt / stepMs); step * stepMs < burstEnd; step += 1) {
    const overlapMs = Math.min(burstEnd, (step + 1) * stepMs) - Math.max(burstAt, step * stepMs);
    deviations[step] = Math.hypot(deviations[step] as number, burst * Math.sqrt(overlapMs / BURST_MS));
  }
}

/** The share of the window's variance of each stretch; they add up to 1. */
function writePaces(words: Uint32Array, from: number, stretches: number): void {
  if (stretches === 1) {
    paces[0] = 1;
    return;
  }
  writeGaussians(words, from, stretches, paces);
  let total = 0;
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const pace = Math.exp(PACE_SPREAD * (paces[stretch] as number));
    paces[stretch] = pace;
    total += pace;
  }
  for (let stretch = 0; stretch < stretches; stretch += 1)
    paces[stretch] = (paces[stretch] as number) / total;
}
