import { amountTyped, asTyped, formatDecimal, parseDecimal, withoutTrailingZeros } from '@fairtick/money';
import { formatPublic } from '../../state/format.ts';

/** Number of decimals of an asset, taken from an amount: the API writes amounts with all of them. */
export function scaleOf(amount: string): number {
  const dot = amount.indexOf('.');
  return dot < 0 ? 0 : amount.length - dot - 1;
}

/**
 * A signed decimal string in smallest units.
 * @throws Error if it is not an amount
 */
export function minorOf(amount: string, scale = scaleOf(amount)): bigint {
  const value = parseDecimal(amount.replace('-', ''), scale);
  if (value === null) throw new Error(`${amount} is no amount`);
  return amount.startsWith('-') ? -value : value;
}

/** A typed amount in smallest units; null unless it is one above zero. */
export function typedMinor(text: string, scale: number): bigint | null {
  const value = parseDecimal(amountTyped(text) ?? '', scale);
  return value !== null && value > 0n ? value : null;
}

export const amountOf = (minor: bigint, scale: number): string => formatDecimal(minor, scale);

/** An amount without trailing zeros, as people type it. */
export const plainAmount = (amount: string): string => asTyped(withoutTrailingZeros(amount));

/** A limit for use in a sentence: grouped digits, without `.00`. */
export const boundText = (amount: string): string => formatPublic(amount).replace(/\.00$/, '');
