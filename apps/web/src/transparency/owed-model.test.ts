import { describe, expect, test } from 'vitest';
import { availableAt, isDue, isLeftOut, stampOf } from './owed-model.ts';

const DAY = Date.UTC(2026, 5, 1);
const at = (ms: number, balance: string | null) => ({ time: DAY + ms, balance });

describe('the available balance at the time of the count', () => {
  test('is the balance of the last entry before the count', () => {
    const lines = [at(60_000, '7.00'), at(-20_000, null), at(-30_000, '5.00'), at(-40_000, '9.00')];
    expect(availableAt(lines, DAY, 10_000)).toBe('5.00');
  });

  test('is unknown when an entry is too near to the count, or none precedes it', () => {
    expect(availableAt([at(-10_000, '5.00')], DAY, 10_000)).toBe(null);
    expect(availableAt([at(9_999, '5.00'), at(-60_000, '1.00')], DAY, 10_000)).toBe(null);
    expect(availableAt([at(60_000, '5.00'), at(-60_000, null)], DAY, 10_000)).toBe(null);
    expect(availableAt([], DAY, 10_000)).toBe(null);
  });

  test('must not exceed the counted amount', () => {
    expect(isLeftOut(499n, '5.00')).toBe(true);
    expect(isLeftOut(500n, '5.00')).toBe(false);
    expect(isLeftOut(0n, '0.00')).toBe(false);
    expect(isLeftOut(0n, null)).toBe(false);
    expect(isLeftOut(0n, '0.01')).toBe(true);
  });
});

test('a check is due once a day, for each customer', () => {
  const stamp = stampOf('7', DAY);
  expect(isDue(null, '7', DAY)).toBe(true);
  expect(isDue(stamp, '7', DAY + 86_399_999)).toBe(false);
  expect(isDue(stamp, '7', DAY + 86_400_000)).toBe(true);
  expect(isDue(stamp, '8', DAY)).toBe(true);
});
