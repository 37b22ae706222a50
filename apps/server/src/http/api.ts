import { isIP } from 'node:net';
import {
  type AnsweredFile,
  type Endpoint,
  type EndpointName,
  endpoints,
  type Language,
} from '@fairtick/protocol';
import { showHidden } from '@fairtick/protocol/plain-text';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { UnknownOutcomeError } from '../db/database.ts';
import type { Session, Sessions } from '../identity/sessions.ts';
import type { Throttle } from '../identity/throttle.ts';
import { networkOf } from '../network.ts';
import type { Turns } from '../turns.ts';
import {
  type Context,
  type Handler,
  type Handlers,
  RefusalError,
  type SessionContext,
  SharedAnswer,
} from './context.ts';
import { deviceCookie, readDevice } from './device-cookie.ts';
import { languageOfUnread, sendData, sendError, sendFile, sendPicture, sendShared } from './envelope.ts';
import { decodeText, type Fields, readForm, readJson } from './form.ts';
import { acceptMultipart, MultipartReader, UPLOAD_LIMIT } from './multipart.ts';
import type { RequestGate } from './request-gate.ts';
import { requestLanguage, validate } from './validate.ts';

/** No form of the API is larger. */
export const BODY_LIMIT = 64 * 1024;
/**
 * An order is answered by then, whatever it waits for: with a 503, which says nothing of what was done. Asking again with its
 * key does. With the second for which a balancer keeps it, and two in which a busy process has not yet read it (measured in
 * docs/PERFORMANCE.md, overload), that is less than the 8 s after which clients give up.
 */
const ORDER_WITHIN_MS = 4_000;
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export interface ApiParts {
  readonly sessions: Sessions;
  readonly handlers: Handlers;
  readonly throttle: Pick<Throttle, 'mutation'>;
  readonly gate: RequestGate;
  readonly log: Logger;
  /** Whoever only reads, or has no session, waits for a turn. */
  readonly turns: Turns;
}

/** All operations below `/api`, each with its envelope. */
export async function registerApi(app: FastifyInstance, parts: ApiParts): Promise<void> {
  acceptForms(app);
  const api: Api = { ...parts, multipart: new MultipartReader((request) => parts.gate.admit(request)) };
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  const register = (scope: FastifyInstance, [name, endpoint]: [EndpointName, Endpoint]) => {
    scope.route({
      method: endpoint.method,
      url: `/api/${endpoint.path}`,
      // Where a form without pictures may come, too, that is held to a form's limit; what is streamed has limits of its own.
      ...(endpoint.pictures && !endpoint.mayLackPictures ? { bodyLimit: UPLOAD_LIMIT } : {}),
      config: { access: { operation: name } },
      handler: (request, reply) => answer(api, name, endpoint, request, reply),
    });
  };
  for (const entry of all.filter(([, { pictures }]) => !pictures)) register(app, entry);
  const withPictures = all.filter(([, { pictures }]) => pictures);
  await app.register(async (scope) => {
    await acceptMultipart(scope);
    for (const entry of withPictures.filter(([, one]) => !one.mayLackPictures)) register(scope, entry);
  });
  await app.register(async (scope) => {
    await acceptMultipart(scope);
    addForms(scope);
    for (const entry of withPictures.filter(([, one]) => one.mayLackPictures)) register(scope, entry);
  });
}

interface Api extends ApiParts {
  readonly multipart: MultipartReader;
}

/** The two forms that a body may have, and no other: what is sent as anything else is refused by its type. */
export function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addForms(app);
}

function addForms(app: FastifyInstance): void {
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
  api: Api,
  name: EndpointName,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let language = languageOfUnread(request);
  try {
    const work = withRequest(api, name, { endpoint, request }, async ({ fields, comparable, session }) => {
      language = requestLanguage(fields, request.headers.language);
      authorise(endpoint, session);
      if (endpoint.method === 'GET' || session === null) await api.turns.take();
      if (!isUpload(endpoint, request)) await countMutation(api, name, { endpoint, request, session });
      const context = readContext(endpoint, { request, reply }, { comparable, language, session });
      const input = validate(endpoint, fields);
      // The schema of each endpoint and the type of its handler are two views of one declaration.
      const handler = api.handlers[name] as unknown as Handler<EndpointName>;
      return handler(input as never, context as SessionContext);
    });
    const data = await (name === 'orderCreate' ? within(ORDER_WITHIN_MS, work, api.log) : work);
    if (endpoint.answersPicture) return sendPicture(reply, data as unknown as Uint8Array, endpoint);
    if (endpoint.answersFile) return sendFile(reply, data as unknown as AnsweredFile);
    if (data instanceof SharedAnswer) return await sendShared(request, reply, data);
    return sendData(reply, data);
  } catch (error) {
    return sendError(api.log, reply, error, language);
  }
}

