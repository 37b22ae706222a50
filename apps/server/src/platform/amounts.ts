import { formatDecimal } from '@fairtick/money';
import type { Asset } from './assets.ts';

/** Turns an amount from the database into wire format. */
export function amountText(value: string, asset: Asset): string {
  return formatDecimal(BigInt(value), asset.scale);
}

/** An amount for a sentence: grouped, with two decimals, or more where they are not zero, and its asset. */
export function shownAmount(value: string, asset: Asset): string {
  const [whole = '', fraction = ''] = amountText(value, asset).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}.${fraction.replace(/0+$/, '').padEnd(2, '0')} ${asset.code}`;
}

/** A bound for a sentence: without trailing zeros, with its asset. */
export function boundText(value: string, asset: Asset): string {
  const text = amountText(value, asset);
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text} ${asset.code}`;
}
