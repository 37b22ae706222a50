import { describe, expect, test } from 'vitest';
import { type Commitment, settlementMinute, TakenOn } from './index.ts';

const MINUTE = 1_780_315_200_000;
const order = (change: Partial<Commitment> = {}): Commitment => ({
  customerId: 'ann',
  assetId: 1,
  productId: 7,
  group: 'eur',
  minuteMs: MINUTE,
  income: 80n,
  ...change,
});

describe('the exposure of the house', () => {
  test('adds up by product and by group, for all customers and for one', () => {
    const taken = new TakenOn();
    const orders = [
      order(),
      order({ income: 8n }),
      order({ customerId: 'bob' }),
      order({ productId: 8 }),
      order({ productId: 9, group: 'metal' }),
      order({ minuteMs: MINUTE + 60_000, income: 1n }),
      order({ assetId: 2, income: 5n }),
    ];
    for (const one of orders) taken.add(one);
    expect(taken.amountsOf(order())).toEqual({
      product: 168n,
      group: 248n,
      ownProduct: 88n,
      ownGroup: 168n,
      own: 249n,
    });
    expect(taken.amountsOf(order({ customerId: 'cid', productId: 10, group: 'jpy' }))).toEqual({
      product: 0n,
      group: 0n,
      ownProduct: 0n,
      ownGroup: 0n,
      own: 0n,
    });
  });
});

test('a settlement minute includes its first second and excludes that of the next', () => {
  expect(settlementMinute(1_780_315_200_000)).toBe(1_780_315_200_000);
  expect(settlementMinute(1_780_315_259_000)).toBe(1_780_315_200_000);
  expect(settlementMinute(1_780_315_260_000)).toBe(1_780_315_260_000);
});
