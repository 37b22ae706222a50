import { SAMPLE_RULES } from '@fairtick/kit/choices/sample-rules.ts';
import { minor, payoutFloor } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { purchaseLimits, voidPayout } from './index.ts';

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

const exactIncome = (stake: bigint, bps: number): bigint =>
  (stake * BigInt(bps) - ((stake * BigInt(bps)) % 10_000n)) / 10_000n;

/** Stakes of which some amounts are wrong, as text: comparing each by itself would take most of the time. */
const wrongOnes = (stakes: readonly bigint[], isRight: (stake: bigint) => boolean): string[] =>
  stakes.filter((stake) => !isRight(stake)).map(String);

test.each(RATES)('at a rate of %i of ten thousand an order earns floor(stake × rate)', (bps) => {
  expect(
    wrongOnes(stakesFor(bps), (stake) => payoutFloor(minor(stake), bps) === exactIncome(stake, bps)),
  ).toEqual([]);
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
