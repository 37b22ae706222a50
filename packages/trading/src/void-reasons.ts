/**
 * Why an order is void: its stake goes back in full, and a tenth of it on top ({@link voidPayout}). No other reason exists, and none after the opening. `decide-opening.ts`
 * decides.
 * - `not_logged`: no `orders` entry of a second before its opening time carries its batch
 * - `hole`: a grid time from the last one before its opening time up to the opening has no entry
 * - `gap`: prices stopped before it opened
 * - `no_open`: no tick could open it within the window of its rules
 */
export const VOID_REASONS = ['not_logged', 'hole', 'gap', 'no_open'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];

/** What a void order pays: its stake and a tenth of it, rounded down to a unit, so that a void costs the house. */
export const voidPayout = (stake: bigint): bigint => stake + stake / 10n;
