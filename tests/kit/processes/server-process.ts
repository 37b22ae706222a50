import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, freePort, isAlive, killAndWait, signalAll } from './processes.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The first start may have to build the app. */
const READY_MS = 110_000;

/** Everybody comes from this machine here, so limits per address are wide unless a test is about them. */
const WIDE = { LIMIT_REGISTRATIONS: '100000', LIMIT_LOGINS: '100000', LIMIT_ORDERS: '100000' };

/** One server process, as `npm start` makes it. */
export interface ServerProcess {
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  /** All that it printed. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** As Ctrl-C does; with how it ended. */
  stop(): Promise<number | null>;
  /** kill -9 of the Node process alone. */
  kill(): Promise<void>;
  untilReady(withinMs?: number): Promise<void>;
}

/** A data folder and the processes that were started on it. */
export class Installation {
  readonly dataDir: string;
  readonly #processes: ServerProcess[] = [];

  /** @param dataDir one that is there already, or none: a new one */
  constructor(dataDir = mkdtempSync(join(tmpdir(), 'fairtick-black-box-'))) {
    this.dataDir = dataDir;
  }

  /**
   * Starts a process; several on one folder find each other through its database.
   * @param within a command that runs the rest of its line somewhere else, such as in a namespace
   */
  async start(
    environment: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ): Promise<ServerProcess> {
    const port = environment.PORT === undefined ? await freePort() : Number(environment.PORT);
    const started = spawnServer(
      { PORT: String(port), DATA_DIR: this.dataDir, ...WIDE, ...environment },
      port,
      within,
    );
    this.#processes.push(started);
    return started;
  }

  /** A process that is ready to trade. */
  async startReady(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const started = await this.start(environment);
    await started.untilReady();
    return started;
  }

  /**
   * Finds everything that runs: the Node processes, and the database with all its children.
   * @returns what kills all of it with SIGKILL in one go, the database first
   */
  aimAtAll(): () => void {
    const database = this.#databasePid();
    const pids = database === null ? [] : [database, ...childrenOf(database)];
    pids.push(...this.#processes.map(({ pid }) => pid));
    return () => signalAll(pids, 'SIGKILL');
  }

  /** kill -9 of everything, and until it is gone. */
  async killAll(): Promise<void> {
    const database = this.#databasePid();
    // Its children are found before it dies; afterwards they have no parent to be known by.
    const pids = database === null ? [] : [database, ...childrenOf(database)];
    this.aimAtAll()();
    await killAndWait(pids);
    await Promise.all(this.#processes.splice(0).map((each) => each.kill()));
  }

  /** Where the embedded database listens, for whoever judges it by its own statements. */
  databaseAddress(): { host: string; user: string; database: string } {
    const host = readFileSync(join(this.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[4];
    if (!host) throw new Error('the database does not run');
    return { host, user: 'postgres', database: 'fairtick' };
  }

  #databasePid(): number | null {
    return readPid(join(this.dataDir, 'postgres/postmaster.pid'));
  }

  async close(): Promise<void> {
    // One that a test has stopped could not end.
    for (const each of this.#processes) each.signal('SIGCONT');
    await Promise.all(this.#processes.map((each) => each.stop()));
    await this.killAll();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function spawnServer(
  environment: Readonly<Record<string, string>>,
  port: number,
  within: readonly string[],
): ServerProcess {
  const [program = '', ...args] = [...within, process.execPath, 'apps/server/src/start.ts'];
  const child = spawn(program, args, {
    cwd: ROOT,
    // The runner of the tests has a MODE of its own.
    env: { ...process.env, MODE: 'demo', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stdout.on('data', (data) => printed.push(String(data)));
  child.stderr.on('data', (data) => printed.push(String(data)));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const origin = `http://${environment.HOST ?? '127.0.0.1'}:${port}`;
  const output = () => printed.join('');
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning(child)) child.kill(signal);
    return (await ended)[0];
  };
  return {
    origin,
    port,
    pid: child.pid as number,
    output,
    signal: (name) => void (isRunning(child) && child.kill(name)),
    stop: () => end('SIGINT'),
    kill: async () => void (await end('SIGKILL')),
    untilReady: async (withinMs = READY_MS) => {
      const deadline = performance.now() + withinMs;
      while (performance.now() < deadline && isRunning(child)) {
        if ((await fetch(`${origin}/readyz`).catch(() => null))?.ok) return;
        await sleep(50);
      }
      throw new Error(`the server did not become ready within ${withinMs} ms:\n${output()}`);
    },
  };
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}
