import type { Data, EndpointName, Endpoints } from '@fairtick/protocol';
import { useLoading } from '../state/loading.ts';
import { useReauth } from '../state/reauth.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';

/** The time-out of a request. */
export const TIMEOUT_MS = 5_000;

/** Paths by name. Spelled out, so that the browser need not load the schema; the type checks them against it. */
export const PATHS = {
  register: 'user/register',
  login: 'user/login',
  logout: 'user/logout',
  recover: 'user/recover',
  recoverRequest: 'user/recoverRequest',
  takeBack: 'user/takeBack',
  takeBackOptions: 'user/takeBackOptions',
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
  orderReceipt: 'order/receipt',
  fundLog: 'fund/log',
  fundExport: 'fund/export',
  resetDemo: 'fund/resetDemo',
  submitReal: 'user/submitReal',
  realInfo: 'user/realInfo',
  document: 'user/document',
  setPayWord: 'user/setPayWord',
  resetPayWord: 'user/resetPayWord',
  setAddress: 'user/setAddress',
  setBank: 'user/setBank',
  removeBank: 'user/removeBank',
  passkeyOptions: 'user/passkeyOptions',
  reauthOptions: 'user/reauthOptions',
  factors: 'user/factors',
  beginTotp: 'user/beginTotp',
  confirmTotp: 'user/confirmTotp',
  beginPasskey: 'user/beginPasskey',
  confirmPasskey: 'user/confirmPasskey',
  removeFactor: 'user/removeFactor',
  newRecoveryCodes: 'user/newRecoveryCodes',
  sessions: 'user/sessions',
  endSession: 'user/endSession',
  endOtherSessions: 'user/endOtherSessions',
  logins: 'user/logins',
  exportData: 'user/exportData',
  closeAccount: 'user/closeAccount',
  standing: 'user/standing',
  dataViews: 'user/dataViews',
  withdrawOptions: 'withdraw/options',
  withdrawSubmit: 'withdraw/submit',
  withdrawList: 'withdraw/list',
  withdrawDetail: 'withdraw/detail',
  withdrawCancel: 'withdraw/cancel',
  rechargeChannels: 'recharge/channels',
  rechargeSubmit: 'recharge/submit',
  rechargeList: 'recharge/list',
  rechargeDetail: 'recharge/detail',
  rechargeProof: 'recharge/proof',
  rechargeCancel: 'recharge/cancel',
  appLanding: 'app/landing',
  newsList: 'news/list',
  newsDetail: 'news/detail',
  newsCover: 'news/cover',
  noticeList: 'notice/list',
  noticeRead: 'notice/read',
  protection: 'protection/state',
  setLimit: 'protection/setLimit',
  setReminder: 'protection/setReminder',
  takeBreak: 'protection/takeBreak',
  selfExclude: 'protection/selfExclude',
  alertList: 'alert/list',
  alertAdd: 'alert/add',
  alertRemove: 'alert/remove',
  statistics: 'statistics/own',
  profitSummary: 'profit/summary',
  profitTransferIn: 'profit/transferIn',
  profitTransferOut: 'profit/transferOut',
  profitRecords: 'profit/records',
  chatHistory: 'chat/history',
  chatSend: 'chat/send',
  chatImage: 'chat/image',
  chatMark: 'chat/mark',
  chatTyping: 'chat/typing',
  appConfig: 'app/config',
  transparencyKey: 'transparency/key',
  transparencyHalts: 'transparency/halts',
  transparencyProof: 'transparency/proof',
  transparencyWitnesses: 'transparency/witnesses',
  transparencyCosign: 'transparency/cosign',
  transparencyStats: 'transparency/stats',
  transparencyRules: 'transparency/rules',
  transparencyLiabilities: 'transparency/liabilities',
  fundOwed: 'fund/owed',
} satisfies { readonly [N in EndpointName]: string };

