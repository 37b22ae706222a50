import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  /** Connections that may wait to be accepted, per listening socket. */
  readonly backlog: number;
}

const SOCKETS = 8;

/**
 * Listens with several sockets on one port where the system allows that (SO_REUSEPORT). The event loop accepts one connection of each
 * per pass, so with a single one a visitor waits behind all connections of a flood.
 * @throws EADDRINUSE when any process listens there
 */
export async function listen(app: FastifyInstance, { port, host, backlog }: ListenAddress): Promise<void> {
  await demandFree(port, host);
  const others = closedWith(app);
  const shared = { port, host, backlog, reusePort: true };
  try {
    await app.listen(shared);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error;
    await app.listen({ port, host, backlog });
    return;
  }
  const own = (app.server.address() as AddressInfo).port;
  for (const other of others) {
    other.listen({ ...shared, port: own });
    await once(other, 'listening');
  }
}

/** Sockets that may share a port do not notice each other, so another server on the port is looked for first. */
async function demandFree(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen({ port, host });
  await once(probe, 'listening');
  await promisify(probe.close.bind(probe))();
}

/** The other sockets. They hand their connections to the app's server, and close with it. */
function closedWith(app: FastifyInstance): Server[] {
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket)),
  );
  let closed: Promise<unknown> = Promise.resolve();
  app.addHook('preClose', async () => {
    const open = others.filter(({ listening }) => listening);
    closed = Promise.all(open.map((other) => promisify(other.close.bind(other))()));
  });
  app.addHook('onClose', async () => {
    await closed;
  });
  return others;
}
