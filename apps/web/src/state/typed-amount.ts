import { type AmountField, amountTyped, readAmount } from '@fairtick/money';
import type { MessageId, MessageValues } from '../messages/text.ts';
import { minorOf, scaleOf, typedMinor } from './decimal-strings.ts';
import { formatPublic } from './format.ts';

export interface Fault {
  readonly id: MessageId;
  readonly values?: MessageValues;
}

/** Why a text says no amount, for the field; null if it says one, or nothing yet. */
export function typedFault(text: string, field?: AmountField): Fault | null {
  const read = readAmount(text, field);
  if ('value' in read || read.fault === 'empty') return null;
  if (read.fault !== 'ambiguous') return { id: 'fault.amountUnreadable' };
  const [decimal, whole] = read.readings;
  return { id: 'fault.amountAmbiguous', values: { decimal, whole } };
}

type T = (id: MessageId, values?: MessageValues) => string;

/** The note below the field: the amount read from a text that the app would spell otherwise, or why none is. */
export function amountNote(t: T, text: string, asset: string): string | undefined {
  const fault = typedFault(text);
  if (fault) return t(fault.id, fault.values);
  const value = amountTyped(text);
  return value === null || /^\d+\.?\d*$/.test(text) ? undefined : `= ${formatPublic(value)} ${asset}`;
}

interface Bounds {
  readonly asset: string;
  readonly min: string;
  readonly max: string | null;
}

/**
 * Why a text is no amount within bounds.
 * @param bounds null while they are unknown
 * @param words for an amount that is too small, and for one that is too large
 */
export function amountFault(
  text: string,
  bounds: Bounds | null,
  [tooSmall, tooLarge]: readonly [MessageId, MessageId],
): Fault | null {
  if (text.trim() === '') return { id: 'wallet.fault.amountRequired' };
  const unread = typedFault(text);
  if (unread || !bounds) return unread;
  const { asset, min, max } = bounds;
  const scale = scaleOf(min);
  const amount = typedMinor(text, scale);
  if (amount === null) return { id: 'wallet.fault.amountInvalid' };
  const beyond = (id: MessageId, bound: string): Fault => ({
    id,
    values: { bound: `${formatPublic(bound).replace(/\.00$/, '')} ${asset}` },
  });
  if (amount < minorOf(min, scale)) return beyond(tooSmall, min);
  return max !== null && amount > minorOf(max, scale) ? beyond(tooLarge, max) : null;
}
