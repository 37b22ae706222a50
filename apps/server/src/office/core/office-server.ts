import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance } from 'fastify';
import { BUILD } from '../../platform/build.ts';
import { LoopTurns } from '../../platform/fairness/loop-turns.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { languageOfUnread, sendError, sendRefusal } from '../../platform/http/envelope.ts';
import type { HealthProbe } from '../../platform/http/health.ts';
import {
  type GateSettings,
  gateOptions,
  isBrokenOff,
  RequestGate,
} from '../../platform/http/request-gate.ts';
import { queueRequests } from '../../platform/http/request-queue.ts';
import { HSTS, PERMISSIONS } from '../../platform/http/security-headers.ts';
import { demandRoles, SIGN } from './office-access.ts';
import { type OfficeApiParts, registerOfficeApi } from './office-api.ts';
import { registerOfficeApp } from './office-app.ts';

export interface OfficeServerParts extends OfficeApiParts {
  readonly door: Omit<GateSettings, 'maxRequests' | 'maxConnections'>;
  /** Health of this process. The office is ready with the database alone, because staff decide while prices have stopped. */
  readonly health: HealthProbe;
  /** Folder of the built app; null in tests of the API alone. */
  readonly dist: string | null;
}

const BODY_LIMIT = 64 * 1024;
/** Enough for all staff, who are few. */
const MOST = { maxRequests: 400, maxConnections: 1_000 } as const;

/** The office has an origin of its own; it serves no customers' operation, and the app's origin none of the office's. */
export async function createOfficeServer(parts: OfficeServerParts): Promise<FastifyInstance> {
  const door = { ...parts.door, ...MOST };
  const app = Fastify({
    ...gateOptions(door),
    logger: false,
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      sendError(parts.log, reply, error, languageOfUnread(request));
    },
  });
  queueRequests(app.server, { turns: new LoopTurns(), door });
  await app.register(helmet, {
    contentSecurityPolicy: false,
    hsts: parts.isSecure ? HSTS : false,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
  });
  await app.register(cookie);
  demandRoles(app);
  app.addHook('onResponse', async (request, reply) => {
    const { office } = request.routeOptions.config;
    const operation = typeof office === 'object' ? office.operation : (office ?? 'other');
    parts.metrics.ended(operation, reply.statusCode, reply.elapsedTime / 1000);
  });
  new RequestGate(door).guard(app);
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('content-security-policy')) {
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    }
    reply.header('permissions-policy', PERMISSIONS);
  });
  app.setErrorHandler((error, request, reply) =>
    sendError(
      parts.log,
      reply,
      isBrokenOff(request) ? new RefusalError('MALFORMED_BODY') : error,
      languageOfUnread(request),
    ),
  );
  registerSigns(app, parts.health);
  registerOfficeApi(app, parts);
  if (parts.dist !== null) await registerOfficeApp(app, parts.dist);
  app.setNotFoundHandler((request, reply) =>
    sendRefusal(reply, new RefusalError('PATH_NOT_FOUND'), languageOfUnread(request)),
  );
  return app;
}

function registerSigns(app: FastifyInstance, health: HealthProbe): void {
  app.get('/healthz', SIGN, async (_request, reply) =>
    reply
      .status(health.isLeaving ? 503 : 200)
      .type('text/plain')
      .header('cache-control', 'no-store')
      .send(health.isLeaving ? 'stopping\n' : `ok\nfairtick ${BUILD}\n`),
  );
  app.get('/readyz', SIGN, async (_request, reply) => {
    const { database } = await health.check();
    return reply
      .status(database && !health.isLeaving ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ database });
  });
}