type Method<N extends EndpointName> = Endpoints[N]['method'];
type NamesOf<M extends 'GET' | 'POST'> = {
  [N in EndpointName]: Method<N> extends M ? N : never;
}[EndpointName];
/** Operations that send pictures; called by {@link upload}. */
export type UploadName = {
  [N in EndpointName]: Endpoints[N] extends { pictures: unknown } ? N : never;
}[EndpointName];
/** Operations that answer with a picture; called by {@link getPicture}. */
type PictureName = {
  [N in EndpointName]: Endpoints[N] extends { answersPicture: true } ? N : never;
}[EndpointName];
/** Operations that answer with a file; called by {@link getFile}. */
type FileName = {
  [N in EndpointName]: Endpoints[N] extends { answersFile: unknown } ? N : never;
}[EndpointName];
type NameOf<M extends 'GET' | 'POST'> = Exclude<NamesOf<M>, UploadName | PictureName | FileName>;
export type Fields = Readonly<Record<string, string | number | undefined>>;

export interface CallOptions {
  /** No loading indicator. */
  readonly isSilent?: boolean;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Thrown when the server refuses a call; the message gives the reason in the user's language. */
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

type SessionEnd = () => void;
let onSessionEnd: SessionEnd = () => {};

/** Sets what happens on any 401; see {@link endSession}. */
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
  const body = new URLSearchParams(texts(fields));
  return withFreshSession(() => call<Data<N>>(`/api/${PATHS[name]}`, { method: 'POST', body }, options));
}

/** Fetches a picture that only its owner may see. */
export const getPicture = (name: PictureName, fields: Fields, options: CallOptions = {}): Promise<Blob> =>
  getBlob(name, fields, options);

export const getFile = (name: FileName, fields: Fields, options: CallOptions = {}): Promise<Blob> =>
  withFreshSession(() => getBlob(name, fields, options));

/** Fetches a body without an envelope; a refusal still has one. */
function getBlob(name: PictureName | FileName, fields: Fields, options: CallOptions): Promise<Blob> {
  const query = new URLSearchParams(texts(fields));
  return ask(`/api/${PATHS[name]}?${query}`, { method: 'GET' }, options, async (answer, token) => {
    const isEnvelope = answer.headers.get('content-type')?.startsWith('application/json');
    return answer.ok && !isEnvelope ? answer.blob() : readEnvelope<Blob>(answer, token);
  });
}

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
export function texts(fields: Fields): Record<string, string> {
  const own = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { ...Object.fromEntries(own), lang: useSettings.getState().language };
}

const call = <T>(url: string, init: RequestInit, options: CallOptions): Promise<T> =>
  ask(url, init, options, readEnvelope<T>);

async function ask<T>(
  url: string,
  init: RequestInit,
  options: CallOptions,
  read: (answer: Response, token: string | null) => Promise<T>,
): Promise<T> {
  const done = options.isSilent ? () => {} : useLoading.getState().begin();
  const { token } = useSession.getState();
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, {
      ...init,
      headers: headersOf(token, options),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    return await read(answer, token);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof SessionError || error instanceof NetworkError)
      throw error;
    if (options.signal?.aborted) throw error;
    throw new NetworkError('no answer', { cause: error });
  } finally {
    done();
  }
}

export const headersOf = (token: string | null, { idempotencyKey }: CallOptions): Record<string, string> => ({
  token: token ?? '',
  language: useSettings.getState().language,
  ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
});

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: unknown;
  readonly error?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

async function readEnvelope<T>(answer: Response, token: string | null): Promise<T> {
  return openEnvelope<T>(answer.status, await answer.json().catch(() => null), token);
}

/**
 * Code 1 is success; code 0 is a refusal with its reason, also with status 4xx; code or status 401 ends the session. Status 5xx,
 * any other code and a body without an envelope are network errors.
 */
export function openEnvelope<T>(status: number, content: unknown, token: string | null): T {
  const envelope = content as Envelope | null;
  if (status === 401 || envelope?.code === 401) {
    // A 401 for an earlier session's token says nothing about this session.
    if (token === useSession.getState().token) onSessionEnd();
    throw new SessionError(envelope?.msg ?? '');
  }
  if (envelope === null || typeof envelope.code !== 'number' || status >= 500) {
    throw new NetworkError(`status ${status}`);
  }
  if (envelope.code === 1) return envelope.data as T;
  if (envelope.code !== 0) throw new NetworkError(`code ${envelope.code}`);
  throw new RefusedError(envelope.msg, envelope.error ?? '', envelope.fields ?? {});
}
