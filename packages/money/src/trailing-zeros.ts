/** A decimal without zeros that mean nothing: 1.500 is 1.5, 2.000 is 2, 100 stays. */
export function withoutTrailingZeros(decimal: string): string {
  if (!decimal.includes('.')) return decimal;
  // The expression /0+$/ would take the square of the time for a long row of zeros before another digit.
  let end = decimal.length;
  while (decimal[end - 1] === '0') end -= 1;
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
}
