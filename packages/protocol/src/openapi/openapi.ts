import type { Endpoint } from '../endpoint.ts';
import { endpoints } from '../endpoints.ts';
import { ERRORS } from '../errors.ts';
import { LANGUAGES } from '../languages.ts';
import { topics } from '../stream.ts';
import { type Described, describe, FORMS, KEY } from './describe.ts';
import { errorsOf } from './documented-errors.ts';
import { FILE_PATHS } from './openapi-files.ts';
import type { JsonSchema, Operation, Parameter } from './openapi-types.ts';

export type { JsonSchema, Operation } from './openapi-types.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
  /** The error catalogue: status and message of every code. */
  readonly 'x-errors': typeof ERRORS;
  /** The WebSocket, which OpenAPI can't describe. */
  readonly 'x-stream': {
    readonly path: string;
    readonly conventions: readonly string[];
    readonly topics: readonly Topic[];
  };
}

interface Topic {
  readonly topic: string;
  readonly access: 'public' | 'session';
  readonly summary: string;
  readonly snapshot: JsonSchema;
  readonly change: JsonSchema;
}

/** Rules that hold for every operation, as the documentation page states them. */
export const CONVENTIONS: readonly string[] = [
  'GET takes a query. POST takes application/x-www-form-urlencoded, or JSON: one flat object; forms with pictures are multipart/form-data (chat/send also without one, as any form). A field that an operation does not know is refused, and so is one that comes twice.',
  `Every request carries its language (${LANGUAGES.join(', ')}) as the field lang and as the header language, and its session as the header token. A language that is missing or unknown is zh.`,
  'Every answer is an envelope { code, msg, data }. code 1: done. code 0: refused; msg is a sentence for the user, error its stable name, fields the message of each form field at fault. code 401 with HTTP 401: no session, or it has ended.',
  'A refusal has HTTP 200. HTTP says otherwise only for what it knows by itself: 400 unreadable, 404 no such path, 405 method (Allow), 408 came too slowly, 413 too large, 415 media type, 429 throttled (Retry-After), 500 unforeseen, 503 not ready.',
  'Money and prices are decimal strings, never JSON numbers: digits, at most one point, no sign, no exponent, no leading zeros. Times are Unix milliseconds. Ids are opaque.',
  'POSTs that move money take the header Idempotency-Key: 1 to 64 visible ASCII characters. The same key with the same fields moves nothing twice and answers what stands now; with other fields it is refused. A refusal that moved nothing is not remembered.',
  'An order may name its opening time: opensAt, and nonce, 32 random hex digits that only the client knows and keeps. The fourth line of the acceptance is then the SHA-256, in hex, of these lines joined by a newline: fairtick-asked/4, symbol, direction, minutes, asset, amount as the acceptance writes it, opensAt, nonce. Compare it at once; fairtick verify --nonce does so later. Without both the line is empty, the server takes the earliest time, and every verifier says that it proves nothing about who chose it. The first 16 bytes of that hash stand in the open, in the `orders` entry of the log that carries the order (transparency/tile holds the entries): whoever finds theirs there has an order, whether it was answered or not, and whoever finds none up to a second before opensAt has none that opens.',
  'Lists with a cursor answer { items, nextCursor }, newest first. Another customer’s object is answered exactly as one that does not exist.',
];

const STREAM_CONVENTIONS: readonly string[] = [
  'A WebSocket of JSON text frames. The client sends {"op":"auth","token","lang"}, {"op":"sub","topic"}, {"op":"unsub","topic"} and {"op":"ping"}; the answers to auth and ping are {"op":"auth","ok":true} and {"op":"pong","serverTime"}.',
  'A subscription is answered with {"topic","seq","type":"snapshot","data"} and then with changes ("type":"change") whose seq rises by one for each topic and reader. After a gap, subscribe again. A topic may begin anew by itself: with a snapshot and seq 1.',
  'What can’t be done is answered with {"error","msg","topic"?}. A slow reader gets the newest state in place of a backlog and is closed with 1013 when it does not catch up; so is a reader whose address has too many readers or messages, which may come again later; too many or too large messages of one reader close with 1008 or 1009; a session that has ended closes with 4401.',
];

const TAGS: Readonly<Record<string, string>> = {
  user: 'Account and session',
  product: 'Products, prices and candles',
  order: 'Orders',
  fund: 'Money that moved',
  recharge: 'Deposits',
  withdraw: 'Withdrawals',
  profit: 'Earnings',
  notice: 'The inbox',
  protection: 'Own limits and breaks',
  alert: 'Price alerts',
  statistics: 'How one’s own orders came out',
  news: 'What the operator tells everybody',
  chat: 'The conversation with support',
  app: 'What the app needs to know',
  transparency: 'The public log',
  service: 'The service itself',
};

/** The whole API as OpenAPI 3.1, made from the schemas that check requests and from the error catalogue. */
export function openApiDocument(): OpenApiDocument {
  const all = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => described(name, endpoint));
  const { paths, schemas, schemaOf, responses } = describe(all);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairtick',
      version: '1.0.0',
      description: CONVENTIONS.join('\n\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The origin that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...FILE_PATHS },
    'x-stream': {
      path: '/api/stream',
      conventions: STREAM_CONVENTIONS,
      topics: Object.values(topics).map((entry) => ({
        ...entry,
        snapshot: schemaOf(entry.snapshot, 'output'),
        change: schemaOf(entry.change, 'output'),
      })),
    },
    components: {
      schemas,
      responses,
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'token',
          description: 'The token of login or register.',
        },
      },
    },
    'x-errors': ERRORS,
  };
}

function described(operationId: string, endpoint: Endpoint): Described {
  const { path, access, pictures, mayLackPictures, answersPicture, answersFile } = endpoint;
  return {
    operationId,
    path,
    operation: endpoint,
    codes: errorsOf(endpoint),
    description: descriptionOf(endpoint),
    security: access === 'public' ? [{}, { token: [] }] : [{ token: [] }],
    headers: [LANGUAGE, ...keyOf(endpoint)],
    forms: [...(!pictures || mayLackPictures ? FORMS : []), ...(pictures ? ['multipart/form-data'] : [])],
    files: answersFile ?? (answersPicture ? ['image/jpeg'] : []),
  };
}

const NEEDS: Readonly<Partial<Record<Endpoint['access'], string>>> = {
  fresh:
    'Needs a fresh session: since its password was given, it was never without use for an hour. Else REAUTH_REQUIRED, until user/reauth.',
  proved:
    'Needs a proved session: the password, and the second factor where one is on, given within the last five minutes at a login, a registration or user/reauth; use does not renew it. Else REAUTH_REQUIRED, until user/reauth.',
};

function descriptionOf({ access, limit: { quota } = {} }: Endpoint): string {
  const whose = access === 'public' ? 'each address' : 'each customer';
  const most = quota && `At most ${quota.minute} a minute and ${quota.day} a day of ${whose}.`;
  return [NEEDS[access], most].filter(Boolean).join(' ');
}

const LANGUAGE: Parameter = {
  name: 'language',
  in: 'header',
  description: 'Language of the answer, where the field lang does not say it.',
  schema: { type: 'string' },
  example: 'en',
};

function keyOf({ moves, takesKey }: Endpoint): Parameter[] {
  if (!moves && !takesKey) return [];
  const description = `Without it a repeated request ${moves ? 'moves money' : 'is sent'} again.`;
  return [{ ...KEY, description }];
}
