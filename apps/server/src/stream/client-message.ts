import type { ClientMessage } from '@fairtick/protocol';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Connection } from './connection.ts';
import { WINDOW_MS } from './reader-shares.ts';

const MAX_MESSAGE_BYTES = 4_096;
const MAX_MESSAGES_PER_WINDOW = 400;

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

/** Handles a reader's messages one after the other, so that `auth` comes before the subscriptions that need it; too many or too long ones close. */
export function takeMessages(
  socket: WebSocket,
  connection: Connection,
  { handle, log }: { handle: (text: string | null) => Promise<void>; log: Logger },
): void {
  let messages = 0;
  let windowMs = performance.now();
  let queue: Promise<void> = Promise.resolve();
  socket.on('message', (data, isBinary) => {
    if (performance.now() - windowMs > WINDOW_MS) {
      windowMs = performance.now();
      messages = 0;
    }
    messages += 1;
    const text = isBinary ? null : String(data);
    if (messages > MAX_MESSAGES_PER_WINDOW || (text?.length ?? 0) > MAX_MESSAGE_BYTES) {
      connection.closeWith(1008, 'too much');
      return;
    }
    // Other readers who are counted with this one may be the cause, so the code asks it to connect again later.
    if (!connection.share.mayAsk()) {
      connection.closeWith(1013, 'too much at once');
      return;
    }
    queue = queue
      .then(() => handle(text))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a stream message could not be answered');
        connection.error('NOT_READY');
      });
  });
}
