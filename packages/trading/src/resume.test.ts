import { describe, expect, test } from 'vitest';
import { ordersFrom } from './index.ts';

const NEW = { timeMs: 50_000, isNew: true };
const SAME = { timeMs: 50_000, isNew: false };

describe('from when a product takes orders', () => {
  test('its first new price is enough', () => {
    expect(ordersFrom(NEW, null, null)).toBe(50_000);
    expect(ordersFrom(SAME, null, null)).toBeNull();
  });

  test('while prices go on nothing changes', () => {
    expect(ordersFrom(NEW, null, 10_000)).toBe(10_000);
    expect(ordersFrom(SAME, null, 10_000)).toBe(10_000);
    expect(ordersFrom(NEW, null, 65_000)).toBe(65_000);
  });

  test.each(['quorum', 'halt'] as const)('after a gap for %s prices have to hold for 15 s', (reason) => {
    expect(ordersFrom(NEW, reason, null)).toBe(65_000);
    expect(ordersFrom(SAME, reason, null)).toBe(65_000);
  });

  test.each(['restart', 'clock', 'session', 'end'] as const)('after %s it takes a new price', (reason) => {
    expect(ordersFrom(NEW, reason, null)).toBe(50_000);
    expect(ordersFrom(SAME, reason, null)).toBeNull();
  });
});
