import type { Candle } from '@fairtick/protocol';
import { get } from '../../api/client.ts';
import { stream } from '../../api/stream.ts';
import { serverNow } from '../../live/clock.ts';
import { followProduct, market } from '../../live/market.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { secondsOf } from './seconds.ts';

export interface CandleSource {
  /** Candles as the server names them, oldest first; without `before` the newest. */
  load(part: { before?: number; limit: number; isSilent: boolean }): Promise<readonly Candle[]>;
  follow(take: (candle: Candle) => void): () => void;
}

export const sourceOf = (symbol: string, period: ChartPeriod): CandleSource =>
  period === '1s' ? secondsSource(symbol) : candlesSource(symbol, period);

const candlesSource = (symbol: string, period: Exclude<ChartPeriod, '1s'>): CandleSource => ({
  load: ({ isSilent, ...part }) => get('product/candles', { symbol, period, ...part }, { isSilent }),
  follow: (take) => stream.subscribe(`candle:${symbol}:${period}`, ({ data }) => data && take(data)),
});

/** The server answers a price for each of 240 parts of a stretch of the log: of a stretch this long, for each second. */
const STRETCH_MS = 240_000;

const secondsSource = (symbol: string): CandleSource => ({
  async load({ before, isSilent }) {
    // While the market is closed, the newest seconds are those before its last price.
    const newest = market.get(symbol)?.priceAt ?? serverNow();
    const end = before ?? Math.floor(newest / 1000 + 1) * 1000;
    const part = { symbol, from: end - STRETCH_MS, to: end - 1 };
    return secondsOf(await get('product/ticks', part, { isSilent }));
  },
  follow: (take) =>
    followProduct(symbol, ({ time, price }) => {
      const second = price === null ? undefined : secondsOf([{ time, price }])[0];
      if (second) take(second);
    }),
});
