import type { IncomingMessage } from 'node:http';

/** A connection that carries frames, whatever its protocol. */
export interface Line {
  readonly isOpen: boolean;
  send(text: string): void;
  /** Ends it at once; `closed` follows. */
  cut(): void;
}

/** Events of a line, told to its owner. */
export interface LineEvents {
  opened(): void;
  frame(text: string): void;
  /** The server answered, and not with a connection: the line is to be cut. */
  refused(answer: Refusal): void;
  fault(why: string): void;
  closed(): void;
}

export interface Refusal {
  readonly status: number;
  /** The wait that the server asks for, whole s, a day at most; null: it names none. */
  readonly retryAfterS: number | null;
  /** The begin of its body. */
  readonly text: string;
}

export type OpenLine = (
  request: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  tell: LineEvents,
) => Line;

/** A longer frame ends the connection. */
export const MOST_FRAME_BYTES = 1 << 20;

/** The words of an error of the network. Where several addresses failed it has a code alone. */
export const faultOf = (error: NodeJS.ErrnoException): string => error.message || (error.code ?? error.name);

const MOST_REFUSAL_CHARS = 1_000;
const MOST_RETRY_S = 86_400;

/** Tells of an answer that is a refusal, when the begin of its body is there. */
export function hearRefusal(answer: IncomingMessage, tell: LineEvents): void {
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (part: string) => {
    text += part;
    if (text.length > MOST_REFUSAL_CHARS) answer.destroy();
  });
  answer.on('error', () => {});
  answer.on('close', () => {
    tell.refused({
      status: answer.statusCode ?? 0,
      retryAfterS: retryAfterOf(answer.headers['retry-after']),
      text: text.slice(0, MOST_REFUSAL_CHARS).trim(),
    });
  });
}

/** The header has seconds or a date, see RFC 9110, 10.2.3. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return seconds > 0 ? Math.ceil(Math.min(seconds, MOST_RETRY_S)) : null;
}
