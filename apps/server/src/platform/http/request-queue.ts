import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LoopTurns } from '../fairness/loop-turns.ts';
import { networkOf } from '../network.ts';

/** Browsers and balancers send a request after the last one is answered; the rest is room for clients that pipeline. */
const MAX_AT_ONCE = 16;

/** How a server knows whose a request is, before it reads more than the headers. */
export interface Door {
  readonly trustProxy: boolean;
  /** The header, in lower case, in which a delivery network names the client's address; null: none. Needs `trustProxy`. */
  readonly addressHeader: string | null;
  /** The customer of a session's token, where this process has seen the session; absent in the office. */
  readonly customerOf?: (token: string) => string | null;
}

/**
 * Queues a server's requests in turns by caller, before anything is done for them: the event loop reads sockets in the order in which they
 * have data. A connection that sends many requests without waiting for answers is closed.
 */
export function queueRequests(server: Server, { turns, door }: { turns: LoopTurns; door: Door }): void {
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new Error('the server has no handler of requests');
  const underWay = new WeakMap<Duplex, number>();
  const letIn: RequestListener = (request, response) => {
    const { socket } = request;
    // The framework reads the address from here, too.
    if (door.addressHeader) request.headers['x-forwarded-for'] = clientOf(request, door) ?? '';
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > MAX_AT_ONCE) return cutOff(socket);
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    if (isSign(request)) handle(request, response);
    else void turns.take(countedFor(request, door)).then(() => socket.destroyed || handle(request, response));
  };
  server.removeListener('request', handle);
  server.on('request', letIn);
}

/**
 * Node's parser goes on to the end of the read after a connection is closed, and makes an error with a stack for each request in it: 6 ms for
 * 400. So the rest is dropped by the function that Node's `_http_server` sets there; a test notices if a version of Node has none.
 */
function cutOff(socket: Duplex & { readonly parser?: { onIncoming: unknown } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 0;
  socket.destroy();
}

/** Balancers and operators ask for these however busy the process is. */
export const isSign = ({ url }: Pick<IncomingMessage, 'url'>): boolean =>
  url === '/readyz' || url === '/healthz';

/**
 * The client's address. Behind a proxy it is the last one of the header, because callers can invent those before it. Behind a delivery
 * network it is in the network's own header: one address and nothing else, or the header counts as missing.
 */
export function clientOf(request: IncomingMessage, { trustProxy, addressHeader }: Door): string | null {
  const own = request.socket.remoteAddress ?? null;
  if (!trustProxy) return own;
  const named = addressHeader && String(request.headers[addressHeader] ?? '').trim();
  if (named && isIP(named) !== 0 && !named.includes('%')) return named;
  return [request.headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim() || own;
}

/**
 * For whom a request counts where callers share something: the customer of its session, because thousands may share a carrier's address;
 * else its network. A token counts only once its session was found, so that none can be invented.
 */
export function countedFor(request: IncomingMessage, door: Door): string {
  const { token } = request.headers;
  const customerId = typeof token === 'string' ? (door.customerOf?.(token) ?? null) : null;
  return customerId === null ? networkOf(clientOf(request, door)) : customerKey(customerId);
}

/** Whether {@link countedFor} found a customer. */
export const isCustomer = (caller: string): boolean => caller.startsWith('customer ');

export const customerKey = (customerId: string): string => `customer ${customerId}`;
