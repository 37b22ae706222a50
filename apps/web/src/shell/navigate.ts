import { navigate } from 'wouter/use-browser-location';
import { leavePlace } from './focus-memory.ts';
import { routeOf } from './routes.ts';

/** Goes back to the app's previous page, or to `above` if there is none in this tab. */
export function goBack(above = '/index'): void {
  if (hasPrevious()) history.back();
  else go(above, { isReplacing: true });
}

/** Whether the tab's previous page is one of the app. */
function hasPrevious(): boolean {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'isOurs' in state) return true;
  // A page that was loaded as a whole has no mark. Its entries are those of this origin; old browsers don't list them.
  const { navigation } = window as {
    navigation?: { readonly currentEntry: { readonly index: number } | null };
  };
  return (navigation?.currentEntry?.index ?? 0) > 0;
}

/**
 * Goes to a page of the app, and marks its history entry so that {@link goBack} can return. `from` is the path to return to after
 * /login; null removes it.
 */
export function go(
  path: string,
  { isReplacing = false, from }: { isReplacing?: boolean; from?: string | null } = {},
): void {
  leavePlace();
  const state = isReplacing ? history.state : { isOurs: true };
  navigate(path, { replace: isReplacing, state: from === undefined ? state : { ...state, from } });
}

/** The path to go to after a login: the protected page that was wanted, else the home. Never a path outside the app. */
export function wantedPath(): string {
  const state: unknown = history.state;
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : null;
  if (typeof from !== 'string') return '/index';
  return routeOf(from.split('?')[0] as string)?.access === 'session' ? from : '/index';
}
