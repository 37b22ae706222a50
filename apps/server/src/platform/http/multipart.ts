import { createHash } from 'node:crypto';
import type { Endpoint } from '@fairtick/protocol';
import { MAX_SENT_BYTES } from '@fairtick/protocol/picture';
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BOUNDS } from '../fairness/bounds.ts';
import { type Asker, Line, Places } from '../fairness/line.ts';
import { networkOf } from '../network.ts';
import { RefusalError } from './context.ts';
import type { Fields } from './form.ts';

export const UPLOAD_LIMIT = 24 * 1024 * 1024;
/** Most bytes of all forms in memory: the share of one address holds a whole form. */
const MAX_BUFFERED = 128 * 1024 * 1024;
const LIMITS = {
  fieldNameSize: 60,
  fieldSize: 8 * 1024,
  fields: 20,
  fileSize: MAX_SENT_BYTES,
  files: 4,
  parts: 24,
};

/** Pictures come as bytes, everything else as text. */
export interface Form {
  readonly fields: Fields;
  /** The same with each picture's hash in place of its bytes; a repeated key is compared by these. */
  readonly comparable: Fields;
}

interface Taken {
  readonly network: string;
  bytes: number;
}

export async function acceptMultipart(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, { limits: LIMITS, throwFileSizeLimit: true });
}

/** Reads forms with pictures into bounded memory, of which each address has a share. */
export class MultipartReader {
  readonly #buffered = new Places(MAX_BUFFERED);
  readonly #line = new Line(BOUNDS.forms);
  readonly #admit: (request: FastifyRequest) => boolean;

  /** @param admit takes a place for a request once its form is read; false when there is none */
  constructor(admit: (request: FastifyRequest) => boolean) {
    this.#admit = admit;
  }

  /**
   * Calls `work` with the form. Further forms of a customer wait before their bytes are read, so that they cost no memory.
   * @throws RefusalError for a form that can't be read, is too large, or finds no room
   * @throws OverloadError when too many forms of this customer wait
   */
  async use<T>(
    endpoint: Endpoint,
    request: FastifyRequest,
    { asker, work }: { asker: Asker; work: (form: Form) => Promise<T> },
  ): Promise<T> {
    return this.#line.take(asker, async () => {
      const taken = { bytes: 0, network: networkOf(request.ip) };
      try {
        const form = await this.#parts(endpoint, request, taken).catch((error: unknown) => {
          throw refusalOf(error);
        });
        if (!this.#admit(request)) throw new RefusalError('NOT_READY');
        return await work(form);
      } finally {
        this.#buffered.giveBack(taken.network, taken.bytes);
      }
    });
  }

  async #parts(endpoint: Endpoint, request: FastifyRequest, taken: Taken): Promise<Form> {
    const fields: Record<string, unknown> = Object.create(null);
    const comparable: Record<string, unknown> = Object.create(null);
    for await (const part of request.parts() as AsyncIterable<Multipart>) {
      const name = part.fieldname;
      if (name === undefined || name in fields) throw new RefusalError('MALFORMED_BODY');
      if (part.type === 'field') {
        if (part.valueTruncated || part.fieldnameTruncated) throw new RefusalError('BODY_TOO_LARGE');
        fields[name] = part.value;
        comparable[name] = part.value;
        continue;
      }
      if (!endpoint.pictures?.includes(name)) {
        const field = name.slice(0, 40);
        throw new RefusalError('UNKNOWN_FIELD', {
          fields: { [field]: 'UNKNOWN_FIELD' },
          parameters: { field },
        });
      }
      const bytes = await this.#buffer(part, taken);
      // An empty file field is sent with zero bytes; treat it as absent.
      if (bytes.length === 0) continue;
      fields[name] = bytes;
      comparable[name] = createHash('sha256').update(bytes).digest('hex');
    }
    return { fields, comparable };
  }

  async #buffer(part: MultipartFile, taken: Taken): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of part.file as AsyncIterable<Buffer>) {
      if (!this.#buffered.take(taken.network, chunk.length)) throw new RefusalError('NOT_READY');
      taken.bytes += chunk.length;
      chunks.push(chunk);
    }
    if (part.file.truncated) throw new RefusalError('BODY_TOO_LARGE');
    return Buffer.concat(chunks);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof RefusalError) return error;
  const { statusCode } = error as { statusCode?: number };
  return new RefusalError(statusCode === 413 ? 'BODY_TOO_LARGE' : 'MALFORMED_BODY');
}
