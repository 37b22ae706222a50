import type { Data, EndpointName, Endpoints } from '@fairtick/protocol';
import { useLoading } from '../state/loading.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';

/** The time-out of a request. */
const TIMEOUT_MS = 5_000;

/** Paths by name, spelled out so that no schema has to be sent to the browser; the type keeps them true. */
const PATHS = {
  register: 'user/register',
  login: 'user/login',
  logout: 'user/logout',
  recover: 'user/recover',
  recoverRequest: 'user/recoverRequest',
  getUserInfo: 'user/getUserInfo',
  setPassword: 'user/setPassword',
  reauth: 'user/reauth',
  setUserName: 'user/setUserName',
  setLanguage: 'user/setLanguage',
  setWatchlist: 'user/setWatchlist',
  productList: 'product/list',
  productBoard: 'product/board',
  productDetail: 'product/detail',
  productCandles: 'product/candles',
  productTicks: 'product/ticks',
  productSparks: 'product/sparks',
  latestTrades: 'product/latestTrades',
  orderCreate: 'order/create',
  orderList: 'order/list',
  orderDetail: 'order/detail',
  fundLog: 'fund/log',
  resetDemo: 'fund/resetDemo',
  appConfig: 'app/config',
  transparencyKey: 'transparency/key',
  transparencyProof: 'transparency/proof',
} satisfies { readonly [N in EndpointName]: string };

type Method<N extends EndpointName> = Endpoints[N]['method'];
type NameOf<M extends 'GET' | 'POST'> = {
  [N in EndpointName]: Method<N> extends M ? N : never;
}[EndpointName];
export type Fields = Readonly<Record<string, string | number | undefined>>;

export interface CallOptions {
  /** No loading indicator. */
  readonly isSilent?: boolean;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** The server refused, and said why in the user's language. */
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

/** No answer, or none that could be understood: nobody knows whether the call had an effect. */
export class NetworkError extends Error {}

/** The session has ended. */
export class SessionError extends Error {}

type SessionEnd = () => void;
let onSessionEnd: SessionEnd = () => {};

/** What happens at a 401, wherever it comes from; see {@link endSession}. */
export function handleSessionEnd(handler: SessionEnd): void {
  onSessionEnd = handler;
}

export function get<N extends NameOf<'GET'>>(
  name: N,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Data<N>> {
  const query = new URLSearchParams(texts(fields));
  return call<Data<N>>(`/api/${PATHS[name]}?${query}`, { method: 'GET' }, options);
}

export function post<N extends NameOf<'POST'>>(
  name: N,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Data<N>> {
  return call<Data<N>>(
    `/api/${PATHS[name]}`,
    { method: 'POST', body: new URLSearchParams(texts(fields)) },
    options,
  );
}

/** Every request adds the language to its fields. */
function texts(fields: Fields): Record<string, string> {
  const own = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { ...Object.fromEntries(own), lang: useSettings.getState().language };
}

async function call<T>(url: string, init: RequestInit, options: CallOptions): Promise<T> {
  const done = options.isSilent ? () => {} : useLoading.getState().begin();
  const { token } = useSession.getState();
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, {
      ...init,
      headers: {
        token: token ?? '',
        language: useSettings.getState().language,
        ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
      },
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    return await readEnvelope<T>(answer, token);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof SessionError || error instanceof NetworkError)
      throw error;
    if (options.signal?.aborted) throw error;
    throw new NetworkError('no answer', { cause: error });
  } finally {
    done();
  }
}

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: unknown;
  readonly error?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * Code 1 is success; code 0 says why not; code or status 401 ends the session. A refusal with status 4xx says why, too;
 * 5xx, any other code and whatever has no envelope is a network error.
 */
async function readEnvelope<T>(answer: Response, token: string | null): Promise<T> {
  const envelope = (await answer.json().catch(() => null)) as Envelope | null;
  if (answer.status === 401 || envelope?.code === 401) {
    // An answer to the token of an earlier session says nothing about this one.
    if (token === useSession.getState().token) onSessionEnd();
    throw new SessionError(envelope?.msg ?? '');
  }
  if (envelope === null || typeof envelope.code !== 'number' || answer.status >= 500) {
    throw new NetworkError(`status ${answer.status}`);
  }
  if (envelope.code === 1) return envelope.data as T;
  if (envelope.code !== 0) throw new NetworkError(`code ${envelope.code}`);
  throw new RefusedError(envelope.msg, envelope.error ?? '', envelope.fields ?? {});
}
