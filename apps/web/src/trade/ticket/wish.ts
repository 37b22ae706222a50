import { isLoggedIn, useSession } from '../../state/session.ts';
import { onSessionEnd } from '../../state/session-lifecycle.ts';
import type { TicketForm } from './ticket-model.ts';

/** A ticket that a visitor filled in, kept in this tab until the login or registration that it needs. */
interface Wish {
  readonly symbol: string;
  readonly form: TicketForm;
  readonly atMs: number;
}

const KEY = 'wish';
/** A stake is not remembered for longer: the next person at this device may be another one. */
const LIFETIME_MS = 60 * 60_000;

onSessionEnd(() => keepWish(null));

export function keepWish(wish: Omit<Wish, 'atMs'> | null): void {
  try {
    if (wish === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ ...wish, atMs: Date.now() }));
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
