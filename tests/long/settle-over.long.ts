import { momentsOf, pathsFor } from '@fairtick/kit/choices/price-path.ts';
import {
  anyLeftOut,
  type Bet,
  betOf,
  chosenSecondsOf,
  gainOf,
  gambled,
  leftOut,
  type Over,
  type Seconds,
  secondsOf,
  sourcePush,
  without,
} from '@fairtick/kit/choices/settle-over.ts';
import { TracedMarket } from '@fairtick/kit/choices/traced-market.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';

/**
 * One tick at the settlement, or the mean of the ticks of the last whole seconds (decision 161): what a house gains by its choices
 * there, what somebody gains who pushes a price for a second, and what an outage costs. Each moment has an order up and one down.
 * ORDERS sets the number for each product, SEED repeats a run, RECORDINGS is a folder of recorded ticks.
 */
const ORDERS = Number(process.env.ORDERS ?? 20_000);
const SEED = Number(process.env.SEED ?? 27);
const PRODUCTS = (process.env.PRODUCTS ?? 'EUR/USD,XAU/USD,BTC/USDT').split(',').filter(Boolean);
const OVERS: readonly Over[] = [
  { count: 1, isFurther: false },
  ...[5, 15, 60].map((count) => ({ count, isFurther: false })),
  ...[5, 10, 15, 60].map((count) => ({ count, isFurther: true })),
];
const CYCLES = [1, 5];
/** On networks: prices take quotes that are 300 ms old, and count those up to 490. */
const LINES = { isSteady: true, lagMs: 300, freshMs: 490 };
const LEVERS = { heldMs: 490, leavesAway: true };
/** Quotes that are held back take long: they are computed for the first of this many parts of the orders. */
const FEWER = 8;

const paths = pathsFor(PRODUCTS, ORDERS / 2, process.env.RECORDINGS);

function betsOf(market: TracedMarket, minutes: number): Bet[] {
  const moments = momentsOf(market.path, ORDERS / 2, (minutes + 1) * 60_000 + 10_000, new Random(SEED));
  return moments.flatMap((opensAtMs) =>
    (['up', 'down'] as const).flatMap((direction) => betOf(market, opensAtMs, minutes, direction) ?? []),
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const show = (values: readonly number[]): string =>
  values.map((value) => value.toFixed(2).padStart(8)).join('');

test.each(paths)('one tick, or a mean of 5, 15 or 60 (%#)', (pathOf) => {
  const path = pathOf();
  const own = new TracedMarket(path);
  const steady = new TracedMarket(path, LINES);
  for (const minutes of CYCLES) {
    const bets = betsOf(own, minutes);
    console.log(`${own.path.name}, ${minutes} min, ${bets.length} orders, seed ${SEED}`);
    console.log(
      'one tick; a mean of 5, 15, 60 s; one of 5, 10, 15, 60 with missing seconds further by the span',
    );
    const columns = OVERS.map((over) => {
      const seconds = bets.map((bet) => secondsOf(own, bet, over.count));
      return { over, seconds, honest: bets.map((bet, at) => gainOf(bet, seconds[at] as Seconds)) };
    });
    type Column = (typeof columns)[number];
    const row = (name: string, each: (column: Column) => number): readonly number[] => {
      const values = columns.map(each);
      console.log(`${show(values)}  ${name}`);
      return values;
    };
    /** What changes for the customers, in points of a percent of the stakes. */
    const changed = (name: string, made: (bet: Bet, seconds: Seconds, over: Over, at: number) => number) =>
      row(
        name,
        ({ over, seconds, honest }) =>
          100 *
          mean(bets.map((bet, at) => made(bet, seconds[at] as Seconds, over, at) - (honest[at] as number))),
      );
    row('honest', ({ honest }) => 100 * mean(honest));
    const silence = changed(
      'seconds left out by choice, the price known up to now',
      (bet, seconds, { isFurther }) => gainOf(bet, gambled(bet, seconds), isFurther),
    );
    for (const most of [1, 2])
      changed(`seconds left out by choice, the log ${most} s behind`, (bet, seconds, { isFurther }) =>
        Math.min(gainOf(bet, seconds), gainOf(bet, leftOut(seconds, most), isFurther)),
      );
    changed(
      'any seconds left out by choice, all known before (5 s only)',
      (bet, seconds, { count, isFurther }) => (count <= 5 ? anyLeftOut(bet, seconds, isFurther) : Number.NaN),
    );
    for (const [name, market] of [
      ['own sources', own],
      ['steady sources', steady],
    ] as const) {
      const some = betsOf(market, minutes).filter((_, at) => at % (2 * FEWER) < 2);
      row(`held back and left away by choice, ${name}`, ({ over: { count, isFurther } }) =>
        isFurther
          ? Number.NaN
          : 100 *
            mean(
              some.map(
                (bet) =>
                  gainOf(bet, chosenSecondsOf(market, bet, count, LEVERS)) -
                  gainOf(bet, secondsOf(market, bet, count)),
              ),
            ),
      );
    }
    for (const by of [1, 2, 5])
      changed(`the market pushed for a second by ${by} standard deviations of a second`, (bet, seconds) =>
        gainOf(bet, seconds, false, by * bet.secondMove),
      );
    for (const count of [3, 5, 9]) {
      const random = new Random(SEED);
      const pushes = bets.map((bet) => sourcePush(own, bet, count, random));
      changed(`one of ${count} sources pushed for a second`, (bet, seconds, _, at) =>
        gainOf(bet, seconds, false, pushes[at]),
      );
    }
    for (const lost of [1, 2, 5]) {
      changed(`outage of the last ${lost} s`, (bet, seconds, { isFurther }) =>
        gainOf(bet, without(seconds, 0, lost - 1), isFurther),
      );
      row(`outage of ${lost} s, all orders that it touches, in stakes for an order a second`, (column) => {
        const { count, isFurther } = column.over;
        const touched = count + lost - 1;
        const cost = bets.map((bet, at) => {
          const from = ((at >> 1) % touched) - (lost - 1);
          const left = without(column.seconds[at] as Seconds, from, from + lost - 1);
          return gainOf(bet, left, isFurther) - (column.honest[at] as number);
        });
        return mean(cost) * touched;
      });
    }
    expect(silence[0]).toBeGreaterThanOrEqual(0);
  }
});
