import { useSession } from './session.ts';
import { resetSettings } from './settings.ts';
import { clearStored } from './storage.ts';
import { useCachedViews } from './ui.ts';

type Forget = () => void;
const forgetters: Forget[] = [];
let leave: (path: string) => void = () => {};

/** Anything that remembers something of the person registers here how it forgets. */
export function onSessionEnd(forget: Forget): void {
  forgetters.push(forget);
}

/** How to go to another page, told by the shell. */
export function setLeave(go: (path: string) => void): void {
  leave = go;
}

/** Clears all local storage and every cache, and goes to /login. */
export function endSession(): void {
  clearStored();
  useSession.getState().end();
  useCachedViews.getState().clear();
  resetSettings();
  for (const forget of forgetters) forget();
  leave('/login');
}

/** The stream says that the session is dead: the same as a 401. */
export function handleStreamEnd(): void {
  if (useSession.getState().token !== null) endSession();
}
