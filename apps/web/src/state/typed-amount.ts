import { type AmountField, amountTyped, readAmount } from '@fairtick/money';
import type { MessageId, MessageValues } from '../messages/text.ts';
import { formatPublic } from './format.ts';

/** Why a text says no amount, for the field; null if it says one, or nothing yet. */
export function typedFault(
  text: string,
  field?: AmountField,
): { readonly id: MessageId; readonly values?: MessageValues } | null {
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
