import { isIP } from 'node:net';
import { type Endpoint, type EndpointName, endpoints, type Language } from '@fairtick/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Sessions } from '../identity/sessions.ts';
import { type Context, type Handler, type Handlers, RefusalError, type SessionContext } from './context.ts';
import { languageOfUnread, sendData, sendError } from './envelope.ts';
import { decodeText, type Fields, readForm, readJson } from './form.ts';
import { requestLanguage, validate } from './validate.ts';

/** No form of the API is larger. */
export const BODY_LIMIT = 64 * 1024;
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export interface ApiParts {
  readonly sessions: Sessions;
  readonly handlers: Handlers;
  readonly log: Logger;
}

/** All operations below `/api`, each with its envelope. */
export function registerApi(app: FastifyInstance, parts: ApiParts): void {
  acceptForms(app);
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    app.route({
      method: endpoint.method,
      url: `/api/${endpoint.path}`,
      config: { access: { operation: name } },
      handler: (request, reply) => answer(parts, name, endpoint, request, reply),
    });
  }
}

/** The two forms that a body may have, and no other: what is sent as anything else is refused by its type. */
export function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const readers = { 'application/x-www-form-urlencoded': readForm, 'application/json': readJson };
  for (const [type, read] of Object.entries(readers)) {
    app.addContentTypeParser(
      type,
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      async (request: FastifyRequest, body: Buffer) => {
        // Packed bodies are not unpacked here, so they are not what their type says.
        if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
          throw new RefusalError('MEDIA_TYPE');
        return read(decodeText(body));
      },
    );
  }
}

async function answer(
  parts: ApiParts,
  name: EndpointName,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let language = languageOfUnread(request);
  try {
    const fields = endpoint.method === 'GET' ? readQuery(request) : readBody(request);
    language = requestLanguage(fields, request.headers.language);
    const context = await readContext(parts, endpoint, request, { fields, language });
    const input = validate(endpoint, fields);
    // The schema of each endpoint and the type of its handler are two views of one declaration.
    const handler = parts.handlers[name] as unknown as Handler<EndpointName>;
    return sendData(reply, await handler(input as never, context as SessionContext));
  } catch (error) {
    return sendError(parts.log, reply, error, language);
  }
}

async function readContext(
  parts: ApiParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  { fields, language }: { fields: Fields; language: Language },
): Promise<Context> {
  const token = request.headers.token;
  const session = typeof token === 'string' && token !== '' ? await parts.sessions.find(token) : null;
  if (endpoint.access !== 'public') {
    if (!session) throw new RefusalError('SESSION_EXPIRED');
    if (endpoint.access === 'fresh' && !session.isFresh) throw new RefusalError('REAUTH_REQUIRED');
  }
  const key = request.headers['idempotency-key'];
  if (endpoint.moves && key !== undefined && (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))) {
    throw new RefusalError('INVALID_IDEMPOTENCY_KEY');
  }
  const { lang: _lang, ...ownFields } = fields;
  return {
    language,
    session,
    caller: { userAgent: (request.headers['user-agent'] ?? '').slice(0, 300), address: addressOf(request) },
    idempotencyKey: typeof key === 'string' ? key : null,
    fields: ownFields,
    path: endpoint.path,
  };
}

/** Read from the address itself: the framework's own reading lets repeated fields and broken encodings pass. */
export function readQuery(request: FastifyRequest): Fields {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return readForm(at < 0 ? '' : url.slice(at + 1));
}

/** What the parsers made of the body; without one there are no fields. */
export function readBody(request: FastifyRequest): Fields {
  return (request.body as Fields | undefined) ?? readForm('');
}

/** Behind a proxy the address is what a header says, and that may be anything. */
export function addressOf(request: FastifyRequest): string | null {
  return isIP(request.ip) === 0 ? null : request.ip;
}
