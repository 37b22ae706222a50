import type { DrawingPoint } from './drawings.ts';

/** Shares of a move at which traders expect it to turn; 0 is its end, 1 its beginning. */
const RATIOS = [0, 0.236, 0.382, 0.5, 0.618, 0.786, 1];

/** The levels of a retracement of the move between two points; none while there is one point. */
export function retracements([from, to]: readonly DrawingPoint[]): { ratio: number; price: number }[] {
  if (!from || !to) return [];
  return RATIOS.map((ratio) => ({ ratio, price: to.price + (from.price - to.price) * ratio }));
}
