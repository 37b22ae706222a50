import { formatDecimal } from '@fairtick/money';
import type { Order } from '@fairtick/protocol';
import { scaleOf } from '../state/decimals.ts';
import { wayOf } from '../state/format.ts';
import { priceMove } from './order-words.ts';

/** Profit (positive), loss (negative) or nothing, as a decimal, if the order settled at this price; null while it is not open yet. */
export function ifSettledAt(
  {
    direction,
    openPrice,
    amount,
    expectedIncome,
  }: Pick<Order, 'direction' | 'openPrice' | 'amount' | 'expectedIncome'>,
  price: string,
): string | null {
  if (openPrice === null) return null;
  const way = wayOf(priceMove({ openPrice, settlePrice: price }));
  if (way === 'none') return formatDecimal(0n, scaleOf(amount));
  return way === direction ? expectedIncome : `-${amount}`;
}
