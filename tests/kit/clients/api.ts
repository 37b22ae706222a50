import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { seen } from '../waiting/until.ts';

/**
 * A client that knows only the protocol's documentation and the server's published document. It checks every answer against that
 * document: status, code and shape.
 */
export interface Envelope {
  readonly code: number;
  readonly msg: string;
  /** Untyped: tests read any kind of answer. */
  readonly data: any;
  readonly error?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope;
}

export interface Call {
  readonly token?: string;
  readonly key?: string;
  /** The body as sent; form fields are the default. */
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, string>>;

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>
  >;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly security: readonly object[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, { content: Record<string, { schema: object }> }>>;
  };
}

export class Api {
  readonly origin: string;
  readonly document: ApiDocument;
  /** The codes that each operation has answered. */
  readonly answered = new Map<string, Set<string>>();
  readonly #shapes = new Map<string, z.ZodType>();
  /** Sent with every request: the cookie of a member of staff. */
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(origin: string, document: ApiDocument, headers: Readonly<Record<string, string>> = {}) {
    this.origin = origin;
    this.document = document;
    this.#headers = headers;
  }

  static async open(origin: string): Promise<Api> {
    return new Api(origin, (await (await fetch(`${origin}/api/openapi.json`)).json()) as ApiDocument);
  }

  /** A client of the office, logged in as staff: only they get its document. Pass `document` to skip fetching it. */
  static async openOffice(
    origin: string,
    account: string,
    password: string,
    document?: ApiDocument,
  ): Promise<Api> {
    const headers = { 'x-office': '1', cookie: '' };
    const form = new URLSearchParams({ account, password });
    const login = await fetch(`${origin}/api/session/login`, { method: 'POST', headers, body: form });
    headers.cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const asked = document ?? (await (await fetch(`${origin}/api/service/openapi`, { headers })).json());
    return new Api(origin, asked as ApiDocument, headers);
  }

  get(path: string, fields: Fields = {}, call: Call = {}): Promise<Answer> {
    const query = new URLSearchParams({ lang: 'en', ...fields });
    return this.send('get', `/api/${path}?${query}`, call);
  }

  post(path: string, fields: Fields = {}, call: Call = {}): Promise<Answer> {
    const form = new URLSearchParams({ lang: 'en', ...fields }).toString();
    return this.send('post', `/api/${path}`, {
      body: form,
      type: 'application/x-www-form-urlencoded',
      ...call,
    });
  }

  /** Sends any request and checks the answer against the document. */
  async send(method: 'get' | 'post', address: string, call: Call): Promise<Answer> {
    const response = await fetch(this.origin + address, {
      method: method.toUpperCase(),
      headers: {
        language: 'en',
        ...this.#headers,
        ...(call.type === undefined ? {} : { 'content-type': call.type }),
        ...(call.token === undefined ? {} : { token: call.token }),
        ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
        ...call.headers,
      },
      ...(method === 'post' && call.body !== undefined ? { body: call.body } : {}),
    });
    const text = await response.text();
    const path = address.split('?')[0] as string;
    return {
      status: response.status,
      headers: response.headers,
      body: this.#check(method, path, response.status, text),
    };
  }

  #check(method: string, path: string, status: number, text: string): Envelope {
    const what = `${method.toUpperCase()} ${path} answered ${status} ${text.slice(0, 300)}`;
    const operation = this.document.paths[path]?.[method];
    if (!operation) throw new Error(`${path} is not in the document`);
    if (status >= 500) throw new Error(what);
    // A file has no envelope: it is the data. A document of the office is a file in JSON.
    if (status === 200 && operation.responses[200]?.content?.['*/*'] && !text.startsWith('{"code":0'))
      return this.#answeredBy(operation, { code: 1, msg: '', data: text });
    const shape = this.#shapeOf(operation, status);
    if (!shape) throw new Error(`undocumented status: ${what}`);
    const body = JSON.parse(text) as Envelope;
    const read = shape.safeParse(body);
    if (!read.success) throw new Error(`undocumented answer: ${what}\n${z.prettifyError(read.error)}`);
    return this.#answeredBy(operation, body);
  }

  #answeredBy({ operationId }: Operation, body: Envelope): Envelope {
    const codes = this.answered.get(operationId) ?? new Set();
    this.answered.set(operationId, codes.add(body.error ?? 'done'));
    return body;
  }

  #shapeOf(operation: Operation, status: number): z.ZodType | null {
    const key = `${operation.operationId} ${status}`;
    const known = this.#shapes.get(key);
    if (known) return known;
    let response = operation.responses[status];
    if (!response) return null;
    if (response.$ref)
      response = this.document.components.responses[response.$ref.split('/').at(-1) as string];
    const schema = response?.content?.['application/json']?.schema;
    if (!schema) return null;
    const text = JSON.stringify({ ...schema, $defs: this.document.components.schemas });
    const shape = z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
    this.#shapes.set(key, shape);
    return shape;
  }
}

export interface Customer {
  readonly account: string;
  readonly password: string;
  readonly token: string;
  readonly recoveryCodes: readonly string[];
}

export const newKey = (): string => randomBytes(16).toString('hex');

export async function register(api: Api): Promise<Customer> {
  const account = `b${randomBytes(7).toString('hex')}`;
  const password = `pass ${randomBytes(6).toString('hex')}`;
  const { body } = await api.post('user/register', { account, password, confirmPassword: password });
  if (body.code !== 1) throw new Error(`registration refused: ${JSON.stringify(body)}`);
  return { account, password, token: body.data.token, recoveryCodes: body.data.recoveryCodes };
}

/** Everything that a customer owns, as text: equal texts mean that nothing has changed. */
export async function ownings(api: Api, { token }: Customer): Promise<string> {
  const info = await api.get('user/getUserInfo', {}, { token });
  const log = await api.get('fund/log', { limit: '100' }, { token });
  const orders = await api.get('order/list', { limit: '100' }, { token });
  return JSON.stringify([
    info.body.data.balances,
    log.body.data.items.map(({ id }: { id: string }) => id),
    orders.body.data.items.map(({ id, status }: { id: string; status: string }) => [id, status]),
  ]);
}

export async function demo(api: Api, { token }: Customer): Promise<{ available: string; held: string }> {
  const { body } = await api.get('user/getUserInfo', {}, { token });
  const { available, held } = body.data.balances.find(({ asset }: { asset: string }) => asset === 'DEMO');
  return { available, held };
}

/** A product that is open and has a price; waits, because prices have gaps on a busy machine. */
export async function openSymbol(api: Api): Promise<string> {
  const look = async (): Promise<string | undefined> => {
    const { body } = await api.get('product/list');
    const open = body.data.find(
      (product: { isOpen: boolean; price: string | null; assetClass: string }) =>
        product.isOpen && product.price !== null && product.assetClass === 'forex',
    );
    return open?.symbol;
  };
  return seen(look, { withinMs: 30_000, everyMs: 200, what: 'an open product' });
}
