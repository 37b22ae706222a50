/**
 * Why an order is void. No other reason exists, and none after the opening.
 * - `not_logged`: no `orders` entry of a second before its opening time carries its batch. That is a fault of the house, which pays a tenth of
 *   the stake on top of it
 * - `no_price`: fewer sources than the quorum count in the fix of its opening time. Neither side chose that: the stake goes back, nothing more
 */
export const VOID_REASONS = ['not_logged', 'no_price'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];

/** What a void order pays. The tenth is rounded down to a unit. */
export const voidPayout = (stake: bigint, reason: VoidReason): bigint =>
  reason === 'not_logged' ? stake + stake / 10n : stake;
