import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, ServerProcess } from './node-process.ts';
import { childrenOf, isAlive, killAndWait, signalAll } from './processes.ts';

export type { ServerProcess };

/** All clients come from this machine, so limits per address are wide unless a test sets them. */
const WIDE = {
  LIMIT_REGISTRATIONS: '100000',
  LIMIT_DAY_REGISTRATIONS: '100000',
  LIMIT_LOGINS: '100000',
  LIMIT_ORDERS: '100000',
  LIMIT_STREAMS: '100000',
  LIMIT_STREAM_TOPICS: '1000000',
  LIMIT_STREAM_MESSAGES: '1000000',
  LIMIT_QUOTA_PERCENT: '1000000',
  LIMIT_REQUESTS: '5000',
};

/** A data folder and the processes started on it. */
export class Installation {
  readonly dataDir: string;
  readonly #processes: ServerProcess[] = [];

  /** @param dataDir an existing folder; by default a new one */
  constructor(dataDir = mkdtempSync(join(tmpdir(), 'fairtick-black-box-'))) {
    this.dataDir = dataDir;
  }

  /**
   * Starts a process; several on one folder find each other through its database.
   * @param within a command prefix that runs the rest of its line elsewhere, such as in a namespace
   */
  async start(environment: Environment = {}, within: readonly string[] = []): Promise<ServerProcess> {
    const started = await ServerProcess.start(
      { DATA_DIR: this.dataDir, ...WIDE, ...environment },
      { within },
    );
    this.#processes.push(started);
    return started;
  }

  /** Starts a process and waits until it is ready to trade. */
  async startReady(environment: Environment = {}): Promise<ServerProcess> {
    const started = await this.start(environment);
    await started.untilReady();
    return started;
  }

  /**
   * Finds all running processes: the Node processes, and the database with all its children.
   * @returns a function that kills all of them with SIGKILL at once, the database first
   */
  aimAtAll(): () => void {
    const database = this.#databasePid();
    const pids = database === null ? [] : [database, ...childrenOf(database)];
    pids.push(...this.#processes.map(({ pid }) => pid));
    return () => signalAll(pids, 'SIGKILL');
  }

  /** Kills everything with SIGKILL, and waits until it is gone. */
  async killAll(): Promise<void> {
    const database = this.#databasePid();
    // The children must be found before the database dies; afterwards their parent is another one.
    const pids = database === null ? [] : [database, ...childrenOf(database)];
    this.aimAtAll()();
    await killAndWait(pids);
    await Promise.all(this.#processes.splice(0).map((each) => each.kill()));
  }

  /** Address of the embedded database, for checks with statements of their own. */
  databaseAddress(): { host: string; user: string; database: string } {
    const host = readFileSync(join(this.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[4];
    if (!host) throw new Error('the database does not run');
    return { host, user: 'postgres', database: 'fairtick' };
  }

  #databasePid(): number | null {
    return readPid(join(this.dataDir, 'postgres/postmaster.pid'));
  }

  async close(): Promise<void> {
    // A paused process could not end.
    for (const each of this.#processes) each.signal('SIGCONT');
    await Promise.all(this.#processes.map((each) => each.stop()));
    await this.killAll();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}
