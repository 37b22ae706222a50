/** Length of a stored candle, minutes. */
export type Minutes = 1 | 5 | 30 | 1440;

/** How far back from the log's beginning a product's past reaches in each stored period, in days. */
export const REACH: readonly { readonly period: Minutes; readonly days: number }[] = [
  { period: 1, days: 2 },
  { period: 5, days: 10 },
  { period: 30, days: 60 },
  { period: 1440, days: 731 },
];
