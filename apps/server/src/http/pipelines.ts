import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Browsers and balancers send a request when the last one has its answer; this leaves room for whoever does otherwise. */
const MAX_AT_ONCE = 16;

/**
 * Cuts off a connection that sends many requests without waiting for answers: hundreds fit into what is read at once, and all of
 * them would be taken up before anything else has its turn.
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
