import { type Choice, type Order, openingValues, resultOf } from '@fairtick/kit/choices/house-choices.ts';
import { PAYOUT, waitingBy } from '@fairtick/kit/choices/house-value.ts';
import { TracedMarket } from '@fairtick/kit/choices/traced-market.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';

/**
 * What a house gains that knows the market's price up to now and chooses, for each order to its advantage, what the rules leave to
 * it. The stated edge at a payout rate of 0.8 is 10 % of the stakes. Each moment has an order up and one down, so that trends cancel
 * out. ORDERS sets the number for each product, SEED repeats a run.
 */
const ORDERS = Number(process.env.ORDERS ?? 40_000);
const SEED = Number(process.env.SEED ?? 27);
const PRODUCTS = (process.env.PRODUCTS ?? 'EUR/USD,XAU/USD,BTC/USDT').split(',');
/** A pair starts every 15 s. */
const EVERY_MS = 15_000;
/** In points of a percent of the stakes. */
const MOST = 0.5;
/** Orders from which a house that waits learns what waiting is worth. What takes long is counted for the first of this many parts of all. */
const LEARNT = 400;
const FEWER = 8;

/** A house that waits learns from orders before what waiting is worth. */
interface Row extends Omit<Choice, 'waits'> {
  readonly waits?: true;
}
const NONE = { heldMs: 0, leavesAway: false };
const held = (heldMs: number, isSteady = false) => ({ heldMs, leavesAway: false, isSteady });
const away = { heldMs: 0, leavesAway: true };
const seconds = (ms: number): string => `${ms / 1000} s`;

const HONEST: Row = { name: 'none' };
const behind = (behindMs: number): Row => ({
  name: `no tick where it would open, the log ${seconds(behindMs)} behind`,
  hides: true,
  behindMs,
});
const waiting = (behindMs: number, openWithinMs: number): Row => ({
  name: `which tick of ${seconds(openWithinMs)} opens, the log ${seconds(behindMs)} behind`,
  waits: true,
  behindMs,
  openWithinMs,
});
/** Quotes held back and sources left away, at both ends, and no tick where it would open. */
const all = (heldMs: number, freshMs: number): Row => ({
  name: `all at once: held back ${seconds(heldMs)}, left away, no tick where it would open`,
  opening: { heldMs, leavesAway: true },
  settlement: { heldMs, leavesAway: true },
  hides: true,
  freshMs,
});

/** No more than `MOST`, by the rules alone. */
const BOUND: readonly Row[] = [
  ...[250, 1_000, 5_000, 55_000].map((silentMs) => ({
    name: `no tick for ${seconds(silentMs)} up to the settlement`,
    silentMs,
  })),
  behind(0),
  behind(250),
  { name: 'the moment of acceptance, in 500 ms', dates: true },
  ...[250, 1_000, 5_000].map((ms) => ({ name: `held back ${seconds(ms)}, opening`, opening: held(ms) })),
  ...[250, 1_000, 5_000].map((ms) => ({
    name: `held back ${seconds(ms)}, settlement`,
    settlement: held(ms),
  })),
  { name: 'sources left away, opening', opening: away },
  { name: 'sources left away, settlement', settlement: away },
  { name: 'quotes all the time, held back 0.25 s, opening', opening: held(250, true) },
  { name: 'quotes all the time, held back 0.25 s, settlement', settlement: held(250, true) },
  all(250, 200),
  all(5_000, 200),
  waiting(0, 0),
];
/** More than `MOST`: what leaves evidence, and is bound by nothing else. docs/SECURITY.md says so. */
const EVIDENT: readonly Row[] = [
  ...[500, 1_000, 2_000, 5_000, 10_000].map(behind),
  ...[1_000, 5_000].map((openWithinMs) => waiting(0, openWithinMs)),
  waiting(1_000, 5_000),
];
/** What a larger `freshMs` leaves to a house. */
const FRESH: readonly Row[] = [200, 500, 1_000, 2_000, 5_000].flatMap((freshMs) => [
  { ...all(freshMs, freshMs), name: `freshMs ${freshMs}, opening`, settlement: NONE, hides: false },
  { ...all(freshMs, freshMs), name: `freshMs ${freshMs}, settlement`, opening: NONE, hides: false },
  { ...all(freshMs, freshMs), name: `freshMs ${freshMs}, both`, hides: false },
]);

interface Edge {
  /** The house's gain as a share of all stakes. */
  readonly ofAll: number;
  readonly none: number;
}

function edgeOf(market: TracedMarket, orders: readonly Order[], row: Row): Edge {
  const { waits, ...choice } = row;
  const learnt = waits && orders.slice(0, LEARNT).flatMap((order) => openingValues(market, order, choice));
  const whole: Choice = learnt ? { ...choice, waits: waitingBy(learnt) } : choice;
  const counts = { profit: 0, loss: 0, none: 0 };
  for (const order of orders) counts[resultOf(market, order, whole)] += 1;
  return { ofAll: (counts.loss - PAYOUT * counts.profit) / orders.length, none: counts.none / orders.length };
}

const percent = (share: number): string => (share * 100).toFixed(2).padStart(6);

test.each(PRODUCTS)(
  '%s: no choice that the rules bind raises the edge by more than half a point',
  (symbol) => {
    const random = new Random(SEED);
    const moments = Math.ceil(ORDERS / 2);
    const market = new TracedMarket(symbol, Math.ceil((moments * EVERY_MS) / 3_600_000) + 1);
    const orders = Array.from({ length: moments }, (_, place) => {
      const acceptedAtMs = market.startMs + 600_000 + place * EVERY_MS + random.whole(0, EVERY_MS - 1);
      return (['up', 'down'] as const).map((direction): Order => ({ acceptedAtMs, direction }));
    }).flat();
    console.log(`${symbol}: ${ORDERS} orders, seed ${SEED}`);
    // Waiting, and quotes held back for long, take many ticks and quotes for each order.
    const some = orders.slice(0, Math.ceil(orders.length / FEWER));
    const honest = edgeOf(market, orders, HONEST).ofAll;
    const honestOfSome = edgeOf(market, some, HONEST).ofAll;
    const above: string[] = [];
    for (const row of [HONEST, ...BOUND, ...EVIDENT, ...FRESH]) {
      const isOfSome = row.waits || FRESH.includes(row);
      const edge = edgeOf(market, isOfSome ? some : orders, row);
      const raised = 100 * (edge.ofAll - (isOfSome ? honestOfSome : honest));
      if (BOUND.includes(row) && raised > MOST) above.push(row.name);
      console.log(
        `${raised.toFixed(2).padStart(6)}  ${percent(edge.ofAll)} %, none ${percent(edge.none)} %  ${row.name}`,
      );
    }
    expect(above).toEqual([]);
  },
);
