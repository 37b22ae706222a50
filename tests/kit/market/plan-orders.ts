/** When who buys what: drawn from a seed, so that every run of a recording is the same but for milliseconds. */
import type { PlannedBatch } from './play.ts';

export interface OrderPlan {
  readonly batches: readonly PlannedBatch[];
  /** How many orders that makes. */
  readonly orders: number;
}

const CYCLES = [1, 3, 5] as const;
const LONG_CYCLES = [15, 30, 60] as const;
/** Batches lie further apart than this: each has an acceptance of its own. */
const APART_MS = 1_000;

/** Numbers in [0, 1), the same in every run (an xorshift). */
export function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * Half of the batches at any moment of the recording, half shortly before a quote, so that a sparse recording has orders
 * that open too. Every customer buys once in each batch.
 * @param planned when the quotes are planned, ascending
 */
export function planOrders(
  symbol: string,
  planned: readonly number[],
  options: { batches: number; customers: number; seed: number },
): OrderPlan {
  const random = randomFrom(options.seed);
  const [first, last] = [planned[0] as number, planned.at(-1) as number];
  const moments: number[] = [];
  for (let place = 0; place < options.batches; place += 1) {
    const quote = planned[Math.floor(random() * planned.length)] as number;
    const anyMs = first + random() * (last - first);
    moments.push(Math.floor(place % 2 === 0 ? anyMs : Math.max(first, quote - random() * 4_000)));
  }
  moments.sort((a, b) => a - b);
  const apart = moments.filter(
    (atMs, place) => place === 0 || atMs - (moments[place - 1] as number) >= APART_MS,
  );
  const batches = apart.map((atMs) => {
    // Longer cycles where they can still settle within the recording; the others may outlive it.
    const cycles = [...CYCLES, ...LONG_CYCLES.filter((minutes) => atMs + minutes * 60_000 < last)];
    const wishes = Array.from({ length: options.customers }, () => ({
      symbol,
      direction: random() < 0.5 ? ('up' as const) : ('down' as const),
      minutes: cycles[Math.floor(random() * cycles.length)] as number,
      // Six decimals, so that rounding the payout down shows.
      amount: (10 + random() * 30).toFixed(6),
    }));
    return { atMs, wishes };
  });
  const customers: string[] = [];
  return {
    orders: apart.length * options.customers,
    batches: batches.map(({ atMs, wishes }) => ({
      atMs,
      requests: async (house) => {
        while (customers.length < options.customers) customers.push(await house.customer());
        return wishes.map((wish, place) => house.request(customers[place] as string, wish));
      },
    })),
  };
}
