import type { Order } from '@fairtick/protocol';
import type { Text } from '../messages/text.ts';
import { formatAmount, formatSigned } from '../state/format.ts';
import { ifSettledAt } from './if-settled.ts';
import { resultText } from './order-words.ts';

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
