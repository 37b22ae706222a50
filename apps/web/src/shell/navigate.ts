import { navigate } from 'wouter/use-browser-location';

/** Goes to the previous page of the app; from a page that was opened directly, to the one above it. */
export function goBack(above = '/index'): void {
  const state: unknown = history.state;
  const isOurs = typeof state === 'object' && state !== null && 'isOurs' in state;
  if (isOurs) history.back();
  else go(above, { isReplacing: true });
}

/** Goes to a page of the app. Every page reached like this knows that there is one to go back to. */
export function go(path: string, { isReplacing = false }: { isReplacing?: boolean } = {}): void {
  navigate(path, { replace: isReplacing, state: isReplacing ? history.state : { isOurs: true } });
}
