import { describe, expect, test } from 'vitest';
import { ordersFrom } from './index.ts';

const TICK = { timeMs: 50_000 };

describe('the time from which a product takes orders', () => {
  test('is that of its first tick', () => {
    expect(ordersFrom(TICK, null, null)).toBe(50_000);
  });

  test('does not change while prices go on', () => {
    expect(ordersFrom(TICK, null, 10_000)).toBe(10_000);
    expect(ordersFrom(TICK, null, 65_000)).toBe(65_000);
  });

  test.each(['quorum', 'halt'] as const)('is 15 s after the first tick after a %s gap', (reason) => {
    expect(ordersFrom(TICK, reason, null)).toBe(65_000);
    expect(ordersFrom(TICK, reason, 10_000)).toBe(65_000);
  });

  test.each(['restart', 'clock', 'session', 'end'] as const)(
    'is that of the first tick after %s',
    (reason) => {
      expect(ordersFrom(TICK, reason, null)).toBe(50_000);
      expect(ordersFrom(TICK, reason, 10_000)).toBe(50_000);
    },
  );
});
