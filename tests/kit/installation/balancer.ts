import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a request waits while no backend is ready, in ms. */
const LONGEST_WAIT_MS = 6_000;

interface Backend {
  readonly origin: URL;
  isReady: boolean;
}

/**
 * A minimal load balancer: sends each request to the next process that reports readiness, keeps connections alive, and never
 * retries. While no backend is ready a request waits up to `LONGEST_WAIT_MS`, because all are unready while the feed changes
 * hands on a slow machine; then it gets 503. A failed delivery gets 502.
 */
export class Balancer {
  readonly #backends: readonly Backend[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 500 });
  readonly #server: Server;
  readonly #streams = new Set<Socket>();
  readonly #isOver = new AbortController();
  readonly #looking: readonly Promise<void>[];
  #next = 0;
  /** Requests that could not be delivered, or that broke off. */
  readonly failures: string[] = [];

  private constructor(origins: readonly string[], lookEveryMs: number) {
    this.#backends = origins.map((origin) => ({ origin: new URL(origin), isReady: false }));
    this.#server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing));
    this.#server.on('upgrade', (incoming, socket, head) => this.#join(incoming, socket as Socket, head));
    this.#looking = this.#backends.map((backend) => this.#look(backend, lookEveryMs));
  }

  static async open(origins: readonly string[], lookEveryMs = 100): Promise<Balancer> {
    const balancer = new Balancer(origins, lookEveryMs);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    while (!balancer.#backends.every(({ isReady }) => isReady)) await sleep(10);
    return balancer;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#isOver.abort();
    for (const stream of this.#streams) stream.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
    await Promise.all(this.#looking);
  }

  async #look(backend: Backend, everyMs: number): Promise<void> {
    // A new connection for each check: a slow one must not delay the next.
    const agent = new Agent({ keepAlive: false });
    while (!this.#isOver.signal.aborted) {
      backend.isReady = await isReady(backend.origin, agent);
      await sleep(everyMs);
    }
  }

  #choose(): Backend | null {
    for (let tried = 0; tried < this.#backends.length; tried += 1) {
      const backend = this.#backends[this.#next++ % this.#backends.length] as Backend;
      if (backend.isReady) return backend;
    }
    return null;
  }

  async #waitForOne(): Promise<Backend | null> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const backend = this.#choose();
      if (backend || performance.now() > untilMs || this.#isOver.signal.aborted) return backend;
      await sleep(20);
    }
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const backend = await this.#waitForOne();
    if (!backend) {
      this.failures.push('nobody is ready');
      outgoing.writeHead(503).end();
      return;
    }
    const { connection: _own, ...headers } = incoming.headers;
    const passed = request(
      {
        host: backend.origin.hostname,
        port: backend.origin.port,
        path: incoming.url,
        method: incoming.method,
        headers,
        agent: this.#agent,
      },
      (answer) => {
        const { connection: _theirs, ...answerHeaders } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, answerHeaders);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', (error) => {
      this.failures.push(`${incoming.method} ${incoming.url}: ${error.message}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(passed);
  }

  #join(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const backend = this.#choose();
    if (!backend) {
      socket.destroy();
      return;
    }
    const other = connect(Number(backend.origin.port), backend.origin.hostname);
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let place = 0; place < incoming.rawHeaders.length; place += 2) {
      lines.push(`${incoming.rawHeaders[place]}: ${incoming.rawHeaders[place + 1]}`);
    }
    other.write(`${lines.join('\r\n')}\r\n\r\n`);
    other.write(head);
    for (const end of [socket, other]) {
      this.#streams.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => this.#streams.delete(end));
    }
    socket.pipe(other).pipe(socket);
  }
}

function isReady(origin: URL, agent: Agent): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const look = request(new URL('/readyz', origin), { agent, timeout: 1_000 }, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode === 200));
    answer.on('error', () => resolve(false));
  });
  look.on('timeout', () => look.destroy());
  look.on('error', () => resolve(false));
  look.end();
  return promise;
}
