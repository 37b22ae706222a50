import type { ClientMessage } from '@fairtick/protocol';

/** A reader's message; null for any other text. */
export function readMessage(text: string | null): ClientMessage | null {
  if (text === null) return null;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const { op, topic, token, lang } = message as Record<string, unknown>;
  if (op === 'ping') return { op };
  if ((op === 'sub' || op === 'unsub') && typeof topic === 'string') return { op, topic };
  if (op === 'auth' && typeof token === 'string')
    return { op, token, ...(typeof lang === 'string' ? { lang } : {}) };
  return null;
}
