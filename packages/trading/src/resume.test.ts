import { describe, expect, test } from 'vitest';
import { ordersFrom } from './index.ts';

const NEW = { timeMs: 50_000, isNew: true };
const SAME = { timeMs: 50_000, isNew: false };

describe('the time from which a product takes orders', () => {
  test('is that of its first new price', () => {
    expect(ordersFrom(NEW, null, null)).toBe(50_000);
    expect(ordersFrom(SAME, null, null)).toBeNull();
  });

  test('does not change while prices go on', () => {
    expect(ordersFrom(NEW, null, 10_000)).toBe(10_000);
    expect(ordersFrom(SAME, null, 10_000)).toBe(10_000);
    expect(ordersFrom(NEW, null, 65_000)).toBe(65_000);
  });

  test.each(['quorum', 'halt'] as const)('is 15 s after the first price after a %s gap', (reason) => {
    expect(ordersFrom(NEW, reason, null)).toBe(65_000);
    expect(ordersFrom(SAME, reason, null)).toBe(65_000);
  });

  test.each(['restart', 'clock', 'session', 'end'] as const)('waits for a new price after %s', (reason) => {
    expect(ordersFrom(NEW, reason, null)).toBe(50_000);
    expect(ordersFrom(SAME, reason, null)).toBeNull();
  });
});
