import { isIP } from 'node:net';
import { showHidden } from '@fairtick/protocol/plain-text';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RefusalError } from './context.ts';
import { decodeText, type Fields, readForm, readJson } from './form.ts';

export const BODY_LIMIT = 64 * 1024;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addForms(app);
}

export function addForms(app: FastifyInstance): void {
  const readers = { 'application/x-www-form-urlencoded': readForm, 'application/json': readJson };
  for (const [type, read] of Object.entries(readers)) {
    app.addContentTypeParser(
      type,
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      async (request: FastifyRequest, body: Buffer) => {
        // Compressed bodies are not decompressed here, so the content type does not describe their bytes.
        if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
          throw new RefusalError('MEDIA_TYPE');
        return read(decodeText(body));
      },
    );
  }
}

/** Parses the URL itself, because the framework's parser accepts repeated fields and broken encodings. */
export function readQuery(request: FastifyRequest): Fields {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return readForm(at < 0 ? '' : url.slice(at + 1));
}

export function readBody(request: FastifyRequest): Fields {
  return (request.body as Fields | undefined) ?? readForm('');
}

/** The client's address, or null. Behind a proxy it comes from a header, which can hold anything. */
function addressOf(request: FastifyRequest): string | null {
  if (isIP(request.ip) === 0) return null;
  // A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6.
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Null: the request has no key, or the operation takes none. @throws RefusalError for a key in another form */
export function readKey(request: FastifyRequest, isTaken: boolean): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || !isTaken) return typeof key === 'string' ? key : null;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw new RefusalError('INVALID_IDEMPOTENCY_KEY');
  return key;
}

export const callerOf = (request: FastifyRequest) => ({
  userAgent: showHidden(request.headers['user-agent'] ?? '').slice(0, 300),
  address: addressOf(request),
});
