import type { Direction } from './decide-settlement.ts';

/** What the house has taken on in one scope (a product, a correlated group) and one settlement minute, in one asset. */
export interface Exposure {
  readonly upStake: bigint;
  readonly upIncome: bigint;
  readonly downStake: bigint;
  readonly downIncome: bigint;
}

export const NO_EXPOSURE: Exposure = { upStake: 0n, upIncome: 0n, downStake: 0n, downIncome: 0n };

export function addToExposure(
  exposure: Exposure,
  order: { direction: Direction; stake: bigint; income: bigint },
): Exposure {
  return order.direction === 'up'
    ? { ...exposure, upStake: exposure.upStake + order.stake, upIncome: exposure.upIncome + order.income }
    : {
        ...exposure,
        downStake: exposure.downStake + order.stake,
        downIncome: exposure.downIncome + order.income,
      };
}

/**
 * The most that the house can lose in this scope and minute when every order opens and none is void: what the winners
 * earn less what the losers leave, whichever side wins. Zero or above.
 */
export function worstLoss(exposure: Exposure): bigint {
  const ifUp = exposure.upIncome - exposure.downStake;
  const ifDown = exposure.downIncome - exposure.upStake;
  const worst = ifUp > ifDown ? ifUp : ifDown;
  return worst > 0n ? worst : 0n;
}

export const sumOfExposures = (a: Exposure, b: Exposure): Exposure => ({
  upStake: a.upStake + b.upStake,
  upIncome: a.upIncome + b.upIncome,
  downStake: a.downStake + b.downStake,
  downIncome: a.downIncome + b.downIncome,
});

/** The minute in which an order settles: the start of it, Unix ms. */
export function settlementMinute(settlesAtMs: number): number {
  return Math.floor(settlesAtMs / 60_000) * 60_000;
}
