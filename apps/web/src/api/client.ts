import type { DataAt, EndpointAt, Path } from '@fairtick/protocol';
import {
  exchange,
  type Fields,
  RefusedError,
  readBlob,
  readEnvelope,
  SessionError,
  texts as textsIn,
} from '@fairtick/ui/client';
import { useLoading } from '../state/loading.ts';
import { useReauth } from '../state/reauth.ts';
import { customerNow, useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';

export { type Fields, NetworkError, RefusedError, SessionError } from '@fairtick/ui/client';

export const TIMEOUT_MS = 5_000;
/** The time-out of a file's answer: the server creates the file, or encodes the sent pictures again, after those of others. */
export const FILE_TIMEOUT_MS = 30_000;

type PathWith<T> = { [P in Path]: EndpointAt<P> extends T ? P : never }[Path];
export type UploadPath = PathWith<{ pictures: unknown }>;
export type PicturePath = PathWith<{ answersPicture: true }>;
type FilePath = PathWith<{ answersFile: unknown }>;
export type ReadPath = PlainPath<'GET'>;
type PlainPath<M extends 'GET' | 'POST'> = Exclude<
  PathWith<{ method: M }>,
  UploadPath | PicturePath | FilePath
>;

export interface CallOptions {
  /** No loading indicator. */
  readonly isSilent?: boolean;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** The session of the call, where it is not the app's yet. */
  readonly token?: string;
}

interface Guard {
  /** Whether this tab's session is still the browser's. */
  readonly isCurrent: () => boolean;
  /** Called on any 401, with the token of the call. */
  readonly onEnd: (token: string) => void;
}
let guard: Guard = { isCurrent: () => true, onEnd: () => {} };

/** Sets the owner of the session; see `state/session-lifecycle.ts`. */
export function guardSession(own: Guard): void {
  guard = own;
}

export const get = <P extends PlainPath<'GET'>>(
  path: P,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<DataAt<P>> => ask(urlOf(path, fields), { method: 'GET' }, options, readEnvelope<DataAt<P>>);

export const post = <P extends PlainPath<'POST'>>(
  path: P,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<DataAt<P>> => {
  const body = new URLSearchParams(texts(fields));
  return withFreshSession(() =>
    ask(`/api/${path}`, { method: 'POST', body }, options, readEnvelope<DataAt<P>>),
  );
};

export const getPicture = (path: PicturePath, fields: Fields, options: CallOptions = {}): Promise<Blob> =>
  ask(urlOf(path, fields), { method: 'GET' }, options, readBlob);

export const getFile = (path: FilePath, fields: Fields, options: CallOptions = {}): Promise<Blob> =>
  withFreshSession(() => ask(urlOf(path, fields), { method: 'GET' }, options, readBlob, FILE_TIMEOUT_MS));

const urlOf = (path: Path, fields: Fields) => `/api/${path}?${new URLSearchParams(texts(fields))}`;

/**
 * Makes a call. If the server requires the password again, asks the reader in a sheet over the current screen and repeats the
 * call. If the reader cancels, throws the refusal.
 */
export async function withFreshSession<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const isStale = error instanceof RefusedError && error.code === 'REAUTH_REQUIRED';
    if (!isStale || !(await useReauth.getState().ask())) throw error;
    return attempt();
  }
}

/** Converts fields to text, leaves out undefined ones, and adds the language. */
export const texts = (fields: Fields): Record<string, string> =>
  textsIn(fields, useSettings.getState().language);

function ask<T>(
  url: string,
  init: RequestInit,
  options: CallOptions,
  read: (answer: Response) => Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const { signal } = options;
  return inSession(options, (headers) =>
    exchange(url, { ...init, headers, ...(signal ? { signal } : {}) }, { timeoutMs, read }),
  );
}

/**
 * Makes a call with the headers of the session, under the loading indicator, and ends the session when the server says so. Another
 * tab may have logged in as another customer: no call of this one's screens is made in that session, and no answer is taken there.
 * @throws SessionError
 */
export async function inSession<T>(
  options: CallOptions,
  call: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  if (!guard.isCurrent()) throw new SessionError('another session');
  const { isSilent, idempotencyKey, token = useSession.getState().token ?? '' } = options;
  const customer = customerNow();
  const done = isSilent ? () => {} : useLoading.getState().begin();
  try {
    const answer = await call({
      token,
      language: useSettings.getState().language,
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    });
    const now = customerNow();
    if (customer !== null && now !== null && now !== customer) throw new SessionError('another session');
    return answer;
  } catch (error) {
    if (error instanceof SessionError) guard.onEnd(token);
    throw error;
  } finally {
    done();
  }
}
