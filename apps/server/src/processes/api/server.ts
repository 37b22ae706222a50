import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Language } from '@fairtick/protocol';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { registerVendorHook, type VendorHookParts } from '../../customers/screening/vendor-hook.ts';
import { type LogFileParts, registerLogFiles } from '../../market/log-routes.ts';
import { registerDocs } from '../../pages/api-docs/routes.ts';
import { BUILD } from '../../platform/build.ts';
import type { LoopTurns } from '../../platform/fairness/loop-turns.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { languageOfUnread, refuseSocket, sendError, sendRefusal } from '../../platform/http/envelope.ts';
import type { HealthProbe } from '../../platform/http/health.ts';
import type { ApiMetrics } from '../../platform/http/metrics.ts';
import { PACKED_FROM_BYTES, packAnswers } from '../../platform/http/pack-answers.ts';
import { BODY_LIMIT } from '../../platform/http/read-request.ts';
import {
  type GateSettings,
  gateOptions,
  isBrokenOff,
  RequestGate,
} from '../../platform/http/request-gate.ts';
import { clientOf, queueRequests } from '../../platform/http/request-queue.ts';
import { HSTS, PERMISSIONS } from '../../platform/http/security-headers.ts';
import { requestLanguage } from '../../platform/http/validate.ts';
import { networkOf } from '../../platform/network.ts';
import { BROTLI } from '../../platform/packed.ts';
import { demandAccess, PUBLIC } from '../../platform/route-access.ts';
import type { StreamHub } from '../../stream/hub.ts';
import { type ApiParts, readsItself, registerApi } from './api.ts';

export interface HttpParts extends Omit<ApiParts, 'gate'>, LogFileParts {
  /** Null in tests of the API alone. */
  readonly vendorHook: VendorHookParts | null;
  readonly turns: LoopTurns;
  readonly hub: StreamHub;
  readonly health: HealthProbe;
  readonly metrics: ApiMetrics;
  readonly door: GateSettings;
  readonly isSecure: boolean;
  readonly log: Logger;
  /** Null in tests of the API alone. */
  readonly registerApp: ((app: FastifyInstance) => Promise<void>) | null;
}

const STREAM_PATH = '/api/stream';
const TILE_PREFIX = '/api/transparency/tile/';
const MAX_STREAM_MESSAGE = 8 * 1024;
/** Time for requests under way at the stop: as long as their longest statement may take. */
const LAST_ANSWERS_MS = 15_000;

const COMPRESSION = {
  // Compressed requests are refused (415), because a small body can decompress to a huge one and no client needs it.
  globalDecompression: false,
  threshold: PACKED_FROM_BYTES,
  encodings: ['br', 'gzip'] as ('br' | 'gzip')[],
  brotliOptions: BROTLI,
};

