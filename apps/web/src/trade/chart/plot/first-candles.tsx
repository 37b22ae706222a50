import type { Candle } from '@fairtick/protocol';
import { bootCandles } from '../../../live/boot.ts';

import { PRICE_MARGINS, priceFormatOf, widestLabel } from './chart-bars.ts';
import { type ChartPeriod, FIRST_SETTINGS } from './chart-settings.ts';
import { NARROW_CANDLES, RIGHT_OFFSET } from './chart-view.ts';
import css from './first-candles.module.css';

/** Half of a body's width, in candles. */
const HALF = 0.3;
const HEIGHT = 100;

/** The candles that the page brought, for as long as the chart has none of its own. */
export const pageCandles = (symbol: string, period: ChartPeriod): readonly Candle[] | null =>
  period === FIRST_SETTINGS.period ? bootCandles(symbol) : null;

/**
 * The newest candles where the chart draws them, before its code is there: the server has them in the page. The sides and the scale are
 * those of the chart on a phone.
 */
export function FirstCandles({ candles, decimals }: { candles: readonly Candle[]; decimals: number }) {
  const shown = candles.slice(-NARROW_CANDLES);
  const last = shown.at(-1);
  // Fewer share the chart's width, which is not known here.
  if (!last || shown.length < NARROW_CANDLES) return null;
  const low = Math.min(...shown.map((candle) => Number(candle.low)));
  const high = Math.max(...shown.map((candle) => Number(candle.high)));
  const { top, bottom } = PRICE_MARGINS;
  const yOf = (price: string) => {
    const share = high > low ? (high - Number(price)) / (high - low) : 0.5;
    return (top + share * (1 - top - bottom)) * HEIGHT;
  };
  const paths = { up: '', down: '' };
  for (const [at, { open, high: most, low: least, close }] of shown.entries()) {
    const isUp = Number(close) >= Number(open);
    const x = NARROW_CANDLES - (shown.length - at) + 0.5;
    const [above, below] = (isUp ? [close, open] : [open, close]).map(yOf);
    const [left, right] = [x - HALF, x + HALF];
    paths[isUp ? 'up' : 'down'] +=
      `M${[x, yOf(most)]}V${above}M${[x, below]}V${yOf(least)}M${[left, above]}H${right}V${below}H${left}Z`;
  }
  return (
    <div className={css.first} data-first-candles aria-hidden="true">
      <svg
        viewBox={`0 0 ${NARROW_CANDLES + RIGHT_OFFSET} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path data-direction="up" d={paths.up} />
        <path data-direction="down" d={paths.down} />
      </svg>
      {/* As wide as the axis of prices. */}
      <span>{widestLabel(Number(last.close), priceFormatOf(decimals).formatter)}</span>
    </div>
  );
}
