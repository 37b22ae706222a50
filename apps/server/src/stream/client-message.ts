import type { ClientMessage } from '@fairtick/protocol';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { Connection } from './connection.ts';
import { WINDOW_MS } from './reader-limits.ts';

const MAX_MESSAGE_BYTES = 4_096;
const MAX_MESSAGES_PER_WINDOW = 400;

export function readMessage(text: string | null): ClientMessage | null {
  try {
    return MESSAGE.parse(JSON.parse(text ?? '')) as ClientMessage;
  } catch {
    return null;
  }
}

const MESSAGE = z.discriminatedUnion('op', [
  z.object({ op: z.literal('ping') }),
  z.object({ op: z.enum(['sub', 'unsub']), topic: z.string() }),
  z.object({ op: z.literal('auth'), token: z.string(), lang: z.string().optional().catch(undefined) }),
]);

/** One message after the other, so that `auth` comes before the subscriptions that need it. */
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
