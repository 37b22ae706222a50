import { SAMPLE_RULES } from '@fairtick/kit/choices/sample-rules.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { minor } from '@fairtick/money';
import { expect, test } from 'vitest';
import { balanceKey, decidePlacements, type PlacementFacts, type ProductRules, TakenOn } from './index.ts';

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

const START = 1_780_315_200_000;
const LIMITS = { product: 900, group: 1_300, equity: 3_000 };
const GROUPS = ['eur', 'eur', 'metal'];
const CUSTOMERS = Array.from({ length: 30 }, (_, place) => `c${place}`);
const RULES: ProductRules = {
  ...SAMPLE_RULES,
  symbol: 'A/B',
  sources: ['a'],
  licences: { a: 'simulated' },
  quorum: 1,
  cycles: [1, 3].map((minutes) => ({ minutes, payoutRate: '0.8' })),
  limits: [
    {
      asset: 'DEMO',
      scale: 0,
      minBalance: '1',
      minPurchase: '1',
      max: [{ upToMinutes: 60, amount: '1000' }],
    },
  ],
  levels: { bronze: 1, silver: 1, gold: 1, platinum: 1 },
};

function factsAt(nowMs: number, taken: TakenOn, promised: number): PlacementFacts {
  const product = {
    rules: RULES,
    period: { startMs: 0, endMs: null },
    ordersFromMs: 0,
    tickMs: nowMs,
  };
  const asset = {
    code: 'DEMO',
    scale: 0,
    payoutRoom: BigInt(LIMITS.equity - promised),
    productLimit: BigInt(LIMITS.product),
    groupLimit: BigInt(LIMITS.group),
    equity: BigInt(LIMITS.equity),
  };
  return {
    nowMs,
    isHalted: false,
    isLogAlive: true,
    products: new Map(GROUPS.map((group, id) => [id, { ...product, group }])),
    assets: new Map([[1, asset]]),
    available: new Map(CUSTOMERS.map((customer) => [balanceKey(customer, 1), 1_000_000n])),
    ownLimits: new Map(),
    taken,
  };
}

/** The first whole second at which an order accepted at this time may open. */
const opensAfter = (nowMs: number) => Math.ceil((nowMs + 2_000) / 1_000) * 1_000;

const incomes = (orders: readonly Placed[]) => orders.reduce((sum, { income }) => sum + income, 0);

/** Places random orders at four moments; returns the accepted ones, and the refused ones with their code. */
function placeAtRandom(random: Random): {
  placed: Placed[];
  refused: (Placed & { code: string; before: Placed[] })[];
} {
  const taken = new TakenOn();
  const placed: Placed[] = [];
  const refused: (Placed & { code: string; before: Placed[] })[] = [];
  for (const nowMs of [START, START + 700, START + 1_900, START + 120_000]) {
    const wishes = CUSTOMERS.flatMap((customerId) => (random.isLikely(0.9) ? [customerId] : [])).map(
      (customerId) => ({
        customerId,
        level: 'bronze' as const,
        productId: random.of([0, 1, 2]),
        direction: random.of(['up', 'down'] as const),
        minutes: random.of([1, 1, 3]),
        assetId: 1,
        stake: minor(random.of([5n, 40n, 60n, 100n, 130n])),
        notAfterMs: null,
        opensAtMs: opensAfter(nowMs),
      }),
    );
    const decisions = decidePlacements(wishes, factsAt(nowMs, taken, incomes(placed)));
    for (const [at, { customerId, productId, direction, minutes, stake }] of wishes.entries()) {
      const order = {
        customer: customerId,
        product: productId,
        isUp: direction === 'up',
        acceptedMs: nowMs,
        settlesMs: opensAfter(nowMs) + minutes * 60_000,
        stake: Number(stake),
        income: Math.floor(Number(stake) * 0.8),
      };
      const decision = decisions[at];
      if (decision?.kind === 'refused') refused.push({ ...order, code: decision.code, before: [...placed] });
      else placed.push(order);
    }
    for (const { customer, product, settlesMs, income } of placed.filter((one) => one.acceptedMs === nowMs)) {
      const group = GROUPS[product] as string;
      const minuteMs = minuteOf(settlesMs) * 60_000;
      taken.add({
        customerId: customer,
        assetId: 1,
        productId: product,
        group,
        minuteMs,
        income: BigInt(income),
      });
    }
  }
  return { placed, refused };
}

/** The sets of orders that the limits count together with this one, each with its limit. */
const together = (orders: readonly Placed[], one: Placed) => {
  const minute = orders.filter(({ settlesMs }) => minuteOf(settlesMs) === minuteOf(one.settlesMs));
  return [
    [minute.filter(({ product }) => product === one.product), LIMITS.product],
    [minute.filter(({ product }) => GROUPS[product] === GROUPS[one.product]), LIMITS.group],
    [orders, LIMITS.equity],
  ] as const;
};

test('the house loses no more than a bound, and to one customer no more than a tenth of it, whatever prices do and whichever fixes are missing', () => {
  const random = new Random(20_261_124);
  for (let round = 0; round < 12; round += 1) {
    const { placed } = placeAtRandom(random);
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

test('every refused order would exceed a bound, or with its customer’s other orders a tenth of one', () => {
  const random = new Random(7);
  const codes = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    for (const { code, before, ...one } of placeAtRandom(random).refused) {
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
