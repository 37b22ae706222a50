import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MEMORY = '/dev/shm';
/** How long processes that are still running at the end may take to stop by themselves. */
const STOP_MS = 3_000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs `work` with a temporary directory of its own (TMPDIR) and a folder in memory (TEST_MEMORY), where the system has one. At the end
 * of `work`, and at SIGINT and SIGTERM, both are removed, after the processes that still run in them have been stopped.
 */
export async function inRunFolder(work: () => Promise<void>): Promise<void> {
  // The name is short, because the system limits a socket's path to about a hundred bytes.
  const folder = mkdtempSync(join(tmpdir(), 'fairtick-'));
  const memory = openMemory(basename(folder));
  // Other users may pass through: where root can't run PostgreSQL in a user namespace, it runs as `nobody`.
  for (const each of [folder, memory]) if (each !== null) chmodSync(each, 0o755);
  process.env.TMPDIR = folder;
  if (memory !== null) process.env.TEST_MEMORY = memory;
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= closeRun(folder, memory));
  for (const [signal, code] of Object.entries(EXIT_CODES))
    process.once(signal, () => void close().then(() => process.exit(code)));
  try {
    await work();
  } finally {
    await close();
  }
}

/** @returns null where there is no such folder, as on macOS */
function openMemory(name: string): string | null {
  const memory = join(MEMORY, name);
  try {
    mkdirSync(memory);
    return memory;
  } catch {
    return null;
  }
}

async function closeRun(folder: string, memory: string | null): Promise<void> {
  const deadline = performance.now() + STOP_MS;
  for (let pids = processesOf(folder); pids.length > 0; pids = processesOf(folder)) {
    signalAll(pids, performance.now() < deadline ? 'SIGTERM' : 'SIGKILL');
    await sleep(100);
  }
  for (const each of [folder, memory]) if (each !== null) rmSync(each, { recursive: true, force: true });
}

/** The processes whose temporary directory is the folder or one in it; none where the system has no `/proc`. */
function processesOf(folder: string): number[] {
  const mark = `TMPDIR=${folder}`;
  const isOfRun = (pid: number) => {
    try {
      const settings = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      return settings.some((setting) => setting === mark || setting.startsWith(`${mark}/`));
    } catch {
      return false;
    }
  };
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && isOfRun(pid));
  } catch {
    return [];
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}
