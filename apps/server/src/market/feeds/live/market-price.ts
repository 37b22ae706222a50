import { MAX_MINOR, type Points, points } from '@fairtick/money';
import type { Prices } from './venue.ts';

/** A bid and an ask further apart than a twentieth are no market. */
const MAX_SPREAD = 20n;
const DIGITS = /^(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
/** Decimals that a written price is read with. */
const SCALE = 40;

/**
 * The price of a market in points: of a trade, or the middle of bid and ask, with the digits after the product's last decimal cut
 * off. Null for anything but prices above zero, for a bid above the ask and for a spread above a twentieth of the ask.
 */
export function marketPrice(prices: Prices, decimals: number): Points | null {
  const [first, last] = [unitsOf(prices[0]), unitsOf(prices.at(-1) as string)];
  if (first === null || last === null || first > last || (last - first) * MAX_SPREAD > last) return null;
  const price = (first + last) / (2n * 10n ** BigInt(SCALE - decimals));
  return price > 0n && price <= MAX_MINOR ? points(price) : null;
}

/** A written price in units of 10^-{@link SCALE}; null when it is zero, no number, or has more digits than that. */
function unitsOf(written: string): bigint | null {
  const [, whole = '', fraction = '', exponent = '0'] = DIGITS.exec(written) ?? [];
  const shift = SCALE - fraction.length + Number(exponent);
  if (whole === '' || shift < 0 || shift > 2 * SCALE) return null;
  const units = BigInt(whole + fraction) * 10n ** BigInt(shift);
  return units > 0n ? units : null;
}