/**
 * What comes of `work`, if it comes in time. Otherwise it goes on, nobody waits for it, and only the log hears that it failed.
 * @throws UnknownOutcomeError when it takes longer
 */
async function within<T>(longestMs: number, work: Promise<T>, log: Logger): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new UnknownOutcomeError('it takes too long'));
    work.catch((error: unknown) => log.warn({ err: error }, 'it failed when nobody waited for it any more'));
  }, longestMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

interface ReadRequest {
  readonly fields: Fields;
  readonly comparable: Fields;
  readonly session: Session | null;
}

/** Does `work` with what a request says. What its pictures take of the memory is free again afterwards. */
async function withRequest<T>(
  api: Api,
  name: EndpointName,
  { endpoint, request }: { readonly endpoint: Endpoint; readonly request: FastifyRequest },
  work: (read: ReadRequest) => Promise<T>,
): Promise<T> {
  if (!isUpload(endpoint, request)) {
    const fields = endpoint.method === 'GET' ? readQuery(request) : readBody(request);
    return work({ fields, comparable: fields, session: await findSession(api, request, endpoint) });
  }
  // Nobody's pictures are read before it is known whose they are.
  const session = await findSession(api, request, endpoint);
  authorise(endpoint, session);
  await countMutation(api, name, { endpoint, request, session });
  return api.multipart.use(endpoint, request, {
    customerId: session?.customerId ?? 'nobody',
    work: (form) => work({ ...form, session }),
  });
}

/** Whether the operation's handler reads the body: a form with pictures, once it is known whose it is. */
export function readsItself(request: FastifyRequest): boolean {
  const access = request.routeOptions.config?.access;
  if (typeof access !== 'object') return false;
  const { pictures } = endpoints[access.operation] as Endpoint;
  return pictures !== undefined && isMultipart(request);
}

const isUpload = ({ pictures, mayLackPictures }: Endpoint, request: FastifyRequest): boolean =>
  pictures !== undefined && (!mayLackPictures || isMultipart(request));

/** What changes something is counted by the customer, and where there is none by the network. @throws ThrottledError */
async function countMutation(
  { throttle }: Api,
  name: EndpointName,
  call: { readonly endpoint: Endpoint; readonly request: FastifyRequest; readonly session: Session | null },
): Promise<void> {
  const { quota } = call.endpoint;
  if (quota === undefined || quota === 'own') return;
  const { session } = call;
  await throttle.mutation(
    name,
    quota,
    session ? { customerId: session.customerId } : { network: networkOf(call.request.ip) },
  );
}

const isMultipart = (request: FastifyRequest): boolean =>
  request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false;

async function findSession(
  { sessions }: Api,
  request: FastifyRequest,
  endpoint: Endpoint,
): Promise<Session | null> {
  const { token } = request.headers;
  return typeof token === 'string' && token !== '' ? sessions.find(token, neededFor(endpoint)) : null;
}

/** What a session needs beside being there. Some operations look by themselves, and say so by what they may answer. */
function neededFor({ access, errors }: Endpoint): 'isFresh' | 'isProved' | null {
  if (access === 'fresh') return 'isFresh';
  return access === 'proved' || errors.includes('REAUTH_REQUIRED') ? 'isProved' : null;
}

/** @throws RefusalError when the operation is not for whoever calls */
function authorise(endpoint: Endpoint, session: Session | null): void {
  if (endpoint.access === 'public') return;
  if (!session) throw new RefusalError('SESSION_EXPIRED');
  const isEnough =
    endpoint.access === 'proved' ? session.isProved : endpoint.access !== 'fresh' || session.isFresh;
  if (!isEnough) throw new RefusalError('REAUTH_REQUIRED');
}

function readContext(
  endpoint: Endpoint,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  about: { comparable: Fields; language: Language; session: Session | null },
): Context {
  const key = request.headers['idempotency-key'];
  if (
    (endpoint.moves || endpoint.takesKey) &&
    key !== undefined &&
    (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
  ) {
    throw new RefusalError('INVALID_IDEMPOTENCY_KEY');
  }
  const { lang: _lang, ...ownFields } = about.comparable;
  return {
    language: about.language,
    session: about.session,
    caller: {
      userAgent: showHidden(request.headers['user-agent'] ?? '').slice(0, 300),
      address: addressOf(request),
      device: readDevice(request.headers.cookie),
    },
    idempotencyKey: typeof key === 'string' ? key : null,
    fields: ownFields,
    path: endpoint.path,
    rememberDevice: (mark) => {
      reply.header('set-cookie', deviceCookie(mark, request.protocol === 'https'));
    },
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
  if (isIP(request.ip) === 0) return null;
  // A socket that takes both kinds of addresses writes the older ones as if they were of the newer kind.
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '');
}
