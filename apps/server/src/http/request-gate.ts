import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { networkOf } from '../network.ts';
import { RefusalError } from './context.ts';
import { languageOfUnread, refuseSocket, sendRefusal } from './envelope.ts';
import { Shares } from './shares.ts';
import { WaitingConnections } from './waiting-connections.ts';

/** What a server's door needs of the configuration. */
export type GateSettings = Pick<Config, 'trustProxy' | 'maxRequests' | 'maxConnections' | 'receiveMs'>;

/** A body grows by so much in each window, or it is given up: 13 KB/s. Forms are smaller, so they have one window in all. */
const LEAST_BYTES_PER_MS = (128 * 1024) / 10_000;
/** However steadily it comes, a request has arrived by then. */
const RECEIVED_WITHIN_MS = 300_000;
/** A connection that is not used for so long is closed. */
const IDLE_MS = 20_000;
/** For longer than a balancer keeps a connection that it does not use (`ops/haproxy.cfg`). */
const BALANCER_KEEPS_MS = 600_000;
/** A connection over which no byte moves either way for so long is dead, or its reader takes no answer. */
const SILENT_MS = 120_000;

/** The deadlines of a server's connections, in the words of Fastify. */
export function gateOptions({ trustProxy, receiveMs }: GateSettings) {
  return {
    // One proxy in front: the address that it saw is the last of the header. What stands before that, callers can invent.
    trustProxy: trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    requestTimeout: RECEIVED_WITHIN_MS,
    connectionTimeout: SILENT_MS,
    // A balancer has to be the one that closes, or what it sends just then is lost.
    keepAliveTimeout: trustProxy ? BALANCER_KEEPS_MS : IDLE_MS,
    http: { headersTimeout: receiveMs, connectionsCheckingInterval: Math.min(1_000, receiveMs) },
    clientErrorHandler: refuseBrokenRequest,
  } satisfies FastifyHttpOptions<Server>;
}

/** What is no HTTP, or more of it than we read, or too slow, gets an envelope too. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseSocket(socket, 'TOO_SLOW');
  else refuseSocket(socket, /OVERFLOW/.test(error.code ?? '') ? 'BODY_TOO_LARGE' : 'MALFORMED_BODY');
}

interface Admitted {
  readonly network: string;
  readonly socket: Socket;
}

/**
 * The door of a server. A request takes a place once its body is there, and an address has a share of the places; what is still on its
 * way takes none, has a deadline, and is bounded by connections. Overload is answered here, or everybody would wait until nobody is
 * served in time.
 */
export class RequestGate {
  readonly #settings: GateSettings;
  readonly #places: Shares;
  readonly #waiting: WaitingConnections;
  readonly #admitted = new WeakMap<IncomingMessage, Admitted>();
  /** How many requests of a connection are worked on. */
  readonly #working = new WeakMap<Socket, number>();

  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#places = new Shares(settings.maxRequests);
    this.#waiting = new WaitingConnections(settings.maxConnections);
  }

  /** @param comesLater whether the handler itself reads the request's body; it then calls {@link admit} */
  guard(app: FastifyInstance, comesLater: (request: FastifyRequest) => boolean = () => false): void {
    this.#watchConnections(app);
    app.addHook('onRequest', (request, reply, done) => {
      this.#watchBody(request, reply);
      if (isSign(request) || this.#places.hasRoom(networkOf(request.ip))) done();
      else sendRefusal(reply, new RefusalError('NOT_READY'), languageOfUnread(request));
    });
    app.addHook('preHandler', (request, reply, done) => {
      if (isSign(request) || comesLater(request) || this.admit(request)) done();
      else sendRefusal(reply, new RefusalError('NOT_READY'), languageOfUnread(request));
    });
    // The place is free once the answer is made, also when nobody is there any more to read it. How long somebody takes to read it is
    // the connection's affair.
    app.addHook('onSend', (request, _reply, payload, done) => {
      this.#leave(request);
      done(null, payload);
    });
    app.addHook('onResponse', (request, _reply, done) => {
      this.#leave(request);
      done();
    });
  }

  /** Takes a place for a request that is there in full. False: its address has used up its share. */
  admit({ ip, raw }: FastifyRequest): boolean {
    const network = networkOf(ip);
    if (!this.#places.take(network)) return false;
    this.#admitted.set(raw, { network, socket: raw.socket });
    this.#working.set(raw.socket, (this.#working.get(raw.socket) ?? 0) + 1);
    this.#waiting.remove(raw.socket);
    return true;
  }

  #leave({ raw }: FastifyRequest): void {
    const admitted = this.#admitted.get(raw);
    if (!admitted) return;
    const { network, socket } = admitted;
    this.#admitted.delete(raw);
    this.#places.giveBack(network);
    const working = (this.#working.get(socket) ?? 1) - 1;
    this.#working.set(socket, working);
    if (working === 0 && !this.#settings.trustProxy) this.#waiting.add(socket, network);
  }

  /** Behind a balancer the connections are its own, and it bounds them by address. */
  #watchConnections({ server }: FastifyInstance): void {
    server.on('connection', (socket) => {
      socket.once('close', () => this.#waiting.remove(socket));
      if (!this.#settings.trustProxy) this.#waiting.add(socket, networkOf(socket.remoteAddress));
    });
    // A stream is bounded by its hub.
    server.on('upgrade', (_request, socket) => this.#waiting.remove(socket as Socket));
  }

  /** Looks from time to time whether a body comes, and gives up one that does not. */
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

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** As much of it is there as we take in before we go on reading: a form that stands in line, say. */
const isHeldByUs = (raw: IncomingMessage): boolean => raw.readableLength >= raw.readableHighWaterMark;

/** Says why, where nothing was said yet, and closes the connection: nothing else can come over it. */
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

/** A balancer asks whether the process lives, and operators look whether it is ready, however busy it is. */
const isSign = ({ url }: FastifyRequest): boolean => url === '/readyz' || url === '/healthz';

/** Whether whoever asked is gone before all of the request was here. */
export const isBrokenOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;
