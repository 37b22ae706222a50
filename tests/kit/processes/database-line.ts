import { connect, createServer, type Server, type Socket } from 'node:net';

type Way = 'requests' | 'answers';

/**
 * A TCP proxy to a database that can be silenced in one or both directions: data waits, as with TCP while packets are lost, and
 * arrives when the line is restored, unless its connection was closed meanwhile. The close is not delivered in silence either.
 * `cut` breaks all connections at once.
 */
export class DatabaseLine {
  readonly #target: string;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #silent = new Set<Way>();
  /** Connections made during silence; the database sees them afterwards. */
  readonly #waiting: Socket[] = [];
  readonly #forgotten: Pair[] = [];
  #trap: { readonly way: Way; readonly caught: () => void } | null = null;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#take(near));
  }

  /** @param socketDir where the database's own socket is */
  static async open(socketDir: string): Promise<DatabaseLine> {
    const line = new DatabaseLine(`${socketDir}/.s.PGSQL.5432`);
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  silence(...ways: readonly Way[]): void {
    for (const way of ways) this.#silent.add(way);
    for (const pair of this.#pairs) pair.follow(this.#silent);
  }

  /** Silences the line at the next commit: before the commit arrives, or before its answer does. */
  async silenceAtCommit(way: Way): Promise<void> {
    await new Promise<void>((caught) => {
      this.#trap = { way, caught };
    });
  }

  restore(): void {
    this.#silent.clear();
    for (const pair of this.#pairs) pair.follow(this.#silent);
    for (const near of this.#waiting.splice(0)) this.#take(near);
  }

  /** Open connections stay open and carry nothing any more, as behind a router that lost its state; new connections work. */
  forget(): void {
    for (const pair of this.#pairs) pair.follow(new Set(['requests', 'answers']));
    this.#forgotten.push(...this.#pairs);
    this.#pairs.clear();
    this.restore();
  }

  cut(): void {
    for (const near of this.#waiting.splice(0)) near.destroy();
    for (const pair of [...this.#pairs, ...this.#forgotten.splice(0)]) pair.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(near: Socket): void {
    if (this.#silent.size > 0) {
      near.on('error', () => near.destroy());
      this.#waiting.push(near.pause());
      return;
    }
    const far = connect({ path: this.#target, allowHalfOpen: true });
    const pair = new Pair(near, far, {
      isLost: (request) => this.#springs(request),
      onEnd: () => this.#pairs.delete(pair),
    });
    this.#pairs.add(pair);
    pair.follow(this.#silent);
  }

  /** Whether this chunk of requests holds the trapped commit and must not arrive. */
  #springs(request: Buffer): boolean {
    const trap = this.#trap;
    if (!trap || !request.includes('commit\0')) return false;
    this.#trap = null;
    this.silence(trap.way);
    trap.caught();
    return trap.way === 'requests';
  }
}

/** Both ends of one connection. */
class Pair {
  readonly #ends: Readonly<Record<Way, { readonly from: Socket; readonly to: Socket }>>;
  readonly #onEnd: () => void;

  constructor(
    near: Socket,
    far: Socket,
    { isLost, onEnd }: { isLost: (request: Buffer) => boolean; onEnd: () => void },
  ) {
    this.#ends = { requests: { from: near, to: far }, answers: { from: far, to: near } };
    this.#onEnd = onEnd;
    for (const { from, to } of Object.values(this.#ends)) {
      from.on('data', (data: Buffer) => {
        if (from !== near || !isLost(data)) to.write(data);
      });
      // A paused socket emits no end, so the end arrives in order, after all data sent before it.
      from.on('end', () => to.end());
      // Broken connections are expected here.
      from.on('error', () => this.destroy());
      from.on('close', () => {
        if (near.destroyed && far.destroyed) this.#onEnd();
      });
    }
  }

  follow(silent: ReadonlySet<Way>): void {
    for (const [way, { from }] of Object.entries(this.#ends)) {
      if (silent.has(way as Way)) from.pause();
      else from.resume();
    }
  }

  destroy(): void {
    for (const { from } of Object.values(this.#ends)) from.destroy();
    this.#onEnd();
  }
}
