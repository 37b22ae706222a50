import type { Candle } from '@fairtick/protocol';

/**
 * Merges two readings of a product's candles, oldest first. Of two readings of one candle the later counts. It is the one with the
 * higher volume, because each tick adds one to it; with the same volume, it is the one of `news`.
 */
export function mergeCandles(known: readonly Candle[], news: readonly Candle[]): readonly Candle[] {
  const candles = new Map(known.map((candle) => [candle.time, candle]));
  for (const candle of news) {
    const other = candles.get(candle.time);
    if (!other || Number(candle.volume) >= Number(other.volume)) candles.set(candle.time, candle);
  }
  return [...candles.values()].sort((a, b) => a.time - b.time);
}
