import { SETTLE_IN_MS } from './rules.ts';
import type { GapReason } from './tick.ts';

/**
 * The time from which a product takes orders, given its newest tick. After a gap caused by the feed, prices must hold for 15 s;
 * after a restart or a step of the clock, a tick with new quotes is enough. (The first 15 s of a trading session are blocked by
 * the session itself.)
 * @param gap why prices had stopped before this tick, or null if they had not
 * @param before the previous value; null: no orders
 */
export function ordersFrom(
  tick: { readonly timeMs: number; readonly isNew: boolean },
  gap: GapReason | null,
  before: number | null,
): number | null {
  switch (gap) {
    case null:
      // Either still waiting for a new tick, or already taking orders.
      return before ?? (tick.isNew ? tick.timeMs : null);
    case 'quorum':
    case 'halt':
      return tick.timeMs + SETTLE_IN_MS;
    case 'restart':
    case 'clock':
    case 'session':
    case 'end':
      return tick.isNew ? tick.timeMs : null;
  }
}
