import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A line in front of the server that can be cut (what is open breaks, nothing new gets through) and silenced (what is
 * open stays open and nothing travels on it any more, then or later, as behind a router that forgot it).
 */
export class Line {
  readonly #port: number;
  readonly #target: number;
  #server: Server | null = null;
  #isSilent = false;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number, port: number) {
    this.#target = target;
    this.#port = port;
  }

  /** @param origin of the server behind it */
  static async open(origin: string): Promise<Line> {
    const probe = createServer();
    const port = await listen(probe, 0);
    await new Promise((resolve) => probe.close(resolve));
    const line = new Line(Number(new URL(origin).port), port);
    await line.restore();
    return line;
  }

  get origin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Breaks every connection; new ones are refused. */
  cut(): void {
    this.#server?.close();
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Nothing more travels on any connection, and new ones are taken and not answered. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) hush(socket);
  }

  /** New connections get through again. */
  async restore(): Promise<void> {
    this.#isSilent = false;
    if (this.#server) return;
    this.#server = createServer((near) => this.#take(near));
    await listen(this.#server, this.#port);
  }

  #take(near: Socket): void {
    this.#keep(near);
    if (this.#isSilent) {
      hush(near);
      return;
    }
    const far = connect(this.#target, 'localhost');
    this.#keep(far);
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A broken connection is what this is for.
    socket.on('error', () => {});
  }
}

function hush(socket: Socket): void {
  socket.unpipe();
  socket.removeAllListeners('data');
  socket.pause();
}

async function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}
