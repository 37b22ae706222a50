import type { Points } from '@fairtick/money';
import type { Direction } from './decide-settlement.ts';
import type { JudgedQuote, Tick } from './tick.ts';

/** A price for each direction. */
export type Worth = Readonly<Record<Direction, Points>>;

export function usedQuotes({ quotes }: Tick): readonly JudgedQuote[] {
  return quotes.filter((quote): quote is JudgedQuote => quote.use === 'use');
}

/** Whether more than half of the quotes of use are at most `freshMs` old, by the older of their source and receive times. */
export function isCurrent(tick: Tick): boolean {
  const used = usedQuotes(tick);
  const fresh = used.filter(
    ({ sourceMs, receivedMs }) => tick.timeMs - Math.min(sourceMs, receivedMs) <= tick.freshMs,
  );
  return fresh.length * 2 > used.length;
}

/** Whether every source counts: its quote is of use, or an outlier. */
export const isComplete = ({ quotes }: Tick): boolean =>
  quotes.every(({ use }) => use === 'use' || use === 'outlier');

/**
 * What a tick is worth: its price, if every source counts (`use` or `outlier`). Where one is stale or has sent nothing, it could have moved
 * the price, so the lowest and the highest quote of use stand for it.
 */
export function boundsOf(tick: Tick): { readonly low: Points; readonly high: Points } {
  if (isComplete(tick)) return { low: tick.price, high: tick.price };
  const prices = usedQuotes(tick).map(({ price }) => price);
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
