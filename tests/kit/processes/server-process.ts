import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, ServerProcess } from './node-process.ts';
import { childrenOf, isAlive, killAndWait, signalAll } from './processes.ts';

export type { ServerProcess };

/** Everybody comes from this machine here, so limits per address are wide unless a test is about them. */
const WIDE = {
  LIMIT_REGISTRATIONS: '100000',
  LIMIT_LOGINS: '100000',
  LIMIT_ORDERS: '100000',
  LIMIT_STREAMS: '100000',
  LIMIT_STREAM_TOPICS: '1000000',
  LIMIT_STREAM_MESSAGES: '1000000',
  LIMIT_QUOTA_PERCENT: '1000000',
  LIMIT_REQUESTS: '5000',
};

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
  async start(environment: Environment = {}, within: readonly string[] = []): Promise<ServerProcess> {
    const started = await ServerProcess.start(
      { DATA_DIR: this.dataDir, ...WIDE, ...environment },
      { within },
    );
    this.#processes.push(started);
    return started;
  }

  /** A process that is ready to trade. */
  async startReady(environment: Environment = {}): Promise<ServerProcess> {
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

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}
