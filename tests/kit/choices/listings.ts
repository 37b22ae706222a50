import { isCurrent, type Quote, type Tick } from '../../../packages/trading/src/index.ts';
import type { TracedMarket } from './traced-market.ts';

/** What a house may do to a tick's quotes. */
export interface Levers {
  /** How long a source's quotes can be held back, as if it had sent nothing since. */
  readonly heldMs: number;
  /** Whether sources can be left away, as if nothing had come from them for longer than `staleMs`. */
  readonly leavesAway: boolean;
  /** Whether sources quote all the time, and not once for each grid time. */
  readonly isSteady?: boolean;
}

/** The ticks that a house can write at a grid time, the honest one first. */
export function options(market: TracedMarket, slot: number, levers: Levers, freshMs: number): Tick[] {
  const honest = market.tick(slot, freshMs);
  const ticks: Tick[] = honest ? [honest] : [];
  if (levers.heldMs === 0 && !levers.leavesAway) return ticks;
  const [one = [], two = [], three = []] = market
    .latest(slot)
    .map((latest, source) => choicesOf(market, source, slot, latest, levers, freshMs));
  for (const a of one)
    for (const b of two)
      for (const c of three) {
        const tick = market.tick(slot, freshMs, [a, b, c]);
        if (tick && isCurrent(tick)) ticks.push(tick);
      }
  return ticks;
}

/** A source's latest quote, none, and the extremes of those that can be held back, current ones and older ones. */
function choicesOf(
  market: TracedMarket,
  source: number,
  slot: number,
  latest: Quote | undefined,
  { heldMs, leavesAway, isSteady = false }: Levers,
  freshMs: number,
): (Quote | undefined)[] {
  const found = new Set<Quote | undefined>([latest]);
  if (leavesAway) found.add(undefined);
  const mostMs = Math.min(heldMs, market.rules.staleMs);
  const held = market.heldBack(source, slot, mostMs, isSteady);
  const ageOf = ({ sourceMs }: Quote): number => market.timeOf(slot) - sourceMs;
  for (const some of [
    held.filter((quote) => ageOf(quote) <= freshMs),
    held.filter((quote) => ageOf(quote) > freshMs),
  ]) {
    const sorted = some.sort((a, b) => Number(a.price - b.price));
    if (sorted.length > 0) found.add(sorted[0]).add(sorted.at(-1));
  }
  return [...found];
}

/** A tick of quotes that are as old as `staleMs` lets them be. */
export function nonOpening(market: TracedMarket, slot: number, freshMs: number): Tick | null {
  const oldest = market
    .latest(slot)
    .map((latest, source) => market.heldBack(source, slot, market.rules.staleMs, false).at(-1) ?? latest);
  return market.tick(slot, freshMs, oldest);
}
