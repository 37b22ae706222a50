import type { Language, Limit } from '@fairtick/protocol';
import { type OfficeOperation, type OfficePath, officeOperations } from '@fairtick/protocol/office';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { customerOfMark, deviceMark, type Marks } from '../../customers/identity/askers.ts';
import { actingUnder } from '../../platform/db/acting-staff.ts';
import { RefusalError } from '../../platform/http/context.ts';
import * as device from '../../platform/http/device-cookie.ts';
import { codeOfError, languageOfUnread, sendData, sendError } from '../../platform/http/envelope.ts';
import type { Fields } from '../../platform/http/form.ts';
import { acceptForms, callerOf, readBody, readKey, readQuery } from '../../platform/http/read-request.ts';
import type { Caller } from '../../platform/http/session.ts';
import { requestLanguage, validate } from '../../platform/http/validate.ts';
import type { securityLog } from '../../platform/logger.ts';
import { networkOf } from '../../platform/network.ts';
import {
  type OfficeContext,
  OfficeFile,
  type OfficeHandlers,
  type StaffSession,
} from '../../platform/office-area.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import { ownerOfDevice } from './accounts.ts';
import type { OfficeMetrics } from './office-metrics.ts';
import { asRefusal } from './refusals.ts';
import type { StaffSessions } from './staff-sessions.ts';

export interface OfficeApiParts {
  readonly sessions: StaffSessions;
  readonly throttle: Throttle;
  readonly handlers: OfficeHandlers;
  readonly mode: 'demo' | 'live';
  /** Whether staff reach the office by https. */
  readonly isSecure: boolean;
  readonly marks: Marks;
  readonly log: Logger;
  readonly metrics: OfficeMetrics;
  readonly note: ReturnType<typeof securityLog>;
}

/** Registers all operations below `/api`, each with its envelope or file. */
export function registerOfficeApi(app: FastifyInstance, parts: OfficeApiParts): void {
  acceptForms(app);
  for (const [path, operation] of Object.entries<OfficeOperation>(officeOperations)) {
    app.route({
      method: operation.method,
      url: `/api/${path}`,
      ...(operation.maxBytes
        ? {
            bodyLimit: operation.maxBytes,
            // A large body is read only from staff who may send one.
            onRequest: async (request: FastifyRequest) => {
              await readSession(parts, operation, request);
            },
          }
        : {}),
      config: { office: { operation: path as OfficePath } },
      handler: (request, reply) => answer(parts, path as OfficePath, { operation, request, reply }),
    });
  }
}

