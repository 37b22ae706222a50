import { GRID_MS } from '@fairtick/trading';

/** How far back a writer writes the grid times that were missed. */
const CATCH_UP_MS = 60_000;

export interface MissedTimes {
  /** The first of the grid times that can't be written, which gets a gap; null: all can. */
  readonly restartMs: number | null;
  /** How many more of them there are. */
  readonly lost: number;
  /** The grid times that can be written, ascending. */
  readonly times: readonly number[];
}

/**
 * Divides the grid times after `afterMs` and up to `untilMs`, both on the grid. A time can be written if this process has received
 * the quotes of that time, and if it lies in the last minute; the others are lost.
 * @param of.receivesSinceMs null: nothing was received yet
 */
export function missedTimes(of: {
  afterMs: number;
  untilMs: number;
  receivesSinceMs: number | null;
}): MissedTimes {
  const { afterMs, untilMs, receivesSinceMs } = of;
  const fromMs = Math.max(receivesSinceMs ?? untilMs - GRID_MS, untilMs - CATCH_UP_MS);
  const firstMs = afterMs + GRID_MS;
  const isComplete = receivesSinceMs !== null && firstMs > fromMs;
  const times: number[] = [];
  // The grid time of a gap has no other entry of the product.
  const leastMs = isComplete
    ? firstMs
    : Math.max(firstMs + GRID_MS, Math.floor(fromMs / GRID_MS + 1) * GRID_MS);
  for (let timeMs = leastMs; timeMs <= untilMs; timeMs += GRID_MS) times.push(timeMs);
  if (isComplete) return { restartMs: null, lost: 0, times };
  const lost = ((times[0] ?? untilMs + GRID_MS) - firstMs) / GRID_MS - 1;
  return { restartMs: firstMs, lost, times };
}
