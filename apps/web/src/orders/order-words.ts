import { formatDecimal } from '@fairtick/money';
import type { Order, OrderTotals } from '@fairtick/protocol';
import type { Text } from '../messages/text.ts';
import { minorOf, scaleOf } from '../state/decimal-strings.ts';
import { formatPrice, formatSigned } from '../state/format.ts';

export const isBeforeOpening = (order: Pick<Order, 'opensAt' | 'openPrice'>, nowMs: number): boolean =>
  order.openPrice === null && nowMs < order.opensAt;

/** Time left until an open order's opening, or then until its settlement, ms. */
export const untilNext = (order: Pick<Order, 'opensAt' | 'openPrice' | 'settlesAt'>, nowMs: number): number =>
  (isBeforeOpening(order, nowMs) ? order.opensAt : order.settlesAt) - nowMs;

/** A wait for a settlement of this length is explained. */
const LONG_WAIT_MS = 3_000;

/** Whether an order's settlement time has passed longer ago than sources usually take to complete their prices. */
export const isWaitLong = ({ settlesAt }: Pick<Order, 'settlesAt'>, nowMs: number): boolean =>
  nowMs - settlesAt >= LONG_WAIT_MS;

export const resultText = (
  { result, voidReason }: Pick<Order, 'result' | 'voidReason'>,
  t: Text['t'],
): string => t(voidReason !== null ? 'orders.voided' : `orders.${result ?? 'underWay'}`);

export function priceMove({
  openPrice,
  settlePrice,
}: Pick<Order, 'openPrice' | 'settlePrice'>): string | null {
  if (openPrice === null || settlePrice === null) return null;
  const scale = Math.max(scaleOf(openPrice), scaleOf(settlePrice));
  return formatDecimal(minorOf(settlePrice, scale) - minorOf(openPrice, scale), scale);
}

export function marginText(order: Order, t: Text['t']): string {
  const move = priceMove(order);
  if (move === null || order.voidReason !== null) return resultText(order, t);
  const values = { by: formatPrice(move.replace('-', '')) };
  if (order.result === 'profit') return t('orders.wonBy', values);
  return order.result === 'loss' ? t('orders.lostBy', values) : resultText(order, t);
}

/** Whether the order won because no price of its time was written within 24 hours. */
export const isUnpriced = (order: Order): boolean =>
  order.status === 'settled' && order.voidReason === null && order.settlePrice === null;

/** Why an order has no settlement price: it was voided, or none was written and it won. */
export function noPriceText(order: Order, t: Text['t']): string {
  if (order.voidReason !== null) return t(`orders.void.${order.voidReason}`);
  return isUnpriced(order) ? t('orders.unpriced') : '';
}

/** The result of orders that were added up; a dash while nothing has settled: no result is not a result of zero. */
export const totalText = (
  sums: Pick<OrderTotals['items'][number], 'orders' | 'open' | 'result'> | undefined,
): string => (sums === undefined || sums.orders === sums.open ? '–' : formatSigned(sums.result));
