import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../apps/server/src/db/embedded.ts';
import { until } from '../../apps/server/test/until.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** One role of the house in a process of its own. */
export interface RoleProcess {
  readonly role: string;
  readonly pid: number;
  output(): string;
  /** kill -9, and until it is gone. */
  kill(): Promise<void>;
}

/** A database of its own, and processes that know nothing of one another but its address. */
export interface Installation {
  readonly origin: string;
  /** As the owner of everything, for looking. */
  readonly db: pg.Pool;
  start(role: string): RoleProcess;
  untilReady(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openInstallation(): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-roles-'));
  // Processes are killed here, not machines: nothing has to wait for the disk.
  const postgres = await startEmbedded(dataDir, () => {}, { fsync: 'off' });
  const admin = new pg.Client({ host: postgres.socketDir, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  await admin.end();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const processes: (RoleProcess & { isAlive(): boolean })[] = [];
  const db = new pg.Pool({ host: postgres.socketDir, user: 'fairtick_owner', database: 'fairtick', max: 2 });
  db.on('error', () => {});
  const environment = {
    ...process.env,
    DATABASE_URL: `postgres://fairtick_owner@localhost/fairtick?host=${encodeURIComponent(postgres.socketDir)}`,
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    // The runner of the tests has a MODE of its own.
    MODE: 'demo',
  };
  return {
    origin,
    db,
    start: (role) => {
      const started = startRole(role, environment);
      processes.push(started);
      return started;
    },
    untilReady: (withinMs) =>
      until(async () => {
        const dead = processes.find((each) => each.role === 'api' && !each.isAlive());
        if (dead) throw new Error(`the API ended:\n${dead.output()}`);
        return (await fetch(`${origin}/readyz`).catch(() => null))?.ok ?? false;
      }, withinMs),
    close: async () => {
      await Promise.all(processes.map((each) => each.kill()));
      await db.end();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function startRole(role: string, environment: NodeJS.ProcessEnv): RoleProcess & { isAlive(): boolean } {
  const child: ChildProcess = spawn(process.execPath, ['apps/server/src/start.ts'], {
    cwd: ROOT,
    env: { ...environment, ROLE: role },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  child.stdout?.on('data', (data) => lines.push(String(data)));
  child.stderr?.on('data', (data) => lines.push(String(data)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    role,
    pid: child.pid as number,
    output: () => lines.join(''),
    isAlive,
    kill: async () => {
      if (isAlive()) child.kill('SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
