import { connect, createServer, type Server, type Socket } from 'node:net';

type Way = 'requests' | 'answers';

/**
 * A TCP line to a database that can be silenced, either way or both: what was sent waits, as it does for TCP while packets
 * are lost, and arrives when the line is restored, unless somebody has hung up meanwhile. That hanging up is not heard
 * either. Cut, all connections break at once.
 */
export class DatabaseLine {
  readonly #target: string;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #silent = new Set<Way>();
  /** Who wants to connect while nothing travels; the database hears of them afterwards. */
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

  /** Silence as soon as somebody commits: before the commit arrives, or before its answer does. */
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

  /** What is open stays open and carries nothing any more, as behind a router that forgot it; new connections get through. */
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

  /** Whether these requests are the ones that do not arrive any more. */
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
      // Read in its turn, behind what was sent before it: a paused end does not tell of it.
      from.on('end', () => to.end());
      // A broken connection is what this is for.
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
