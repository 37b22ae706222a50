import { SOURCES } from '../../../apps/server/src/market/simulated/market-model.ts';
import {
  boundsOf,
  type Direction,
  isCurrent,
  openingWorth,
  settlementWorth,
  usedQuotes,
} from '../../../packages/trading/src/index.ts';
import type { Random } from '../hostile/random.ts';
import { PAYOUT } from './house-value.ts';
import { options } from './listings.ts';
import type { TracedMarket } from './traced-market.ts';

/**
 * Settlement on one tick, and on the mean of the ticks of the last whole seconds. Prices are turned so that higher is better for the
 * customer, whatever the direction: up as they are, down with the other sign.
 */
export interface Bet {
  readonly direction: Direction;
  readonly settlesAtMs: number;
  /** The opening price, and the standard deviation of a second's move at the settlement; in points. */
  readonly open: number;
  readonly secondMove: number;
}

/** How far from a missing second a neighbour may be, outside of those that count. */
const AROUND = 5;

/** Prices of whole seconds: {@link AROUND}, those that count, the last of them the settlement's, and {@link AROUND}. Null: no current tick. */
export type Seconds = readonly (number | null)[];

/** A mean of so many seconds. A missing one is the better of its neighbours for the customer, and further by the span of all if `isFurther`. */
export interface Over {
  readonly count: number;
  readonly isFurther: boolean;
}

const SECOND = 4;
const insideOf = (seconds: Seconds): Seconds => seconds.slice(AROUND, -AROUND);
const sign = (direction: Direction): number => (direction === 'up' ? 1 : -1);

export function betOf(
  market: TracedMarket,
  opensAtMs: number,
  minutes: number,
  direction: Direction,
): Bet | null {
  const tick = market.tick(market.slotOf(opensAtMs));
  if (!tick || !isCurrent(tick)) return null;
  const settlesAtMs = Math.ceil(opensAtMs / 1000) * 1000 + minutes * 60_000;
  return {
    direction,
    settlesAtMs,
    open: sign(direction) * Number(openingWorth(boundsOf(tick))[direction]),
    secondMove: market.secondMove(market.slotOf(settlesAtMs)),
  };
}

/** Of the last `count` whole seconds, and of the neighbours on both sides. */
export function secondsOf(market: TracedMarket, bet: Bet, count: number): (number | null)[] {
  const last = market.slotOf(bet.settlesAtMs);
  return Array.from({ length: count + 2 * AROUND }, (_, place) =>
    worthOf(market, last + (place - AROUND + 1 - count) * SECOND, bet.direction),
  );
}

function worthOf(market: TracedMarket, slot: number, direction: Direction): number | null {
  const tick = market.tick(slot);
  if (!tick || !isCurrent(tick)) return null;
  return sign(direction) * Number(settlementWorth(boundsOf(tick))[direction]);
}

/** The same with, of what the house can list, what is worst for the customer. */
export function chosenSecondsOf(
  market: TracedMarket,
  bet: Bet,
  count: number,
  levers: { heldMs: number; leavesAway: boolean },
): (number | null)[] {
  const last = market.slotOf(bet.settlesAtMs);
  const at = (slot: number): number | null => {
    const ticks = options(market, slot, levers, bet.direction === 'down').filter(isCurrent);
    const worths = ticks.map(
      (tick) => sign(bet.direction) * Number(settlementWorth(boundsOf(tick))[bet.direction]),
    );
    return worths.length === 0 ? null : Math.min(...worths);
  };
  return Array.from({ length: count + 2 * AROUND }, (_, place) => {
    const isInside = place >= AROUND && place < AROUND + count;
    const slot = last + (place - AROUND + 1 - count) * SECOND;
    return isInside ? at(slot) : worthOf(market, slot, bet.direction);
  });
}

/** The sum of the seconds that count; null if more than half of them are missing, or a missing one has no neighbour on one side. */
function sumOf(seconds: Seconds, isFurther: boolean): number | null {
  const inside = insideOf(seconds);
  const missing = inside.filter((each) => each === null).length;
  if (missing * 2 > inside.length) return null;
  let sum = 0;
  for (const each of inside) sum += each ?? 0;
  if (missing === 0) return sum;
  const seen = inside.filter((each) => each !== null);
  for (const [at, each] of inside.entries()) {
    if (each !== null) continue;
    const before = seconds.slice(at, AROUND + at).findLast((other) => other !== null);
    const after = seconds.slice(AROUND + at + 1, AROUND + at + 1 + AROUND).find((other) => other !== null);
    if (before === undefined || after === undefined) return null;
    seen.push(before as number, after as number);
    sum += Math.max(before as number, after as number);
  }
  return isFurther ? sum + missing * (Math.max(...seen) - Math.min(...seen)) : sum;
}

