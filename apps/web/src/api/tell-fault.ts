import type { Text } from '../messages/text.ts';
import { useToast } from '../state/toast.ts';
import { NetworkError, RefusedError, SessionError } from './client.ts';

/** The text for a failed call: the server's own, or "Network Error"; null if nothing needs to be shown. */
export function faultText(error: unknown, t: Text['t']): string | null {
  if (error instanceof SessionError) return null;
  if (error instanceof RefusedError) return error.message;
  if (error instanceof NetworkError) return t('shell.networkError');
  throw error;
}

export function tellFault(error: unknown, t: Text['t']): void {
  const text = faultText(error, t);
  if (text !== null) useToast.getState().show(text, { isFault: true });
}
