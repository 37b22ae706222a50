/**
 * Why an order is void and its stake goes back in full. No other reason exists, and none after the opening. `decide-opening.ts`
 * decides.
 * - `not_logged`: no `orders` entry with a time before acceptance + D carries its batch
 * - `hole`: a grid time from the last one before acceptance + D up to the opening has no entry
 * - `gap`: prices stopped before it opened
 * - `no_open`: no tick could open it within the window of its rules
 */
export const VOID_REASONS = ['not_logged', 'hole', 'gap', 'no_open'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];
