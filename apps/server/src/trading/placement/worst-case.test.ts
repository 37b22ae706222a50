import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { Trial } from '@fairtick/kit/installation/trial.ts';
import { minor } from '@fairtick/money';
import { beforeAll, expect, test } from 'vitest';

/**
 * Computes the house's largest loss by brute force: every opening price, every kind of void, every settlement price, and every
 * settlement fix present or missing, independently per moment. It shares nothing with the code under test except the accepted orders.
 */
interface Placed {
  readonly customer: string;
  readonly product: number;
  readonly isUp: boolean;
  readonly acceptedMs: number;
  readonly settlesMs: number;
  readonly stake: number;
  readonly income: number;
}

const PRICES = [1, 2, 3];
/** An order may be void: without a price it costs nothing, not logged a tenth of its stake. It settles at the price of its moment; without a fix (null) it wins. */
type Opening = number | 'no_price' | 'not_logged';
const OPENINGS: readonly Opening[] = ['no_price', 'not_logged', ...PRICES];
const SETTLEMENTS = [null, ...PRICES];
const minuteOf = (settlesMs: number) => Math.floor(settlesMs / 60_000);

/** Every assignment of the values to the moments. */
function* ways<T>(moments: readonly number[], values: readonly T[]): Generator<Map<number, T>> {
  const [first, ...rest] = moments;
  if (first === undefined) {
    yield new Map();
    return;
  }
  for (const others of ways(rest, values))
    for (const value of values) yield new Map([...others, [first, value]]);
}

function lossOf(order: Placed, opened: Opening, price: number | null): number {
  if (opened === 'no_price') return 0;
  if (opened === 'not_logged') return Math.floor(order.stake / 10);
  if (price === opened) return 0;
  return price === null || price > opened === order.isUp ? order.income : -order.stake;
}

/** For orders with one product that settle in one minute: all orders of one acceptance time open at one price. */
function worstOf(orders: readonly Placed[]): number {
  const opening = [...Map.groupBy(orders, ({ acceptedMs }) => acceptedMs).values()];
  const settled = [...new Set(orders.map(({ settlesMs }) => settlesMs))];
  let worst = 0;
  for (const settlements of ways(settled, SETTLEMENTS)) {
    const lossAt = (some: readonly Placed[], opened: Opening) =>
      some.reduce((sum, order) => {
        const settlement = settlements.get(order.settlesMs) as number | null;
        return sum + lossOf(order, opened, settlement);
      }, 0);
    const worstOpenings = opening.map((some) => Math.max(...OPENINGS.map((opened) => lossAt(some, opened))));
    worst = Math.max(
      worst,
      worstOpenings.reduce((sum, loss) => sum + loss, 0),
    );
  }
  return worst;
}

/** Prices of different products and of different minutes are independent, so the worst total is the sum of the worst cases. */
function worstOfAll(orders: readonly Placed[]): number {
  const apart = Map.groupBy(orders, ({ product, settlesMs }) => `${product} ${minuteOf(settlesMs)}`);
  return [...apart.values()].reduce((sum, some) => sum + worstOf(some), 0);
}

/** Any whole minute, for orders that are not placed. */
const START = 1_780_315_200_000;
/** In smallest units. */
const LIMITS = { product: 900, group: 1_300, equity: 3_000 };
/** Two products of one group, and one of another. */
const SYMBOLS = ['EUR/USD', 'GBP/USD', 'XAU/USD'] as const;
const GROUPS = ['usd', 'usd', 'metal'];

const still = forFile(async () => {
  const opened = await StillHouse.open({
    cycles: [1, 3].map((minutes) => ({ minutes, payoutRate: '0.8' })),
    limits: [
      {
        ...{ asset: 'DEMO', scale: 6, minBalance: '0.000001', minPurchase: '0.000001' },
        max: [{ upToMinutes: 60, amount: '0.001' }],
      },
    ],
    levels: { bronze: 1, silver: 1, gold: 1, platinum: 1 },
  });
  for (const symbol of SYMBOLS) opened.quote(symbol, '100', opened.nowMs + 1);
  await opened.stepBy(250);
  return opened;
});

let customers: readonly string[];
/** A whole minute after the first prices. */
let startMs: number;
beforeAll(async () => {
  customers = await still.customers(30);
  startMs = still.nowMs + 59_750;
  const { rows } = await still.house.db.owner.query<{ groups: number; first: number }>(
    `select count(distinct exposure_group)::int as groups, count(distinct exposure_group) filter (where symbol <> $2)::int as first
     from products where symbol = any ($1)`,
    [SYMBOLS, SYMBOLS[2]],
  );
  expect(rows).toEqual([{ groups: 2, first: 1 }]);
});

/** The first whole second at which an order accepted at this time may open. */
const opensAfter = (nowMs: number) => Math.ceil((nowMs + 2_000) / 1_000) * 1_000;

const incomes = (orders: readonly Placed[]) => orders.reduce((sum, { income }) => sum + income, 0);

interface Round {
  readonly placed: readonly Placed[];
  readonly refused: readonly (Placed & { code: string; before: readonly Placed[] })[];
}

