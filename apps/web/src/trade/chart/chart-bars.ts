import type { Candle } from '@fairtick/protocol';
import type { AutoscaleInfo, CandlestickData, LineData, UTCTimestamp } from 'lightweight-charts';
import { formatPrice } from '../../state/format.ts';

/** Shares of the height above the prices, and below them, where the volume is. */
export const PRICE_MARGINS = { top: 0.08, bottom: 0.2 };

export const seconds = (ms: number): UTCTimestamp => (ms / 1000) as UTCTimestamp;

/** How a scale and a legend write prices with this many decimals. */
export function priceFormatOf(decimals: number) {
  return {
    type: 'custom',
    minMove: 10 ** -decimals,
    formatter: (price: number) => formatPrice(price.toFixed(decimals)),
  } as const;
}

export function bar(candle: Candle): CandlestickData<UTCTimestamp> {
  return {
    time: seconds(candle.time),
    open: Number(candle.open),
    high: Number(candle.high),
    low: Number(candle.low),
    close: Number(candle.close),
  };
}

export function closing(candle: Candle): LineData<UTCTimestamp> {
  return { time: seconds(candle.time), value: Number(candle.close) };
}

/** Share of the volume's height that the lowest bar takes. */
const LEAST_VOLUME = 0.2;

/**
 * The scale of the volume's bars. Most minutes have about the same number of prices, so bars from zero would be a band of one height:
 * the scale begins below the lowest bar. Equal bars have half the height. The table has the numbers. Null: nothing to scale.
 */
export function volumeScale(volumes: readonly number[]): AutoscaleInfo | null {
  if (volumes.length === 0) return null;
  const maxValue = Math.max(...volumes);
  const minValue = Math.min(...volumes);
  if (minValue === maxValue) return { priceRange: { minValue: 0, maxValue: maxValue * 2 || 1 } };
  const from = minValue - ((maxValue - minValue) * LEAST_VOLUME) / (1 - LEAST_VOLUME);
  return { priceRange: { minValue: Math.max(0, from), maxValue } };
}
