import { formatDecimal, parseDecimal, withoutTrailingZeros } from '@fairtick/money';

/** A yearly rate is kept in millionths. */
const PLACES = 6;

/** A rate in wire format, without trailing zeros: 30 000 is "0.03". */
export function rateText(ppm: number): string {
  return withoutTrailingZeros(formatDecimal(BigInt(ppm), PLACES));
}

/** Null for text that is no rate; the database checks the table's bounds. */
export function parseRate(text: string): number | null {
  const ppm = parseDecimal(text, PLACES);
  return ppm === null ? null : Number(ppm);
}
