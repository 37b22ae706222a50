import type { Order } from '@fairtick/protocol';
import { whenLoaded } from '@fairtick/ui/load-code';
import { setEvidence } from '../../live/evidence.ts';
import { textNow } from '../../messages/text.ts';
import { orderPath } from '../../orders/order-card.tsx';
import type { Asked } from '../../orders/receipt-check/asked.ts';
import { go } from '../../shell/navigate.ts';
import { customerNow } from '../../state/session.ts';
import { readOwn, storeOwn } from '../../state/storage.ts';
import { useToast } from '../../state/toast.ts';

const loadKept = () => whenLoaded(() => import('../../orders/receipt-check/kept.ts'));

/** Loads the code in advance, so that the evidence is kept even if the connection breaks after the order. */
export const loadKeeping = (): void => void loadKept();

/** Asks the browser, once, not to clear the evidence by itself; its answer changes nothing. A browser may ask the customer. */
async function askToKeepStorage(customerId: string): Promise<void> {
  if (readOwn('storageAsked', customerId) !== null) return;
  storeOwn('storageAsked', customerId, '1');
  const { storage } = navigator;
  if (!(await storage?.persisted?.())) await storage?.persist?.();
}

/**
 * Checks that an order is what was asked for, and keeps both as the customer's evidence; the app asks for the rest by itself. An order
 * that is something else is shown as a contradiction. Without storage (a private window) nothing is kept, but the order stands.
 */
export async function keepPlaced(order: Order, sent: Asked): Promise<void> {
  const customerId = customerNow();
  if (customerId === null) return;
  const { heldOf, isHeldAsAsked, keepOrder } = await loadKept();
  const { symbol, direction, minutes, asset, amount, opensAt, nonce } = sent;
  const held = heldOf(customerId, order, { symbol, direction, minutes, asset, amount, opensAt, nonce });
  const isRight = isHeldAsAsked(held);
  if (!isRight) useToast.getState().show(textNow().t('ticket.notAsAsked'), { isFault: true });
  if (typeof indexedDB !== 'undefined') {
    void askToKeepStorage(customerId);
    await keepOrder(held);
  }
  if (isRight) return;
  setEvidence([[order.id, 'wrong']]);
  go(orderPath(order));
}
