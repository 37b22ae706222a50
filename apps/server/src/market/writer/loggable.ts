import { MAX_MINOR, type Points } from '@fairtick/money';

/** Limits of the log's grammar: a price of at most 12 digits before the point, and a number of at most 20. */
const PRICE_DIGITS = 12;
const PRICE_ENDS = Array.from({ length: 19 }, (_, decimals) => 10n ** BigInt(PRICE_DIGITS + decimals));
const NUMBER_END = 10n ** 20n;

/** Whether the log can hold a price with these times. A source may send any value, but the log's text and columns are limited. */
export function isLoggable(
  { price, number, times }: { price: Points; number: bigint; times: readonly number[] },
  decimals: number,
): boolean {
  return (
    price > 0n &&
    price <= MAX_MINOR &&
    price < (PRICE_ENDS[decimals] as bigint) &&
    number >= 0n &&
    number < NUMBER_END &&
    times.every((ms) => Number.isSafeInteger(ms) && ms >= 0)
  );
}
