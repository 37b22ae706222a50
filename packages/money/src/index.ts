/**
 * Money and prices as whole numbers of their smallest unit.
 *
 * An amount is a `bigint` of minor units (1.50 USDT at 6 decimals is 1_500_000n); a price is a `bigint` of points (1.08451 at 5
 * decimals is 108_451n). Code converts them to JavaScript numbers only for charts. The two are branded so that one can't be
 * passed for the other.
 */
import { withoutTrailingZeros } from './trailing-zeros.ts';

export { withoutTrailingZeros } from './trailing-zeros.ts';
export {
  type AmountField,
  amountTyped,
  asTyped,
  plainForm,
  readAmount,
  readCode,
  readDigits,
  type TypedAmount,
} from './typed.ts';

declare const unit: unique symbol;

/** An amount of some asset in its smallest unit. Signed; the caller checks its range. */
export type Minor = bigint & { readonly [unit]: 'minor' };

/** A price in units of the product's last decimal. Always above zero. */
export type Points = bigint & { readonly [unit]: 'points' };

/** The largest amount: leaves room in a PostgreSQL bigint to add a few of them; about 4.6e18. */
export const MAX_MINOR = (1n << 62n) - 1n;

export const minor = (value: bigint): Minor => value as Minor;
export const points = (value: bigint): Points => value as Points;

/** Payout rates are whole numbers of 1/10 000, so 8500 is 0.85. */
const BPS = 10_000n;

const grammars = new Map<number, RegExp>();

function grammarOf(decimals: number): RegExp {
  let grammar = grammars.get(decimals);
  if (!grammar) {
    grammar =
      decimals === 0 ? /^(0|[1-9]\d{0,11})$/ : new RegExp(`^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,${decimals}})?$`);
    grammars.set(decimals, grammar);
  }
  return grammar;
}

/**
 * Reads a decimal string of at most `decimals` places, in the strict grammar of the wire:
 * no sign, no exponent, no leading zeros, no spaces, ASCII digits only.
 * @returns the value in smallest units, or null for anything outside the grammar or above {@link MAX_MINOR}
 */
export function parseDecimal(text: string, decimals: number): bigint | null {
  if (typeof text !== 'string' || !grammarOf(decimals).test(text)) return null;
  const [whole = '', fraction = ''] = text.split('.');
  const value = BigInt(whole + fraction.padEnd(decimals, '0'));
  return value > MAX_MINOR ? null : value;
}

/** Reads an amount above zero; null for anything else. See {@link parseDecimal}. */
export function parseAmount(text: string, decimals: number): Minor | null {
  const value = parseDecimal(text, decimals);
  return value !== null && value > 0n ? minor(value) : null;
}

/** Reads a price above zero; null for anything else. See {@link parseDecimal}. */
export function parsePrice(text: string, decimals: number): Points | null {
  const value = parseDecimal(text, decimals);
  return value !== null && value > 0n ? points(value) : null;
}

/** Writes smallest units with exactly `decimals` places and an ASCII minus: -150n at 2 is "-1.50". */
export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString();
  if (decimals === 0) return sign + digits;
  const point = digits.length - decimals;
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}0.${digits.padStart(decimals, '0')}`;
}

/** Writes a rate of 1/10 000 as a decimal string without trailing zeros: 8500 is "0.85". */
export function formatRate(bps: number): string {
  return withoutTrailingZeros(formatDecimal(BigInt(bps), 4));
}

/** Reads a rate such as "0.85" into 1/10 000; null outside the grammar. */
export function parseRate(text: string): number | null {
  const value = parseDecimal(text, 4);
  return value === null ? null : Number(value);
}

/**
 * The income of a winning stake: floor(stake × rate). The house keeps the cut-off fraction of a smallest unit (rule 6 of an
 * order).
 */
export function payoutFloor(stake: Minor, payoutRateBps: number): Minor {
  return minor((stake * BigInt(payoutRateBps)) / BPS);
}
