import { type Edge, edgeOf } from '@fairtick/kit/choices/edge.ts';
import { type Choice, type Order, openingValues } from '@fairtick/kit/choices/house-choices.ts';
import { VOID_PAYS, waitingBy } from '@fairtick/kit/choices/house-value.ts';
import { momentsOf, pathsFor } from '@fairtick/kit/choices/price-path.ts';
import { type Manner, OWN, TracedMarket } from '@fairtick/kit/choices/traced-market.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';

/**
 * What a house gains that knows the market's price up to now and chooses, for each order to its advantage, what the rules leave to
 * it. The stated edge at a payout rate of 0.8 is 10 % of the stakes. Each moment has an order up and one down, so that trends cancel
 * out. ORDERS sets the number for each product, SEED repeats a run, RECORDINGS is a folder of recorded ticks.
 */
const ORDERS = Number(process.env.ORDERS ?? 40_000);
const SEED = Number(process.env.SEED ?? 27);
const PRODUCTS = (process.env.PRODUCTS ?? 'EUR/USD,XAU/USD,BTC/USDT').split(',').filter(Boolean);
/** In points of a percent of the stakes. */
const MOST = 0.5;
/** Orders from which a house that waits learns what waiting is worth. What takes long is counted for the first of this many parts of all. */
const LEARNT = 400;
const FEWER = 8;
/** The newest quote of a source on a line of its own, with the least `lagMs`. */
const LAG_MS = 300;

/** A house that waits learns from orders before what waiting is worth. */
interface Row extends Omit<Choice, 'waits'> {
  readonly waits?: true;
  /** Sources that quote all the time, which can be held back for so long: `freshMs` is so much more than `lagMs`. */
  readonly steadyMs?: number;
}
const held = (heldMs: number) => ({ heldMs, leavesAway: false });
const away = { heldMs: 0, leavesAway: true };
const seconds = (ms: number): string => `${ms / 1000} s`;

const behind = (behindMs: number): Row => ({
  name: `no tick where it would open, the log ${seconds(behindMs)} behind`,
  hides: true,
  behindMs,
});
const refusing = (behindMs: number): Row => ({
  name: `refused by choice, the log ${seconds(behindMs)} behind`,
  refuses: true,
  behindMs,
});
const coming = (behindMs: number): Row => {
  const levers = { heldMs: 0, leavesAway: false, aheadMs: behindMs };
  return {
    name: `quotes of the coming time, the log ${seconds(behindMs)} behind`,
    opening: levers,
    settlement: levers,
    behindMs,
  };
};
const waiting = (behindMs: number, openWithinMs: number): Row => ({
  name: `which tick of ${seconds(openWithinMs)} opens, the log ${seconds(behindMs)} behind`,
  waits: true,
  behindMs,
  openWithinMs,
});
/** All but refusals, at both ends. */
const all = (behindMs: number, heldMs = 5_000): Row => {
  const levers = { heldMs, leavesAway: true, aheadMs: behindMs };
  return {
    name: `all at once, the log ${seconds(behindMs)} behind`,
    opening: levers,
    settlement: levers,
    hides: true,
    isSilent: true,
    behindMs,
  };
};
/** The answer comes once the house knows the openings of all batches in which the order stands. */
const answered = (lateMs: number): Row => ({
  name: `no opening time named: answered ${seconds(lateMs)} later, with the worst of its batches`,
  instants: { fromMs: 0, toMs: lateMs, chosenMs: lateMs },
});
/** Dated back as far as it can still be logged in time. */
const dated = (behindMs: number): Row => ({
  name: `no opening time named: dated back by up to 1 s, the log ${seconds(behindMs)} behind`,
  instants: { fromMs: -1_000, toMs: 0, chosenMs: -2_000 },
  behindMs,
});
const steady = (steadyMs: number): Row[] => {
  const levers = held(LAG_MS + steadyMs);
  const name = `quotes all the time, held back ${steadyMs} ms`;
  return [
    { name: `${name}, opening`, steadyMs, opening: levers },
    { name: `${name}, settlement`, steadyMs, settlement: levers },
    { name: `${name}, both`, steadyMs, opening: levers, settlement: levers },
  ];
};

