import { type OwedFault, verifyOwed } from '@fairtick/proof';
import type { OwedAnswer } from '@fairtick/protocol';
import { get } from '../api/client.ts';
import { isFromFork, trustedLog } from '../orders/receipt-check/trusted-log.ts';
import { availableAt, isLeftOut } from './owed-model.ts';

/** `less`: less was counted than the customer's fund log says was available; `fork`: not the log that this device has checked */
type OwnFault = OwedFault | 'less' | 'fork';

export interface CheckedOwed {
  readonly asset: string;
  /**
   * The amount owed according to the server; for one that was left out, the available amount. Null: nothing was owed or
   * available.
   */
  readonly amount: string | null;
  readonly takenAt: number;
  /** The log index of the root of the whole sum tree. */
  readonly index: number | null;
  readonly fault: OwnFault | null;
}

/**
 * Fetches what was owed to a customer on the last day, and verifies on this device that it was counted, and that it was no less
 * than the available balance in the customer's own fund log. Trusts the log's keys that this device saw first, and those that the
 * log handed over to.
 * @throws RefusedError, NetworkError
 */
export async function checkOwn(customerId: string): Promise<CheckedOwed[]> {
  const [owed, trusted] = await Promise.all([get('fund/owed', {}, { isSilent: true }), trustedLog()]);
  const proved = owed.map((one) => verifyOwed(one, { customer: customerId, keys: trusted.log }));
  const isFork = await isFromFork(trusted, owed[proved.indexOf(null)]?.logged);
  return Promise.all(owed.map((one, at) => compare(one, isFork ? 'fork' : (proved[at] ?? null))));
}

async function compare(one: OwedAnswer, proved: OwedFault | 'fork' | null): Promise<CheckedOwed> {
  const { asset, decimals, takenAt, leaf } = one;
  const shown = { asset, takenAt, index: one.logged?.index ?? null };
  const amount = leaf === null ? null : pointed(leaf.amount, decimals);
  if (proved !== null && proved !== 'absent') return { ...shown, amount, fault: proved };
  const log = await get('fund/log', { asset, to: takenAt + NEAR_MS, limit: 20 }, { isSilent: true });
  const available = availableAt(log.items, takenAt, NEAR_MS);
  if (proved === 'absent')
    return { ...shown, amount: isLeftOut(0n, available) ? available : null, fault: 'absent' };
  return { ...shown, amount, fault: isLeftOut(BigInt(leaf?.amount ?? '0'), available) ? 'less' : null };
}

/** Transfers this close to the moment of the count may be on either side of it; committing takes less time than this. */
const NEAR_MS = 60_000;

/** Smallest units with their decimal point. */
export function pointed(units: string, decimals: number): string {
  if (decimals === 0) return units;
  const digits = units.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
