import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { testFolder } from '../folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 60_000;

/** A real server process on a port and a data folder of its own. */
export interface ServerProcess {
  readonly origin: string;
  /** Where staff reach the office. */
  readonly officeOrigin: string;
  readonly port: number;
  readonly dataDir: string;
  /** As Ctrl-C does. */
  stop(): Promise<void>;
  /** Everything that it printed. */
  output(): string;
}

export async function startServerProcess(
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const officePort = await freePort();
  const dataDir = testFolder('journey');
  const child = spawn(process.execPath, ['apps/server/src/start.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: String(port),
      OFFICE_PORT: String(officePort),
      DATA_DIR: dataDir,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  child.stdout.on('data', (data) => lines.push(String(data)));
  child.stderr.on('data', (data) => lines.push(String(data)));
  const origin = `http://localhost:${port}`;
  const officeOrigin = `http://localhost:${officePort}`;
  const server = {
    origin,
    officeOrigin,
    port,
    dataDir,
    output: () => lines.join(''),
    stop: () => stop(child, dataDir),
  };
  try {
    await untilReady(server, child);
  } catch (error) {
    // Nobody else would stop it.
    await server.stop();
    throw error;
  }
  return server;
}

async function untilReady(server: ServerProcess, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${server.origin}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server did not become ready:\n${server.output()}`);
}

async function stop(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
  }
  rmSync(dataDir, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** One server for all journeys. Limits per address are wide: all of them come from this machine. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startServerProcess({ LIMIT_REGISTRATIONS: '10000', LIMIT_LOGINS: '10000' });
  process.env.FAIRTICK_ORIGIN = server.origin;
  process.env.FAIRTICK_OFFICE = server.officeOrigin;
  process.env.FAIRTICK_DATA = server.dataDir;
  return () => server.stop();
}
