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

/** One row of figures for each question, one column for each way to settle. */
class Sheet {
  readonly bets: readonly Bet[];
  readonly #columns;

  constructor(market: TracedMarket, minutes: number) {
    this.bets = betsOf(market, minutes);
    this.#columns = OVERS.map((over) => {
      const seconds = this.bets.map((bet) => secondsOf(market, bet, over.count));
      return { over, seconds, honest: this.bets.map((bet, at) => gainOf(bet, seconds[at] as Seconds)) };
    });
    console.log(`${market.path.name}, ${minutes} min, ${this.bets.length} orders, seed ${SEED}`);
    console.log(
      'one tick; a mean of 5, 15, 60 s; one of 5, 10, 15, 60 with missing seconds further by the span',
    );
    this.row(
      'honest',
      ({ count }) => 100 * mean(this.#columns.find(({ over }) => over.count === count)?.honest ?? []),
    );
  }

  row(name: string, each: (over: Over) => number): readonly number[] {
    const values = OVERS.map(each);
    console.log(`${show(values)}  ${name}`);
    return values;
  }

  /** What changes for the customers, in points of a percent of the stakes, or as often as `times` says. */
  changed(
    name: string,
    made: (bet: Bet, seconds: Seconds, over: Over, at: number) => number,
    times: (over: Over) => number = () => 100,
  ): readonly number[] {
    const values = this.#columns.map(({ over, seconds, honest }) => {
      const gains = this.bets.map(
        (bet, at) => made(bet, seconds[at] as Seconds, over, at) - (honest[at] as number),
      );
      return times(over) * mean(gains);
    });
    console.log(`${show(values)}  ${name}`);
    return values;
  }
}

function leaveSecondsOut(sheet: Sheet): readonly number[] {
  for (const most of [1, 2])
    sheet.changed(`seconds left out by choice, the log ${most} s behind`, (bet, seconds, { isFurther }) =>
      Math.min(gainOf(bet, seconds), gainOf(bet, leftOut(seconds, most), isFurther)),
    );
  sheet.changed(
    'any seconds left out by choice, all known before (5 s only)',
    (bet, seconds, { count, isFurther }) => (count <= 5 ? anyLeftOut(bet, seconds, isFurther) : Number.NaN),
  );
  return sheet.changed(
    'seconds left out by choice, the price known up to now',
    (bet, seconds, { isFurther }) => gainOf(bet, gambled(bet, seconds), isFurther),
  );
}

function holdBack(sheet: Sheet, name: string, market: TracedMarket, minutes: number): void {
  const some = betsOf(market, minutes).filter((_, at) => at % (2 * FEWER) < 2);
  sheet.row(`held back and left away by choice, ${name}`, ({ count, isFurther }) => {
    if (isFurther) return Number.NaN;
    const gains = some.map(
      (bet) =>
        gainOf(bet, chosenSecondsOf(market, bet, count, LEVERS)) - gainOf(bet, secondsOf(market, bet, count)),
    );
    return 100 * mean(gains);
  });
}

function push(sheet: Sheet, market: TracedMarket): void {
  for (const by of [1, 2, 5])
    sheet.changed(`the market pushed for a second by ${by} standard deviations of a second`, (bet, seconds) =>
      gainOf(bet, seconds, false, by * bet.secondMove),
    );
  for (const count of [3, 5, 9]) {
    const random = new Random(SEED);
    const pushes = sheet.bets.map((bet) => sourcePush(market, bet, count, random));
    sheet.changed(`one of ${count} sources pushed for a second`, (bet, seconds, _, at) =>
      gainOf(bet, seconds, false, pushes[at]),
    );
  }
}

function cutOff(sheet: Sheet, lost: number): void {
  sheet.changed(`outage of the last ${lost} s`, (bet, seconds, { isFurther }) =>
    gainOf(bet, without(seconds, 0, lost - 1), isFurther),
  );
  const touched = ({ count }: Over): number => count + lost - 1;
  sheet.changed(
    `outage of ${lost} s, all orders that it touches, in stakes for an order a second`,
    (bet, seconds, over, at) => {
      const from = ((at >> 1) % touched(over)) - (lost - 1);
      return gainOf(bet, without(seconds, from, from + lost - 1), over.isFurther);
    },
    touched,
  );
}

test.each(paths)('one tick, or a mean of 5, 15 or 60 (%#)', (pathOf) => {
  const path = pathOf();
  const own = new TracedMarket(path);
  const steady = new TracedMarket(path, LINES);
  for (const minutes of CYCLES) {
    const sheet = new Sheet(own, minutes);
    const silence = leaveSecondsOut(sheet);
    holdBack(sheet, 'own sources', own, minutes);
    holdBack(sheet, 'steady sources', steady, minutes);
    push(sheet, own);
    for (const lost of [1, 2, 5]) cutOff(sheet, lost);
    // On one tick a second without a price pays the customer.
    expect(silence[0]).toBeGreaterThanOrEqual(0);
  }
});
