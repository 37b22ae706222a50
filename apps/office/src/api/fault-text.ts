import type { Text } from '../messages/text.ts';
import { RefusedError, SessionError } from './client.ts';

/** What to tell the reader of a failed call; null: nothing, the page of the login says it. */
export function faultText(error: unknown, { t }: Text): string | null {
  if (error instanceof RefusedError) return error.message;
  return error instanceof SessionError ? null : t('shell.networkError');
}
