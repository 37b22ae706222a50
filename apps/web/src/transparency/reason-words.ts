import type { OfficeInput } from '@fairtick/protocol/office';
import { PLACEMENT_REFUSALS } from '@fairtick/trading';
import type { MessageId } from '../messages/text.ts';

const REJECTIONS = [
  'destination_wrong',
  'destination_house',
  'name_mismatch',
  'payout_returned',
  'security',
  'other',
] as const satisfies readonly OfficeInput<'withdrawal/refuse'>['reason'][];

/**
 * The words for a published code: why an order was refused, or a withdrawal was rejected. Null for a code that this version of the app does
 * not know.
 */
export function reasonWords(code: string): MessageId | null {
  const refusal = PLACEMENT_REFUSALS.find((one) => one === code);
  if (refusal) return `open.refused.${refusal}`;
  const rejection = REJECTIONS.find((one) => one === code);
  return rejection ? `open.rejected.${rejection}` : null;
}
