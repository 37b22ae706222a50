/**
 * Why an order is void and its stake goes back in full. No other reason exists. `decide-opening.ts` decides the first three, and
 * `decide-settlement.ts` the last.
 * - `not_logged`: no `orders` entry within 2 s of acceptance
 * - `no_open`: no opening tick by acceptance + D + 5 s or by the settlement time
 * - `gap`: prices stopped before it opened
 * - `stale`: the settlement tick was too old at the settlement time and did not pay the customer
 */
export const VOID_REASONS = ['not_logged', 'no_open', 'gap', 'stale'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];
