import type { Direction } from '../../../packages/trading/src/index.ts';
import type { TracedMarket } from './traced-market.ts';

export const PAYOUT = 0.8;
/** What a void order pays on top of its stake. */
export const VOID_PAYS = 0.1;

/** The standard normal distribution, to some seven digits (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const sum =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  return z > 0 ? 1 - tail : tail;
}

/** What an order of a minute that opens at this price is worth to a house that knows the market up to a time; 1 is the stake. */
export function houseValue(
  market: TracedMarket,
  knownMs: number,
  direction: Direction,
  price: number,
): number {
  const moved = market.midAt(knownMs) - price;
  const deviation = Math.max(market.secondMove(market.slotOf(knownMs)) * Math.sqrt(60), 1e-9);
  return 1 - (1 + PAYOUT) * normal(((direction === 'up' ? 1 : -1) * moved) / deviation);
}

/**
 * The least value at which a house stops waiting, by how many grid times are left, if each gives one of these values: what waiting
 * is worth at the next time. With none left the order is void.
 */
export function waitingBy(values: readonly number[]): { leastOf(left: number): number } {
  const least = [-VOID_PAYS];
  return {
    leastOf(left: number): number {
      while (least.length <= left) {
        const next = least.at(-1) as number;
        least.push(values.reduce((sum, value) => sum + Math.max(value, next), 0) / values.length);
      }
      return least[left] as number;
    },
  };
}
