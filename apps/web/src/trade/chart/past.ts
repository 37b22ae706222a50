import type { Candle } from '@fairtick/protocol';

interface Past {
  /** The name of the venue that recorded these candles. */
  readonly venue: string;
  /** The index of the log's first candle; the number of candles if there is none yet. */
  readonly begins: number;
}

/** The part of the candles that a venue recorded before the log began; null if all are the log's. */
export function pastOf(candles: readonly Candle[]): Past | null {
  const source = candles[0]?.source;
  if (source === undefined) return null;
  const begins = candles.findIndex((candle) => candle.source === undefined);
  return {
    venue: source.charAt(0).toUpperCase() + source.slice(1),
    begins: begins < 0 ? candles.length : begins,
  };
}
