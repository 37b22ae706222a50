import { amountTyped, asTyped, parseDecimal, withoutTrailingZeros } from '@fairtick/money';

/** The number of a decimal's places. The API writes amounts with all places of their asset. */
export const scaleOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

/**
 * A signed decimal as a whole number of its last of `scale` places.
 * @throws SyntaxError if it is no decimal
 */
export function minorOf(decimal: string, scale = scaleOf(decimal)): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

export function compareDecimals(a: string, b: string): number {
  const scale = Math.max(scaleOf(a), scaleOf(b));
  const [left, right] = [minorOf(a, scale), minorOf(b, scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}

interface Money {
  readonly asset: string;
  readonly amount: string;
}

/** Amounts of different assets have no common measure, so assets stay together, by their code. */
export const compareMoney = (a: Money, b: Money): number =>
  a.asset.localeCompare(b.asset, 'en') || compareDecimals(a.amount, b.amount);

/** A typed amount in smallest units; null unless it is one above zero. */
export function typedMinor(text: string, scale: number): bigint | null {
  const value = parseDecimal(amountTyped(text) ?? '', scale);
  return value !== null && value > 0n ? value : null;
}

/** An amount without trailing zeros, as people type it. */
export const plainAmount = (amount: string): string => asTyped(withoutTrailingZeros(amount));
