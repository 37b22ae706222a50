import { GRID_MS, LOGGED_BEFORE_MS } from './rules.ts';
import type { SymbolEntry, Tick } from './tick.ts';
import { isCurrent, usedQuotes } from './tick-worth.ts';
import type { VoidReason } from './void-reasons.ts';

export interface OpeningQuestion {
  /** The opening and settlement times that the acceptance names. */
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  /** D and the window of the rules that the acceptance names. */
  readonly delayMs: number;
  readonly openWithinMs: number;
  /** Time of the `orders` entry that carries the acceptance's batch, or null while there is none. */
  readonly loggedAtMs: number | null;
  /**
   * The product's entries in the order of their numbers, without omissions, at least from the last one before the opening time on.
   * Earlier ones change nothing. Nothing else of the log decides.
   */
  readonly entries: readonly SymbolEntry[];
}

export type Opening =
  | { readonly state: 'pending' }
  | { readonly state: 'open'; readonly tick: Tick }
  | { readonly state: 'void'; readonly reason: VoidReason };

/** The last grid time before `timeMs`. */
export function gridBefore(timeMs: number): number {
  return gridFrom(timeMs) - GRID_MS;
}

/** The last time at which an order may open. */
export function lastOpening(
  order: Pick<OpeningQuestion, 'opensAtMs' | 'settlesAtMs' | 'openWithinMs'>,
): number {
  return Math.min(order.opensAtMs + order.openWithinMs, order.settlesAtMs);
}

/** The first grid time at or after `timeMs`. */
export function gridFrom(timeMs: number): number {
  return Math.ceil(timeMs / GRID_MS) * GRID_MS;
}

/** Whether an `orders` entry of this time is early enough for the order to open. */
export const isLoggedInTime = (loggedAtMs: number, opensAtMs: number): boolean =>
  loggedAtMs <= opensAtMs - LOGGED_BEFORE_MS;

/**
 * Rules 2, 3 and 5 of an order. It opens at the product's first current tick from its opening time on in which more than half of the
 * used quotes have their source time and their receive time at most D before the opening time. From the last grid time before the
 * opening time up to that tick, each grid time needs a tick.
 */
export function decideOpening(question: OpeningQuestion): Opening {
  const { opensAtMs: fromMs, delayMs, loggedAtMs, entries } = question;
  const untilMs = lastOpening(question);
  if (loggedAtMs === null) return { state: 'pending' };
  if (!isLoggedInTime(loggedAtMs, fromMs)) return { state: 'void', reason: 'not_logged' };

  let expectedMs = gridBefore(fromMs);
  const first = entries.findIndex((entry) => entry.timeMs >= fromMs);
  const run = first < 0 ? [] : entries.slice(first);
  const before = first < 0 ? entries.at(-1) : entries[first - 1];
  if (before === undefined || before.kind === 'gap' || before.timeMs < expectedMs) {
    // Only the next entry shows which one is the last before the opening time.
    if (first < 0) return { state: 'pending' };
    return { state: 'void', reason: before?.kind === 'gap' ? 'gap' : 'hole' };
  }
  for (const entry of run) {
    expectedMs += GRID_MS;
    if (expectedMs > untilMs) return { state: 'void', reason: 'no_open' };
    if (entry.timeMs > expectedMs) return { state: 'void', reason: 'hole' };
    if (entry.kind === 'gap') return { state: 'void', reason: 'gap' };
    if (canOpen(entry, fromMs - delayMs)) return { state: 'open', tick: entry };
  }
  expectedMs += GRID_MS;
  return expectedMs > untilMs ? { state: 'void', reason: 'no_open' } : { state: 'pending' };
}

function canOpen(tick: Tick, leastMs: number): boolean {
  if (!isCurrent(tick)) return false;
  const used = usedQuotes(tick);
  const fresh = used.filter(({ sourceMs, receivedMs }) => sourceMs >= leastMs && receivedMs >= leastMs);
  return fresh.length * 2 > used.length;
}