/** Places random orders at four moments; returns the accepted ones, and the refused ones with their code. */
const placeAtRandom = (random: Random): Promise<Round> =>
  Trial.run(still.house.db.owner, async (trial) => {
    await trial.change(
      `update promised_income set amount = 0, product_limit = ${LIMITS.product}, group_limit = ${LIMITS.group} where asset_id = 1`,
      `update ledger.house_balances set balance = ${LIMITS.equity} where asset_id = 1 and account = ledger.trading_account()`,
    );
    const placed: Placed[] = [];
    const refused: (Placed & { code: string; before: Placed[] })[] = [];
    for (const nowMs of [0, 700, 1_900, 120_000].map((afterMs) => startMs + afterMs)) {
      await trial.setTime(nowMs);
      const wishes = customers
        .filter(() => random.isLikely(0.9))
        .map((customer) => {
          const minutes = random.of([1, 1, 3]);
          const stake = random.of([5, 40, 60, 100, 130]);
          return {
            customer,
            product: random.of([0, 1, 2]),
            isUp: random.of([true, false]),
            minutes,
            acceptedMs: nowMs,
            settlesMs: opensAfter(nowMs) + minutes * 60_000,
            stake,
            income: Math.floor(stake * 0.8),
          };
        });
      const answers = await trial.place(
        wishes.map(({ customer, product, isUp, minutes, stake }) => ({
          ...still.house.request(customer, { symbol: SYMBOLS[product] as string, amount: '1', minutes }),
          direction: isUp ? 'up' : 'down',
          stake: minor(BigInt(stake)),
        })),
      );
      for (const [at, wish] of wishes.entries()) {
        const [code = ''] = (answers[at] as string).split(' ');
        if (code === 'accepted') placed.push(wish);
        else refused.push({ ...wish, code, before: [...placed] });
      }
    }
    return { placed, refused };
  });

/** The sets of orders that the limits count together with this one, each with its limit. */
const together = (orders: readonly Placed[], one: Placed) => {
  const minute = orders.filter(({ settlesMs }) => minuteOf(settlesMs) === minuteOf(one.settlesMs));
  return [
    [minute.filter(({ product }) => product === one.product), LIMITS.product],
    [minute.filter(({ product }) => GROUPS[product] === GROUPS[one.product]), LIMITS.group],
    [orders, LIMITS.equity],
  ] as const;
};

test('the house loses no more than a bound, and to one customer no more than a tenth of it, whatever prices do and whichever fixes are missing', async () => {
  const random = new Random(20_261_124);
  for (let round = 0; round < 12; round += 1) {
    const { placed } = await placeAtRandom(random);
    for (const one of placed) {
      const mine = placed.filter(({ customer }) => customer === one.customer);
      for (const [orders, bound] of together(mine, one))
        expect(worstOfAll(orders)).toBeLessThanOrEqual(bound / 10);
    }
    const kinds = Map.groupBy(placed, ({ product, settlesMs }) => `${product} ${minuteOf(settlesMs)}`);
    for (const [one] of kinds.values() as Iterable<[Placed]>) {
      for (const [orders, bound] of together(placed, one))
        expect(worstOfAll(orders)).toBeLessThanOrEqual(bound);
    }
  }
});

test('every refused order would exceed a bound, or with its customer’s other orders a tenth of one', async () => {
  const random = new Random(7);
  const codes = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    for (const { code, before, ...one } of (await placeAtRandom(random)).refused) {
      codes.add(code);
      const isShare = code === 'SHARE_LIMIT';
      const counted = isShare ? before.filter(({ customer }) => customer === one.customer) : before;
      const isBeyond = together(counted, one).some(
        ([orders, bound]) => incomes(orders) + one.income > (isShare ? bound / 10 : bound),
      );
      expect([code, isBeyond]).toEqual([code, true]);
    }
  }
  expect([...codes].sort()).toEqual(['EXPOSURE_LIMIT', 'SHARE_LIMIT']);
});

test('the bound counts only possible losses: orders of both sides that open apart may all win', () => {
  const order = { customer: 'c0', product: 0, stake: 100, income: 80 };
  const orders = [0, 700, 1_900].map((afterMs, place) => ({
    ...order,
    isUp: place % 2 === 0,
    acceptedMs: START + afterMs,
    settlesMs: START + 60_000 + Math.ceil(afterMs / 1_000) * 1_000,
  }));
  expect(worstOf(orders)).toBe(incomes(orders));
});

test('without a settlement fix both sides of a hedge win, which the bound counts', () => {
  const order = {
    customer: 'c0',
    product: 0,
    stake: 100,
    income: 80,
    acceptedMs: START,
    settlesMs: START + 60_000,
  };
  const hedge = [true, false].map((isUp) => ({ ...order, isUp }));
  expect(hedge.map((one) => lossOf(one, 1, null))).toEqual([80, 80]);
  expect(worstOf(hedge)).toBe(incomes(hedge));
});

test('a void opening of one side of a hedge leaves only the other, which the bound counts in full', () => {
  const order = { customer: 'c0', product: 0, stake: 100, income: 80, settlesMs: START + 60_000 };
  const up = { ...order, isUp: true, acceptedMs: START - 900 };
  const down = { ...order, isUp: false, acceptedMs: START };
  expect(lossOf(up, 1, 2) + lossOf(down, 1, 2)).toBe(order.income - order.stake);
  expect(lossOf(up, 1, 2) + lossOf(down, 'no_price', 2)).toBe(order.income);
  expect(lossOf(up, 1, 2) + lossOf(down, 'not_logged', 2)).toBe(order.income + 10);
  expect(worstOf([up, down])).toBeLessThanOrEqual(incomes([up, down]));
});
