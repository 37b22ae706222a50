import { type Points, points } from '@fairtick/money';

/** Median; for an even count, the mean of the middle two, rounded down to a unit of the last decimal. @param prices at least one */
export function medianOf(prices: readonly Points[]): Points {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[sorted.length >> 1] as Points;
  if (sorted.length % 2 === 1) return upper;
  return points(((sorted[(sorted.length >> 1) - 1] as Points) + upper) / 2n);
}

/** Whether a price is further than `outlierBps` (1/10 000) from the centre. */
export function isOutlier(price: Points, centre: Points, outlierBps: number): boolean {
  const distance = price > centre ? price - centre : centre - price;
  return distance * 10_000n > centre * BigInt(outlierBps);
}
