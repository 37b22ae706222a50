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
  /** The wait that the server asks for; null: it names none. */
  readonly retryAfterMs: number | null;
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
const MOST_RETRY_MS = 86_400_000;
/** How long a venue that answers 418 (banned for a time) is left alone, and 429 without a Retry-After. */
const BANNED_MS = 120_000;
const LIMITED_MS = 60_000;
/** How long a venue that refuses the key is left alone: only the operator can change that. */
export const DENIED_MS = 300_000;

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
      retryAfterMs: retryAfterMs(answer.headers['retry-after']),
      text: text.slice(0, MOST_REFUSAL_CHARS).trim(),
    });
  });
}

/** Reads a header Retry-After (RFC 9110, 10.2.3: seconds or a date). @returns the wait in ms, a day at most; null: none */
export function retryAfterMs(header: string | null | undefined): number | null {
  if (header == null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return ms >= 0 ? Math.min(ms, MOST_RETRY_MS) : null;
}

/** Whether the operator's key is refused. */
export const isDenied = (status: number): boolean => status === 401 || status === 403;

/** How long a venue that refused something is left alone. @param saidMs what it asks for */
export function waitMsOf(status: number, saidMs: number | null): number {
  const limitedMs = status === 429 && saidMs === null ? LIMITED_MS : 0;
  return Math.max(saidMs ?? 0, isDenied(status) ? DENIED_MS : status === 418 ? BANNED_MS : limitedMs);
}
