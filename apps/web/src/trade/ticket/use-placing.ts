import type { ErrorCode, Order } from '@fairtick/protocol';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { askTime } from '../../api/ask-time.ts';
import { RefusedError } from '../../api/client.ts';
import { faultText } from '../../api/tell-fault.ts';
import { takeOrder } from '../../live/orders.ts';
import { refreshUserInfo } from '../../live/user-info.ts';
import { useText } from '../../messages/text-context.tsx';
import { useToast } from '../../state/toast.ts';
import { LoggedError } from './in-the-log.ts';
import { keepPlaced, loadKeeping } from './keep-evidence.ts';
import { awaitFound, mayAddPending } from './pending-order.ts';
import { type Placement, PlacementAttempt } from './place.ts';
import { hasMoved, type ShownTerms } from './ticket-model.ts';

export type PlacingState = 'ready' | 'armed' | 'sending' | 'unknown';

export type OrderOnItsWay = RefObject<PlacementAttempt | null>;

interface PlacingFault {
  readonly text: string;
  /** Whether another amount would do. */
  readonly isAmounts: boolean;
}

/** How long the first tap counts. A reader of the terms has the time; who comes back later looks again. */
const ARMED_MS = 30_000;

/** Refusals that the user info states beforehand. */
const CLOSED: ReadonlySet<string> = new Set(['ON_BREAK', 'SELF_EXCLUDED', 'ORDERS_FROZEN']);

/** Refusals that another amount would mend. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'INVALID_AMOUNT',
  'AMOUNT_TOO_SMALL',
  'AMOUNT_TOO_LARGE',
  'BALANCE_TOO_LOW',
  'INSUFFICIENT_BALANCE',
  'EXPOSURE_LIMIT',
  'SHARE_LIMIT',
  'STAKE_LIMIT',
  'LOSS_LIMIT',
] satisfies ErrorCode[]);

/**
 * Places an order with two taps: the first arms, the second sends; a tap elsewhere, or 30 s without one, cancels. Without an answer,
 * the button retries the same order only, until the outcome is known. The button itself takes deliberate taps only. An armed order is
 * disarmed when it is no longer what the first tap agreed to: other fields, another payout rate, or a price that has moved.
 *
 * @param shown what the ticket shows of the market
 * @param delayMs D of the product
 * @param attempt the order on its way; a ticket that is shown anew with one goes on with it
 */
export function usePlacing(
  placement: Placement | null,
  { delayMs, attempt, ...shown }: ShownTerms & { readonly delayMs: number; readonly attempt: OrderOnItsWay },
  onPlaced: (order: Order) => void,
) {
  const { t } = useText();
  const [state, setState] = useState<PlacingState>('ready');
  const [fault, setFault] = useState<PlacingFault | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** What the ticket showed at the first tap. */
  const agreed = useRef<ShownTerms & { readonly order: string }>(null);
  const order = placement && JSON.stringify(placement);
  const { price, payoutRate } = shown;

  useEffect(loadKeeping, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the ticket is shown
  useEffect(() => {
    if (attempt.current) void send(attempt.current);
  }, []);

  useEffect(() => {
    const before = agreed.current;
    if (state !== 'armed' || before === null) return;
    const isMoved = hasMoved(before, { price, payoutRate });
    if (order === before.order && !isMoved) return;
    setState('ready');
    if (order === before.order) setFault({ text: t('ticket.moved'), isAmounts: false });
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
    const timer = setTimeout(() => setState('ready'), ARMED_MS);
    document.addEventListener('pointerdown', cancel);
    document.addEventListener('keydown', cancel);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerdown', cancel);
      document.removeEventListener('keydown', cancel);
    };
  }, [state]);

  const refuse = (error: unknown) => {
    setState('ready');
    const text = error instanceof LoggedError ? t('ticket.refusedButLogged') : faultText(error, t);
    const isAmounts = error instanceof RefusedError && AMOUNTS.has(error.code);
    setFault(text === null ? null : { text, isAmounts });
  };

  // The app may learn the outcome by the order's key before the ticket does, as after a reconnection.
  useEffect(() => {
    const pending = attempt.current?.pending;
    if (!pending) return;
    return awaitFound(pending, (found) => {
      attempt.current = null;
      if (found.order === null) return refuse(found.refusal);
      setState('ready');
      setFault(null);
      onPlaced(found.order);
    });
  });

  const send = async (current: PlacementAttempt) => {
    attempt.current = current;
    setState('sending');
    setFault(null);
    // Meanwhile the outcome may have been told, by the key or in the layout before, and another order may be on its way.
    const isTold = () => attempt.current !== current;
    const isOther = () => attempt.current !== null && isTold();
    try {
      const placed = await current.send();
      if (isOther()) return;
      setState('ready');
      if (isTold()) return;
      attempt.current = null;
      takeOrder(placed.order);
      useToast.getState().show(t('shell.submitted'));
      onPlaced(placed.order);
      void keepPlaced(placed, t);
    } catch (error) {
      // A break or freeze that this device does not know: after the refetch the ticket shows it beforehand.
      if (error instanceof RefusedError && CLOSED.has(error.code)) void refreshUserInfo();
      if (isOther() || (current.isUnknown && isTold())) return;
      if (current.isUnknown) {
        setState('unknown');
        setFault({ text: t('ticket.unknown'), isAmounts: false });
      } else {
        attempt.current = null;
        refuse(error);
      }
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
      // Measures the line before the order takes it, and opens the connection. Earlier measurements count without an answer.
      askTime().catch(() => {});
      agreed.current = { price, payoutRate, order: JSON.stringify(placement) };
      setState('armed');
    } else if (!mayAddPending()) {
      setState('ready');
      setFault({ text: t('ticket.manyUnknown'), isAmounts: false });
    } else {
      void send(new PlacementAttempt(placement, delayMs));
    }
  };
  return { state, fault, button, tap, clearFault: () => setFault(null) };
}
