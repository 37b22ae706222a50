import type { Candle } from '@fairtick/protocol';
import type { CandlestickData, LineData, UTCTimestamp } from 'lightweight-charts';
import { formatPrice } from '../../../state/format.ts';

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

/** The price may rise by this factor before its label needs more room than is kept. */
const AXIS_HEADROOM = 1.1;

/** The widest label that a price axis needs for values about this one. */
export const widestLabel = (value: number, format: (value: number) => string): string =>
  format(value * AXIS_HEADROOM).replace(/\d/g, '0');

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
