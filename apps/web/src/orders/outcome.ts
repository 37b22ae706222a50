import { formatDecimal } from '@fairtick/money';
import type { Order } from '@fairtick/protocol';
import type { Text } from '../messages/text.ts';
import { scaleOf } from '../state/decimal-strings.ts';
import { formatAmount, formatSigned, wayOf } from '../state/format.ts';
import { priceMove, resultText } from './order-words.ts';

/**
 * The result of an order, or its result at a price, in words and as an amount. Null if unknown, as from the settlement time until the
 * result is here: without a connection the price is an older one.
 */
export function outcomeOf(
  order: Order,
  { price, nowMs, t }: { price: string | null; nowMs: number; t: Text['t'] },
): { words: string; amount: string } | null {
  const isOpen = order.status === 'unsettled';
  const amount = isOpen ? price && nowMs < order.settlesAt && ifSettledAt(order, price) : order.profit;
  if (!amount) return null;
  return { words: isOpen ? t('orders.ifNow') : resultText(order, t), amount: formatSigned(amount) };
}

export const stakeOf = ({ amount, asset }: Order): string => `${formatAmount(amount)} ${asset}`;

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
