import type { OfficeData, OfficeOperations, OfficePath } from '@fairtick/protocol/office';
import { useSettings } from '../state/settings.ts';

const TIMEOUT_MS = 10_000;

type PathOf<M extends 'GET' | 'POST'> = {
  [P in OfficePath]: OfficeOperations[P]['method'] extends M ? P : never;
}[OfficePath];
export type Fields = Readonly<Record<string, string | number | undefined>>;

/** Thrown when the server refuses a call; the message gives the reason in the reader's language. */
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

let onSessionEnd: () => void = () => {};
/** Asks the reader for password or second factor; resolves to false if the reader cancels. */
let askStepUp: () => Promise<boolean> = async () => false;

export function handleSessionEnd(handler: () => void): void {
  onSessionEnd = handler;
}
export function handleStepUp(handler: () => Promise<boolean>): void {
  askStepUp = handler;
}

/** @param signal from the query: an aborted query does not trigger the handling of a session's end */
export function get<P extends PathOf<'GET'>>(
  path: P,
  fields: Fields = {},
  signal?: AbortSignal,
): Promise<OfficeData<P>> {
  const query = new URLSearchParams(texts(fields));
  return call(`/api/${path}?${query}`, { method: 'GET', ...(signal ? { signal } : {}) });
}

/** Paths that answer with a file; their declared data type is `unknown`. */
type FilePath = {
  [P in PathOf<'GET'>]: unknown extends OfficeData<P> ? P : never;
}[PathOf<'GET'>];

/** Fetches a file as a Blob; its content is never executed. */
export async function getFile(path: FilePath, fields: Fields = {}): Promise<Blob> {
  const answer = await request(`/api/${path}?${new URLSearchParams(texts(fields))}`, { method: 'GET' });
  const type = answer.headers.get('content-type') ?? '';
  if (!answer.ok || type.startsWith('application/json')) {
    await readEnvelope(answer);
    throw new NetworkError('no file');
  }
  return answer.blob();
}

/** Adding a further second factor requires proof of an existing one (`OTP_REQUIRED`); a step-up provides it. */
const isStepUpWanted = (path: string, code: string): boolean =>
  code === 'REAUTH_REQUIRED' || (code === 'OTP_REQUIRED' && path.startsWith('factor/'));

/** Sends once. If the server asks for a step-up, asks the reader and then sends again; the first call had no effect. */
export async function post<P extends PathOf<'POST'>>(
  path: P,
  fields: Fields = {},
  options: { idempotencyKey?: string } = {},
): Promise<OfficeData<P>> {
  const send = () =>
    call<OfficeData<P>>(`/api/${path}`, {
      method: 'POST',
      body: new URLSearchParams(texts(fields)),
      headers: options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {},
    });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RefusedError) || !isStepUpWanted(path, error.code)) throw error;
    if (!(await askStepUp())) throw error;
    return send();
  }
}

/** Converts fields to text, leaves out undefined ones, and adds the language. */
function texts(fields: Fields): Record<string, string> {
  const own = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { ...Object.fromEntries(own), lang: useSettings.getState().language };
}

type Init = RequestInit & { headers?: Record<string, string> };

async function call<T>(url: string, init: Init): Promise<T> {
  return readEnvelope<T>(await request(url, init));
}

/** @throws NetworkError */
async function request(url: string, init: Init): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(url, {
      ...init,
      // A page of another origin can't set this header.
      headers: { ...init.headers, 'x-office': '1', language: useSettings.getState().language },
      signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
    });
  } catch (error) {
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

async function readEnvelope<T>(answer: Response): Promise<T> {
  const envelope = (await answer.json().catch(() => null)) as Envelope | null;
  if (answer.status === 401) {
    onSessionEnd();
    throw new SessionError(envelope?.msg ?? '');
  }
  if (envelope === null || typeof envelope.code !== 'number' || answer.status >= 500) {
    throw new NetworkError(`status ${answer.status}`);
  }
  if (envelope.code === 1) return envelope.data as T;
  throw new RefusedError(envelope.msg, envelope.error ?? '', envelope.fields ?? {});
}
