import type { OfficeData, OfficeOperations, OfficePath } from '@fairtick/protocol/office';
import {
  exchange,
  type Fields,
  RefusedError,
  readBlob,
  readEnvelope,
  SessionError,
  texts,
} from '@fairtick/ui/client';
import { useSettings } from '../state/settings.ts';

export { type Fields, NetworkError, RefusedError, SessionError } from '@fairtick/ui/client';

const TIMEOUT_MS = 10_000;
/** A PDF is set line by line. */
const FILE_TIMEOUT_MS = 60_000;

type PathOf<M extends 'GET' | 'POST'> = {
  [P in OfficePath]: OfficeOperations[P]['method'] extends M ? P : never;
}[OfficePath];

interface Guard {
  /** Whether the browser's session is the one that this page was drawn for. */
  readonly isCurrent: () => boolean;
  /** The mark of that session. */
  readonly mark: () => string | null;
  /** Called on a 401, with the mark at the time of the call. */
  readonly onEnd: (mark: string | null) => void;
}
let guard: Guard = { isCurrent: () => true, mark: () => null, onEnd: () => {} };
/** Asks the reader for password or second factor; resolves to false if the reader cancels. */
let askStepUp: () => Promise<boolean> = async () => false;

export function guardSession(own: Guard): void {
  guard = own;
}
export function handleStepUp(handler: () => Promise<boolean>): void {
  askStepUp = handler;
}

/** @param signal from the query: an aborted query does not trigger the handling of a session's end */
export const get = <P extends PathOf<'GET'>>(
  path: P,
  fields: Fields = {},
  signal?: AbortSignal,
): Promise<OfficeData<P>> =>
  ask(urlOf(path, fields), { method: 'GET', ...(signal ? { signal } : {}) }, readEnvelope<OfficeData<P>>);

/** Paths that answer with a file; their declared data type is `unknown`. */
type FilePath = {
  [P in PathOf<'GET'>]: unknown extends OfficeData<P> ? P : never;
}[PathOf<'GET'>];

/** Fetches a file as a Blob; its content is never executed. */
export const getFile = (path: FilePath, fields: Fields = {}): Promise<Blob> =>
  ask(urlOf(path, fields), { method: 'GET' }, readBlob, FILE_TIMEOUT_MS);

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
    ask(
      `/api/${path}`,
      {
        method: 'POST',
        body: new URLSearchParams(texts(fields, useSettings.getState().language)),
        headers: options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {},
      },
      readEnvelope<OfficeData<P>>,
    );
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RefusedError) || !isStepUpWanted(path, error.code)) throw error;
    if (!(await askStepUp())) throw error;
    return send();
  }
}

const urlOf = (path: OfficePath, fields: Fields) =>
  `/api/${path}?${new URLSearchParams(texts(fields, useSettings.getState().language))}`;

async function ask<T>(
  url: string,
  init: RequestInit & { headers?: Record<string, string> },
  read: (answer: Response) => Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  // The cookie is the browser's: what this page shows must not be decided in another member's session.
  if (!guard.isCurrent()) throw new SessionError('another session');
  const mark = guard.mark();
  // A page of another origin can't set the header `x-office`.
  const headers = { ...init.headers, 'x-office': '1', language: useSettings.getState().language };
  try {
    return await exchange(url, { ...init, headers }, { timeoutMs, read });
  } catch (error) {
    if (error instanceof SessionError) guard.onEnd(mark);
    throw error;
  }
}
