/** Signed updates as the evidence of a record in the log. */
import type { PythRules, SourceRecord } from '@fairtick/trading';
import { toHex } from '../encoding.ts';
import {
  compactPythUpdate,
  type PythFault,
  type PythPrice,
  type PythUpdate,
  pythPoints,
  verifyPythUpdate,
} from './pyth-update.ts';

/** A verified update of one feed alone. */
export interface PythStatement {
  readonly update: PythUpdate;
  readonly price: PythPrice;
}

/** Faults in plain English, to stand behind "the signed update". */
const FAULTS: Readonly<Record<PythFault, string>> = {
  form: 'can’t be read',
  keys: 'is of a time for which the rules name no keys',
  emitter: 'is not of the place that the rules name',
  signature: 'is not signed by the keys that the rules name',
  quorum: 'is signed by too few of the keys that the rules name',
  path: 'does not have its price under the root that was signed',
};

/** Verifies the update of one feed alone, as {@link compactPythUpdate} writes it. @returns a text that is the fault */
export function readPythStatement(bytes: Uint8Array, { feed, keys }: PythRules): PythStatement | string {
  const compact = compactPythUpdate(bytes, feed);
  if (compact === null || toHex(compact) !== toHex(bytes)) return 'is not one of the product’s feed alone';
  const update = verifyPythUpdate(bytes, keys);
  if ('fault' in update) return FAULTS[update.fault];
  return { update, price: update.prices.get(feed) as PythPrice };
}

/**
 * Whether the update is this record: the first one of its second, which is its number, with the price cut off after the product's last
 * decimal.
 */
export function isPythRecord(
  { price }: Pick<PythStatement, 'price'>,
  { number, timeMs, price: points }: SourceRecord,
  decimals: number,
): boolean {
  const { publishTime, previousPublishTime } = price;
  return (
    BigInt(publishTime) === number &&
    timeMs === publishTime * 1000 &&
    previousPublishTime < publishTime &&
    pythPoints(price, decimals) === points
  );
}
