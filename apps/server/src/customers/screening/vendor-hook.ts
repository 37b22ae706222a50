import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';
import type { VendorSettings } from '../../config/vendor-file.ts';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { networkOf } from '../../platform/network.ts';
import { PUBLIC } from '../../platform/route-access.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { eventBinding, nextRecord, sealRecord } from '../../platform/sealing/records.ts';
import { jsonOf } from './vendor-client.ts';

export interface VendorHookParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly vendors: readonly VendorSettings[];
  readonly log: Logger;
}

const PATH = '/hooks/vendor/:name';
const MOST_BYTES = 64 * 1024;
/** Calls of a network to one process, signed or not. */
const A_MINUTE = 600;
const WEBHOOK_ID = /^[\x21-\x7e]{1,200}$/;

const event = z.object({ data: z.object({ reference: z.uuid() }) });

/**
 * Takes vendors' events in the form of the Standard Webhooks. An event is stored and answered; it makes {@link VendorInquiries} fetch
 * the state, and nothing else that it says has any effect.
 */
export async function registerVendorHook(app: FastifyInstance, parts: VendorHookParts): Promise<void> {
  const limiter = new RateLimiterMemory({ points: A_MINUTE, duration: 60 });
  const vendors = new Map(
    parts.vendors.map(({ name, webhookSecrets }) => [name, webhookSecrets.map((one) => new Webhook(one))]),
  );
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MOST_BYTES },
      async (_: unknown, body: Buffer) => body,
    );
    scope.addHook('onRequest', async (request, reply) => {
      const isAllowed = await limiter.consume(networkOf(request.ip)).then(
        () => true,
        () => false,
      );
      if (!isAllowed) return later(reply);
    });
    scope.post(PATH, PUBLIC, (request: FastifyRequest<{ Params: { name: string } }>, reply) =>
      take(parts, vendors, request, reply),
    );
  });
}

async function take(
  { pool, keys, log }: VendorHookParts,
  vendors: ReadonlyMap<string, readonly Webhook[]>,
  { params: { name }, headers, body }: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const secrets = vendors.get(name);
  if (!secrets) return say(reply, 404, 'no such vendor');
  const id = headers['webhook-id'];
  if (!Buffer.isBuffer(body) || !isUtf8(body) || typeof id !== 'string' || !WEBHOOK_ID.test(id))
    return say(reply, 400, 'no event');
  const signed = headers as Record<string, string>;
  if (!secrets.some((secret) => isSigned(secret, body, signed))) {
    log.info({ vendor: name }, 'an event is not signed by its vendor');
    return say(reply, 401, 'not signed, or not within five minutes');
  }
  const text = body.toString();
  const read = event.safeParse(jsonOf(text));
  const record = await nextRecord(pool);
  const taken = await call<'taken' | 'again' | 'full'>(pool, 'vendor_event', {
    id: record,
    vendor: name,
    webhook: id,
    reference: read.success ? read.data.data.reference : null,
    sealed: sealRecord(keys, eventBinding(record), { text }),
  });
  return taken === 'full' ? later(reply) : reply.status(204).send();
}

function isSigned(secret: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    secret.verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

const later = (reply: FastifyReply) => say(reply.header('retry-after', '60'), 429, 'later');

const say = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.status(status).header('cache-control', 'no-store').type('text/plain').send(`${text}\n`);
