import { SAMPLE_RULES } from '@fairtick/kit/choices/sample-rules.ts';
import { formatDecimal, formatRate, minor, payoutFloor } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  balanceKey,
  decidePlacements,
  type PlacementDecision,
  type PlacementFacts,
  purchaseLimits,
  shareOf,
  TakenOn,
  voidPayout,
} from './index.ts';

/**
 * Each amount that follows from a stake, beside the same amount in exact whole numbers, for stakes and rates at which floating point
 * gives another one.
 */
const RATES = [1, 29, 2_900, 3_333, 5_700, 5_800, 7_000, 8_000, 8_200, 8_500, 8_700, 9_300, 9_999] as const;

/** Small stakes, all that floor(stake × rate) as a float gets wrong, stakes around 2^53, and the largest. */
function stakesFor(bps: number): bigint[] {
  const small = Array.from({ length: 2_500 }, (_, place) => BigInt(place + 1));
  const wrong = Array.from({ length: 400 }, (_, place) => BigInt(1 + place * 9_973) * 100n).filter(
    (stake) => BigInt(Math.floor(Number(stake) * (bps / 10_000))) !== (stake * BigInt(bps)) / 10_000n,
  );
  const wide = [40n, 52n, 53n, 54n, 60n].flatMap((bits) =>
    [-7n, -1n, 1n, 9_999n, 12_345n].map((more) => 2n ** bits + more),
  );
  return [...small, ...wrong, ...wide];
}

const NOW = 1_780_315_200_000;
const VAST = 2n ** 62n;
const SMALLEST = formatDecimal(1n, 6);

/** A house that can pay anything, and customers of platinum with one order each, so that only the stake decides. */
function decided(stakes: readonly bigint[], bps: number, bounds: Partial<Bounds> = {}): PlacementDecision[] {
  const { room = VAST * 100_000n, equity = VAST * 100_000n } = bounds;
  const limit = bounds.limit ?? VAST * 100_000n;
  const rules = {
    ...SAMPLE_RULES,
    cycles: [{ minutes: 1, payoutRate: formatRate(bps) }],
    limits: [
      {
        asset: 'DEMO',
        scale: 6,
        minBalance: SMALLEST,
        minPurchase: SMALLEST,
        max: [{ upToMinutes: 60, amount: '1' }],
      },
    ],
  };
  const facts: PlacementFacts = {
    nowMs: NOW,
    isHalted: false,
    isLogAlive: true,
    products: new Map([
      [1, { rules, period: { startMs: 0, endMs: null }, ordersFromMs: 0, tickMs: NOW, group: 'eur' }],
    ]),
    assets: new Map([
      [1, { code: 'DEMO', scale: 6, payoutRoom: room, productLimit: limit, groupLimit: limit, equity }],
    ]),
    ownLimits: new Map(),
    available: new Map(stakes.map((stake, place) => [balanceKey(String(place), 1), stake])),
    taken: new TakenOn(),
  };
  const requests = stakes.map((stake, place) => ({
    customerId: String(place),
    level: 'platinum' as const,
    productId: 1,
    direction: 'up' as const,
    minutes: 1,
    assetId: 1,
    stake: minor(stake),
    notAfterMs: null,
    opensAtMs: null,
  }));
  return decidePlacements(requests, facts);
}

interface Bounds {
  readonly room: bigint;
  readonly limit: bigint;
  readonly equity: bigint;
}

const exactIncome = (stake: bigint, bps: number): bigint =>
  (stake * BigInt(bps) - ((stake * BigInt(bps)) % 10_000n)) / 10_000n;

/** Stakes of which some amounts are wrong, as text: comparing each by itself would take most of the time. */
const wrongOnes = (stakes: readonly bigint[], isRight: (stake: bigint, place: number) => boolean): string[] =>
  stakes.filter((stake, place) => !isRight(stake, place)).map(String);

describe.each(RATES)('at a rate of %i of ten thousand', (bps) => {
  const stakes = stakesFor(bps);

  test('an order earns floor(stake × rate), and is accepted on these terms', () => {
    const decisions = decided(stakes, bps);
    expect(
      wrongOnes(stakes, (stake, place) => {
        const decision = decisions[place];
        return decision?.kind === 'accepted' && decision.income === exactIncome(stake, bps);
      }),
    ).toEqual([]);
    expect(wrongOnes(stakes, (stake) => payoutFloor(minor(stake), bps) === exactIncome(stake, bps))).toEqual(
      [],
    );
  });

  test('an order whose income is all that the house can pay is accepted, and refused when a smallest unit is missing', () => {
    for (const stake of stakes.slice(-25)) {
      const income = exactIncome(stake, bps);
      const kindOf = (bounds: Partial<Bounds>) => {
        const [decision] = decided([stake], bps, bounds);
        return decision?.kind === 'refused' ? decision.code : decision?.kind;
      };
      expect([stake, kindOf({ room: income })]).toEqual([stake, 'accepted']);
      expect([stake, kindOf({ room: income - 1n })]).toEqual([stake, 'EXPOSURE_LIMIT']);
      // A customer has a tenth of each bound.
      for (const bound of ['limit', 'equity'] as const) {
        expect([stake, kindOf({ [bound]: income * 10n })]).toEqual([stake, 'accepted']);
        expect([stake, kindOf({ [bound]: income * 10n - 1n })]).toEqual([stake, 'SHARE_LIMIT']);
      }
    }
  });

  test('the stake that a refusal names is the largest whose income fits', () => {
    const wide = stakes.slice(-25).map((stake) => exactIncome(stake, bps));
    for (const left of [0n, 1n, 7n, 9_999n, ...wide]) {
      // The stake asked for earns more than is left.
      const [decision] = decided([((left + 2n) * 10_000n) / BigInt(bps) + 1n], bps, {
        equity: left * 10n + 9n,
      });
      const bound = decision?.kind === 'refused' ? (decision.bound ?? -1n) : -1n;
      expect([left, exactIncome(bound, bps) <= left, exactIncome(bound + 1n, bps) > left]).toEqual([
        left,
        true,
        true,
      ]);
    }
  });
});

describe('a part of an amount', () => {
  const amounts = stakesFor(9_300);

  test('a void order pays the stake and a tenth of it, rounded down', () => {
    expect(
      wrongOnes(
        amounts,
        (stake) => voidPayout(stake, 'not_logged') === stake + (stake - (stake % 10n)) / 10n,
      ),
    ).toEqual([]);
  });

  test('a customer’s share of a bound is a tenth of it, rounded down', () => {
    expect(
      wrongOnes(amounts, (bound) => shareOf(bound) * 10n <= bound && (shareOf(bound) + 1n) * 10n > bound),
    ).toEqual([]);
  });

  test('a level’s largest purchase is the exact multiple of the rules’ amount', () => {
    for (const amount of ['0.000001', '123456789.123457', '900719925474.099301', '4000000000.000003']) {
      const rules = {
        ...SAMPLE_RULES,
        limits: [
          { asset: 'DEMO', scale: 6, minBalance: '1', minPurchase: '1', max: [{ upToMinutes: 60, amount }] },
        ],
      };
      const exact = BigInt(amount.replace('.', ''));
      for (const [level, factor] of [
        ['bronze', 1n],
        ['silver', 1n],
        ['gold', 2n],
      ] as const) {
        const limits = purchaseLimits(rules, { minutes: 1, asset: 'DEMO', scale: 6, level });
        expect([level, limits?.maxPurchase]).toEqual([level, exact * factor]);
      }
    }
  });
});
