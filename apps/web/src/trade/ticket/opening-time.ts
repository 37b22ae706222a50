import { fixFrom } from '@fairtick/trading';

/**
 * The opening time that an order names: the first whole second D after the latest time at which it may be accepted.
 * @param nowMs the server's time
 */
export const openingTime = (
  nowMs: number,
  { delayMs, marginMs }: { readonly delayMs: number; readonly marginMs: number },
): number => fixFrom(nowMs + marginMs + delayMs);
