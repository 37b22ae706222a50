import type { FundEntry } from '@fairtick/protocol';

/**
 * What was available at a moment by the customer's fund log, newest line first; null where that can not be said: lines too near to the
 * moment, or none of those that were read says a balance.
 */
export function availableAt(
  lines: readonly Pick<FundEntry, 'time' | 'balance'>[],
  atMs: number,
  nearMs: number,
): string | null {
  if (lines.some(({ time }) => Math.abs(time - atMs) <= nearMs)) return null;
  return lines.find(({ time, balance }) => time < atMs && balance !== null)?.balance ?? null;
}

/** Whether less was counted than was available, in smallest units; available with exactly the asset's decimals. */
export function isLeftOut(counted: bigint, available: string | null): boolean {
  return available !== null && counted < BigInt(available.replace('.', ''));
}

/** Whether a check that was done for this customer still holds for the day; days are UTC. */
export function isDue(stored: string | null, customerId: string, nowMs: number): boolean {
  return stored !== stampOf(customerId, nowMs);
}

export function stampOf(customerId: string, nowMs: number): string {
  return `${customerId} ${new Date(nowMs).toISOString().slice(0, 10)}`;
}
