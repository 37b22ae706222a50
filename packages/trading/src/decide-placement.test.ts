import { SAMPLE_RULES } from '@fairtick/kit/choices/sample-rules.ts';
import { minor } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  balanceKey,
  type Commitment,
  decidePlacements,
  type OwnLimit,
  type PlacementFacts,
  type PlacementRequest,
  type ProductFacts,
  TakenOn,
} from './index.ts';

const NOW = 1_780_315_200_000;
const UNIT = 1_000_000n;
const EURUSD = 1;
const GBPUSD = 2;
const DEMO = 1;

const PRODUCT: ProductFacts = {
  rules: SAMPLE_RULES,
  period: { startMs: 0, endMs: null },
  ordersFromMs: NOW - 60_000,
  tickMs: NOW,
  group: 'eur',
};

const FACTS: PlacementFacts = {
  nowMs: NOW,
  isHalted: false,
  isLogAlive: true,
  products: new Map([
    [EURUSD, PRODUCT],
    [GBPUSD, PRODUCT],
  ]),
  assets: new Map([
    [
      DEMO,
      {
        code: 'DEMO',
        scale: 6,
        payoutRoom: 1_000_000n * UNIT,
        productLimit: 100_000n * UNIT,
        groupLimit: 100_000n * UNIT,
        equity: 1_000_000n * UNIT,
      },
    ],
  ]),
  ownLimits: new Map(),
  available: new Map(['ann', 'bob', 'cid'].map((customer) => [balanceKey(customer, DEMO), 10_000n * UNIT])),
  taken: new TakenOn(),
};

const ASSET = FACTS.assets.get(DEMO) as NonNullable<ReturnType<PlacementFacts['assets']['get']>>;
const withProduct = (change: Partial<ProductFacts>): Partial<PlacementFacts> => ({
  products: new Map([[EURUSD, { ...PRODUCT, ...change }]]),
});
const withAsset = (change: Partial<typeof ASSET>): Partial<PlacementFacts> => ({
  assets: new Map([[DEMO, { ...ASSET, ...change }]]),
});
const withBalance = (available: bigint): Partial<PlacementFacts> => ({
  available: new Map([[balanceKey('ann', DEMO), available]]),
});

function request(change: Partial<PlacementRequest> & { amount?: bigint } = {}): PlacementRequest {
  const { amount = 100n, ...rest } = change;
  return {
    customerId: 'ann',
    level: 'bronze',
    productId: EURUSD,
    direction: 'up',
    minutes: 1,
    assetId: DEMO,
    stake: minor(amount * UNIT),
    notAfterMs: null,
    opensAtMs: null,
    ...rest,
  };
}

const decide = (requests: readonly PlacementRequest[], change: Partial<PlacementFacts> = {}) =>
  decidePlacements(requests, { ...FACTS, ...change });

/** `accepted`, or the code of the refusal. */
function answersOf(requests: readonly PlacementRequest[], change: Partial<PlacementFacts> = {}): string[] {
  return decide(requests, change).map((decision) =>
    decision.kind === 'accepted' ? 'accepted' : decision.code,
  );
}
const answerTo = (one: PlacementRequest, change: Partial<PlacementFacts> = {}) => answersOf([one], change)[0];

describe('an order without a reason for refusal', () => {
  test('is accepted with the terms of the rules', () => {
    expect(decide([request()])).toEqual([
      {
        kind: 'accepted',
        payoutRateBps: 8000,
        income: 80n * UNIT,
        acceptedAtMs: NOW,
        opensAtMs: NOW + 2_000,
        settlesAtMs: NOW + 62_000,
      },
    ]);
  });

  test('earns its income rounded down', () => {
    const [decision] = decide([request({ stake: minor(10_000_001n), minutes: 5 })]);
    expect(decision).toMatchObject({ income: 8_500_000n });
  });
});

