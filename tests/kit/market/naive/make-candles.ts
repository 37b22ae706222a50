/** Candles from the prices of a replay, and nothing else. A price counts where its quarter of a second lies. */
import type { PriceHistory } from './price-history.ts';

export const PERIODS = ['1m', '5m', '30m', '1d', '1w', '1M'] as const;
export type NaivePeriod = (typeof PERIODS)[number];

export interface NaiveCandle {
  readonly timeMs: number;
  readonly open: bigint;
  high: bigint;
  low: bigint;
  close: bigint;
  volume: bigint;
  turnover: bigint;
}

/** The last price planned up to each quarter in which a quote fell, and what was said again at `dueTimes`. */
export function ticksOf(
  history: PriceHistory,
  dueTimes: readonly number[],
): { timeMs: number; price: bigint }[] {
  const byQuarter = new Map<number, bigint>();
  for (const { quarterMs, price } of history.prices) byQuarter.set(quarterMs, price);
  for (const { timeMs, price } of history.saidAgain(dueTimes)) byQuarter.set(timeMs, price);
  return [...byQuarter].map(([timeMs, price]) => ({ timeMs, price })).sort((a, b) => a.timeMs - b.timeMs);
}

export function candlesOf(
  ticks: readonly { readonly timeMs: number; readonly price: bigint }[],
  period: NaivePeriod,
): NaiveCandle[] {
  const candles = new Map<number, NaiveCandle>();
  for (const { timeMs, price } of ticks) {
    const start = startOf(period, timeMs);
    const candle = candles.get(start);
    if (!candle) {
      const all = { open: price, high: price, low: price, close: price };
      candles.set(start, { timeMs: start, ...all, volume: 1n, turnover: price });
      continue;
    }
    if (price > candle.high) candle.high = price;
    if (price < candle.low) candle.low = price;
    candle.close = price;
    candle.volume += 1n;
    candle.turnover += price;
  }
  return [...candles.values()];
}

const MINUTES = { '1m': 1, '5m': 5, '30m': 30, '1d': 1440 } as const;

/** Weeks begin on Monday, months on their first, all at midnight UTC. */
function startOf(period: NaivePeriod, timeMs: number): number {
  if (period === '1w' || period === '1M') {
    const date = new Date(timeMs);
    const day = period === '1M' ? 1 : date.getUTCDate() - ((date.getUTCDay() + 6) % 7);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
  }
  const lengthMs = MINUTES[period] * 60_000;
  return Math.floor(timeMs / lengthMs) * lengthMs;
}
