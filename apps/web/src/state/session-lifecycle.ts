import type { UserInfo } from '@fairtick/protocol';
import { readSession, useSession } from './session.ts';
import { resetSettings } from './settings.ts';
import { clearStored, isStoredSession, readStored, takeStoredToken } from './storage.ts';
import { useCachedViews } from './ui.ts';

type Forget = () => void;
const forgetters: Forget[] = [];
let leave: (path: string) => void = () => {};

/** Registers a function that clears remembered data of the person at the end of a session. */
export function onSessionEnd(forget: Forget): void {
  forgetters.push(forget);
}

/** Sets how to go to another page; called by the shell. */
export function setLeave(go: (path: string) => void): void {
  leave = go;
}

/** Begins a session after a login or registration. What another session left in this browser is cleared first. */
export function beginSession(session: { token: string; userInfo: UserInfo }): void {
  if (readStored('token') !== null) {
    clearStored();
    forget({ hasLapsed: false });
  }
  // Views that were left keep a visitor's choices.
  useCachedViews.getState().clear();
  useSession.getState().begin(session);
}

/**
 * Ends this tab's session: clears local storage and every cache, and goes to /login. If another tab has logged in or out since, the
 * stored session is not this tab's, and is followed instead.
 *
 * @param how `hasLapsed`: the server ended the session, and the login says so. `token`: the session that ended; an earlier one
 *   changes nothing
 */
export function endSession(how: { hasLapsed?: boolean; token?: string | null } = {}): void {
  const { token, hasLapsed = false } = how;
  if (!followStored() || (token !== undefined && token !== useSession.getState().token)) return;
  clearStored();
  forget({ hasLapsed });
  leave('/login');
}

function forget(how: { hasLapsed: boolean }): void {
  useSession.getState().end(how);
  useCachedViews.getState().clear();
  resetSettings();
  for (const one of forgetters) one();
}

/**
 * Takes over what another tab did to the stored session: its logout, its login, or its new session of the same customer. Of another
 * customer's session nothing is mixed with this tab's, which is forgotten first.
 *
 * @returns whether this tab's session goes on, possibly under a new token
 */
export function followStored(): boolean {
  if (isStoredSession()) return true;
  const own = useSession.getState();
  const stored = readSession();
  const id = own.userInfo?.id;
  if (stored.token === null) {
    takeStoredToken();
    forget({ hasLapsed: false });
    leave('/login');
    return false;
  }
  const isOther = id !== undefined && stored.userInfo?.id !== id;
  if (isOther) forget({ hasLapsed: false });
  own.takeStored();
  if (isOther || location.pathname === '/login') leave('/index');
  return !isOther;
}

/** Follows the other tabs: when they change the stored session, and when this tab wakes up. Called once. */
export function followTabs(): void {
  addEventListener('storage', ({ key }) => {
    if (key === null || key === 'token' || key === 'userInfo') followStored();
  });
  addEventListener('pageshow', followStored);
  document.addEventListener('visibilitychange', followStored);
}

/** Handles the stream's message that the session has ended, as a 401. */
export function handleStreamEnd(token: string | null): void {
  if (token !== null) endSession({ hasLapsed: true, token });
}
