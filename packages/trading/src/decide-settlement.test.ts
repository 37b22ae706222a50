import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { decideSettlement, settlementTime, VOID_REASONS, voidVerdict } from './index.ts';

const SETTLES = 1_000_060_000;

/** The verdict of an order that opened at 108 451 and settles at `price`, by a tick `ageMs` before its settlement time. */
function verdict(price: number, ageMs = 0) {
  return decideSettlement({
    openPrice: points(108_451n),
    settleTick: { price: points(BigInt(price)), timeMs: SETTLES - ageMs },
    settlesAtMs: SETTLES,
  });
}

const profit = { result: 'profit', voidReason: null };
const loss = { result: 'loss', voidReason: null };
const even = { result: 'none', voidReason: null };
const silent = { result: 'none', voidReason: 'no_settle' };

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

describe('without a tick of exactly the settlement time, the last one before decides only for the customer', () => {
  test.each([
    ['exactly at it, higher', 108_452, 0, profit, loss],
    ['exactly at it, lower', 108_450, 0, loss, profit],
    ['exactly at it, the same', 108_451, 0, even, even],
    ['a grid time before, higher', 108_452, 250, profit, silent],
    ['a grid time before, lower', 108_450, 250, silent, profit],
    ['a grid time before, the same', 108_451, 250, silent, silent],
    ['a millisecond before, lower', 108_450, 1, silent, profit],
    ['an hour before, higher', 108_452, 3_600_000, profit, silent],
  ])('%s', (_case, price, ageMs, up, down) => {
    expect(verdict(price, ageMs)).toEqual({ up, down });
  });

  test('silence never costs a customer anything, and never makes a winner of another price', () => {
    for (const price of [108_449, 108_450, 108_451, 108_452, 108_453]) {
      const [exact, silence] = [verdict(price), verdict(price, 250)];
      for (const direction of ['up', 'down'] as const) {
        expect(silence[direction].result).not.toBe('loss');
        expect(silence[direction].result === 'profit').toBe(exact[direction].result === 'profit');
      }
    }
  });

  test('a tick after the settlement time throws', () => {
    expect(() => verdict(108_452, -1)).toThrow();
  });
});

describe('an order that is void', () => {
  test.each(VOID_REASONS)('has the result none for both directions and keeps its reason: %s', (reason) => {
    const nothing = { result: 'none', voidReason: reason };
    expect(voidVerdict(reason)).toEqual({ up: nothing, down: nothing });
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