describe('refusals, each at its boundary', () => {
  test('TRADING_HALTED: a halt stops every new order', () => {
    expect(answerTo(request(), { isHalted: true })).toBe('TRADING_HALTED');
  });

  test('EXPIRED: an order is accepted at its notAfter, and not a millisecond later', () => {
    expect(answerTo(request({ notAfterMs: NOW }))).toBe('accepted');
    expect(answerTo(request({ notAfterMs: NOW - 1 }))).toBe('EXPIRED');
    expect(answerTo(request({ notAfterMs: 0 }))).toBe('EXPIRED');
  });

  test('LATE, OPENS_TOO_FAR: an order opens D to D + 10 s after it is accepted, and at no other time than its own', () => {
    const opening = (opensAtMs: number) => {
      const [decision] = decide([request({ opensAtMs })]);
      return decision?.kind === 'accepted' ? decision.opensAtMs : decision?.code;
    };
    expect([1_000, 2_000, 3_000, 12_000, 13_000].map((afterMs) => opening(NOW + afterMs))).toEqual([
      'LATE',
      NOW + 2_000,
      NOW + 3_000,
      NOW + 12_000,
      'OPENS_TOO_FAR',
    ]);
  });

  test('without a time of its own it opens at the first whole second that the rules allow', () => {
    const [decision] = decide([request()], { nowMs: NOW + 1 });
    expect(decision).toMatchObject({ opensAtMs: NOW + 3_000, settlesAtMs: NOW + 63_000 });
  });

  test('PRICE_UNAVAILABLE: the log has no writer, or the product has no rules', () => {
    expect(answerTo(request(), { isLogAlive: false })).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request({ productId: 99 }))).toBe('PRICE_UNAVAILABLE');
  });

  test('PRICE_UNAVAILABLE: prices are missing, or have not been back for long enough', () => {
    expect(answerTo(request(), withProduct({ ordersFromMs: null }))).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request(), withProduct({ ordersFromMs: NOW + 1 }))).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request(), withProduct({ ordersFromMs: NOW }))).toBe('accepted');
  });

  test('PRICE_UNAVAILABLE: the newest tick is not current, or older than half a second', () => {
    expect(answerTo(request(), withProduct({ tickMs: null }))).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request(), withProduct({ tickMs: NOW - 501 }))).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request(), withProduct({ tickMs: NOW - 500 }))).toBe('accepted');
  });

  test('PRICE_UNAVAILABLE: the first 15 s of a trading period', () => {
    const begun = (startMs: number) => withProduct({ period: { startMs, endMs: null } });
    expect(answerTo(request(), begun(NOW - 14_999))).toBe('PRICE_UNAVAILABLE');
    expect(answerTo(request(), begun(NOW - 15_000))).toBe('accepted');
  });

  test('MARKET_CLOSED: outside trading hours', () => {
    expect(answerTo(request(), withProduct({ period: null }))).toBe('MARKET_CLOSED');
  });

  test('CYCLE_NOT_OFFERED: a cycle that the rules do not name', () => {
    for (const minutes of [0, 2, -1, 60, 1.5]) {
      expect(answerTo(request({ minutes }))).toBe('CYCLE_NOT_OFFERED');
    }
  });

  test('CYCLE_NOT_OFFERED: a minute of live prices for anything but practice money', () => {
    const limits = [...SAMPLE_RULES.limits, ...SAMPLE_RULES.limits.map((one) => ({ ...one, asset: 'USDT' }))];
    const usdt = { ...withAsset({ code: 'USDT' }), ...withProduct({ rules: { ...SAMPLE_RULES, limits } }) };
    expect(answerTo(request({ minutes: 1 }), usdt)).toBe('CYCLE_NOT_OFFERED');
    expect(answerTo(request({ minutes: 5 }), usdt)).toBe('accepted');
    expect(answerTo(request({ minutes: 1 }))).toBe('accepted');
  });

  test('ASSET_NOT_ACCEPTED: an asset that is unknown, or that the rules do not name', () => {
    expect(answerTo(request({ assetId: 9 }))).toBe('ASSET_NOT_ACCEPTED');
    expect(answerTo(request(), withAsset({ code: 'USDT' }))).toBe('ASSET_NOT_ACCEPTED');
  });

  test('SESSION_ENDS: an order may settle at the very end of the trading period, and not later', () => {
    const ending = (endMs: number) => withProduct({ period: { startMs: 0, endMs } });
    expect(answerTo(request(), ending(NOW + 62_000))).toBe('accepted');
    expect(answerTo(request(), ending(NOW + 61_999))).toBe('SESSION_ENDS');
    // Accepted a millisecond later, it settles a whole second later.
    expect(answerTo(request(), { ...ending(NOW + 62_500), nowMs: NOW + 1 })).toBe('SESSION_ENDS');
    expect(answerTo(request(), { ...ending(NOW + 63_000), nowMs: NOW + 1 })).toBe('accepted');
  });

  test('AMOUNT_TOO_SMALL and AMOUNT_TOO_LARGE name the violated bound (S5-18)', () => {
    const stakes = [10n * UNIT - 1n, 10n * UNIT, 5_000n * UNIT, 5_000n * UNIT + 1n];
    const decisions = decide(
      stakes.map((stake, place) =>
        request({ stake: minor(stake), customerId: ['ann', 'ann', 'bob', 'cid'][place] as string }),
      ),
    );
    expect(decisions).toMatchObject([
      { kind: 'refused', code: 'AMOUNT_TOO_SMALL', bound: 10n * UNIT },
      { kind: 'accepted' },
      { kind: 'accepted' },
      { kind: 'refused', code: 'AMOUNT_TOO_LARGE', bound: 5_000n * UNIT },
    ]);
  });

  test('a level raises the largest purchase, and the highest level removes it', () => {
    expect(answerTo(request({ amount: 10_000n }))).toBe('AMOUNT_TOO_LARGE');
    expect(answerTo(request({ amount: 10_000n, level: 'gold' }))).toBe('accepted');
    expect(answerTo(request({ amount: 10_001n, level: 'gold' }))).toBe('AMOUNT_TOO_LARGE');
    expect(answerTo(request({ amount: 10_001n, level: 'platinum' }))).toBe('INSUFFICIENT_BALANCE');
  });

  test('INSUFFICIENT_BALANCE: the whole balance may be staked, and no more', () => {
    expect(answerTo(request(), withBalance(100n * UNIT))).toBe('accepted');
    expect(answerTo(request(), withBalance(100n * UNIT - 1n))).toBe('INSUFFICIENT_BALANCE');
    expect(answerTo(request(), { available: new Map() })).toBe('INSUFFICIENT_BALANCE');
  });

  test('BALANCE_TOO_LOW: a balance below the minimum for trading, though it would cover the stake (S5-18)', () => {
    const small = request({ amount: 10n });
    expect(answerTo(small, withBalance(20n * UNIT))).toBe('accepted');
    expect(decide([small], withBalance(20n * UNIT - 1n))).toEqual([
      { kind: 'refused', code: 'BALANCE_TOO_LOW', bound: 20n * UNIT },
    ]);
  });
});

