import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../installation/balancer.ts';
import { freePort } from './processes.ts';

/** What stands before the API processes. */
export interface FrontDoor {
  readonly name: string;
  readonly origin: string;
  /** The longest waits and the mishaps that it knows of, in its own words; nothing where it keeps none. */
  figures(): Promise<string>;
  close(): Promise<void>;
}

/** HAProxy where it is installed, and a balancer of our own otherwise. */
export async function openFrontDoor(dir: string, origins: readonly string[]): Promise<FrontDoor> {
  if (spawnSync('haproxy', ['-v']).status === 0) return startHaproxy(dir, origins);
  const balancer = await Balancer.open(origins);
  return {
    name: 'a balancer of our own',
    origin: balancer.origin,
    figures: async () => '',
    close: () => balancer.close(),
  };
}

/** The file that operators are given. */
const SHIPPED = join(import.meta.dirname, '../../../ops/haproxy.cfg');

/** More than any client here has, so that none waits unseen in the system's own line; each takes two files of those that a process may have. */
const CONNECTIONS = 7_000;

/** The shipped file with what differs here: its port, and as many connections as a machine of tests may have files for. */
function placed(differences: Readonly<Record<string, string>>): string {
  let text = readFileSync(SHIPPED, 'utf8');
  for (const [before, after] of Object.entries(differences)) {
    if (!text.includes(before)) throw new Error(`the file for HAProxy no longer says ${before}`);
    text = text.replace(before, after);
  }
  return text;
}

async function startHaproxy(dir: string, origins: readonly string[]): Promise<FrontDoor> {
  const port = await freePort();
  const file = join(dir, 'haproxy.cfg');
  const socket = join(dir, 'haproxy.sock');
  const global = `maxconn ${CONNECTIONS}\n  stats socket ${socket}`;
  writeFileSync(
    file,
    placed({
      'bind :8080': `bind 127.0.0.1:${port}`,
      'maxconn 20000': global,
      // All clients of a test come from one address.
      'sc0_conn_cur gt 500': `sc0_conn_cur gt ${CONNECTIONS}`,
    }),
  );
  const apis = Object.fromEntries(origins.map((origin, place) => [`API_${place + 1}`, new URL(origin).host]));
  const child = spawn('haproxy', ['-q', '-db', '-f', file], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, ...apis },
  });
  const ended = once(child, 'exit');
  preferred(child.pid as number);
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${origin}/healthz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
    await sleep(50);
  }
  return {
    name: 'HAProxy',
    origin,
    figures: () => readFigures(socket),
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * As docs/OPERATIONS.md advises where the balancer shares a machine with the processes: whoever sends customers away has to get to it
 * before those who have too much to do. Where the kernel shares the processor among sessions first, that goes for its session, too.
 * Without the right to it things stay as they are.
 */
function preferred(pid: number): void {
  try {
    setPriority(pid, -10);
    const group = `/proc/${pid}/autogroup`;
    if (existsSync(group)) writeFileSync(group, '-10');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!['ERR_SYSTEM_ERROR', 'EACCES', 'EPERM'].includes(String(code))) throw error;
  }
}

/** Counters of HAProxy's statistics: most at once, longest waits in ms, and what went wrong. */
const FIGURES =
  'qmax smax qtime_max ctime_max rtime_max ttime_max econ eresp wretr wredis cli_abrt srv_abrt'.split(' ');

async function readFigures(socket: string): Promise<string> {
  const connection = connect(socket);
  connection.end('show stat\n');
  const [head = '', ...rows] = (await text(connection)).trim().split('\n');
  const names = head.replace('# ', '').split(',');
  return rows
    .map((row) => row.split(','))
    .map((row) => [...row.slice(0, 2), ...FIGURES.map((name) => `${name} ${row[names.indexOf(name)] || 0}`)])
    .map((words) => words.join(' '))
    .join('\n');
}
