import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../../apps/server/src/db/embedded.ts';
import { freePort } from './processes.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Everybody comes from this machine here, so limits per address are wide unless a test is about them. */
const WIDE = { LIMIT_REGISTRATIONS: '100000', LIMIT_LOGINS: '100000' };

type Environment = Readonly<Record<string, string>>;

/** One role of the house in a process of its own. */
export interface RoleProcess {
  readonly role: string;
  readonly pid: number;
  /** Where it answers, if it is an API. */
  readonly origin: string;
  readonly port: number;
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and with how it ended. */
  stop(): Promise<number | null>;
  /** kill -9, and until it is gone. */
  kill(): Promise<void>;
  untilReady(withinMs?: number): Promise<void>;
}

/** A database of its own, and processes that know nothing of one another but its address. */
export interface Installation {
  /** As the owner of everything, for looking. */
  readonly db: pg.Pool;
  readonly dataDir: string;
  start(role: string, environment?: Environment): Promise<RoleProcess>;
  /** The one of these that leads the feed or the engine; null when nobody does. */
  leader(role: 'feed' | 'engine', among: readonly RoleProcess[]): Promise<RoleProcess | null>;
  close(): Promise<void>;
}

/**
 * @param settings of the database; processes are killed here, not machines, so nothing waits for the disk unless told to
 * @param environment of the database alone
 */
export async function openInstallation(
  settings: Environment = { fsync: 'off' },
  environment: (dataDir: string) => Environment = () => ({}),
): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-roles-'));
  const own = { ...process.env };
  Object.assign(process.env, environment(dataDir));
  const postgres = await startEmbedded(dataDir, () => {}, settings);
  process.env = own;
  const admin = new pg.Client({ host: postgres.socketDir, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  await admin.end();
  const processes: RoleProcess[] = [];
  const db = new pg.Pool({ host: postgres.socketDir, user: 'fairtick_owner', database: 'fairtick', max: 2 });
  db.on('error', () => {});
  const common = {
    DATABASE_URL: `postgres://fairtick_owner@localhost/fairtick?host=${encodeURIComponent(postgres.socketDir)}`,
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: 'http://house.invalid',
    LOG_LEVEL: 'warn',
    // The runner of the tests has a MODE of its own.
    MODE: 'demo',
    ...WIDE,
  };
  return {
    db,
    dataDir,
    start: async (role, environment = {}) => {
      // One that takes another's place keeps its port, which the balancer knows.
      const port = environment.PORT === undefined ? await freePort() : Number(environment.PORT);
      const started = startRole(role, port, { ...common, PORT: String(port), ...environment });
      processes.push(started);
      return started;
    },
    leader: async (role, among) => {
      const { rows } = await db.query<{ holder: string | null }>(
        role === 'feed' ? 'select holder from log_head' : `select holder from leases where name = 'engine'`,
      );
      return among.find(({ pid }) => rows[0]?.holder?.endsWith(`:${pid}`)) ?? null;
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.kill()));
      await db.end();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function startRole(role: string, port: number, environment: Environment): RoleProcess {
  const child: ChildProcess = spawn(process.execPath, ['apps/server/src/start.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...environment, ROLE: role },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own, as a unit has: each of the database's processes has one, and kernels may share the processor among these.
    detached: true,
  });
  const lines: string[] = [];
  child.stdout?.on('data', (data) => lines.push(String(data)));
  child.stderr?.on('data', (data) => lines.push(String(data)));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const output = () => lines.join('');
  const origin = `http://127.0.0.1:${port}`;
  const end = async (signal: NodeJS.Signals) => {
    if (isAlive()) child.kill(signal);
    return (await ended)[0];
  };
  return {
    role,
    pid: child.pid as number,
    origin,
    port,
    output,
    signal: (name) => void (isAlive() && child.kill(name)),
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    untilReady: async (withinMs = 100_000) => {
      const deadline = performance.now() + withinMs;
      let said = '';
      while (isAlive() && performance.now() < deadline) {
        if (role !== 'api' && / s {2}ready\n/.test(output())) return;
        if (role === 'api') {
          const answer = await fetch(`${origin}/readyz`).catch(() => null);
          if (answer?.ok) return;
          said = (await answer?.text().catch(() => '')) ?? '';
        }
        await sleep(50);
      }
      throw new Error(`${role} did not become ready within ${withinMs} ms: ${said}\n${output()}`);
    },
  };
}
