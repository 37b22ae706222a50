import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process's program, parent and state, from the system; null when there is none. */
function statusOf(pid: number): { program: string; parent: number; isGone: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, program = '', state, parent] = /\((.*)\) (\S) (\d+)/.exec(stat) ?? [];
    return { program, parent: Number(parent), isGone: state === 'Z' };
  } catch {
    return null;
  }
}

export const isAlive = (pid: number): boolean => statusOf(pid)?.isGone === false;

/** The name of a process's program, at most 15 characters of it; null when the process has ended. */
export const programOf = (pid: number): string | null => statusOf(pid)?.program ?? null;

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

/**
 * Ports of tests lie below those that systems give to sockets which name none, from 32 768 on: a browser's connection or a server on
 * port 0 would take one between the choice and the listening. Browsers refuse some ports below the first one.
 */
const FIRST_PORT = 11_000;
const PORTS = 21_000;
let next = Math.floor(Math.random() * PORTS);

/**
 * A port of this machine without a listener. No other process that asks here gets it while this one runs, so that it may also be
 * left and taken again.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    const port = FIRST_PORT + next;
    next = (next + 1) % PORTS;
    if ((await isClaimed(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no port from ${FIRST_PORT} on is free`);
}

/** Takes the UDP port of the same number, which no server of a test uses. The system gives it back when this process ends. */
async function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket('udp4');
  try {
    claim.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(claim, 'listening');
    claim.unref();
    return true;
  } catch {
    claim.close();
    return false;
  }
}

/** Whether no program outside of the tests listens there. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen({ port, exclusive: true });
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
