import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { underRequest } from '../db/request-mark.ts';
import { Places } from '../fairness/line.ts';
import { networkOf } from '../network.ts';
import { RefusalError } from './context.ts';
import { languageOfUnread, refuseSocket, sendRefusal } from './envelope.ts';
import { countedFor, type Door, isCustomer, isSign } from './request-queue.ts';
import { WaitingConnections } from './waiting-connections.ts';

export interface GateSettings extends Door {
  /** Requests under way at once in one process; later ones are refused before any work, and the client retries. */
  readonly maxRequests: number;
  /** Connections without a request under way; beyond these, the oldest of the network with the most is closed. */
  readonly maxConnections: number;
  /** Time for the headers of a request and a small body to arrive; a large body must keep up a least rate. */
  readonly receiveMs: number;
}

/** A body must grow at this rate in each window (13 KB/s). Forms are smaller, so they have one window in all. */
const LEAST_BYTES_PER_MS = (128 * 1024) / 10_000;
const RECEIVED_WITHIN_MS = 300_000;
const IDLE_MS = 20_000;
/** Longer than a balancer keeps an idle connection (`ops/haproxy.cfg`). */
const BALANCER_KEEPS_MS = 600_000;
/** A connection without traffic in either direction for this time is dead, or its client reads no answer. */
const SILENT_MS = 120_000;

export function gateOptions({ trustProxy, receiveMs }: GateSettings) {
  return {
    // One proxy in front: the last address of the header (`clientOf`).
    trustProxy: trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdOf(trustProxy ? headers['x-request-id'] : undefined),
    requestTimeout: RECEIVED_WITHIN_MS,
    connectionTimeout: SILENT_MS,
    // The balancer must close first, or a request that it sends at the same moment is lost.
    keepAliveTimeout: trustProxy ? BALANCER_KEEPS_MS : IDLE_MS,
    http: { headersTimeout: receiveMs, connectionsCheckingInterval: Math.min(1_000, receiveMs) },
    clientErrorHandler: refuseBrokenRequest,
  } satisfies FastifyHttpOptions<Server>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The request's number in all logs: the balancer's, or a new one. */
const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && UUID.test(given) ? given : randomUUID();

function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseSocket(socket, 'TOO_SLOW');
  else refuseSocket(socket, /OVERFLOW/.test(error.code ?? '') ? 'BODY_TOO_LARGE' : 'MALFORMED_BODY');
}

interface Admitted {
  readonly caller: string;
  readonly network: string;
  readonly socket: Socket;
}

/**
 * Admission control of a server: overload is refused here, before any work. A request takes a place once its body has arrived, and a
 * caller has a share of the places. Until then it has a deadline, and the number of connections is bounded.
 */
