import { describe, expect, test } from 'vitest';
import { addToExposure, type Exposure, NO_EXPOSURE, settlementMinute, worstLoss } from './index.ts';

const exposure = (upStake: bigint, upIncome: bigint, downStake: bigint, downIncome: bigint): Exposure => ({
  upStake,
  upIncome,
  downStake,
  downIncome,
});

describe('what the house can lose in a minute', () => {
  test.each([
    ['nothing taken on', exposure(0n, 0n, 0n, 0n), 0n],
    ['one side only: all that it would earn', exposure(100n, 85n, 0n, 0n), 85n],
    ['the other side only', exposure(0n, 0n, 100n, 85n), 85n],
    ['both sides alike: the losers pay the winners', exposure(100n, 85n, 100n, 85n), 0n],
    ['more up than down', exposure(300n, 255n, 100n, 85n), 155n],
    ['more down than up', exposure(100n, 85n, 300n, 255n), 155n],
    ['the losers leave exactly what the winners earn', exposure(100n, 85n, 85n, 72n), 0n],
    ['one smallest unit beyond', exposure(100n, 86n, 85n, 72n), 1n],
  ])('%s', (_case, taken, loss) => {
    expect(worstLoss(taken)).toBe(loss);
  });

  test('an order counts on its own side', () => {
    const up = addToExposure(NO_EXPOSURE, { direction: 'up', stake: 100n, income: 85n });
    expect(up).toEqual(exposure(100n, 85n, 0n, 0n));
    expect(addToExposure(up, { direction: 'down', stake: 10n, income: 9n })).toEqual(
      exposure(100n, 85n, 10n, 9n),
    );
    expect(NO_EXPOSURE).toEqual(exposure(0n, 0n, 0n, 0n));
  });

  test('a minute holds its first second and not that of the next', () => {
    expect(settlementMinute(1_780_315_200_000)).toBe(1_780_315_200_000);
    expect(settlementMinute(1_780_315_259_000)).toBe(1_780_315_200_000);
    expect(settlementMinute(1_780_315_260_000)).toBe(1_780_315_260_000);
  });
});
