import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { freePort } from '../processes/processes.ts';

/** A held request: how many of its bytes may pass, and whether its answer is kept back. */
interface Hold {
  readonly requestLine: string;
  bytes: number;
  isAnswerKept: boolean;
  /** Callbacks waiting until more bytes may pass. */
  readonly waiting: Set<() => void>;
}

/**
 * A TCP proxy in front of the server that can be cut (open connections break, new ones are refused), silenced (open
 * connections stay open and carry nothing, then or later, as behind a router that lost its state) and slow.
 */
export class Line {
  readonly #port: number;
  readonly #target: number;
  #server: Server | null = null;
  #isSilent = false;
  #hold: Hold | null = null;
  #delayMs = 0;
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

  /** Open connections carry nothing any more; new ones are accepted and not answered. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) hush(socket);
  }

  /** From now on, everything takes this long each way. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Holds connections that carry this request: only the bytes that {@link letThrough} allows pass, and no answer. */
  hold(requestLine: string): void {
    this.#hold = { requestLine, bytes: 0, isAnswerKept: true, waiting: new Set() };
  }

  /** Lets this many more bytes of the held request pass to the server. */
  letThrough(bytes: number): void {
    if (!this.#hold) throw new Error('nothing is held');
    this.#hold.bytes += bytes;
    wake(this.#hold);
  }

  /** Whether all allowed bytes have passed. */
  isThrough(): boolean {
    return this.#hold?.bytes === 0;
  }

  /** Ends the hold. */
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
    near.pipe(there).pipe(this.#way()).pipe(far);
    far.pipe(back).pipe(this.#way()).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  /** One direction of a connection, in which everything arrives in order and {@link delay} later. */
  #way(): Transform {
    let freeMs = 0;
    const waitMs = () => {
      freeMs = Math.max(freeMs, performance.now() + this.#delayMs);
      return freeMs - performance.now();
    };
    const way: Transform = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.#delayMs === 0 && freeMs < performance.now()) return done(null, chunk);
        setTimeout(() => way.destroyed || way.push(chunk), waitMs());
        done();
      },
      flush: (done) => void setTimeout(done, Math.max(0, freeMs - performance.now()) + 1),
    });
    return way;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Broken connections are expected here.
    socket.on('error', () => {});
  }
}

function wake(hold: Hold): void {
  const waiting = [...hold.waiting];
  hold.waiting.clear();
  for (const go of waiting) go();
}

/** Forwards as many bytes as may pass; the rest waits. */
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
