import type { Order } from '@fairtick/protocol';

/**
 * Pauses before each question whether an order is in the log: the log is signed once a second, so that the first or second has an
 * answer; then they grow to a minute.
 */
const PAUSES_MS = [1_000, 500, 500, 700, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const LONGEST_MS = 60_000;

export const pauseBefore = (number: number): number => PAUSES_MS[number] ?? LONGEST_MS;

/**
 * How documents about one order contradict each other: the acceptance and what this device asked for; two acceptances; two `orders`
 * entries that carry its batch; a receipt that does not continue the log that was shown soon after the order; a void as not logged in
 * time beside the proof that it was; a refusal of an order that the log carries.
 */
export type ContradictionKind = 'asked' | 'acceptance' | 'orders' | 'checkpoint' | 'void' | 'refused';

/**
 * Whether an order as the server shows it now contradicts what this device holds.
 * @param held.isAsAsked whether the acceptance is what this device asked for
 * @param held.wasInTime whether the device holds proof that the order was logged in time
 */
export function contradictionWith(
  held: { readonly acceptanceText: string; readonly isAsAsked: boolean; readonly wasInTime: boolean },
  order: Pick<Order, 'acceptance' | 'voidReason'>,
): ContradictionKind | null {
  if (held.acceptanceText !== order.acceptance.text) return 'acceptance';
  if (!held.isAsAsked) return 'asked';
  return held.wasInTime && order.voidReason === 'not_logged' ? 'void' : null;
}
