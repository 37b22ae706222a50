import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { freePort } from '../processes/processes.ts';

/** What of a request passes, in bytes, and whether its answer does. */
interface Hold {
  readonly requestLine: string;
  bytes: number;
  isAnswerKept: boolean;
  /** What waits until more may pass. */
  readonly waiting: Set<() => void>;
}

/**
 * A line in front of the server that can be cut (what is open breaks, nothing new gets through) and silenced (what is
 * open stays open and nothing travels on it any more, then or later, as behind a router that forgot it).
 */
export class Line {
  readonly #port: number;
  readonly #target: number;
  #server: Server | null = null;
  #isSilent = false;
  #hold: Hold | null = null;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number, port: number) {
    this.#target = target;
    this.#port = port;
  }

  /** @param origin of the server behind it */
  static async open(origin: string): Promise<Line> {
    const line = new Line(Number(new URL(origin).port), await freePort());
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

  /** Of connections that carry this request no more passes from then on than {@link letThrough} says, and no answer. */
  hold(requestLine: string): void {
    this.#hold = { requestLine, bytes: 0, isAnswerKept: true, waiting: new Set() };
  }

  /** So many more bytes of what is held, towards the server. */
  letThrough(bytes: number): void {
    if (!this.#hold) throw new Error('nothing is held');
    this.#hold.bytes += bytes;
    wake(this.#hold);
  }

  /** Whether all that may pass has passed. */
  isThrough(): boolean {
    return this.#hold?.bytes === 0;
  }

  /** Nothing is held any more. */
  release(): void {
    const hold = this.#hold;
    if (!hold) return;
    this.#hold = null;
    hold.bytes = Number.POSITIVE_INFINITY;
    hold.isAnswerKept = false;
    wake(hold);
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
    let held: Hold | null = null;
    const there = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (!held && this.#hold && chunk.includes(this.#hold.requestLine)) held = this.#hold;
        if (held) passSlowly(there, held, chunk, done);
        else done(null, chunk);
      },
    });
    const back = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (held) passLater(held, () => done(null, chunk));
        else done(null, chunk);
      },
    });
    near.pipe(there).pipe(far);
    far.pipe(back).pipe(near);
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

function wake(hold: Hold): void {
  const waiting = [...hold.waiting];
  hold.waiting.clear();
  for (const go of waiting) go();
}

/** As much as may pass goes on; the rest waits. */
function passSlowly(to: Transform, hold: Hold, chunk: Buffer, done: () => void): void {
  const passes = Math.min(hold.bytes, chunk.length);
  hold.bytes -= passes;
  if (passes > 0) to.push(chunk.subarray(0, passes));
  if (passes === chunk.length) done();
  else hold.waiting.add(() => passSlowly(to, hold, chunk.subarray(passes), done));
}

function passLater(hold: Hold, go: () => void): void {
  if (hold.isAnswerKept) hold.waiting.add(() => passLater(hold, go));
  else go();
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
