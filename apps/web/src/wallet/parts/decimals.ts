import { formatDecimal, parseDecimal } from '@fairtick/money';
import { formatAmount } from '../../state/format.ts';

/** The wire writes amounts with all of the asset's decimals. */
export function scaleOf(amount: string): number {
  const dot = amount.indexOf('.');
  return dot < 0 ? 0 : amount.length - dot - 1;
}

/** A signed amount of the wire in smallest units. */
export function minorOf(amount: string, scale = scaleOf(amount)): bigint {
  const value = parseDecimal(amount.replace('-', ''), scale);
  if (value === null) throw new Error(`${amount} is no amount`);
  return amount.startsWith('-') ? -value : value;
}

/** What somebody has typed so far: above zero, or null. A dot at the end is still being typed. */
export function typedMinor(text: string, scale: number): bigint | null {
  const value = parseDecimal(text.replace(/\.$/, ''), scale);
  return value !== null && value > 0n ? value : null;
}

export const amountOf = (minor: bigint, scale: number): string => formatDecimal(minor, scale);

/** As somebody would type it: without zeros at its end. */
export function plainAmount(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/** A bound in a sentence: thousands apart, and no cents where there are none. */
export const boundText = (amount: string): string => formatAmount(amount).replace(/\.00$/, '');