describe('limits and breaks that customers set for themselves', () => {
  const bound = (own: OwnLimit): Partial<PlacementFacts> => ({
    ownLimits: new Map([[balanceKey('ann', DEMO), own]]),
  });

  test('a break or self-exclusion is the first reason for refusal, and affects its own customer only', () => {
    expect(answerTo(request(), { ...bound({ closed: 'break', most: null }), isHalted: true })).toBe(
      'ON_BREAK',
    );
    expect(answerTo(request(), bound({ closed: 'exclusion', most: null }))).toBe('SELF_EXCLUDED');
    expect(answerTo(request({ customerId: 'bob' }), bound({ closed: 'break', most: null }))).toBe('accepted');
  });

  test('a limit can be used up exactly and no further, over all orders of a batch', () => {
    const most = { kind: 'stake' as const, left: minor(250n * UNIT) };
    expect(
      answersOf(
        [request(), request(), request({ amount: 50n }), request({ amount: 10n })],
        bound({ closed: null, most }),
      ),
    ).toEqual(['accepted', 'accepted', 'accepted', 'STAKE_LIMIT']);
    const loss = { kind: 'loss' as const, left: minor(100n * UNIT - 1n) };
    expect(decide([request()], bound({ closed: null, most: loss }))).toEqual([
      { kind: 'refused', code: 'LOSS_LIMIT', bound: loss.left },
    ]);
  });
});

describe('a batch', () => {
  test('deducts each accepted order from the balance before it decides the next', () => {
    const orders = [4_000n, 4_000n, 4_000n, 2_000n].map((amount) => request({ amount }));
    expect(answersOf(orders)).toEqual(['accepted', 'accepted', 'INSUFFICIENT_BALANCE', 'accepted']);
  });

  test('a refused order spends nothing', () => {
    const orders = [request({ amount: 6_000n }), request({ amount: 5_000n }), request({ amount: 5_000n })];
    expect(answersOf(orders)).toEqual(['AMOUNT_TOO_LARGE', 'accepted', 'accepted']);
  });

  test('keeps the balances of customers apart', () => {
    const orders = ['ann', 'bob', 'ann', 'bob', 'cid'].map((customerId) =>
      request({ customerId, amount: 5_000n }),
    );
    expect(answersOf([...orders, request({ amount: 10n })])).toEqual([
      ...Array(5).fill('accepted'),
      'INSUFFICIENT_BALANCE',
    ]);
  });
});

/** An earlier order, of another customer by default, whose win earns `units` in the next minute. */
const takenBefore = (units: bigint, change: Partial<Commitment> = {}): Partial<PlacementFacts> => {
  const order = { customerId: 'dan', assetId: DEMO, productId: EURUSD, group: 'eur', minuteMs: NOW + 60_000 };
  const taken = new TakenOn();
  taken.add({ ...order, income: units * UNIT, ...change });
  return { taken };
};
const crowd = ['ann', 'bob', 'cid'].map((customerId) => request({ customerId }));

