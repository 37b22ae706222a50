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

/** The load balancer in front of the API processes. */
export interface FrontDoor {
  readonly name: string;
  readonly origin: string;
  /** Null: the balancer is within this process. */
  readonly pid: number | null;
  /** The balancer's own statistics: longest waits and errors; empty if it keeps none. */
  figures(): Promise<string>;
  close(): Promise<void>;
}

/**
 * HAProxy where it is installed, otherwise the tests' own balancer, which bounds neither a request's wait nor the requests at once.
 * @throws Error without HAProxy where those bounds are part of what is tested
 */
export async function openFrontDoor(
  dir: string,
  origins: readonly string[],
  { needsBounds = false } = {},
): Promise<FrontDoor> {
  if (spawnSync('haproxy', ['-v']).status === 0) return startHaproxy(dir, origins);
  if (needsBounds) throw new Error('this needs HAProxy: install the package haproxy');
  const balancer = await Balancer.open(origins);
  return {
    name: 'a balancer of our own',
    origin: balancer.origin,
    pid: null,
    figures: async () => '',
    close: () => balancer.close(),
  };
}

/** The configuration file shipped to operators. */
const SHIPPED = join(import.meta.dirname, '../../../ops/haproxy.cfg');

/**
 * More than any test's clients open, so that none waits unseen in the kernel's queue; each takes two file descriptors of the
 * process.
 */
const CONNECTIONS = 7_000;

/** The shipped file with the differences here: its port, and as many connections as a test machine allows file descriptors. */
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
    pid: child.pid as number,
    figures: () => readFigures(socket),
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Raises HAProxy's priority, as docs/OPERATIONS.md advises where the balancer shares a machine with the processes: it must get
 * processor time to send customers away while the processes are overloaded. Where the kernel first divides the processor among
 * sessions (autogroups), the session's priority is raised too. Without permission it changes nothing.
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

/** Columns of HAProxy's statistics: maximum queue, sessions now and at most, longest waits in ms, and errors. */
const FIGURES =
  'qmax scur smax qtime_max ctime_max rtime_max ttime_max econ eresp wretr wredis cli_abrt srv_abrt'.split(
    ' ',
  );

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
