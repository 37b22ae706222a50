import type { FastifyInstance } from 'fastify';
import { packingFor, packText } from '../packed.ts';

/** Short answers gain nothing. */
export const PACKED_FROM_BYTES = 1_400;

/**
 * Packs what answers hold in threads of the system. The plug-in that packs files does the same for texts in this one, where
 * a page of candles takes some milliseconds of everybody's time; what is packed here it leaves alone.
 */
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
