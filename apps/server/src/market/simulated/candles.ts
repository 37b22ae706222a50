import type { Points } from '@fairtick/money';
import { type DayStart, tradingDayAt } from '@fairtick/trading';
import { VOLUME_SPAN_MS } from '../candles/candle-batch.ts';
import type { Span } from '../trading-hours.ts';
import { type PricedProduct, toPoints } from './priced-product.ts';
import { WINDOW_MS, windowOf } from './walk.ts';

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

/** The length of candles in ms, or the wall clock at which candles of trading days begin. */
export type CandleStep = number | DayStart;

/** A candle in logs, which are rounded at its end: rounding keeps order. */
interface LogCandle extends Span {
  readonly open: number;
  high: number;
  low: number;
  close: number;
  ticks: number;
}

/**
 * The candles of [fromMs, toMs) in which the product traded. Each is made of all of the walks' steps from its start to before its
 * end, so candles merge into exactly the candles of a longer step. A candle shorter than the walks' step at its time is left out
 * where no step falls into it.
 * @param fromMs moved back to the start of a candle  @param toMs where the last candle is cut off
 */
export function candlesOf(
  priced: PricedProduct,
  { fromMs, toMs, step }: { fromMs: number; toMs: number; step: CandleStep },
): ModelCandle[] {
  const candles: LogCandle[] = [];
  const spanAt = spansOf(step);
  for (let atMs = spanAt(fromMs).startMs; fromMs < toMs && atMs < toMs; ) {
    const { isOpen, endMs } = priced.hours.spanAt(atMs);
    const windowMs = windowOf(atMs) * WINDOW_MS;
    const untilMs = Math.min(endMs, toMs, isOpen ? windowMs + WINDOW_MS : endMs);
    if (isOpen) {
      const { stepMs, levels } = priced.logsOf(windowOf(atMs));
      const first = Math.ceil((atMs - windowMs) / stepMs);
      for (let place = first; windowMs + place * stepMs < untilMs; place += 1)
        add(candles, { atMs: windowMs + place * stepMs, stepMs, log: levels[place] as number }, spanAt);
    }
    atMs = untilMs;
  }
  return candles.map(({ startMs, open, high, low, close, ticks }) => ({
    time: startMs,
    open: toPoints(open),
    high: toPoints(high),
    low: toPoints(low),
    close: toPoints(close),
    ticks,
  }));
}

function add(
  candles: LogCandle[],
  { atMs, stepMs, log }: { atMs: number; stepMs: number; log: number },
  spanAt: (timeMs: number) => Span,
): void {
  let candle = candles.at(-1);
  if (!candle || atMs >= candle.endMs) {
    candle = { ...spanAt(atMs), open: log, high: log, low: log, close: log, ticks: 0 };
    candles.push(candle);
  }
  if (log > candle.high) candle.high = log;
  if (log < candle.low) candle.low = log;
  candle.close = log;
  candle.ticks += Math.ceil((atMs + stepMs) / VOLUME_SPAN_MS) - Math.ceil(atMs / VOLUME_SPAN_MS);
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
