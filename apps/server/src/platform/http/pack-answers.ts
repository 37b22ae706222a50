import type { FastifyInstance } from 'fastify';
import { packingFor, packText } from '../packed.ts';

/** Shorter answers gain nothing from compression. */
export const PACKED_FROM_BYTES = 1_400;

/** Compresses answers in the thread pool, where the plug-in that compresses files would block this thread. */
export function packAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const isText = /json|text|xml/.test(String(reply.getHeader('content-type') ?? ''));
    const isWhole = reply.statusCode !== 206 && reply.getHeader('content-encoding') === undefined;
    if (!isText || !isWhole || Buffer.byteLength(payload) < PACKED_FROM_BYTES) return payload;
    const packing = packingFor(request.headers['accept-encoding']);
    if (packing === null) return payload;
    const packed = await packText(packing, payload);
    reply
      .header('vary', 'accept-encoding')
      .header('content-encoding', packing)
      .header('content-length', packed.length);
    return packed;
  });
}
