import {
  type AnsweredFile,
  type Endpoint,
  type EndpointName,
  endpoints,
  type Language,
} from '@fairtick/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { customerOfMark, deviceMark, type Marks } from '../../customers/identity/askers.ts';
import type { Sessions } from '../../customers/identity/sessions.ts';
import { UnknownOutcomeError } from '../../platform/db/database.ts';
import { ANSWER_WITHIN_MS, ORDER_WITHIN_MS } from '../../platform/fairness/bounds.ts';
import type { Asker } from '../../platform/fairness/line.ts';
import {
  type Context,
  type Handler,
  type Handlers,
  PERSONAL_IF_KNOWN,
  RefusalError,
  SharedAnswer,
} from '../../platform/http/context.ts';
import { deviceCookie, readDevice } from '../../platform/http/device-cookie.ts';
import {
  codeOfError,
  languageOfUnread,
  sendData,
  sendError,
  sendFile,
  sendPicture,
  sendShared,
} from '../../platform/http/envelope.ts';
import type { Fields } from '../../platform/http/form.ts';
import { acceptMultipart, MultipartReader, UPLOAD_LIMIT } from '../../platform/http/multipart.ts';
import {
  acceptForms,
  addForms,
  callerOf,
  readBody,
  readKey,
  readQuery,
} from '../../platform/http/read-request.ts';
import { isMultipart, type RequestGate } from '../../platform/http/request-gate.ts';
import type { Session } from '../../platform/http/session.ts';
import { requestLanguage, validate } from '../../platform/http/validate.ts';
import { securityLog } from '../../platform/logger.ts';
import { networkOf } from '../../platform/network.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';

export interface ApiParts {
  readonly sessions: Sessions;
  readonly handlers: Handlers;
  readonly throttle: Pick<Throttle, 'quota' | 'call' | 'guesses'>;
  readonly gate: RequestGate;
  readonly marks: Marks;
  readonly log: Logger;
}

export async function registerApi(app: FastifyInstance, parts: ApiParts): Promise<void> {
  acceptForms(app);
  const api: Api = {
    ...parts,
    multipart: new MultipartReader((request) => parts.gate.admit(request)),
    note: securityLog(parts.log),
  };
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  const register = (scope: FastifyInstance, [name, endpoint]: [EndpointName, Endpoint]) => {
    scope.route({
      method: endpoint.method,
      url: `/api/${endpoint.path}`,
      // Operations that also take a form without pictures keep a form's limit; multipart is streamed and has limits of
      // its own.
      ...(endpoint.pictures && !endpoint.mayLackPictures ? { bodyLimit: UPLOAD_LIMIT } : {}),
      config: { access: { operation: name } },
      handler: (request, reply) => answer(api, name, endpoint, request, reply),
    });
  };
  for (const entry of all.filter(([, { pictures }]) => !pictures)) register(app, entry);
  for (const mayLack of [false, true])
    await app.register(async (scope) => {
      await acceptMultipart(scope);
      if (mayLack) addForms(scope);
      for (const entry of all)
        if (entry[1].pictures && (entry[1].mayLackPictures === true) === mayLack) register(scope, entry);
    });
}

interface Api extends ApiParts {
  readonly multipart: MultipartReader;
  readonly note: ReturnType<typeof securityLog>;
}

const isNoted = ({ access, limit }: Endpoint): boolean =>
  access === 'proved' || limit?.attempt !== undefined || limit?.guesses !== undefined;

async function answer(
  api: Api,
  name: EndpointName,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let language = languageOfUnread(request);
  let customer: string | null = null;
  const note = (result: string) => {
    if (isNoted(endpoint))
      api.note({ operation: endpoint.path, answer: result, customer, requestId: request.id });
  };
  try {
    const work = withRequest(api, name, { endpoint, request }, async ({ fields, comparable, session }) => {
      customer = session?.customerId ?? null;
      language = requestLanguage(fields, request.headers.language);
      authorise(endpoint, session);
      if (!isUpload(endpoint, request)) await countCall(api, { name, endpoint, request, session });
      const context = readContext(api, { name, endpoint, request, session }, { reply, comparable, language });
      const input = validate(endpoint, fields);
      if (endpoint.limit) {
        const { address, device = null } = context.caller;
        const customerId = session?.customerId ?? null;
        await api.throttle.call(endpoint.limit, { address, customerId, device });
      }
      // The schema of each endpoint and the type of its handler are two views of one declaration.
      const handler = api.handlers[name] as unknown as Handler<EndpointName>;
      return handler(input as never, context as never);
    });
    const data = await (name === 'orderCreate' ? within(ORDER_WITHIN_MS, work, api.log) : work);
    note('done');
    if (endpoint.answersPicture) return sendPicture(reply, data as unknown as Uint8Array, endpoint);
    if (endpoint.answersFile) return sendFile(reply, data as unknown as AnsweredFile);
    if (data instanceof SharedAnswer) return await sendShared(request, reply, data);
    return sendData(reply, data);
  } catch (error) {
    note(codeOfError(error));
    return sendError(api.log, reply, error, language);
  }
}

