import { randomBytes } from 'node:crypto';

/** An answer of the API as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly code: number;
    readonly msg: string;
    /** Untyped: tests read any kind of answer. */
    readonly data: any;
    readonly error?: string;
    readonly fields?: Readonly<Record<string, string>>;
    readonly requestId?: string;
  };
}

export interface CallOptions {
  readonly token?: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, string | number | boolean>>;

/** A POST as the app sends it: form-urlencoded, or JSON with `json`. In English by default. */
export async function post(
  origin: string,
  path: string,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Answer> {
  const withLang = { lang: 'en', ...fields };
  const body = options.json
    ? JSON.stringify(withLang)
    : new URLSearchParams(Object.entries(withLang).map(([name, value]) => [name, String(value)]));
  return answerOf(
    await fetch(`${origin}/api/${path}`, {
      method: 'POST',
      headers: { ...headersOf(options), ...(options.json ? { 'content-type': 'application/json' } : {}) },
      body,
    }),
  );
}

export async function get(
  origin: string,
  path: string,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Answer> {
  const query = new URLSearchParams(
    Object.entries({ lang: 'en', ...fields }).map(([name, value]) => [name, String(value)]),
  );
  return answerOf(await fetch(`${origin}/api/${path}?${query}`, { headers: headersOf(options) }));
}

function headersOf({ token, key, headers }: CallOptions): Record<string, string> {
  return {
    language: 'en',
    ...(token === undefined ? {} : { token }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...headers,
  };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  } catch {
    throw new Error(`HTTP ${response.status} without an envelope: ${text.slice(0, 200)}`);
  }
}

export const PASSWORD = 'correct horse 9';

export interface Registered {
  readonly account: string;
  readonly token: string;
  readonly id: string;
  readonly recoveryCodes: readonly string[];
}

/** A new customer with a session. */
export async function register(
  origin: string,
  account = `c${randomBytes(6).toString('hex')}`,
): Promise<Registered> {
  const { body } = await post(origin, 'user/register', {
    account,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  if (body.code !== 1) throw new Error(`${account} could not register: ${body.error}`);
  return {
    account,
    token: body.data.token,
    id: body.data.userInfo.id,
    recoveryCodes: body.data.recoveryCodes,
  };
}

/** Errors of a slow server: nothing has changed, and the same request may succeed in a moment. */
const FOR_NOW: ReadonlySet<string | undefined> = new Set(['LATE', 'PRICE_UNAVAILABLE', 'NOT_READY']);

/** Sends the request again with the same key, as the app does, until the answer is not one of `FOR_NOW`. */
export async function postUntilHeard(
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  options: CallOptions & { readonly key: string },
  beforeNext: () => Promise<void> = async () => {},
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(origin, path, fields, options);
    if (!FOR_NOW.has(answer.body.error) || attempt === 20) return answer;
    await beforeNext();
  }
}
