import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { networkOf } from '../network.ts';
import type { Turns } from '../turns.ts';

/** Browsers and balancers send a request after the last one is answered; the rest is room for clients that pipeline. */
const MAX_AT_ONCE = 16;

/** What the entrance uses of a server. */
export interface EntranceParts {
  readonly turns: Turns;
  readonly trustProxy: boolean;
}

/**
 * Queues a server's requests before anything is done for them, in turns by network. The event loop reads sockets in the
 * order in which they have data, so that without the queue a request waits for all those that a flood sent before it.
 * Closes a connection that sends many requests without waiting for answers: hundreds fit into one read.
 */
export function queueRequests(server: Server, { turns, trustProxy }: EntranceParts): void {
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new Error('the server has no handler of requests');
  const underWay = new WeakMap<Duplex, number>();
  const letIn: RequestListener = (request, response) => {
    const { socket } = request;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > MAX_AT_ONCE) return cutOff(socket);
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    if (isSign(request)) handle(request, response);
    else void turnOf(request).then(() => socket.destroyed || handle(request, response));
  };
  const turnOf = (request: IncomingMessage) => turns.take(networkOf(clientOf(request, trustProxy)));
  server.removeListener('request', handle);
  server.on('request', letIn);
}

/**
 * Closes a connection in the middle of a read. Node's parser goes on to the end of the read, and the end of the connection
 * makes an error with a stack for each request in it: 6 ms for 400 requests. So the rest is dropped at the parser, by the
 * function that Node's `_http_server` sets there; a test notices if a version of Node has none.
 */
function cutOff(socket: Duplex & { readonly parser?: { onIncoming: unknown } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 0;
  socket.destroy();
}

/** Balancers and operators ask for these however busy the process is. */
export const isSign = ({ url }: Pick<IncomingMessage, 'url'>): boolean =>
  url === '/readyz' || url === '/healthz';

/**
 * The client's address. Behind a proxy it is the last one of the header, which the proxy wrote itself; callers can invent
 * the ones before it.
 */
export function clientOf(request: IncomingMessage, trustProxy: boolean): string | null {
  const forwarded = [request.headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim();
  return (trustProxy && forwarded) || (request.socket.remoteAddress ?? null);
}
