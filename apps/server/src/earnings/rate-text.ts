import { formatDecimal, parseDecimal } from '@fairtick/money';

/** A year's rate is kept in millionths. */
const PLACES = 6;

/** As the wire has it, without zeros at its end: 30 000 is "0.03". */
export function rateText(ppm: number): string {
  return formatDecimal(BigInt(ppm), PLACES).replace(/\.?0+$/, '');
}

/** Null for what is no rate; the table's bounds are the database's to hold. */
export function parseRate(text: string): number | null {
  const ppm = parseDecimal(text, PLACES);
  return ppm === null ? null : Number(ppm);
}