export async function createHttpServer(parts: HttpParts): Promise<FastifyInstance> {
  const options = gateOptions(parts.door);
  const gate = new RequestGate(parts.door);
  const app = Fastify({
    ...options,
    logger: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    // Requests under way are answered before the end; refuseEarly handles clients that go on sending.
    forceCloseConnections: 'idle',
    // Fastify would answer without an envelope; refuseEarly sends one.
    return503OnClosing: false,
    http: {
      ...options.http,
      // Only the stream is upgraded. Any other request that offers an upgrade is answered normally.
      shouldUpgradeCallback: (request) => isStreamRequest(request.headers.upgrade, request.url),
      // Fastify would answer without an envelope; refuseEarly sends one.
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => {
      sendError(parts.log, reply, error, languageOfUnread(request));
    },
  });
  queueRequests(app.server, { turns: parts.turns, door: parts.door });
  await app.register(helmet, {
    contentSecurityPolicy: false,
    hsts: parts.isSecure ? HSTS : false,
    crossOriginEmbedderPolicy: false,
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('permissions-policy', PERMISSIONS);
  });
  packAnswers(app);
  await app.register(compress, COMPRESSION);
  app.addHook('onResponse', async (request, reply) => {
    const path = request.routeOptions.url ?? 'other';
    parts.metrics.answered(path, reply.statusCode, reply.elapsedTime / 1000);
  });
  demandAccess(app);
  gate.guard(app, readsItself);
  refuseEarly(app, parts.health);
  app.setErrorHandler((error, request, reply) =>
    sendError(
      parts.log,
      reply,
      isBrokenOff(request) ? new RefusalError('MALFORMED_BODY') : error,
      languageOfUnread(request),
    ),
  );
  await registerApi(app, { ...parts, gate });
  registerLogFiles(app, parts);
  if (parts.vendorHook) await registerVendorHook(app, parts.vendorHook);
  registerHealth(app, parts.health);
  registerDocs(app);
  attachStream(app, parts);
  if (parts.registerApp) await parts.registerApp(app);
  return app;
}

/** Refuses a request without a route before its body is read. */
function refuseEarly(app: FastifyInstance, health: HealthProbe): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS).unref();
  });
  app.addHook('onSend', async (_request, reply) => {
    // Announced before the stop, so that clients do not send over a connection that is being closed.
    if (isClosing || health.isLeaving) reply.header('connection', 'close');
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.raw.url ?? '').split('?')[0] as string;
    const allowed = methods.get(path.startsWith(TILE_PREFIX) ? `${TILE_PREFIX}*` : path);
    if (!allowed || allowed.has(request.method)) {
      if (isPageView(request, path)) return reply.redirect('/index', 302);
      return sendRefusal(reply, new RefusalError('PATH_NOT_FOUND'), languageOfUnread(request));
    }
    reply.header('allow', [...allowed].sort().join(', '));
    return sendRefusal(reply, new RefusalError('METHOD_NOT_ALLOWED'), languageOfUnread(request));
  };
  app.addHook('onRequest', (request, reply, done) => {
    const stop = (code: 'NOT_READY' | 'MALFORMED_BODY') =>
      sendRefusal(reply, new RefusalError(code), languageOfUnread(request));
    if (isClosing) stop('NOT_READY');
    else if (request.raw.httpVersion === '1.1' && !request.headers.host) stop('MALFORMED_BODY');
    else if (request.is404) refuse(request, reply);
    else done();
  });
  app.setNotFoundHandler(refuse);
}

/** A person who mistyped an address or followed an old one is shown a page. */
function isPageView(request: FastifyRequest, path: string): boolean {
  const accepts = request.headers.accept ?? '';
  return (
    request.method === 'GET' &&
    path !== '/index' &&
    !/^\/(api|assets)\//.test(path) &&
    accepts.includes('text/html')
  );
}

function registerHealth(app: FastifyInstance, health: HealthProbe): void {
  // About this process alone: a balancer that polls it sends nothing more to a process that is about to stop.
  app.get('/healthz', PUBLIC, async (_request, reply) =>
    reply
      .status(health.isLeaving ? 503 : 200)
      .type('text/plain')
      .header('cache-control', 'no-store')
      .send(health.isLeaving ? 'stopping\n' : `ok\nfairtick ${BUILD}\n`),
  );
  app.get('/readyz', PUBLIC, async (_request, reply) => {
    const { isReady, ...parts } = await health.check();
    return reply
      .status(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(parts);
  });
}

const isStreamRequest = (upgrade: string | undefined, url: string | undefined): boolean =>
  upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === STREAM_PATH;

function attachStream(app: FastifyInstance, { hub, turns, door }: HttpParts): void {
  const stream = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_STREAM_MESSAGE,
    perMessageDeflate: false,
    // One message of a client per turn of the event loop, so that a burst of messages does not block others.
    allowSynchronousEvents: false,
  });
  // An HTTP/1.1 server's sockets are TCP sockets, although the events declare a more general type.
  stream.on('wsClientError', (_error, socket) => refuseSocket(socket as Socket, 'MALFORMED_BODY'));
  app.server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const address = clientOf(request, door);
    void turns
      .take(networkOf(address))
      .then(() =>
        stream.handleUpgrade(request, socket, head, (reader) =>
          hub.accept(reader, socket, { language: languageOfHandshake(request), address }),
        ),
      );
  });
  // Before the server waits for its connections to end, because streams do not end by themselves.
  app.addHook('preClose', async () => {
    hub.stop();
    stream.close();
  });
  // Without an upgrade this is an ordinary request that does not fit.
  app.get(STREAM_PATH, PUBLIC, async (request, reply) =>
    sendRefusal(
      reply.header('upgrade', 'websocket'),
      new RefusalError('MALFORMED_BODY'),
      languageOfUnread(request),
    ),
  );
}

function languageOfHandshake(request: IncomingMessage): Language {
  const lang = new URLSearchParams(request.url?.split('?')[1]).get('lang') ?? undefined;
  return requestLanguage({ lang }, request.headers.language);
}
