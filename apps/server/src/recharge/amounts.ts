import { formatDecimal } from '@fairtick/money';
import type { Asset } from '../assets.ts';

/** An amount as the database gave it, as the wire has it. */
export function amountText(value: string, asset: Asset): string {
  return formatDecimal(BigInt(value), asset.scale);
}

/** A bound for a sentence: without zeros at its end, with its asset. */
export function boundText(value: string, asset: Asset): string {
  const text = amountText(value, asset);
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text} ${asset.code}`;
}
