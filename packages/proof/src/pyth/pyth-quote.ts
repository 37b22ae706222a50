/** Signed updates as the evidence of a quote in the log. */
import type { JudgedQuote, PythRules } from '@fairtick/trading';
import { toHex } from '../encoding.ts';
import {
  compactPythUpdate,
  type PythFault,
  type PythPrice,
  type PythUpdate,
  pythPoints,
  pythTimeMs,
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
 * Whether a quote says what the update says: the price cut off after the product's last decimal, and a time from the publish time's
 * second on to the update's own.
 */
export function saysPythQuote(
  { update, price }: PythStatement,
  quote: Pick<JudgedQuote, 'price' | 'sourceMs'>,
  decimals: number,
): boolean {
  const isTime = quote.sourceMs >= price.publishTime * 1000 && quote.sourceMs <= pythTimeMs(update, price);
  return isTime && pythPoints(price, decimals) === quote.price;
}

/**
 * What the next update of a feed says of a tick that took `used`. Each update names the second of the one before it, and nothing finer.
 * - `newest`: none was signed between it and `used` but in the same second, and it is itself later than what the tick may take
 * - `late`: a newer one had been signed by then, and was not received by then
 * - `unknown`: updates between the two are missing
 * @param dueMs the time up to which the tick takes quotes
 */
export function judgeNextUpdate(
  used: PythStatement,
  next: PythStatement,
  dueMs: number,
): 'newest' | 'late' | 'unknown' {
  if (pythTimeMs(next.update, next.price) <= dueMs) return 'late';
  const { previousPublishTime } = next.price;
  if (previousPublishTime <= used.price.publishTime) return 'newest';
  return previousPublishTime * 1000 <= dueMs ? 'late' : 'unknown';
}
