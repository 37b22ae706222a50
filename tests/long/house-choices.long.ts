import {
  absentAtOpening,
  absentAtSettlement,
  accepting,
  type Choice,
  HONEST,
  heldAtOpening,
  heldAtSettlement,
  hole,
  type Order,
  PAYOUT,
  resultOf,
  silence,
} from '@fairtick/kit/choices/house-choices.ts';
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

/** No more than `MOST`, by the rules alone. */
const BOUND: readonly Choice[] = [hole(0), hole(250), accepting, heldAtOpening(250), heldAtSettlement(250)];
/** More than `MOST`: what leaves evidence, and is bound by nothing else. docs/SECURITY.md says so. */
const EVIDENT: readonly Choice[] = [
  hole(500),
  hole(1_000),
  hole(2_000),
  hole(5_000),
  hole(10_000),
  silence(250),
  silence(1_000),
  silence(5_000),
  silence(55_000),
  heldAtOpening(1_000),
  heldAtSettlement(1_000),
  heldAtSettlement(5_000),
  absentAtOpening,
  absentAtSettlement,
];

interface Edge {
  /** The house's gain as a share of all stakes. */
  readonly ofAll: number;
  /** As a share of the stakes of orders that were won or lost. */
  readonly ofDecided: number;
  readonly none: number;
}

function edgeOf(market: TracedMarket, orders: readonly Order[], choice: Choice): Edge {
  const counts = { profit: 0, loss: 0, none: 0 };
  for (const order of orders) counts[resultOf(market, order, choice)] += 1;
  const gain = counts.loss - PAYOUT * counts.profit;
  return {
    ofAll: gain / orders.length,
    ofDecided: gain / (counts.profit + counts.loss),
    none: counts.none / orders.length,
  };
}

const percent = (share: number): string => (share * 100).toFixed(2);

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
    const honest = edgeOf(market, orders, HONEST);
    const rows = [HONEST, ...BOUND, ...EVIDENT].map((choice) => {
      const edge = edgeOf(market, orders, choice);
      return { choice, edge, raised: 100 * (edge.ofAll - honest.ofAll) };
    });
    console.log(
      `${symbol}: ${ORDERS} orders, seed ${SEED}, a minute moves ${market.minuteMove(market.slotOf(orders[0]?.acceptedAtMs ?? 0)).toFixed(1)} points`,
    );
    for (const { choice, edge, raised } of rows)
      console.log(
        `${choice.name.padEnd(48)} ${percent(edge.ofAll).padStart(6)} % (${raised >= 0 ? '+' : ''}${raised.toFixed(2)}), of decided ${percent(edge.ofDecided)} %, none ${percent(edge.none)} %`,
      );
    const above = rows.filter(({ choice, raised }) => BOUND.includes(choice) && raised > MOST);
    expect(above.map(({ choice }) => choice.name)).toEqual([]);
  },
);
