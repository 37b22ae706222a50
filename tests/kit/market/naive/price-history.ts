/**
 * The expected result of a replay, computed from the recording alone. Quotes are planned from `startMs` on at their recorded
 * distances; prices exist at multiples of a quarter of a second.
 */
import type { NaiveQuote } from './quotes-of-rows.ts';

export const QUARTER_MS = 250;
/** A recorded price is valid for five minutes; then there is none until the next quote. */
const HOLDS_MS = 300_000;
/** After such a gap no orders are accepted for this long. */
const SETTLES_IN_MS = 15_000;

export interface NaivePrice {
  readonly plannedMs: number;
  /** The first quarter second at or after `plannedMs`. */
  readonly quarterMs: number;
  readonly price: bigint;
}

const quarterUp = (ms: number): number => Math.ceil(ms / QUARTER_MS) * QUARTER_MS;
const quarterAfter = (ms: number): number => Math.floor(ms / QUARTER_MS) * QUARTER_MS + QUARTER_MS;

export class PriceHistory {
  readonly prices: readonly NaivePrice[];
  /** Quarter seconds at which prices stop, ascending; the last one is the recording's end. */
  readonly stops: readonly number[];
  readonly endMs: number;

  constructor(quotes: readonly NaiveQuote[], startMs: number) {
    const firstMs = (quotes[0] as NaiveQuote).timeMs;
    this.prices = quotes.map(({ timeMs, price }) => {
      const plannedMs = startMs + (timeMs - firstMs);
      return { plannedMs, quarterMs: quarterUp(plannedMs), price };
    });
    const stops: number[] = [];
    for (const [place, { plannedMs }] of this.prices.entries()) {
      const next = this.prices[place + 1];
      const stopMs = quarterAfter(plannedMs + HOLDS_MS);
      if (next && stopMs < next.quarterMs) stops.push(stopMs);
    }
    this.endMs = (this.prices.at(-1) as NaivePrice).quarterMs + QUARTER_MS;
    this.stops = [...stops, this.endMs];
  }

  /** The last price planned at or before a time. */
  lastAt(timeMs: number): NaivePrice | null {
    return this.prices[this.#countUntil(timeMs) - 1] ?? null;
  }

  /** The price at the first quarter second with a newly planned quote at or after a time. */
  firstFrom(timeMs: number): NaivePrice | null {
    const first = this.prices[this.#countUntil(timeMs - 1)];
    return first ? this.lastAt(first.quarterMs) : null;
  }

  /** Whether orders are accepted at a time; null when it is too close to a change to decide. */
  takesOrdersAt(timeMs: number): boolean | null {
    const last = this.lastAt(timeMs - (timeMs % QUARTER_MS));
    if (last === null) return false;
    const stopMs = this.stops.findLast((stop) => stop <= timeMs);
    if (this.stops.some((stop) => Math.abs(stop - timeMs) < 1_000)) return null;
    if (stopMs === undefined) return true;
    if (stopMs >= last.quarterMs) return false;
    const reopened = this.firstFrom(stopMs) as NaivePrice;
    const fromMs = reopened.quarterMs + SETTLES_IN_MS;
    return Math.abs(timeMs - fromMs) < 1_000 ? null : timeMs >= fromMs;
  }

  /** How many quotes are planned at or before a time. */
  #countUntil(timeMs: number): number {
    let low = 0;
    let high = this.prices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.prices[middle] as NaivePrice).plannedMs <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The last price planned up to each quarter second in which a quote fell. */
export function ticksOf(history: PriceHistory): { timeMs: number; price: bigint }[] {
  const byQuarter = new Map<number, bigint>();
  for (const { quarterMs, price } of history.prices) byQuarter.set(quarterMs, price);
  return [...byQuarter].map(([timeMs, price]) => ({ timeMs, price })).sort((a, b) => a.timeMs - b.timeMs);
}
