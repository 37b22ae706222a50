import type { ChartPeriod } from './chart-settings.ts';

/**
 * The visible part of a chart, as far as its reader has chosen it. The rest follows from the chart's width, which differs from layout to
 * layout and is nothing while the chart is hidden.
 */
export interface ChartView {
  /** Width of a candle, px. */
  spacing: number | null;
  /** Candles between the newest one and the right edge; negative while the newest is out of sight. */
  position: number | null;
  /** The latest end of an order for which the chart has made room, ms. */
  endMs: number;
}

let kept: { readonly key: string; readonly view: ChartView } | null = null;

/** Stays for as long as the same chart is shown, however often a layout, the full screen or another style draws it anew. */
export function viewOf(symbol: string, period: ChartPeriod): ChartView {
  const key = `${symbol}:${period}`;
  if (kept?.key !== key) kept = { key, view: { spacing: null, position: null, endMs: 0 } };
  return kept.view;
}

/** Distance from candle to candle, px, on a wide screen; a minute's order fits beside the minute before it. */
const BAR_SPACING = 7.6;
const SECOND_SPACING = 4;
/** A narrow chart has this many candles, so that what the page draws before the library is there has the same places. */
export const NARROW_CANDLES = 40;
const NARROW_PX = 400;
/** Few candles share the width, each at most as wide as this, px. */
const WIDEST_SPACING = 40;
/** Candles' widths between the newest candle and the price scale. */
export const RIGHT_OFFSET = 1;
/** The most of the width that the time after the newest candle may take, and what is left free after an end, for a label, px. */
const MOST_AHEAD = 0.5;
const FREE_PX = 132;

/**
 * The part that suits a width.
 * @param ahead candles between the newest one and the last end that stays in sight; 0: there is none
 */
export function fittingView(
  period: ChartPeriod,
  { width, count, ahead }: { width: number; count: number; ahead: number },
  chosenSpacing: number | null,
): { spacing: number; offset: number } {
  const spacing = chosenSpacing ?? usualSpacing(period, { width, count, ahead });
  const most = Math.floor((width * MOST_AHEAD) / spacing);
  const free = ahead > 0 ? Math.ceil(ahead + FREE_PX / spacing) : 0;
  return { spacing, offset: Math.max(RIGHT_OFFSET, Math.min(free, most)) };
}

function usualSpacing(
  period: ChartPeriod,
  { width, count, ahead }: { width: number; count: number; ahead: number },
): number {
  if (period === '1s') return SECOND_SPACING;
  // The library leaves a pixel free at the right.
  const least = width < NARROW_PX ? (width - 1) / (NARROW_CANDLES + RIGHT_OFFSET) : BAR_SPACING;
  const shared = (width - (ahead > 0 ? FREE_PX : 0)) / (count + Math.max(RIGHT_OFFSET, ahead));
  return Math.min(WIDEST_SPACING, Math.max(least, shared));
}
