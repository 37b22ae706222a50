import { goBackFromLayers, layerDepth, navigateFromLayers } from '@fairtick/ui/layers';
import { navigate } from 'wouter/use-browser-location';
import { leavePlace } from './focus-memory.ts';
import { routeOf } from './routes.ts';

/** Goes back to the app's previous page, or to `above` if there is none in this tab. */
export function goBack(above = '/index'): void {
  goBackFromLayers(hasPrevious, () => go(above, { isReplacing: true }));
}

/** Whether the tab's previous page is one of the app. */
export function hasPrevious(): boolean {
  if (typeof history === 'undefined') return false;
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'isOurs' in state) return true;
  // A page that was loaded as a whole left no mark. `navigation` counts the entries of this origin; old browsers lack it.
  const { navigation } = window as {
    navigation?: { readonly currentEntry: { readonly index: number } | null };
  };
  return (navigation?.currentEntry?.index ?? 0) > layerDepth();
}

/**
 * Goes to a page of the app, and marks its history entry so that {@link goBack} can return. `from` is the path to return to after
 * a login or registration; null removes it. By default it is the page left for them.
 */
export function go(
  path: string,
  { isReplacing = false, from }: { isReplacing?: boolean; from?: string | null } = {},
): void {
  leavePlace();
  const wanted = from === undefined && isEntry(path) && !isReplacing ? pathBeforeEntry() : from;
  navigateFromLayers(isReplacing, (replace) => {
    const state = isReplacing ? history.state : { isOurs: true };
    navigate(path, { replace, state: wanted === undefined ? state : { ...state, from: wanted } });
  });
}

/** The path to go to after a login or registration: the page that was wanted, else the home. Never a path outside the app. */
export function wantedPath(): string {
  const from = keptFrom();
  const path = from?.split('?')[0] ?? '';
  return from !== null && routeOf(path) && !isEntry(path) ? from : '/index';
}

const isEntry = (path: string): boolean => path === '/login' || path === '/register';

/** The page that a visitor leaves for the login or registration; from one of these two to the other, the page left before. */
function pathBeforeEntry(): string | null {
  const { pathname, search } = location;
  if (isEntry(pathname)) return keptFrom();
  // The landing page leads into the app.
  return pathname === '/home' ? null : pathname + search;
}

function keptFrom(): string | null {
  const state: unknown = history.state;
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : null;
  return typeof from === 'string' ? from : null;
}
