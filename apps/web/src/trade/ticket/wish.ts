import { type RefObject, useEffect, useState } from 'react';
import { onSessionEnd } from '../../state/end-session.ts';
import { isLoggedIn, useIsLoggedIn, useSession } from '../../state/session.ts';
import type { TicketForm } from './ticket-model.ts';
import type { OrderOnItsWay } from './use-placing.ts';

/** A ticket that a visitor filled in, kept in this tab until the login or registration that it needs. */
interface Wish {
  readonly symbol: string;
  readonly form: TicketForm;
  readonly atMs: number;
}

const KEY = 'wish';
/** A stake is not remembered for longer: the next person at this device may be another one. */
const LIFETIME_MS = 60 * 60_000;

onSessionEnd(() => keep(null));

function keep(wish: Wish | null): void {
  try {
    if (wish === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(wish));
  } catch {
    // Storage is full or forbidden: the ticket starts empty after the login.
  }
}

/** The ticket as the visitor filled it in for this product; null if empty, or too long ago. */
export function wishFor(symbol: string): TicketForm | null {
  try {
    const wish = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Wish | null;
    if (wish?.symbol !== symbol || Date.now() - wish.atMs > LIFETIME_MS) return null;
    const { direction, minutes, amount } = wish.form;
    const isForm =
      (direction === 'up' || direction === 'down') && Number.isInteger(minutes) && typeof amount === 'string';
    return isForm ? { direction, minutes, amount } : null;
  } catch {
    return null;
  }
}

/** The direction of a ticket to open by itself: the one left for the login that is now done. */
export const wishedDirection = (symbol: string): TicketForm['direction'] | null =>
  isLoggedIn(useSession.getState()) ? (wishFor(symbol)?.direction ?? null) : null;

/** The state of an open ticket, kept for the layout that it has after a phone is turned. */
export interface KeptTicket {
  readonly form: RefObject<TicketForm | null>;
  readonly attempt: OrderOnItsWay;
}

export const keepNothing = (): KeptTicket => ({ form: { current: null }, attempt: { current: null } });

/** The ticket's state, in the direction of `first`. A visitor's is kept for the time after the login, which takes it once. */
export function useTicketForm(symbol: string, first: TicketForm, kept: KeptTicket['form']) {
  const isMember = useIsLoggedIn();
  const [form, setForm] = useState(
    () => kept.current ?? { ...first, ...wishFor(symbol), direction: first.direction },
  );
  useEffect(() => {
    kept.current = form;
    keep(isMember ? null : { symbol, form, atMs: Date.now() });
  }, [isMember, symbol, form, kept]);
  return [form, setForm] as const;
}
