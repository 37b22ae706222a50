import { navigate } from 'wouter/use-browser-location';
import { leavePlace } from './focus-memory.ts';
import { routeOf } from './routes.ts';

/** Goes to the previous page of the app; from a page that was opened directly, to the one above it. */
export function goBack(above = '/index'): void {
  const state: unknown = history.state;
  const isOurs = typeof state === 'object' && state !== null && 'isOurs' in state;
  if (isOurs) history.back();
  else go(above, { isReplacing: true });
}

/**
 * Goes to a page of the app. Every page reached like this knows that there is one to go back to. `from` is what /login leads back to;
 * null forgets it.
 */
export function go(
  path: string,
  { isReplacing = false, from }: { isReplacing?: boolean; from?: string | null } = {},
): void {
  leavePlace();
  const state = isReplacing ? history.state : { isOurs: true };
  navigate(path, { replace: isReplacing, state: from === undefined ? state : { ...state, from } });
}

/** Where somebody wanted to go who had to log in first; the home otherwise. Never anything but a page of ours. */
export function wantedPath(): string {
  const state: unknown = history.state;
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : null;
  if (typeof from !== 'string') return '/index';
  return routeOf(from.split('?')[0] as string)?.access === 'session' ? from : '/index';
}
