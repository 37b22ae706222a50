import type { Text } from '../messages/text.ts';
import { RefusedError, SessionError } from './client.ts';

/** The text to show for a failed call; null if the session has ended, because the login page then says so. */
export function faultText(error: unknown, { t }: Text): string | null {
  if (error instanceof RefusedError) return error.message;
  return error instanceof SessionError ? null : t('shell.networkError');
}
