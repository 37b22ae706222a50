import { SETTLE_IN_MS } from './rules.ts';
import type { GapReason } from './tick.ts';

/**
 * The time from which a product takes orders, given its newest tick. After a gap caused by the feed, prices must hold for 15 s;
 * after a restart or a step of the clock, a tick is enough. (The first 15 s of a trading period are blocked by the period itself.)
 * @param gap why prices had stopped before this tick, or null if they had not
 * @param before the previous value; null only before the first tick
 */
export function ordersFrom(
  tick: { readonly timeMs: number },
  gap: GapReason | null,
  before: number | null,
): number {
  switch (gap) {
    case null:
      return before ?? tick.timeMs;
    case 'quorum':
    case 'halt':
      return tick.timeMs + SETTLE_IN_MS;
    case 'restart':
    case 'clock':
    case 'session':
    case 'end':
      return tick.timeMs;
  }
}

/**
 * The gap that decides how long orders wait once prices are back. A gap with a shorter wait does not shorten a running one: the longer
 * wait starts again. A gap while prices have stopped changes nothing of that either.
 */
export function lastingGap(
  { timeMs, reason }: { readonly timeMs: number; readonly reason: GapReason },
  before: { readonly gap: GapReason | null; readonly ordersFromMs: number | null },
): GapReason {
  const isWaiting = before.ordersFromMs !== null && before.ordersFromMs > timeMs;
  return before.gap ?? (isWaiting && (reason === 'restart' || reason === 'clock') ? 'quorum' : reason);
}