/** @throws UnknownOutcomeError when `work` takes longer; it continues, and its failure is only logged */
async function within<T>(longestMs: number, work: Promise<T>, log: Logger): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new UnknownOutcomeError('it takes too long'));
    work.catch((error: unknown) => log.warn({ err: error }, 'it failed when nobody waited for it any more'));
  }, longestMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

interface Call {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly session: Session | null;
}

interface ReadRequest {
  readonly fields: Fields;
  readonly comparable: Fields;
  readonly session: Session | null;
}

/** Reads pictures only after the caller is authorised, and releases their memory afterwards. */
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
  const session = await findSession(api, request, endpoint);
  authorise(endpoint, session);
  await countCall(api, { name, endpoint, request, session });
  return api.multipart.use(endpoint, request, {
    asker: askerOf({ name, endpoint, request, session }),
    work: (form) => work({ ...form, session }),
  });
}

/** Whether the operation's handler reads the body itself: a form with pictures. */
export function readsItself(request: FastifyRequest): boolean {
  const access = request.routeOptions.config?.access;
  if (typeof access !== 'object') return false;
  const { pictures } = endpoints[access.operation] as Endpoint;
  return pictures !== undefined && isMultipart(request);
}

const isUpload = ({ pictures, mayLackPictures }: Endpoint, request: FastifyRequest): boolean =>
  pictures !== undefined && (!mayLackPictures || isMultipart(request));

/** Without a session the known device counts, or else the network. @throws ThrottledError */
async function countCall(
  { throttle, marks }: Api,
  { name, endpoint, request, session }: Call,
): Promise<void> {
  const quota = endpoint.limit?.quota;
  if (!quota) return;
  if (session) return throttle.quota(name, quota, { customerId: session.customerId });
  const device = deviceOf(marks, request);
  await throttle.quota(name, quota, device === null ? { network: networkOf(request.ip) } : { device });
}

const deviceOf = (marks: Marks, request: FastifyRequest): string | null =>
  customerOfMark(marks, readDevice(request.headers.cookie));

async function findSession(
  { sessions }: Api,
  request: FastifyRequest,
  endpoint: Endpoint,
): Promise<Session | null> {
  const { token } = request.headers;
  return typeof token === 'string' && token !== '' ? sessions.find(token, neededFor(endpoint)) : null;
}

/** Operations that check the property themselves list REAUTH_REQUIRED among their errors. */
function neededFor({ access, errors }: Endpoint): 'isFresh' | 'isProved' | null {
  if (access === 'fresh') return 'isFresh';
  return access === 'proved' || errors.includes('REAUTH_REQUIRED') ? 'isProved' : null;
}

function authorise(endpoint: Endpoint, session: Session | null): void {
  if (endpoint.access === 'public') return;
  if (!session) throw new RefusalError('SESSION_EXPIRED');
  const isEnough =
    endpoint.access === 'proved' ? session.isProved : endpoint.access !== 'fresh' || session.isFresh;
  if (!isEnough) throw new RefusalError('REAUTH_REQUIRED');
}

/** A public operation that answers everybody alike must not know the caller. */
const givenTo = (name: EndpointName, session: Session | null): Session | null =>
  endpoints[name].access === 'public' && !PERSONAL_IF_KNOWN.some((known) => known === name) ? null : session;

/** Who asks: the customer, or the network of a request without a session. Files may take long. */
function askerOf({ name, endpoint, request, session }: Call): Asker {
  const hasFile = endpoint.pictures !== undefined || endpoint.answersFile !== undefined;
  const withinMs = name === 'orderCreate' ? ORDER_WITHIN_MS : ANSWER_WITHIN_MS;
  const untilMs = hasFile ? Number.POSITIVE_INFINITY : performance.now() + withinMs;
  return session
    ? { kind: 'inside', who: session.customerId, untilMs }
    : { kind: 'anyone', who: networkOf(request.ip), untilMs };
}

function readContext(
  { throttle, marks }: Api,
  { name, endpoint, request, session }: Call,
  given: { readonly reply: FastifyReply; readonly comparable: Fields; readonly language: Language },
): Context {
  const idempotencyKey = readKey(request, endpoint.moves === true || endpoint.takesKey === true);
  const { lang: _lang, ...ownFields } = given.comparable;
  return {
    language: given.language,
    session: givenTo(name, session),
    asker: askerOf({ name, endpoint, request, session }),
    caller: { ...callerOf(request), device: deviceOf(marks, request) },
    idempotencyKey,
    fields: ownFields,
    path: endpoint.path,
    guess: throttle.guesses(endpoint.limit),
    rememberDevice: (customerId) => {
      const mark = deviceMark(marks, customerId);
      given.reply.header('set-cookie', deviceCookie(mark, request.protocol === 'https'));
    },
  };
}
