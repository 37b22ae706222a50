import type { DrawingPoint } from './drawings.ts';

/** A place on the drawing surface, px from its left and top. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Where a time lies among candles, as a fraction of their indices. Before the first and after the last candle, candles are
 * thought to go on without a pause.
 * @param times starts of the candles, rising, Unix ms; at least one  @param periodMs length of a candle
 */
export function indexAt(ms: number, times: readonly number[], periodMs: number): number {
  const first = times[0] as number;
  const last = times[times.length - 1] as number;
  if (ms <= first) return (ms - first) / periodMs;
  if (ms >= last) return times.length - 1 + (ms - last) / periodMs;
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= ms) low = middle;
    else high = middle;
  }
  const [from, to] = [times[low] as number, times[high] as number];
  return low + (ms - from) / (to - from);
}

/** The inverse of {@link indexAt}. */
export function timeAt(index: number, times: readonly number[], periodMs: number): number {
  const end = times.length - 1;
  if (index <= 0) return (times[0] as number) + index * periodMs;
  if (index >= end) return (times[end] as number) + (index - end) * periodMs;
  const [from, to] = [times[Math.floor(index)] as number, times[Math.floor(index) + 1] as number];
  return from + (index - Math.floor(index)) * (to - from);
}

export function distanceToLine(place: Place, from: Place, to: Place): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((place.x - from.x) * dx + (place.y - from.y) * dy) / length;
  const along = Math.min(1, Math.max(0, share));
  return Math.hypot(place.x - from.x - along * dx, place.y - from.y - along * dy);
}

export function distanceToBox(place: Place, one: Place, other: Place): number {
  const corners: Place[] = [one, { x: other.x, y: one.y }, other, { x: one.x, y: other.y }];
  return Math.min(
    ...corners.map((corner, at) => distanceToLine(place, corner, corners[(at + 1) % 4] as Place)),
  );
}

/** Moves a point by a number of candles, so that pauses of the market don't bend a drawing. */
export function movedBy(
  point: DrawingPoint,
  by: { readonly candles: number; readonly price: number },
  times: readonly number[],
  periodMs: number,
): DrawingPoint {
  const index = indexAt(point.time, times, periodMs) + by.candles;
  return { time: timeAt(index, times, periodMs), price: point.price + by.price };
}

/** The one of some prices that lies nearest to a height, px; undefined without prices that have a place. */
export function nearestPrice(
  prices: readonly number[],
  y: number,
  placeOf: (price: number) => number | null,
): number | undefined {
  const far = (price: number) => Math.abs((placeOf(price) ?? Number.POSITIVE_INFINITY) - y);
  return prices
    .filter((price) => placeOf(price) !== null)
    .reduce<number | undefined>(
      (best, price) => (best === undefined || far(price) < far(best) ? price : best),
      undefined,
    );
}

/** Shares of a move at which traders expect it to turn; 0 is its end, 1 its beginning. */
const RATIOS = [0, 0.236, 0.382, 0.5, 0.618, 0.786, 1];

/** The levels of a retracement of the move between two points; none while there is one point. */
export function retracements([from, to]: readonly DrawingPoint[]): { ratio: number; price: number }[] {
  if (!from || !to) return [];
  return RATIOS.map((ratio) => ({ ratio, price: to.price + (from.price - to.price) * ratio }));
}
