import { gridFrom } from '@fairtick/trading';

/**
 * The opening time that an order names: D after the latest time at which it may be accepted, on the grid of prices.
 * @param nowMs the server's time
 */
export const openingTime = (
  nowMs: number,
  { delayMs, marginMs }: { readonly delayMs: number; readonly marginMs: number },
): number => gridFrom(nowMs + marginMs + delayMs);
