import { formatDecimal, parseAmount, withoutTrailingZeros } from '@fairtick/money';
import type { Asset } from './assets.ts';
import { refusalOf } from './http/context.ts';

/** The amount of a form's field in smallest units. @throws RefusalError */
export function readAmount(text: string, asset: Asset, field = 'amount'): bigint {
  const amount = parseAmount(text, asset.scale);
  if (amount === null) throw refusalOf('INVALID_AMOUNT', field);
  return amount;
}

export function amountText(value: string, asset: Asset): string {
  return formatDecimal(BigInt(value), asset.scale);
}

const GROUPS = /\B(?=(?:\d{3}){1,6}$)/g;

/** An amount for a sentence: grouped, with two decimals, or more where they are not zero, and its asset. */
export function shownAmount(value: string, asset: Asset): string {
  const [whole = '', fraction = ''] = withoutTrailingZeros(amountText(value, asset)).split('.');
  const grouped = whole.replace(GROUPS, ',');
  return `${grouped}.${fraction.padEnd(2, '0')} ${asset.code}`;
}

/** A bound for a sentence: without trailing zeros, with its asset. */
export function boundText(value: string, asset: Asset): string {
  return `${withoutTrailingZeros(amountText(value, asset))} ${asset.code}`;
}
