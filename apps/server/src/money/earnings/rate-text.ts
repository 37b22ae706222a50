import { parseDecimal } from '@fairtick/money';

/** A yearly rate is kept in millionths. */
const PLACES = 6;

/** SQL of a rate as a decimal without trailing zeros: 30 000 is "0.03". */
export const rateOf = (ppm: string) => `trim_scale(${ppm} / 1e${PLACES})::text`;

/** Null for text that is no rate; the database checks the table's bounds. */
export function parseRate(text: string): number | null {
  const ppm = parseDecimal(text, PLACES);
  return ppm === null ? null : Number(ppm);
}
