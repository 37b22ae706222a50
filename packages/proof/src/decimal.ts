/** Decimals of acceptances, entries and outcomes, as docs/receipt-format.md writes them; wider than what the ledger holds. */

const DECIMAL = /^(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?$/;

const MOST_PLACES = 18;

/** Whether a value is a decimal of at most this many places. */
export const isDecimal = (value: unknown, mostPlaces = MOST_PLACES): value is string =>
  typeof value === 'string' && DECIMAL.test(value) && placesOf(value) <= mostPlaces;

/** Decimal places as written. */
export function placesOf(decimal: string): number {
  const dot = decimal.indexOf('.');
  return dot < 0 ? 0 : decimal.length - dot - 1;
}

/** A decimal in units of its last place, or of a place that it may not reach; null for anything else. */
export function unitsOf(text: string, places = placesOf(text)): bigint | null {
  if (!isDecimal(text, places)) return null;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

export const RATE_PLACES = 4;

/** A payout rate in 1/10 000; null for anything else. */
export const rateOf = (text: string): bigint | null => unitsOf(text, RATE_PLACES);
