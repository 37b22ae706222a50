import type { FundEntry } from '@fairtick/protocol';

/**
 * The available balance at a moment, from the customer's fund log (newest line first). Null if it can't be determined: a line is
 * too close to the moment, or no line read has a balance.
 */
export function availableAt(
  lines: readonly Pick<FundEntry, 'time' | 'balance'>[],
  atMs: number,
  nearMs: number,
): string | null {
  if (lines.some(({ time }) => Math.abs(time - atMs) <= nearMs)) return null;
  return lines.find(({ time, balance }) => time < atMs && balance !== null)?.balance ?? null;
}

/** Whether less was counted (smallest units) than was available (a decimal string with exactly the asset's decimals). */
export function isLeftOut(counted: bigint, available: string | null): boolean {
  return available !== null && counted < BigInt(available.replace('.', ''));
}

/** Whether a check is due: none was done for this customer on the current UTC day. */
export function isDue(stored: string | null, customerId: string, nowMs: number): boolean {
  return stored !== stampOf(customerId, nowMs);
}

export function stampOf(customerId: string, nowMs: number): string {
  return `${customerId} ${new Date(nowMs).toISOString().slice(0, 10)}`;
}
