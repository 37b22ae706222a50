import { LOG_WITHIN_MS, OPEN_WINDOW_MS } from './rules.ts';
import type { SymbolEntry, Tick } from './tick.ts';
import type { VoidReason } from './void-reasons.ts';

export interface OpeningQuestion {
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
  readonly delayMs: number;
  /** The `orders` entry that carries the acceptance's batch, or null while there is none. */
  readonly loggedAtMs: number | null;
  /** The product's entries after the `orders` entry, in log order. */
  readonly entries: readonly SymbolEntry[];
  /** The log's time: nothing at or before it can still be appended. */
  readonly logTimeMs: number;
}

export type Opening =
  | { readonly state: 'pending' }
  | { readonly state: 'open'; readonly tick: Tick }
  | { readonly state: 'void'; readonly reason: VoidReason };

/**
 * Rules 2, 3 and 5 of an order: the first tick after its `orders` entry whose time is at or after acceptance + D and
 * in which the majority of used quotes were received at or after acceptance + D.
 */
export function decideOpening(question: OpeningQuestion): Opening {
  const { acceptedAtMs, settlesAtMs, delayMs, loggedAtMs, entries, logTimeMs } = question;
  const mustBeLoggedBy = acceptedAtMs + LOG_WITHIN_MS;
  if (loggedAtMs === null) {
    return logTimeMs > mustBeLoggedBy ? { state: 'void', reason: 'not_logged' } : { state: 'pending' };
  }
  if (loggedAtMs > mustBeLoggedBy) return { state: 'void', reason: 'not_logged' };

  const opensFrom = acceptedAtMs + delayMs;
  const opensBy = Math.min(opensFrom + OPEN_WINDOW_MS, settlesAtMs);
  for (const entry of entries) {
    if (entry.timeMs > opensBy) return { state: 'void', reason: 'no_open' };
    if (entry.kind === 'gap') return { state: 'void', reason: 'gap' };
    if (canOpen(entry, opensFrom)) return { state: 'open', tick: entry };
  }
  return logTimeMs > opensBy ? { state: 'void', reason: 'no_open' } : { state: 'pending' };
}

function canOpen(tick: Tick, opensFromMs: number): boolean {
  if (tick.timeMs < opensFromMs) return false;
  const used = tick.quotes.filter((quote) => quote.use === 'use');
  const late = used.filter((quote) => quote.receivedMs >= opensFromMs);
  return late.length * 2 > used.length;
}
