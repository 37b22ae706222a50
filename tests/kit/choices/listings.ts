import { isCurrent, type Quote, type Tick } from '../../../packages/trading/src/index.ts';
import type { TracedMarket } from './traced-market.ts';

/** What a house may do to a tick's quotes. */
export interface Levers {
  /** How long a source's quotes can be held back, as if it had sent nothing since. */
  readonly heldMs: number;
  /** Whether sources can be left away, as if nothing had come from them for longer than `staleMs`. */
  readonly leavesAway: boolean;
  /** The place of the only source that can be held back; else all can. */
  readonly only?: number;
  /** How far into the coming time quotes are listed, with their true times; a log that is behind its sources has them. */
  readonly aheadMs?: number;
}

type Listed = readonly (Quote | undefined)[];

/**
 * The ticks that a house can write at a grid time, the honest one first, and of the others those that can be the best for it: a price
 * rises with each of its quotes, so that all sources are held at their highest quotes, or at their lowest, and one at most is away.
 */
export function options(market: TracedMarket, slot: number, levers: Levers, isHigh: boolean): Tick[] {
  const honest = market.tick(slot);
  const known = honest ? [honest] : [];
  const { aheadMs = 0 } = levers;
  if (levers.heldMs === 0 && !levers.leavesAway && aheadMs === 0) return known;
  const { freshMs } = market.rules;
  const latest = market.latest(slot);
  const extreme = (mostMs: number): Listed =>
    latest.map((quote, at) =>
      at === (levers.only ?? at) ? extremeOf(market, at, slot, quote, isHigh, mostMs) : quote,
    );
  const fresh = extreme(Math.min(levers.heldMs, freshMs));
  const listings: Listed[] = [fresh];
  if (levers.leavesAway) listings.push(...fresh.keys().map((at) => fresh.with(at, undefined)));
  if (levers.heldMs > freshMs)
    listings.push(...extreme(levers.heldMs).map((quote, at) => fresh.with(at, quote)));
  if (aheadMs > 0) {
    const coming = latest.map((quote, at) => highest(market.coming(at, slot, aheadMs), quote, isHigh));
    listings.push(coming, ...coming.map((quote, at) => fresh.with(at, quote)));
  }
  const ticks = listings.flatMap((listed) => market.tick(slot, listed) ?? []);
  return [...known, ...ticks.filter(isCurrent)];
}

/** Of a source's latest quote and those that can be held back: the highest, or the lowest. */
function extremeOf(
  market: TracedMarket,
  source: number,
  slot: number,
  latest: Quote | undefined,
  isHigh: boolean,
  mostMs: number,
): Quote | undefined {
  const held = market.heldBack(source, slot, Math.min(mostMs, market.rules.staleMs));
  return highest(held, latest, isHigh);
}

function highest(quotes: readonly Quote[], first: Quote | undefined, isHigh: boolean): Quote | undefined {
  let found = first;
  for (const quote of quotes)
    if (!found || (isHigh ? quote.price > found.price : quote.price < found.price)) found = quote;
  return found;
}

/** A tick of quotes that are as old as `staleMs` lets them be. */
export function nonOpening(market: TracedMarket, slot: number): Tick | null {
  const oldest = market
    .latest(slot)
    .map((latest, source) => market.heldBack(source, slot, market.rules.staleMs).at(-1) ?? latest);
  return market.tick(slot, oldest);
}
