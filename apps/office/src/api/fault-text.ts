import type { Text } from '../messages/text.ts';
import { RefusedError, SessionError } from './client.ts';

/** The text to show for a failed call; null if the session has ended, because the login page then says so. */
export function faultText(error: unknown, { t, word }: Text): string | null {
  if (error instanceof RefusedError) {
    // The server names a part of the rules as the rules do; forms name it in words.
    return error.code === 'RULES_OUT_OF_BOUNDS'
      ? error.message.replace(/\w+$/, (part) => word('part', part))
      : error.message;
  }
  return error instanceof SessionError ? null : t('shell.networkError');
}
