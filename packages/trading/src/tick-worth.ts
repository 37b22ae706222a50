import type { Points } from '@fairtick/money';
import type { Direction } from './direction.ts';
import type { JudgedQuote, Tick } from './tick.ts';

/** A price for each direction. */
export type Worth = Readonly<Record<Direction, Points>>;

export function usedQuotes({ quotes }: Tick): readonly JudgedQuote[] {
  return quotes.filter((quote): quote is JudgedQuote => quote.use === 'use');
}

/** Whether the older of a quote's times is at most `freshMs` before its tick's. */
const isFresh = ({ timeMs, freshMs }: Tick, { sourceMs, receivedMs }: JudgedQuote): boolean =>
  timeMs - Math.min(sourceMs, receivedMs) <= freshMs;

const freshQuotes = (tick: Tick): readonly JudgedQuote[] =>
  usedQuotes(tick).filter((quote) => isFresh(tick, quote));

/** Whether more than half of the sources have a quote of use that is at most `freshMs` old, by the older of its two times. */
export function isCurrent(tick: Tick): boolean {
  return freshQuotes(tick).length * 2 > tick.quotes.length;
}

/** Whether every source counts: its quote is of use, or an outlier, and at most `freshMs` old. */
export const isComplete = (tick: Tick): boolean =>
  tick.quotes.every((quote) => (quote.use === 'use' || quote.use === 'outlier') && isFresh(tick, quote));

/**
 * What a tick is worth: its price, if every source counts. Where one does not, it could have moved the price, so the lowest and the
 * highest quote of use that is at most `freshMs` old stand for it; a tick without such quotes is worth its price.
 */
export function boundsOf(tick: Tick): { readonly low: Points; readonly high: Points } {
  if (isComplete(tick)) return { low: tick.price, high: tick.price };
  const prices = freshQuotes(tick).map(({ price }) => price);
  const [first = tick.price] = prices;
  return {
    low: prices.reduce((low, price) => (price < low ? price : low), first),
    high: prices.reduce((high, price) => (price > high ? price : high), first),
  };
}

type Bounds = ReturnType<typeof boundsOf>;

/** The opening price of each direction: the one that is best for the customer. */
export const openingWorth = ({ low, high }: Bounds): Worth => ({ up: low, down: high });

/** The settlement price of each direction: the one that is best for the customer. */
export const settlementWorth = ({ low, high }: Bounds): Worth => ({ up: high, down: low });
