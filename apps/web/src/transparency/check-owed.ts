import { type OwedFault, verifyOwed } from '@fairtick/proof';
import { get } from '../api/client.ts';
import { trustedLog } from '../orders/receipt-check/trusted-log.ts';

export interface CheckedOwed {
  readonly asset: string;
  /** As the server says it was owed; null: it says nothing was. */
  readonly amount: string | null;
  readonly takenAt: number;
  /** Where the root of all stands in the log. */
  readonly index: number | null;
  readonly fault: OwedFault | null;
}

/**
 * Fetches what was owed to a customer on the last day, and judges on this device that it was counted. The log's keys are those
 * that this device saw first.
 * @throws RefusedError, NetworkError
 */
export async function checkOwn(customerId: string): Promise<CheckedOwed[]> {
  const [owed, trusted] = await Promise.all([get('fundOwed', {}, { isSilent: true }), trustedLog()]);
  return owed.map((one) => ({
    asset: one.asset,
    amount: one.leaf === null ? null : pointed(one.leaf.amount, one.decimals),
    takenAt: one.takenAt,
    index: one.logged?.index ?? null,
    fault: verifyOwed(one, { customer: customerId, keys: trusted.log }),
  }));
}

/** Whole smallest units with the asset's decimals. */
function pointed(units: string, decimals: number): string {
  if (decimals === 0) return units;
  const digits = units.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
