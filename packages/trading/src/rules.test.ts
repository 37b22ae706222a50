import { SAMPLE_RULES } from '@fairtick/kit/choices/sample-rules.ts';
import { describe, expect, test } from 'vitest';
import { type ProductRules, payoutRateOf, purchaseLimits } from './index.ts';

const RULES: ProductRules = {
  ...SAMPLE_RULES,
  licences: { a: 'simulated', b: 'simulated', c: 'recorded' },
  cycles: [
    { minutes: 1, payoutRate: '0.8' },
    { minutes: 60, payoutRate: '0.93' },
  ],
  limits: [
    {
      asset: 'BTC',
      scale: 8,
      minBalance: '0.0002',
      minPurchase: '0.0003',
      max: [
        { upToMinutes: 5, amount: '0.1' },
        { upToMinutes: 60, amount: '0.2' },
      ],
    },
  ],
};

describe('the offer of the rules', () => {
  test('has a payout rate for an offered cycle, and none for another', () => {
    expect(payoutRateOf(RULES, 1)).toBe(8000);
    expect(payoutRateOf(RULES, 60)).toBe(9300);
    expect(payoutRateOf(RULES, 2)).toBeNull();
    expect(payoutRateOf(RULES, 0)).toBeNull();
  });

  test.each([
    [1, 'bronze', 10_000_000n],
    [5, 'silver', 10_000_000n],
    [6, 'bronze', 20_000_000n],
    [60, 'gold', 40_000_000n],
    [5, 'gold', 20_000_000n],
    [60, 'platinum', null],
  ] as const)('sets the largest purchase for %i min at level %s', (minutes, level, maxPurchase) => {
    expect(purchaseLimits(RULES, { minutes, asset: 'BTC', scale: 8, level })).toEqual({
      minBalance: 20_000n,
      minPurchase: 30_000n,
      maxPurchase,
    });
  });

  test('has no limits for an asset or a length that the rules do not name', () => {
    expect(purchaseLimits(RULES, { minutes: 1, asset: 'USDT', scale: 6, level: 'bronze' })).toBeNull();
    expect(purchaseLimits(RULES, { minutes: 61, asset: 'BTC', scale: 8, level: 'bronze' })).toBeNull();
  });

  test.each(['public', 'licensed'] as const)(
    'offers a minute of live prices (%s) for practice money only',
    (licence) => {
      const amounts = {
        scale: 8,
        minBalance: '1',
        minPurchase: '1',
        max: [{ upToMinutes: 60, amount: '2' }],
      };
      const limits = ['DEMO', 'BTC'].map((asset) => ({ ...amounts, asset }));
      const live = { ...RULES, licences: { ...RULES.licences, c: licence }, limits };
      const offers = (asset: string, minutes: number) =>
        purchaseLimits(live, { minutes, asset, scale: 8, level: 'bronze' }) !== null;
      expect([offers('DEMO', 1), offers('BTC', 1), offers('DEMO', 3), offers('BTC', 3)]).toEqual([
        true,
        false,
        true,
        true,
      ]);
      expect(purchaseLimits(RULES, { minutes: 1, asset: 'BTC', scale: 8, level: 'bronze' })).not.toBeNull();
    },
  );

  test('throws for limits that are no amounts of the asset, instead of reading them as zero', () => {
    expect(() => purchaseLimits(RULES, { minutes: 1, asset: 'BTC', scale: 2, level: 'bronze' })).toThrow(
      /EUR\/USD/,
    );
  });
});
