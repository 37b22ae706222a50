import type { Candle } from '@fairtick/protocol';

interface Past {
  /** The venue whose own history it is, as it is written. */
  readonly venue: string;
  /** The index of the log's first candle; the number of candles if there is none yet. */
  readonly begins: number;
}

/** Null where all candles are the log's. */
export function pastOf(candles: readonly Candle[]): Past | null {
  const source = candles[0]?.source;
  if (source === undefined) return null;
  const begins = candles.findIndex((candle) => candle.source === undefined);
  return {
    venue: source.charAt(0).toUpperCase() + source.slice(1),
    begins: begins < 0 ? candles.length : begins,
  };
}
