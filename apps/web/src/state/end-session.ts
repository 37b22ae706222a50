import { useSession } from './session.ts';
import { resetSettings } from './settings.ts';
import { clearStored } from './storage.ts';
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

/**
 * Clears local storage and every cache, and goes to /login.
 * @param how `hasLapsed`: the server ended the session, and the login says so
 */
export function endSession(how: { hasLapsed: boolean } = { hasLapsed: false }): void {
  clearStored();
  useSession.getState().end(how);
  useCachedViews.getState().clear();
  resetSettings();
  for (const forget of forgetters) forget();
  leave('/login');
}

/** Handles the stream's message that the session has ended, as a 401. */
export function handleStreamEnd(): void {
  if (useSession.getState().token !== null) endSession({ hasLapsed: true });
}
