import { describe, expect, test } from 'vitest';
import { minor, payoutFloor } from './index.ts';

describe('the income of a winning stake', () => {
  test.each([
    [100_000_000n, 8000, 80_000_000n],
    [10_000_000n, 8500, 8_500_000n],
    [1n, 8500, 0n],
    [1n, 9999, 0n],
    [2n, 5000, 1n],
    [3n, 5000, 1n],
    [11n, 9300, 10n],
    [107n, 9300, 99n],
    [20_001n, 8700, 17_400n],
    [0n, 9300, 0n],
  ])('%i at %i of ten thousand earns %i', (stake, bps, income) => {
    expect(payoutFloor(minor(stake), bps)).toBe(income);
  });

  test('the house keeps the cut-off fraction, which is less than one smallest unit (rule 6)', () => {
    for (let stake = 0n; stake < 3_000n; stake += 7n) {
      for (const bps of [1, 3333, 8000, 8200, 8500, 8700, 9000, 9300, 9999]) {
        const income = payoutFloor(minor(stake), bps);
        const exact = stake * BigInt(bps);
        expect(income * 10_000n).toBeLessThanOrEqual(exact);
        expect((income + 1n) * 10_000n).toBeGreaterThan(exact);
      }
    }
  });

  test('is exact where floating point is not', () => {
    // 0.29 * 100 is 28.999999999999996 in floating point.
    expect(payoutFloor(minor(100n), 2900)).toBe(29n);
    expect(payoutFloor(minor(4_611_686_018_427_387_903n), 9300)).toBe(4_288_867_997_137_470_749n);
  });
});