/** What the order is worth to the customer, in stakes. Without a price it wins. */
export function gainOf(bet: Bet, seconds: Seconds, isFurther = false, pushed = 0): number {
  const sum = sumOf(seconds, isFurther);
  if (sum === null) return PAYOUT;
  const moved = sum + pushed - insideOf(seconds).length * bet.open;
  return moved === 0 ? 0 : moved > 0 ? PAYOUT : -1;
}

/**
 * A house that knows the price up to now and that would lose: it leaves out each second that is better for the customer than the
 * last one that it wrote, up to half of them.
 */
export function gambled(bet: Bet, seconds: Seconds): Seconds {
  let kept = seconds[AROUND - 1] ?? Number.NEGATIVE_INFINITY;
  if (kept <= bet.open) return seconds;
  let left = insideOf(seconds).length >> 1;
  return seconds.map((each, place) => {
    if (place < AROUND || place >= seconds.length - AROUND || each === null) return each;
    if (each > kept && left > 0) {
      left -= 1;
      return null;
    }
    kept = each;
    return each;
  });
}

/**
 * Of all ways to leave out runs of at most `most` seconds: the one with the least sum, by neighbours alone. A house whose log is that
 * much behind knows both neighbours of such a run before it writes the first.
 */
export function leftOut(all: Seconds, most: number): Seconds {
  const seconds = all.slice(AROUND - 1, 1 - AROUND);
  const price = (place: number): number => seconds[place] ?? Number.POSITIVE_INFINITY;
  const least = [0];
  const from = [0];
  for (let place = 1; place < seconds.length; place += 1) {
    let best = Number.POSITIVE_INFINITY;
    for (let before = place - 1; before >= Math.max(0, place - 1 - most); before -= 1) {
      const own = place < seconds.length - 1 ? price(place) : 0;
      const run = (place - before - 1) * Math.max(price(before), price(place));
      const sum = (least[before] as number) + (run || 0) + own;
      if (sum < best) [best, from[place]] = [sum, before];
    }
    least[place] = best;
  }
  const kept = new Set<number>();
  for (let place = seconds.length - 1; place > 0; place = from[place] as number) kept.add(place);
  if (!Number.isFinite(least.at(-1))) return all;
  const isLeft = (at: number): boolean => at > 0 && at < seconds.length - 1 && !kept.has(at);
  return all.map((each, place) => (isLeft(place - AROUND + 1) ? null : each));
}

/** The same with any seconds, neighbours included, whatever the rule for missing ones: each way is tried. */
export function anyLeftOut(bet: Bet, seconds: Seconds, isFurther: boolean): number {
  const count = insideOf(seconds).length;
  let least = gainOf(bet, seconds, isFurther);
  for (let way = 1; way < 1 << count && least > -1; way += 1)
    for (let before = 0; before < (way & 1 ? AROUND : 1); before += 1)
      for (let after = 0; after < (way >> (count - 1) ? AROUND : 1); after += 1) {
        const tried = seconds.map((each, place) => {
          const at = place - AROUND;
          const isLeft = at < 0 ? -at <= before : at < count ? (way >> at) & 1 : at - count < after;
          return isLeft ? null : each;
        });
        least = Math.min(least, gainOf(bet, tried, isFurther));
      }
  return least;
}

/** The seconds from `from` to `to`, counted back from the settlement, are missing; those after it are below 0. */
export const without = (seconds: Seconds, from: number, to: number): Seconds =>
  seconds.map((each, place) => {
    const back = seconds.length - AROUND - 1 - place;
    return back >= from && back <= to ? null : each;
  });

/** By how much a median moves for the customer if one of `count` sources says what is best for the customer within the outlier bound. */
export function sourcePush(market: TracedMarket, bet: Bet, count: number, random: Random): number {
  const slot = market.slotOf(bet.settlesAtMs);
  const tick = market.tick(slot);
  if (!tick) return 0;
  const prices = usedQuotes(tick).map(({ price }) => sign(bet.direction) * Number(price));
  const mid = sign(bet.direction) * market.midOf(slot);
  const error = Math.max(1, Math.abs(mid) * 0.000_005);
  while (prices.length < count) prices.push(Math.round(mid + (2 * random.next() - 1) * error));
  const median = (of: readonly number[]): number =>
    of.toSorted((a, b) => a - b)[(of.length - 1) >> 1] as number;
  const bound = Math.abs(mid) * market.rules.outlierBps * 0.0001;
  const first = prices.length > SOURCES.length ? prices.length - 1 : 0;
  return median(prices.with(first, median(prices) + bound)) - median(prices);
}
