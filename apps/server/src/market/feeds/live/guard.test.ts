import { expect, test } from 'vitest';
import { Guard } from './guard.ts';

const at = (guard: Guard, nowMs: number, settling: readonly bigint[], guarding: readonly bigint[]) =>
  guard.look(1, nowMs, { settling, guarding, by: 'exchanges' });

test('a product is apart from its guards after half a second of more than half a percent, and no longer', () => {
  const guard = new Guard();
  const [near, far] = [[10_050n], [10_051n, 10_051n, 9_000n]];
  expect(at(guard, 0, near, [10_000n])).toBe(false);
  expect(at(guard, 10_000, far, [10_000n])).toBe(false);
  expect(at(guard, 10_499, far, [10_000n])).toBe(false);
  expect(at(guard, 10_500, far, [10_000n])).toBe(true);
  expect(at(guard, 10_750, near, [10_000n])).toBe(false);
  expect(at(guard, 11_000, far, [10_000n])).toBe(false);
  // The guard has no price to compare the record with.
  expect(at(guard, 20_000, far, [])).toBe(false);
  expect(at(guard, 20_250, [], [10_000n])).toBe(false);
});

test('vendors may differ by a quarter of a percent', () => {
  const guard = new Guard();
  const look = (nowMs: number, price: bigint) =>
    guard.look(1, nowMs, { settling: [price], guarding: [10_000n], by: 'vendors' });
  expect([look(0, 9_975n), look(500, 9_975n), look(1_000, 9_974n), look(1_500, 9_974n)]).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