interface Call {
  readonly operation: OfficeOperation;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answer(parts: OfficeApiParts, path: OfficePath, call: Call): Promise<FastifyReply> {
  const { operation, request, reply } = call;
  let language = languageOfUnread(request);
  let staff: string | null = null;
  const note = (result: string) => {
    parts.metrics.answered(path, result);
    if (operation.method === 'POST')
      parts.note({ operation: `office/${path}`, answer: result, staff, requestId: request.id });
  };
  try {
    const fields = operation.method === 'GET' ? readQuery(request) : readBody(request);
    language = requestLanguage(fields, request.headers.language);
    const context = await readContext(parts, path, { ...call, fields, language });
    const input = validate(operation, fields);
    // The schema of each operation and the type of its handler are two views of one declaration.
    const handler = parts.handlers[path] as (input: unknown, context: OfficeContext) => Promise<unknown>;
    const work = () => handler(input, context);
    // A public operation has no session, although its type has one.
    const session = context.session as StaffSession | null;
    staff = session?.staffId ?? null;
    if (operation.limit)
      await countCall(parts, path, { limit: operation.limit, session, caller: context.caller });
    const data = await (session ? actingUnder(session.tokenHash, work) : work());
    note('done');
    return data instanceof OfficeFile ? sendFile(reply, data) : sendData(reply, data);
  } catch (error) {
    const told = asRefusal(error);
    note(codeOfError(told));
    return sendError(parts.log, reply, told, language);
  }
}

/** Counts a call whose fields are right. @throws ThrottledError, OverloadError */
async function countCall(
  { throttle }: OfficeApiParts,
  path: OfficePath,
  { limit, session, caller }: { limit: Limit; session: StaffSession | null; caller: Caller },
): Promise<void> {
  if (limit.quota) {
    const owner = session ? { staffId: session.staffId } : { network: networkOf(caller.address) };
    await throttle.quota(path, limit.quota, owner);
  }
  await throttle.call(limit, { address: caller.address, customerId: null, device: caller.device ?? null });
}

/**
 * Refuses cross-site requests. Browsers send the session's cookie with any page's request, so a request needs a header
 * that another site's page can't add (no CORS answer here allows it), or, for an image, the browser's statement that the
 * page is of the same origin.
 */
function refuseForeign(request: FastifyRequest, operation: OfficeOperation): void {
  if (request.headers['x-office'] === '1') return;
  if (operation.method === 'GET' && request.headers['sec-fetch-site'] === 'same-origin') return;
  throw new RefusalError('CROSS_SITE');
}

/** The caller's session, checked for its right to call; null for a public operation. @throws RefusalError */
async function readSession(
  parts: OfficeApiParts,
  operation: OfficeOperation,
  request: FastifyRequest,
): Promise<StaffSession | null> {
  refuseForeign(request, operation);
  const session = await parts.sessions.find(request.cookies[cookieName(parts.isSecure)] ?? '');
  demandRight(parts.mode, operation, session);
  return session;
}

async function readContext(
  parts: OfficeApiParts,
  path: OfficePath,
  { operation, request, reply, fields, language }: Call & { fields: Fields; language: Language },
): Promise<OfficeContext> {
  const session = await readSession(parts, operation, request);
  const idempotencyKey = readKey(request, operation.moves === true);
  const { lang: _lang, ...ownFields } = fields;
  return {
    language,
    // A public operation has no session and uses none.
    session: session as StaffSession,
    caller: {
      ...callerOf(request),
      device: customerOfMark(parts.marks, device.readDevice(request.headers.cookie)),
    },
    idempotencyKey,
    fields: ownFields,
    path,
    guess: parts.throttle.guesses(operation.limit),
    rememberDevice: (staffId) => {
      const mark = deviceMark(parts.marks, ownerOfDevice(staffId));
      reply.setCookie(device.NAME, mark, {
        path: '/api/session',
        maxAge: device.KEPT_S,
        httpOnly: true,
        sameSite: 'strict',
        secure: parts.isSecure,
      });
    },
    setToken: (token) => setToken(reply, parts.isSecure, token),
  };
}

/** @throws RefusalError unless the session may call this now */
function demandRight(
  mode: 'demo' | 'live',
  { roles, isSetUp, needsProof }: OfficeOperation,
  session: StaffSession | null,
): void {
  if (roles === 'public') return;
  if (!session) throw new RefusalError('SESSION_EXPIRED');
  if (roles !== 'anyone' && !roles.some((role) => session.roles.has(role)))
    throw new RefusalError('ROLE_MISSING');
  if (!isSetUp && session.mustChangePassword) throw new RefusalError('PASSWORD_CHANGE_REQUIRED');
  if (!isSetUp && mode === 'live' && !session.isStrong) throw new RefusalError('FACTOR_SETUP_REQUIRED');
  if (needsProof && !session.isProved) throw new RefusalError('REAUTH_REQUIRED');
}

/** Over https the prefix guarantees that this host has set the cookie. */
const cookieName = (isSecure: boolean) => (isSecure ? '__Host-office' : 'office');

function setToken(reply: FastifyReply, isSecure: boolean, token: string | null): void {
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure } as const;
  if (token === null) reply.clearCookie(cookieName(isSecure), options);
  else reply.setCookie(cookieName(isSecure), token, options);
}

function sendFile(reply: FastifyReply, { type, bytes, saveAs }: OfficeFile): FastifyReply {
  const name = saveAs?.replace(/[^A-Za-z0-9._-]/g, '_');
  return reply
    .headers({
      'content-type': type,
      'cache-control': 'no-store',
      // Keeps a browser from running the content or taking it for another type.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-disposition': name === undefined ? 'inline' : `attachment; filename="${name}"`,
    })
    .send(bytes);
}
