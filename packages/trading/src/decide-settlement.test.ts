import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { decideSettlement, settlementTime, voidVerdict } from './index.ts';

const SETTLES = 1_000_060_000;
const BOUND = 2_000;

/** The verdict of an order that opened at 108 451 and settles at `price`, by a tick `ageMs` before its settlement time. */
function verdict(price: number, ageMs = 0) {
  return decideSettlement({
    openPrice: points(108_451n),
    settleTick: { price: points(BigInt(price)), timeMs: SETTLES - ageMs },
    settlesAtMs: SETTLES,
    settleBoundMs: BOUND,
  });
}

const profit = { result: 'profit', voidReason: null };
const loss = { result: 'loss', voidReason: null };
const even = { result: 'none', voidReason: null };
const stale = { result: 'none', voidReason: 'stale' };

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

describe('a settlement tick that is too old decides only for the customer', () => {
  test.each([
    ['exactly at the bound, higher', 108_452, BOUND, profit, loss],
    ['exactly at the bound, lower', 108_450, BOUND, loss, profit],
    ['exactly at the bound, the same', 108_451, BOUND, even, even],
    ['a millisecond past it, higher', 108_452, BOUND + 1, profit, stale],
    ['a millisecond past it, lower', 108_450, BOUND + 1, stale, profit],
    ['a millisecond past it, the same', 108_451, BOUND + 1, stale, stale],
    ['an hour old, higher', 108_452, 3_600_000, profit, stale],
  ])('%s', (_case, price, ageMs, up, down) => {
    expect(verdict(price, ageMs)).toEqual({ up, down });
  });

  test('a tick after the settlement time throws', () => {
    expect(() => verdict(108_452, -1)).toThrow();
  });
});

describe('an order that is void', () => {
  test('has the result none for both directions and keeps its reason', () => {
    expect(voidVerdict('gap')).toEqual({
      up: { result: 'none', voidReason: 'gap' },
      down: { result: 'none', voidReason: 'gap' },
    });
  });
});

describe('the settlement time: acceptance + cycle, rounded up to a whole second', () => {
  test.each([
    [1_000_000_000, 1, 1_000_060_000],
    [1_000_000_001, 1, 1_000_061_000],
    [1_000_000_999, 1, 1_000_061_000],
    [1_000_001_000, 1, 1_000_061_000],
    [1_000_000_500, 60, 1_003_601_000],
    [1_780_315_200_123, 5, 1_780_315_501_000],
  ])('acceptance at %i for %i min settles at %i', (acceptedAtMs, minutes, settlesAtMs) => {
    expect(settlementTime(acceptedAtMs, minutes)).toBe(settlesAtMs);
  });
});