/** No more than `MOST`, by the rules alone. */
const BOUND: readonly Row[] = [
  { name: 'no tick at the settlement', isSilent: true },
  {
    name: 'answered late or dated back, the opening time named',
    instants: { fromMs: 0, toMs: 0, chosenMs: 2_000 },
  },
  ...[0, 250, 500, 1_000, 2_000].map(behind),
  ...[250, 500, 1_000, 2_000].map(coming),
  ...[250, 5_000].map((ms) => ({ name: `held back ${seconds(ms)}, opening`, opening: held(ms) })),
  ...[250, 5_000].map((ms) => ({
    name: `held back ${seconds(ms)}, settlement`,
    settlement: held(ms),
  })),
  { name: 'sources left away, opening', opening: away },
  { name: 'sources left away, settlement', settlement: away },
  waiting(0, 0),
  waiting(2_000, 0),
  ...[0, 250, 500, 1_000, 2_000].map((ms) => all(ms)),
];
/** More than `MOST`: what leaves evidence, and is bound by nothing else. docs/SECURITY.md says so. */
const EVIDENT: readonly Row[] = [
  ...[500, 1_000, 2_000].map(answered),
  ...[0, 1_000, 2_000].map(dated),
  ...[1_000, 2_000, 5_000].map(refusing),
  { ...all(2_000), name: 'refused by choice and all at once, the log 2 s behind', refuses: true },
  ...[5_000].map(behind),
  ...[1_000, 5_000].map((openWithinMs) => waiting(0, openWithinMs)),
  waiting(1_000, 5_000),
  ...[50, 100, 150, 190].flatMap(steady),
  {
    ...all(2_000, LAG_MS + 190),
    name: 'quotes all the time, all at once, the log 2 s behind',
    steadyMs: 190,
  },
];

/** The row's choice, with what a house that waits has learnt. */
function choiceOf(market: TracedMarket, orders: readonly Order[], { waits, ...choice }: Row): Choice {
  if (!waits) return choice;
  const learnt = orders.slice(0, LEARNT).flatMap((order) => openingValues(market, order, choice));
  return { ...choice, waits: waitingBy(learnt) };
}

const mannerOf = ({ steadyMs }: Row): Manner =>
  steadyMs === undefined ? OWN : { isSteady: true, lagMs: LAG_MS, freshMs: LAG_MS + steadyMs };

test.each(pathsFor(PRODUCTS, ORDERS / 2, process.env.RECORDINGS))(
  'no choice that the rules bind raises the edge by more than half a point (%#)',
  (pathOf) => {
    const path = pathOf();
    const moments = momentsOf(path, ORDERS / 2, 90_000, new Random(SEED));
    const orders = moments.flatMap((opensAtMs) =>
      (['up', 'down'] as const).map((direction): Order => ({ opensAtMs, direction })),
    );
    // Waiting takes many ticks for each order.
    const some = orders.slice(0, Math.ceil(orders.length / FEWER));
    const markets = new Map<string, TracedMarket>();
    const honest = new Map<string, number>();
    const raisedBy = (row: Row): { raised: number; edge: Edge } => {
      const manner = mannerOf(row);
      const market = markets.get(JSON.stringify(manner)) ?? new TracedMarket(path, manner);
      markets.set(JSON.stringify(manner), market);
      const of = row.openWithinMs ? some : orders;
      const key = `${JSON.stringify(manner)} ${of.length}`;
      const without = honest.get(key) ?? edgeOf(market, of, { name: 'none' }).ofAll;
      honest.set(key, without);
      const edge = edgeOf(market, of, choiceOf(market, of, row));
      return { raised: 100 * (edge.ofAll - without), edge };
    };
    console.log(`${path.name}: ${orders.length} orders, seed ${SEED}`);
    const above: string[] = [];
    for (const row of [{ name: 'none' }, ...BOUND, ...EVIDENT]) {
      const { raised, edge } = raisedBy(row);
      if (BOUND.includes(row) && raised > MOST) above.push(`${row.name}: ${raised.toFixed(2)}`);
      const share = (count: number) =>
        ((100 * count) / (row.openWithinMs ? some : orders).length).toFixed(2).padStart(6);
      const { counts } = edge;
      console.log(
        `${raised.toFixed(2).padStart(6)}  ${(100 * edge.ofAll).toFixed(2).padStart(6)} %, void ${share(counts.void)} %, refused ${share(counts.refused)} %  ${row.name}`,
      );
    }
    const fair = honest.get(`${JSON.stringify(OWN)} ${orders.length}`) as number;
    console.log(
      `a pair up and down: ${(-2 * fair).toFixed(3)} stakes; if void ${(2 * VOID_PAYS).toFixed(3)}`,
    );
    if (above.length > 0) console.log(`above ${MOST}: ${above.join('; ')}`);
    expect(path.isRecorded ? [] : above).toEqual([]);
  },
);
