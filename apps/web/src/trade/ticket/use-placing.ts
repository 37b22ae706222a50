import type { Order } from '@fairtick/protocol';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useRef, useState } from 'react';
import { RefusedError } from '../../api/client.ts';
import { newKey } from '../../api/keys.ts';
import { faultText } from '../../api/tell-fault.ts';
import { useText } from '../../messages/text-context.tsx';
import { takeOrder } from '../../state/orders.ts';
import { useSession } from '../../state/session.ts';
import { readOwn, storeOwn } from '../../state/storage.ts';
import { useToast } from '../../state/toast.ts';
import { refreshUserInfo } from '../../state/user-info.ts';
import { mayAddPending } from './pending-order.ts';
import { type Placement, PlacementAttempt } from './place.ts';
import { hasMoved, type ShownTerms } from './ticket-model.ts';

const loadKept = () => whenLoaded(() => import('../../orders/receipt-check/kept.ts'));

/** Asks the browser, once, not to clear the evidence by itself; its answer changes nothing. A browser may ask the customer. */
async function askToKeepStorage(customerId: string): Promise<void> {
  if (readOwn('storageAsked', customerId) !== null) return;
  storeOwn('storageAsked', customerId, '1');
  const { storage } = navigator;
  if (!(await storage?.persisted?.())) await storage?.persist?.();
}

/**
 * Keeps the signed acceptance as the customer's evidence, at once; the app asks for the rest by itself. Without storage (a private
 * window) it is not kept, but the order stands.
 */
async function keep(order: Order): Promise<void> {
  const customerId = useSession.getState().userInfo?.id;
  if (customerId === undefined || typeof indexedDB === 'undefined') return;
  void askToKeepStorage(customerId);
  const { heldOf, keepOrder } = await loadKept();
  await keepOrder(heldOf(customerId, order));
}

export type PlacingState = 'ready' | 'armed' | 'sending' | 'unknown';

/**
 * Places an order with two taps: the first arms, the second sends; a tap elsewhere cancels. Without an answer, the button retries
 * the same order only, until the outcome is known. The button itself takes deliberate taps only. An armed order is disarmed when it
 * is no longer what the first tap agreed to: other fields, another payout rate, or a price that has moved.
 *
 * @param shown what the ticket shows of the market
 */
export function usePlacing(placement: Placement | null, shown: ShownTerms, onPlaced: (order: Order) => void) {
  const { t } = useText();
  const [state, setState] = useState<PlacingState>('ready');
  const [fault, setFault] = useState<string | null>(null);
  const attempt = useRef<PlacementAttempt | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** What the ticket showed at the first tap. */
  const agreed = useRef<ShownTerms & { readonly order: string }>(null);
  const order = placement && JSON.stringify(placement);
  const { price, payoutRate } = shown;

  // Loaded in advance, so that the evidence is kept even if the connection breaks after the order.
  useEffect(() => void loadKept(), []);

  useEffect(() => {
    const before = agreed.current;
    if (state !== 'armed' || before === null) return;
    const isMoved = hasMoved(before, { price, payoutRate });
    if (order === before.order && !isMoved) return;
    setState('ready');
    if (order === before.order) setFault(t('ticket.moved'));
  }, [state, order, price, payoutRate, t]);

  useEffect(() => {
    if (state !== 'armed') return;
    const cancel = (event: Event) => {
      const isElsewhere =
        event instanceof KeyboardEvent
          ? event.key === 'Escape'
          : !button.current?.contains(event.target as Node);
      if (isElsewhere) setState('ready');
    };
    document.addEventListener('pointerdown', cancel);
    document.addEventListener('keydown', cancel);
    return () => {
      document.removeEventListener('pointerdown', cancel);
      document.removeEventListener('keydown', cancel);
    };
  }, [state]);

  const send = async (current: PlacementAttempt) => {
    attempt.current = current;
    setState('sending');
    setFault(null);
    try {
      const order = await current.send();
      takeOrder(order);
      void keep(order);
      attempt.current = null;
      setState('ready');
      useToast.getState().show(t('shell.submitted'));
      onPlaced(order);
    } catch (error) {
      const { isUnknown } = current;
      if (!isUnknown) attempt.current = null;
      // A break started on another device: after the refetch the ticket shows it beforehand.
      if (error instanceof RefusedError && (error.code === 'ON_BREAK' || error.code === 'SELF_EXCLUDED'))
        void refreshUserInfo();
      setState(isUnknown ? 'unknown' : 'ready');
      setFault(isUnknown ? t('ticket.unknown') : faultText(error, t));
    }
  };

  const tap = () => {
    // `state` may be outdated in this tap; the ref tells whether an order is being sent.
    if (state === 'sending' || (state !== 'unknown' && attempt.current)) return;
    if (state === 'unknown' && attempt.current) {
      void send(attempt.current);
      return;
    }
    if (!placement) return;
    if (state === 'ready') {
      setFault(null);
      agreed.current = { price, payoutRate, order: JSON.stringify(placement) };
      setState('armed');
    } else if (!mayAddPending()) {
      setState('ready');
      setFault(t('ticket.manyUnknown'));
    } else {
      void send(new PlacementAttempt(placement, newKey()));
    }
  };
  return { state, fault, button, tap, clearFault: () => setFault(null) };
}
