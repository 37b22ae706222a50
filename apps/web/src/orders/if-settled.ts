import { formatDecimal, parseDecimal } from '@fairtick/money';
import type { Order } from '@fairtick/protocol';

/** Profit (positive), loss (negative) or nothing, as a decimal, if the order settled at this price; null while it is not open yet. */
export function ifSettledAt(
  order: Pick<Order, 'direction' | 'openPrice' | 'amount' | 'expectedIncome'>,
  price: string,
): string | null {
  if (order.openPrice === null) return null;
  const scale = decimalsOf(order.amount);
  const priceScale = Math.max(decimalsOf(price), decimalsOf(order.openPrice));
  const [now, open] = [parseDecimal(price, priceScale), parseDecimal(order.openPrice, priceScale)];
  const stake = parseDecimal(order.amount, scale);
  if (now === null || open === null || stake === null) return null;
  const moved = now - open;
  if (moved === 0n) return formatDecimal(0n, scale);
  if (moved > 0n === (order.direction === 'up')) return order.expectedIncome;
  return formatDecimal(-stake, scale);
}

function decimalsOf(text: string): number {
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
}
