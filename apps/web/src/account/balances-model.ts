import { formatDecimal, parseDecimal } from '@fairtick/money';
import type { Balance, Order } from '@fairtick/protocol';
import { scaleOf } from '../state/decimal-strings.ts';

/** Figures of My Account. An unknown amount is null and never counts as zero. */

/** A sum of amounts of one asset; null if one of them can't be read. */
export function sumOf(amounts: readonly string[]): string | null {
  const decimals = Math.max(0, ...amounts.map(scaleOf));
  let sum = 0n;
  for (const amount of amounts) {
    const value = parseDecimal(amount, decimals);
    if (value === null) return null;
    sum += value;
  }
  return formatDecimal(sum, decimals);
}

export const totalOf = ({ available, held, earning }: Balance): string | null =>
  sumOf([available, held, earning]);

export const isNothing = (amount: string): boolean => !/[1-9]/.test(amount);

export interface HeldBy {
  readonly orders: string | null;
  readonly withdrawals: string | null;
}

interface Held {
  readonly asset: string;
  readonly amount: string;
}

/** Sums what open `orders` and `withdrawals` hold; null for a list that is unknown. */
export function heldBy(
  asset: string,
  orders: readonly Pick<Order, 'asset' | 'amount' | 'status'>[] | null,
  withdrawals: readonly Held[] | null,
): HeldBy {
  const amountsOf = (all: readonly Held[]) =>
    all.filter((one) => one.asset === asset).map(({ amount }) => amount);
  return {
    orders: orders && sumOf(amountsOf(orders.filter(({ status }) => status === 'unsettled'))),
    withdrawals: withdrawals && sumOf(amountsOf(withdrawals)),
  };
}
