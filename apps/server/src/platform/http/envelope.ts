import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  type AnsweredFile,
  type AnyErrorCode,
  DEFAULT_LANGUAGE,
  type ErrorCode,
  errorEntry,
  errorMessage,
  type Language,
} from '@fairtick/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { StandbyError, UnknownOutcomeError } from '../db/database.ts';
import { isAway } from '../db/database-away.ts';
import { OverloadError } from '../fairness/overload-error.ts';
import { packingFor } from '../packed.ts';
import { RefusalError, type SharedAnswer } from './context.ts';
import { StoreError } from './store-error.ts';
import { ThrottledError } from './throttled-error.ts';
import { requestLanguage } from './validate.ts';

/** An envelope is data: browsers must not run it or show it as a page. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** A file must not run as anything else. */
const FILE_HEADERS = {
  ...HEADERS,
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

export function sendData(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.headers(HEADERS).send({ code: 1, msg: '', data });
}

/** Shared data is compressed once for each encoding. */
export async function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: SharedAnswer<unknown>,
): Promise<FastifyReply> {
  const packing = packingFor(request.headers['accept-encoding']);
  reply.headers({ ...HEADERS, vary: 'accept-encoding', 'content-type': 'application/json; charset=utf-8' });
  if (packing === null) return reply.send(answer.plain);
  return reply.header('content-encoding', packing).send(await answer.as(packing));
}

/** Public pictures may be cached. Browsers run nothing of a picture. */
export function sendPicture(
  reply: FastifyReply,
  bytes: Uint8Array,
  { isImmutable = false }: { readonly isImmutable?: boolean } = {},
): FastifyReply {
  return reply
    .headers({
      ...FILE_HEADERS,
      'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : HEADERS['cache-control'],
      'content-disposition': 'inline; filename="picture.jpg"',
      'content-type': 'image/jpeg',
      'cross-origin-resource-policy': 'same-origin',
    })
    .send(bufferOf(bytes));
}

export function sendFile(reply: FastifyReply, { type, bytes, name }: AnsweredFile): FastifyReply {
  return reply
    .headers({
      ...FILE_HEADERS,
      'content-disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"`,
      'content-type': type,
    })
    .send(bytes instanceof Uint8Array ? bufferOf(bytes) : Readable.from(bytes, { objectMode: false }));
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The code that an error is answered with, for metrics and the security log; `other`: the answer's status says more. */
export function codeOfError(error: unknown): string {
  if (error instanceof RefusalError) return error.code;
  if (error instanceof StoreError) return 'PICTURE_NOT_STORED';
  if (error instanceof OverloadError) return 'NOT_READY';
  return error instanceof ThrottledError ? error.code : 'other';
}

/** Sends any error as an envelope. An unexpected error is logged with a request id, and the user sees only the id. */
export function sendError(
  log: Logger,
  reply: FastifyReply,
  error: unknown,
  language: Language,
): FastifyReply {
  if (error instanceof RefusalError) return sendRefusal(reply, error, language);
  if (error instanceof ThrottledError) {
    reply.header('retry-after', String(error.seconds));
    return sendRefusal(
      reply,
      new RefusalError(error.code, { parameters: { seconds: String(error.seconds) } }),
      language,
    );
  }
  if (isTemporary(error)) {
    log.warn({ err: error, requestId: reply.request.id }, 'not ready');
    return sendRefusal(reply, new RefusalError('NOT_READY'), language);
  }
  if (error instanceof StoreError) {
    log.error({ err: error, requestId: reply.request.id }, 'make room for uploads, or repair their disk');
    return sendRefusal(reply, new RefusalError('PICTURE_NOT_STORED'), language);
  }
  const fromFrame = codeOfFrameworkError(error);
  if (fromFrame) return sendRefusal(reply, new RefusalError(fromFrame), language);
  const requestId = reply.request.id;
  log.error({ err: error, requestId }, 'unforeseen');
  const msg = errorMessage('INTERNAL', language, { requestId });
  return reply
    .status(500)
    .headers(HEADERS)
    .send({ code: 500, msg, data: null, error: 'INTERNAL', requestId });
}

export function sendRefusal(reply: FastifyReply, refusal: RefusalError, language: Language): FastifyReply {
  if (refusal.code === 'NOT_READY') reply.header('retry-after', '1');
  // An operator has to make room first.
  if (refusal.code === 'PICTURE_NOT_STORED') reply.header('retry-after', '60');
  return reply.status(errorEntry(refusal.code).http).headers(HEADERS).send(envelopeOf(refusal, language));
}

function envelopeOf(refusal: RefusalError, language: Language): object {
  const say = (code: AnyErrorCode, field?: string) =>
    errorMessage(code, language, { ...refusal.parameters, ...(field === undefined ? {} : { field }) });
  const fields = Object.entries(refusal.fields).map(([field, code]) => [field, say(code, field)]);
  return {
    code: errorEntry(refusal.code).http === 401 ? 401 : 0,
    msg: say(refusal.code),
    data: null,
    error: refusal.code,
    ...(fields.length > 0 ? { fields: Object.fromEntries(fields) } : {}),
  };
}

export function languageOfUnread(request: FastifyRequest): Language {
  const { lang } = (request.query ?? {}) as { readonly lang?: unknown };
  return requestLanguage(typeof lang === 'string' ? { lang } : {}, request.headers.language);
}

const STATUS_LINES = {
  MALFORMED_BODY: '400 Bad Request',
  TOO_SLOW: '408 Request Timeout',
  BODY_TOO_LARGE: '413 Content Too Large',
} as const;

export function refuseSocket(socket: Socket, code: keyof typeof STATUS_LINES): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(envelopeOf(new RefusalError(code), DEFAULT_LANGUAGE));
  const head = [
    `HTTP/1.1 ${STATUS_LINES[code]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** The database is away, or everything is full: the same request may succeed in a moment. */
const isTemporary = (error: unknown): boolean =>
  isAway(error) || [OverloadError, StandbyError, UnknownOutcomeError].some((kind) => error instanceof kind);

/** A folder, or a path that leads out of one, is no such file. Any other 4xx is the caller's fault, as a range outside a file. */
const FRAMEWORK_CODES: Readonly<Record<number, ErrorCode>> = {
  403: 'PATH_NOT_FOUND',
  404: 'PATH_NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  415: 'MEDIA_TYPE',
};

function codeOfFrameworkError(error: unknown): ErrorCode | null {
  const { statusCode = 500 } = (error ?? {}) as { statusCode?: number };
  return FRAMEWORK_CODES[statusCode] ?? (statusCode >= 400 && statusCode < 500 ? 'MALFORMED_BODY' : null);
}
