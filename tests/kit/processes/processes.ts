import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process's parent and state, from the system; null when there is none. */
function statusOf(pid: number): { parent: number; isGone: boolean } | null {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { parent: Number(parent), isGone: state === 'Z' };
  } catch {
    return null;
  }
}

export const isAlive = (pid: number): boolean => statusOf(pid)?.isGone === false;

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statusOf(pid)?.parent === parent);
}

/** Signals all at once. A process that has already ended is skipped. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Kills all of them with SIGKILL at once, and waits until they are gone. */
export async function killAndWait(pids: readonly number[]): Promise<void> {
  signalAll(pids, 'SIGKILL');
  while (pids.some(isAlive)) await sleep(20);
}

/** A port of this machine without a listener at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
