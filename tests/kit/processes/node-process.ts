import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../../apps/server/src/pages/app/build-app.ts';
import { freePort } from './processes.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** With room for a machine whose processors are all busy. */
const READY_MS = 110_000;

export type Environment = Readonly<Record<string, string>>;

export interface SpawnOptions {
  readonly args?: readonly string[];
  readonly environment?: Environment;
  /** A command prefix that runs the rest of its line elsewhere, such as in a namespace. */
  readonly within?: readonly string[];
  /**
   * Runs in a session of its own, as a systemd unit does: PostgreSQL's processes each have one, and kernels may divide the
   * processor among sessions.
   */
  readonly isDetached?: boolean;
}

/** A script in its own Node process. */
export class NodeProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #printed: string[] = [];
  readonly #ended: Promise<[number | null]>;

  /** @param script relative to the project's folder */
  constructor(
    script: string,
    { args = [], environment = {}, within = [], isDetached = false }: SpawnOptions,
  ) {
    const [program = '', ...rest] = [...within, process.execPath, script, ...args];
    this.#child = spawn(program, rest, {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: isDetached,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (data) => this.#printed.push(String(data)));
    }
    this.#ended = once(this.#child, 'exit') as Promise<[number | null]>;
    this.pid = this.#child.pid as number;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** All its output. */
  output(): string {
    return this.#printed.join('');
  }

  signal(name: NodeJS.Signals): void {
    if (this.isRunning) this.#child.kill(name);
  }

  /** Sends a signal that ends it; returns the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.signal(signal);
    return (await this.#ended)[0];
  }

  /** Kills this process alone with SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** @throws Error with all its output, when it exits first or takes longer */
  async untilTrue(
    isReady: () => Promise<boolean> | boolean,
    withinMs: number,
    said: () => string = () => '',
  ): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.isRunning && performance.now() < deadline) {
      if (await isReady()) return;
      await sleep(50);
    }
    throw new Error(`the process did not become ready within ${withinMs} ms: ${said()}\n${this.output()}`);
  }
}

export interface ServerOptions extends Omit<SpawnOptions, 'args' | 'environment'> {
  /** The signal of {@link ServerProcess.stop}: Ctrl-C's or systemd's. */
  readonly stopsBy?: 'SIGINT' | 'SIGTERM';
}

/** A server as `npm start` runs it, or one role of it. */
export class ServerProcess extends NodeProcess {
  readonly role: string;
  readonly port: number;
  readonly origin: string;
  readonly #stopsBy: NodeJS.Signals;
  #lastAnswer = '';

  private constructor(environment: Environment, { stopsBy = 'SIGINT', ...options }: ServerOptions) {
    // The test runner sets a MODE of its own.
    super('apps/server/src/commands/start.ts', { ...options, environment: { MODE: 'demo', ...environment } });
    this.role = environment.ROLE ?? 'all';
    this.port = Number(environment.PORT);
    this.origin = `http://${environment.HOST ?? '127.0.0.1'}:${this.port}`;
    this.#stopsBy = stopsBy;
  }

  /** Starts on a free port, unless PORT is set: a replacement keeps its predecessor's port. */
  static async start(environment: Environment, options: ServerOptions = {}): Promise<ServerProcess> {
    const port = environment.PORT ?? String(await freePort());
    // Else each server would build the app into its own data folder.
    await buildApp(ROOT, null, () => {});
    return new ServerProcess({ ...environment, PORT: port }, options);
  }

  /** Stops it; returns the exit code. */
  stop(): Promise<number | null> {
    return this.end(this.#stopsBy);
  }

  /** A role without the API has no HTTP, so its log says that it is ready. */
  async untilReady(withinMs = READY_MS): Promise<void> {
    const isReady = ['feed', 'engine', 'chain'].includes(this.role)
      ? () => / s {2}ready\n/.test(this.output())
      : () => this.#isServing();
    await this.untilTrue(isReady, withinMs, () => `${this.role} ${this.#lastAnswer}`);
  }

  async #isServing(): Promise<boolean> {
    const answer = await fetch(`${this.origin}/readyz`).catch(() => null);
    this.#lastAnswer = (await answer?.text().catch(() => '')) ?? '';
    return answer?.ok ?? false;
  }
}
