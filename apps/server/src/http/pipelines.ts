import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Browsers and balancers send a request after the last one is answered; the rest is room for clients that pipeline. */
const MAX_AT_ONCE = 16;

/**
 * Closes a connection that sends many requests without waiting for answers: hundreds fit into one read, and all of them
 * would start before other work gets a turn of the event loop.
 */
export function cutPipelines(app: FastifyInstance): void {
  const underWay = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    reply.raw.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    if (count <= MAX_AT_ONCE) return done();
    reply.hijack();
    socket.destroy();
  });
}
