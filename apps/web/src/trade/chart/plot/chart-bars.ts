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
