import { isLoggedIn, useSession } from './session.ts';
import { onSessionEnd } from './session-lifecycle.ts';

/** The fields of a ticket. */
interface Form {
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  /** As typed. */
  readonly amount: string;
}

/**
 * A ticket to be filled in so, kept in this tab: as a visitor left it for the login or registration that it needs, or with the terms of a
 * settled order.
 */
interface Wish {
  readonly symbol: string;
  readonly form: Form;
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

/** The ticket as it is wished for this product; null if it is not, or was too long ago. */
export function wishFor(symbol: string): Form | null {
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

/** The direction of a ticket to open by itself, for a customer who is logged in. */
export const wishedDirection = (symbol: string): Form['direction'] | null =>
  isLoggedIn(useSession.getState()) ? (wishFor(symbol)?.direction ?? null) : null;