export class RequestGate {
  readonly #settings: GateSettings;
  readonly #places: Places;
  readonly #waiting: WaitingConnections;
  readonly #admitted = new WeakMap<IncomingMessage, Admitted>();
  readonly #working = new WeakMap<Socket, number>();

  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#places = new Places(settings.maxRequests);
    this.#waiting = new WaitingConnections(settings.maxConnections);
  }

  /** @param comesLater whether the handler reads the request's body itself; it then calls {@link admit} */
  guard(app: FastifyInstance, comesLater: (request: FastifyRequest) => boolean = () => false): void {
    markStatements(app);
    this.#watchConnections(app);
    app.addHook('onRequest', (request, reply, done) => {
      this.#watchBody(request, reply);
      if (isSign(request) || this.#places.hasRoom(countedFor(request.raw, this.#settings))) done();
      else sendRefusal(reply, new RefusalError('NOT_READY'), languageOfUnread(request));
    });
    app.addHook('preHandler', (request, reply, done) => {
      if (isSign(request) || comesLater(request) || this.admit(request)) done();
      else sendRefusal(reply, new RefusalError('NOT_READY'), languageOfUnread(request));
    });
    // The place is free once the answer is made, even if the client is gone. The time that the client takes to read it
    // is bounded by the connection's limits.
    app.addHook('onSend', (request, reply, payload, done) => {
      this.#leave(request);
      if (this.#isEndedUpload(request, reply)) void reply.header('x-upload-ended', '1');
      done(null, payload);
    });
    app.addHook('onResponse', (request, _reply, done) => {
      this.#leave(request);
      done();
    });
  }

  /** The balancer (`ops/haproxy.cfg`) then frees the upload's slot. Browsers that send on may read no answer, so a customer's uploads go on. */
  #isEndedUpload(request: FastifyRequest, reply: FastifyReply): boolean {
    if (!this.#settings.trustProxy || !isMultipart(request) || request.raw.complete) return false;
    return reply.statusCode === 408 || !isCustomer(countedFor(request.raw, this.#settings));
  }

  /** @returns false when the caller has used up their share */
  admit({ ip, raw }: FastifyRequest): boolean {
    const caller = countedFor(raw, this.#settings);
    if (!this.#places.take(caller)) return false;
    this.#admitted.set(raw, { caller, network: networkOf(ip), socket: raw.socket });
    this.#working.set(raw.socket, (this.#working.get(raw.socket) ?? 0) + 1);
    this.#waiting.remove(raw.socket);
    return true;
  }

  #leave({ raw }: FastifyRequest): void {
    const admitted = this.#admitted.get(raw);
    if (!admitted) return;
    const { caller, network, socket } = admitted;
    this.#admitted.delete(raw);
    this.#places.giveBack(caller);
    const working = (this.#working.get(socket) ?? 1) - 1;
    this.#working.set(socket, working);
    if (working === 0 && !this.#settings.trustProxy) this.#waiting.add(socket, network);
  }

  /** Behind a balancer the connections belong to the balancer, which bounds them by address. */
  #watchConnections({ server }: FastifyInstance): void {
    server.on('connection', (socket) => {
      socket.once('close', () => this.#waiting.remove(socket));
      if (!this.#settings.trustProxy) this.#waiting.add(socket, networkOf(socket.remoteAddress));
    });
    // The hub bounds streams.
    server.on('upgrade', (_request, socket) => this.#waiting.remove(socket as Socket));
  }

  #watchBody(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    if (!hasBody(raw)) return;
    const { socket } = raw;
    const { receiveMs, trustProxy } = this.#settings;
    if (trustProxy) this.#waiting.add(socket, networkOf(request.ip));
    let before = socket.bytesRead;
    const look = () => {
      if (raw.complete || socket.destroyed) return;
      const grown = socket.bytesRead - before;
      before += grown;
      if (isHeldByUs(raw) || grown >= LEAST_BYTES_PER_MS * receiveMs) timer = setTimeout(look, receiveMs);
      else giveUp(request, reply, receiveMs);
    };
    let timer = setTimeout(look, receiveMs);
    raw.once('close', () => clearTimeout(timer));
    raw.once('end', () => {
      clearTimeout(timer);
      if (trustProxy) this.#waiting.remove(socket);
    });
  }
}

/** Gives statements the request's number. The handler runs in the context of what ended the body, so the number is set twice. */
function markStatements(app: FastifyInstance): void {
  const mark = ({ id }: FastifyRequest, _reply: FastifyReply, done: () => void) => underRequest(id, done);
  app.addHook('onRequest', mark);
  app.addHook('preHandler', mark);
}

export const isMultipart = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the read buffer is full, so that the delay is ours: for example a form that waits in line. */
const isHeldByUs = (raw: IncomingMessage): boolean => raw.readableLength >= raw.readableHighWaterMark;

/** Sends the reason unless an answer was sent, and closes the connection, because it can't carry another request. */
function giveUp(request: FastifyRequest, reply: FastifyReply, withinMs: number): void {
  const { socket } = request.raw;
  if (reply.sent) {
    socket.destroy();
    return;
  }
  void reply.header('connection', 'close');
  sendRefusal(reply, new RefusalError('TOO_SLOW'), languageOfUnread(request));
  setTimeout(() => socket.destroy(), withinMs).unref();
}

export const isBrokenOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;
