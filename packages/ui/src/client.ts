import { abortAfter } from './time-limit.ts';

/** The core of both apps' clients: forms out, envelopes in, and the errors between. */

export type Fields = Readonly<Record<string, string | number | undefined>>;

/** The server refuses a call; the message gives the reason in the reader's language. */
export class RefusedError extends Error {
  /** Stable machine name. */
  readonly code: string;
  /** Messages by form field. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(message: string, code: string, fields: Readonly<Record<string, string>>) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/** No answer, or one that can't be parsed: it is unknown whether the call had an effect. */
export class NetworkError extends Error {}

/** The session has ended. */
export class SessionError extends Error {}

/** Converts fields to text, leaves out undefined ones, and adds the language. */
export function texts(fields: Fields, language: string): Record<string, string> {
  const own = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { ...Object.fromEntries(own), lang: language };
}

/**
 * Sends a request and reads its answer.
 * @throws NetworkError when there is no readable answer in time; the signal's reason when the caller aborted it
 */
export async function exchange<T>(
  url: string,
  init: RequestInit,
  { timeoutMs, read }: { readonly timeoutMs: number; readonly read: (answer: Response) => Promise<T> },
): Promise<T> {
  const signal = abortAfter(timeoutMs, init.signal);
  try {
    return await read(await fetch(url, { ...init, signal }));
  } catch (error) {
    const isRead = [RefusedError, SessionError, NetworkError].some((kind) => error instanceof kind);
    if (isRead || init.signal?.aborted) throw error;
    throw new NetworkError('no answer', { cause: error });
  }
}

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: unknown;
  readonly error?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export async function readEnvelope<T>(answer: Response): Promise<T> {
  return openEnvelope<T>(answer.status, await answer.json().catch(() => null));
}

/** A body without an envelope; a refusal still has one. */
export async function readBlob(answer: Response): Promise<Blob> {
  const isEnvelope = answer.headers.get('content-type')?.startsWith('application/json');
  return answer.ok && !isEnvelope ? answer.blob() : readEnvelope<Blob>(answer);
}

/**
 * The data of an envelope. Code 1 is success; code 0 is a refusal with its reason, also with status 4xx; code or status 401 ends
 * the session.
 * @throws RefusedError
 * @throws SessionError
 * @throws NetworkError for status 5xx, any other code, and a body without an envelope
 */
export function openEnvelope<T>(status: number, content: unknown): T {
  const envelope = content as Envelope | null;
  if (status === 401 || envelope?.code === 401) throw new SessionError(envelope?.msg ?? '');
  if (envelope === null || typeof envelope.code !== 'number' || status >= 500)
    throw new NetworkError(`status ${status}`);
  if (envelope.code === 1) return envelope.data as T;
  if (envelope.code !== 0) throw new NetworkError(`code ${envelope.code}`);
  throw new RefusedError(envelope.msg, envelope.error ?? '', envelope.fields ?? {});
}
