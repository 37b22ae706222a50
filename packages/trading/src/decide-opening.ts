import { GRID_MS } from './rules.ts';
import type { SymbolEntry, Tick } from './tick.ts';
import { isCurrent, usedQuotes } from './tick-worth.ts';
import type { VoidReason } from './void-reasons.ts';

export interface OpeningQuestion {
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
  /** D and the window of the rules that the acceptance names. */
  readonly delayMs: number;
  readonly openWithinMs: number;
  /** Time of the `orders` entry that carries the acceptance's batch, or null while there is none. */
  readonly loggedAtMs: number | null;
  /**
   * The product's entries in the order of their numbers, without omissions, at least from the last one before acceptance + D on.
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
  return Math.ceil(timeMs / GRID_MS) * GRID_MS - GRID_MS;
}

/**
 * The times between which an order opens: from acceptance + D, until `openWithinMs` after the first grid time from then on, or the
 * settlement.
 */
export function openingWindow(
  order: Pick<OpeningQuestion, 'acceptedAtMs' | 'settlesAtMs' | 'delayMs' | 'openWithinMs'>,
): { readonly fromMs: number; readonly untilMs: number } {
  const fromMs = order.acceptedAtMs + order.delayMs;
  const firstMs = gridBefore(fromMs) + GRID_MS;
  return { fromMs, untilMs: Math.min(firstMs + order.openWithinMs, order.settlesAtMs) };
}

/**
 * Rules 2, 3 and 5 of an order. It opens at the product's first current tick at or after acceptance + D in which more than half of the
 * used quotes have their source time and their receive time at or after the acceptance. From the last grid time before acceptance + D
 * up to that tick, each grid time needs a tick.
 */
export function decideOpening(question: OpeningQuestion): Opening {
  const { acceptedAtMs, loggedAtMs, entries } = question;
  const { fromMs, untilMs } = openingWindow(question);
  if (loggedAtMs === null) return { state: 'pending' };
  if (loggedAtMs >= fromMs) return { state: 'void', reason: 'not_logged' };

  let expectedMs = gridBefore(fromMs);
  const first = entries.findIndex((entry) => entry.timeMs >= fromMs);
  const run = first < 0 ? [] : entries.slice(first);
  const before = first < 0 ? entries.at(-1) : entries[first - 1];
  if (before === undefined || before.kind === 'gap' || before.timeMs < expectedMs) {
    // Only the next entry shows which one is the last before acceptance + D.
    if (first < 0) return { state: 'pending' };
    return { state: 'void', reason: before?.kind === 'gap' ? 'gap' : 'hole' };
  }
  for (const entry of run) {
    expectedMs += GRID_MS;
    if (expectedMs > untilMs) return { state: 'void', reason: 'no_open' };
    if (entry.timeMs > expectedMs) return { state: 'void', reason: 'hole' };
    if (entry.kind === 'gap') return { state: 'void', reason: 'gap' };
    if (canOpen(entry, acceptedAtMs)) return { state: 'open', tick: entry };
  }
  expectedMs += GRID_MS;
  return expectedMs > untilMs ? { state: 'void', reason: 'no_open' } : { state: 'pending' };
}

function canOpen(tick: Tick, acceptedAtMs: number): boolean {
  if (!isCurrent(tick)) return false;
  const used = usedQuotes(tick);
  const fresh = used.filter(
    ({ sourceMs, receivedMs }) => sourceMs >= acceptedAtMs && receivedMs >= acceptedAtMs,
  );
  return fresh.length * 2 > used.length;
}