describe('EXPOSURE_LIMIT', () => {
  const limit = withAsset({ productLimit: 800n * UNIT });

  test('a product’s limit of one minute holds to the smallest unit', () => {
    // A stake of 100 earns 80.
    expect(answerTo(request(), { ...limit, ...takenBefore(720n) })).toBe('accepted');
    const beyond = takenBefore(0n, { income: 720n * UNIT + 1n });
    expect(answerTo(request(), { ...limit, ...beyond })).toBe('EXPOSURE_LIMIT');
  });

  test('orders of a batch add up', () => {
    const answers = answersOf(crowd, { ...limit, ...takenBefore(640n) });
    expect(answers).toEqual(['accepted', 'accepted', 'EXPOSURE_LIMIT']);
  });

  test('orders in the other direction make no room, because losers pay nothing when a tick is missing', () => {
    const orders = [request(), request({ customerId: 'bob', direction: 'down' }), request()];
    const answers = answersOf(orders, { ...limit, ...takenBefore(640n) });
    expect(answers).toEqual(['accepted', 'accepted', 'EXPOSURE_LIMIT']);
  });

  test('each settlement minute has a limit of its own', () => {
    const orders = [request({ minutes: 5, amount: 90n }), request(), request({ customerId: 'bob' })];
    const answers = answersOf(orders, { ...limit, ...takenBefore(720n) });
    expect(answers).toEqual(['accepted', 'accepted', 'EXPOSURE_LIMIT']);
  });

  test('correlated products share their group’s limit', () => {
    const [ann, , cid] = crowd as [PlacementRequest, PlacementRequest, PlacementRequest];
    const orders = [ann, request({ customerId: 'bob', productId: GBPUSD }), cid];
    const change = withAsset({ groupLimit: 800n * UNIT, productLimit: 10_000n * UNIT });
    const answers = answersOf(orders, { ...change, ...takenBefore(640n) });
    expect(answers).toEqual(['accepted', 'accepted', 'EXPOSURE_LIMIT']);
  });

  test('open payouts never pass the house’s equity', () => {
    const orders = [request(), request({ direction: 'down' }), request()];
    expect(answersOf(orders, withAsset({ payoutRoom: 160n * UNIT }))).toEqual([
      'accepted',
      'accepted',
      'EXPOSURE_LIMIT',
    ]);
    expect(answersOf(orders, withAsset({ payoutRoom: 80n * UNIT - 1n }))).toEqual(
      Array(3).fill('EXPOSURE_LIMIT'),
    );
    expect(answerTo(request(), withAsset({ payoutRoom: -1n }))).toBe('EXPOSURE_LIMIT');
  });
});

describe('SHARE_LIMIT: one customer takes at most a tenth of a bound of the house', () => {
  test.each([
    ['of a product’s limit', withAsset({ productLimit: 1_600n * UNIT })],
    ['of a group’s limit', withAsset({ groupLimit: 1_600n * UNIT })],
    ['of the equity', withAsset({ equity: 1_600n * UNIT })],
  ])('a customer takes a tenth %s and leaves the rest to others', (_bound, change) => {
    const orders = [request(), request({ direction: 'down' }), request({ amount: 10n }), ...crowd.slice(1)];
    const answers = answersOf(orders, change);
    expect(answers).toEqual(['accepted', 'accepted', 'SHARE_LIMIT', 'accepted', 'accepted']);
  });

  test('earlier orders count: those of the same minute and product for a limit, all of them for the equity', () => {
    const mine = (change: Partial<Commitment> = {}) => takenBefore(100n, { customerId: 'ann', ...change });
    const limit = withAsset({ productLimit: 1_600n * UNIT });
    expect(answerTo(request(), { ...limit, ...mine() })).toBe('SHARE_LIMIT');
    expect(answerTo(request(), { ...limit, ...mine({ productId: GBPUSD }) })).toBe('accepted');
    const later = mine({ minuteMs: NOW + 120_000 });
    expect(answerTo(request(), { ...limit, ...later })).toBe('accepted');
    expect(answerTo(request(), { ...withAsset({ equity: 1_600n * UNIT }), ...later })).toBe('SHARE_LIMIT');
  });

  test('the refusal names the largest stake that is still accepted', () => {
    const change = withAsset({ productLimit: 1_000n * UNIT });
    const [refused] = decide([request({ amount: 200n })], change);
    // A stake of 125.000001 earns 100.0000008, which is 100 rounded down.
    const bound = minor(125_000_001n);
    expect(refused).toEqual({ kind: 'refused', code: 'SHARE_LIMIT', bound });
    expect(answerTo(request({ stake: bound }), change)).toBe('accepted');
    expect(answerTo(request({ stake: minor(bound + 1n) }), change)).toBe('SHARE_LIMIT');
  });
});
