import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  betterOf,
  decideSettlement,
  settlementTime,
  UNFIXED,
  VOID_REASONS,
  voidPayout,
  voidVerdict,
} from './index.ts';

/** The verdict of an order that opened at 108 451 and settles at `price`. */
const verdict = (price: number, open = 108_451) =>
  decideSettlement({ open: points(BigInt(open)), settle: points(BigInt(price)) });

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
});

describe('the better of two results', () => {
  const [up, down, equal] = [verdict(108_452), verdict(108_450), verdict(108_451)];

  test.each([
    ['a win of either counts', up, down, { up: profit, down: profit }],
    ['an even result is better than a loss', up, equal, { up: profit, down: even }],
    ['an even result does not take a win back', equal, down, { up: even, down: profit }],
    ['a correction that agrees changes nothing', up, verdict(109_000), { up: profit, down: loss }],
  ])('%s', (_case, first, corrected, better) => {
    expect(betterOf(first, corrected)).toEqual(better);
  });
});

test('without a fix within a day every order wins', () => {
  expect(UNFIXED).toEqual({ up: profit, down: profit });
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
  ])('where it was not logged, a stake of %s pays %s: itself and a tenth, rounded down', (stake, paid) => {
    expect(voidPayout(stake, 'not_logged')).toBe(paid);
  });

  test('where there is no price, the stake and nothing more', () => {
    expect(voidPayout(100n, 'no_price')).toBe(100n);
  });
});

test('an order settles a whole number of minutes after its opening time', () => {
  expect(settlementTime(1_780_315_200_000, 1)).toBe(1_780_315_260_000);
  expect(settlementTime(1_780_315_201_000, 60)).toBe(1_780_318_801_000);
});
