import type { Order } from '@fairtick/protocol';
import type { MessageId, Text } from '../messages/text.ts';

export const VOID_TEXTS: Readonly<Record<NonNullable<Order['voidReason']>, MessageId>> = {
  not_logged: 'orders.void.notLogged',
  hole: 'orders.void.hole',
  gap: 'orders.void.gap',
  no_open: 'orders.void.noOpen',
  no_settle: 'orders.void.noSettle',
};

/** The outcome in a word. */
export function resultText(order: Order, t: Text['t']): string {
  if (order.voidReason !== null) return t('orders.voided');
  switch (order.result) {
    case 'profit':
      return t('orders.profit');
    case 'loss':
      return t('orders.loss');
    case 'none':
      return t('orders.none');
    case null:
      return t('orders.underWay');
  }
}

/** Why an order was voided. */
export function voidText(order: Order, t: Text['t']): string {
  return order.voidReason === null ? '' : t(VOID_TEXTS[order.voidReason]);
}
