import type { Points } from '@fairtick/money';
import { type DayStart, tradingDayAt } from '@fairtick/trading';
import { VOLUME_SPAN_MS } from '../candles/candle-batch.ts';
import type { FactorDay } from './factor.ts';
import { type Loading, type PricedProduct, toPoints } from './priced-product.ts';
import { DAY_MS, LIVE_STEP_MS, type Timeline, WINDOW_MS, WINDOWS_PER_DAY, windowOf } from './timeline.ts';
import type { Span } from './trading-hours.ts';

export interface ModelCandle {
  /** Start, in Unix ms. */
  readonly time: number;
  readonly open: Points;
  readonly high: Points;
  readonly low: Points;
  readonly close: Points;
  /** Counts the spans of {@link VOLUME_SPAN_MS} that begin in the candle: the log has one counted tick in each. */
  readonly ticks: number;
}

const WEEK_MS = 7 * DAY_MS;

const path = new Float64Array(WINDOW_MS / LIVE_STEP_MS + 1);
const logs = new Float64Array(WINDOW_MS / LIVE_STEP_MS + 1);

/** The length of candles in ms, or the wall clock at which candles of trading days begin. */
export type CandleStep = number | DayStart;

/**
 * The candles of [fromMs, toMs) in which the product traded. Each is made of all of the walk's steps from its start to before its
 * end, so candles merge into exactly the candles of a longer step. A candle shorter than the walk's step at its time is left out
 * where no step falls into it.
 * @param fromMs moved back to the start of a candle  @param toMs where the last candle is cut off
 */
export function candlesOf(
  priced: PricedProduct,
  timeline: Timeline,
  fromMs: number,
  toMs: number,
  step: CandleStep,
): ModelCandle[] {
  const spanAt = spansOf(step);
  const { startMs } = spanAt(fromMs);
  if (!(fromMs < toMs)) return [];
  const builder = new CandleBuilder(spanAt);
  const walks = new Walks(priced, timeline);
  // One week at a time, so that the list of periods stays short.
  for (let weekFrom = startMs; weekFrom < toMs; weekFrom += WEEK_MS) {
    const weekTo = Math.min(weekFrom + WEEK_MS, toMs);
    for (const period of priced.hours.periodsIn(weekFrom, weekTo)) {
      const endMs = Math.min(period.endMs, weekTo);
      let atMs = Math.max(period.startMs, weekFrom);
      while (atMs < endMs) {
        const window = windowOf(atMs);
        const windowMs = window * WINDOW_MS;
        const untilMs = Math.min(endMs, windowMs + WINDOW_MS);
        const gridMs = walks.writeLogs(window);
        builder.add(windowMs, gridMs, atMs, untilMs);
        atMs = untilMs;
      }
    }
  }
  return builder.finish();
}

/** Finds the span of the candle that contains a time. */
function spansOf(step: CandleStep): (timeMs: number) => Span {
  if (typeof step !== 'number') return (timeMs) => tradingDayAt(step, timeMs);
  if (!Number.isInteger(step) || step < 1000) throw new RangeError(`no candles of ${step} ms`);
  return (timeMs) => {
    const startMs = Math.floor(timeMs / step) * step;
    return { startMs, endMs: startMs + step };
  };
}

interface Walk extends Loading {
  readonly factorDay: FactorDay;
  readonly words: Uint32Array | null;
}

/** Walks a product's factors window by window. */
class Walks {
  readonly #priced: PricedProduct;
  readonly #timeline: Timeline;
  #day = Number.NaN;
  #walks: Walk[] = [];
  #window = Number.NaN;
  #gridMs = 0;

  constructor(priced: PricedProduct, timeline: Timeline) {
    this.#priced = priced;
    this.#timeline = timeline;
  }

  /**
   * Writes the log prices at a window's steps to `logs`, summed in the same order as for a single price.
   * @returns the step, in ms
   */
  writeLogs(window: number): number {
    if (window === this.#window) return this.#gridMs;
    const day = Math.floor(window / WINDOWS_PER_DAY);
    if (day !== this.#day) this.#begin(day);
    const gridMs = this.#timeline.stepOf(window);
    const steps = WINDOW_MS / gridMs;
    logs.fill(this.#priced.origin, 0, steps);
    for (const { factor, weight, factorDay, words } of this.#walks) {
      factor.writeWindow(factorDay, window - day * WINDOWS_PER_DAY, gridMs, words, path);
      for (let step = 0; step < steps; step += 1) {
        logs[step] = (logs[step] as number) + weight * (path[step] as number);
      }
    }
    this.#window = window;
    this.#gridMs = gridMs;
    return gridMs;
  }

  #begin(day: number): void {
    this.#day = day;
    this.#walks = this.#priced.loadings.map(({ factor, weight }) => ({
      factor,
      weight,
      factorDay: factor.day(day),
      words: factor.wordsOf(day),
    }));
  }
}

/** Gathers steps into candles. Works on logs and rounds at the end, which gives the same result because rounding keeps order. */
class CandleBuilder {
  readonly #spanAt: (timeMs: number) => Span;
  readonly #done: ModelCandle[] = [];
  #span: Span = { startMs: Number.NaN, endMs: Number.NaN };
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #ticks = 0;

  constructor(spanAt: (timeMs: number) => Span) {
    this.#spanAt = spanAt;
  }

  /** Adds the steps of a window's `logs` that fall into [fromMs, toMs). */
  add(windowMs: number, gridMs: number, fromMs: number, toMs: number): void {
    let step = Math.ceil((fromMs - windowMs) / gridMs);
    const end = Math.ceil((toMs - windowMs) / gridMs);
    while (step < end) {
      const atMs = windowMs + step * gridMs;
      if (!(atMs < this.#span.endMs)) this.#begin(this.#spanAt(atMs), logs[step] as number);
      const until = Math.min(end, Math.ceil((this.#span.endMs - windowMs) / gridMs));
      this.#ticks += spansIn(atMs, windowMs + until * gridMs);
      let high = this.#high;
      let low = this.#low;
      for (; step < until; step += 1) {
        const log = logs[step] as number;
        if (log > high) high = log;
        else if (log < low) low = log;
      }
      this.#high = high;
      this.#low = low;
      this.#close = logs[until - 1] as number;
    }
  }

  finish(): ModelCandle[] {
    this.#end();
    return this.#done;
  }

  #begin(span: Span, log: number): void {
    this.#end();
    this.#span = span;
    this.#open = log;
    this.#high = log;
    this.#low = log;
    this.#ticks = 0;
  }

  #end(): void {
    if (Number.isNaN(this.#span.startMs)) return;
    this.#done.push({
      time: this.#span.startMs,
      open: toPoints(this.#open),
      high: toPoints(this.#high),
      low: toPoints(this.#low),
      close: toPoints(this.#close),
      ticks: this.#ticks,
    });
  }
}

/** Spans that begin in [fromMs, toMs). */
const spansIn = (fromMs: number, toMs: number): number =>
  Math.ceil(toMs / VOLUME_SPAN_MS) - Math.ceil(fromMs / VOLUME_SPAN_MS);
