import type { TickPoint } from '@fairtick/protocol';

/** The plot's box in its own units; labels are to the right of it. */
const LEFT = 5;
const RIGHT = 265;
const TOP = 14;
const BOTTOM = 98;
/** The least range of prices that fills the height, as a share of the opening price: a smaller move is drawn as small as it is. */
const LEAST_RANGE = 0.0002;
const LABEL_HEIGHT = 14;
/** From the middle of a label to its baseline. */
const BASELINE = 4;

export interface PlotLayout {
  readonly line: string;
  readonly openY: number;
  readonly lastX: number;
  readonly lastY: number;
  readonly lastLabelY: number;
  /** Null if the last price equals the opening price: one label is enough. */
  readonly openLabelY: number | null;
}

/** Positions of the line, its ends and labels. `points` has at least two; prices become floats only here, for drawing. */
export function layOut(
  points: readonly TickPoint[],
  { openPrice, fromMs, toMs }: { openPrice: string; fromMs: number; toMs: number },
): PlotLayout {
  const prices = points.map((point) => Number(point.price));
  const open = Number(openPrice);
  const low = Math.min(open, ...prices);
  const high = Math.max(open, ...prices);
  const x = (time: number) => LEFT + ((RIGHT - LEFT) * (time - fromMs)) / Math.max(1, toMs - fromMs);
  const range = Math.max(high - low, open * LEAST_RANGE);
  const y = (price: number) => (TOP + BOTTOM) / 2 - ((BOTTOM - TOP) * (price - (low + high) / 2)) / range;
  const last = points[points.length - 1] as TickPoint;
  const [openY, lastY] = [y(open), y(Number(last.price))];
  const [openLabel, lastLabel] = apart(openY, lastY);
  return {
    line: points
      .map((point, i) => `${x(point.time).toFixed(1)},${y(prices[i] as number).toFixed(1)}`)
      .join(' '),
    openY,
    lastX: x(last.time),
    lastY,
    lastLabelY: lastLabel + BASELINE,
    openLabelY: last.price === openPrice ? null : openLabel + BASELINE,
  };
}

/** Moves two overlapping labels apart. */
function apart(first: number, second: number): [number, number] {
  const missing = LABEL_HEIGHT - Math.abs(first - second);
  if (missing <= 0) return [first, second];
  const shift = (first <= second ? -missing : missing) / 2;
  return [first + shift, second - shift];
}
