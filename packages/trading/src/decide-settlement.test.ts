import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  decideSettlement,
  settlementTime,
  VOID_REASONS,
  voidPayout,
  voidVerdict,
  type Worth,
} from './index.ts';

const worth = (up: number, down = up): Worth => ({ up: points(BigInt(up)), down: points(BigInt(down)) });

/** The verdict of an order that opened at 108 451 and settles at `price`. */
const verdict = (price: number) => decideSettlement({ open: worth(108_451), settle: worth(price) });

const profit = { result: 'profit', voidReason: null };
const loss = { result: 'loss', voidReason: null };
const even = { result: 'none', voidReason: null };

describe('the winning direction', () => {
  test.each([
    ['one point higher', 108_452, profit, loss],
    ['far higher', 200_000, profit, loss],
    ['one point lower', 108_450, loss, profit],
    ['far lower', 1, loss, profit],
    ['the same', 108_451, even, even],
  ])('is decided by a settlement price that is %s', (_case, price, up, down) => {
    expect(verdict(price)).toEqual({ up, down });
  });

  test('is decided by the prices of each direction', () => {
    const narrow = { open: worth(100, 104), settle: worth(103, 101) };
    expect(decideSettlement(narrow)).toEqual({ up: profit, down: profit });
    const wide = { open: worth(100, 104), settle: worth(100, 105) };
    expect(decideSettlement(wide)).toEqual({ up: even, down: loss });
  });
});

test('without a current tick of exactly the settlement time every order wins', () => {
  expect(decideSettlement({ open: worth(100, 104), settle: null })).toEqual({ up: profit, down: profit });
});

describe('an order that is void', () => {
  test.each(VOID_REASONS)('has the result none for both directions and keeps its reason: %s', (reason) => {
    const nothing = { result: 'none', voidReason: reason };
    expect(voidVerdict(reason)).toEqual({ up: nothing, down: nothing });
  });
});

describe('what a void pays', () => {
  test.each([
    [100n, 110n],
    [9n, 9n],
    [19n, 20n],
  ])('a stake of %s pays %s: itself and a tenth, rounded down', (stake, paid) => {
    expect(voidPayout(stake)).toBe(paid);
  });
});

describe('the settlement time: opening time + cycle, rounded up to a whole second', () => {
  test.each([
    [1_000_000_000, 1, 1_000_060_000],
    [1_000_000_001, 1, 1_000_061_000],
    [1_000_000_999, 1, 1_000_061_000],
    [1_000_001_000, 1, 1_000_061_000],
    [1_000_000_500, 60, 1_003_601_000],
    [1_780_315_200_123, 5, 1_780_315_501_000],
  ])('an opening at %i for %i min settles at %i', (opensAtMs, minutes, settlesAtMs) => {
    expect(settlementTime(opensAtMs, minutes)).toBe(settlesAtMs);
  });
});
