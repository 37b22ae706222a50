import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import { familyOf, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Memory of an idle demo (feed, engine, API, database) and how long it takes to start, against an empty Node process and an
 * empty PostgreSQL with its own default settings. Memory is PSS: pages that processes share count once.
 *   npm run bench -- footprint [SECONDS]
 */
const IDLE_MS = Number(process.argv[2] ?? sized(60, 1)) * 1_000;
/** PostgreSQL's own defaults for settings that the product changes. */
const DEFAULTS = { shared_buffers: '128MB', max_connections: '100', max_wal_size: '1GB' };

const baseline = await measureBaseline();
const product = await measureProduct();
const row = (name: string, before: number, after: number, digits: number) => [
  name,
  before.toFixed(digits),
  after.toFixed(digits),
  (after / before).toFixed(2),
];
printTable(
  ['what', 'empty Node and PostgreSQL', 'Fairtick', '×'],
  [
    row('Node, MB', baseline.nodeMb, product.nodeMb, 0),
    row('PostgreSQL, MB', baseline.databaseMb, product.databaseMb, 0),
    row('together, MB', baseline.nodeMb + baseline.databaseMb, product.nodeMb + product.databaseMb, 0),
    row('first start, s', baseline.firstS, product.firstS, 1),
    row('later start, s', baseline.laterS, product.laterS, 1),
    row('start after kill -9 of everything, s', baseline.killedS, product.killedS, 1),
  ],
);

interface Figures {
  readonly nodeMb: number;
  readonly databaseMb: number;
  readonly firstS: number;
  readonly laterS: number;
  readonly killedS: number;
}

async function measureProduct(): Promise<Figures> {
  const installation = new Installation();
  try {
    const start = () =>
      seconds(async () => {
        const server = await installation.start();
        await server.untilReady();
        return server;
      });
    const first = await start();
    await first.result.stop();
    const later = await start();
    await sleep(IDLE_MS);
    const postmaster = postmasterOf(installation.dataDir);
    const databaseMb = megabytesOf(familyOf(postmaster));
    const nodeMb = megabytesOf([later.result.pid]);
    await installation.killAll();
    const killed = await start();
    await killed.result.stop();
    return { nodeMb, databaseMb, firstS: first.seconds, laterS: later.seconds, killedS: killed.seconds };
  } finally {
    await installation.close();
  }
}

async function measureBaseline(): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-empty-'));
  const node = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    const start = () => seconds(() => startEmbedded(dataDir, () => {}, DEFAULTS));
    const first = await start();
    await first.result.stop();
    const later = await start();
    await sleep(2_000);
    const postmaster = postmasterOf(dataDir);
    const databaseMb = megabytesOf(familyOf(postmaster));
    const nodeMb = megabytesOf([node.pid as number]);
    for (const pid of familyOf(postmaster)) process.kill(pid, 'SIGKILL');
    await sleep(500);
    const killed = await start();
    await killed.result.stop();
    return { nodeMb, databaseMb, firstS: first.seconds, laterS: later.seconds, killedS: killed.seconds };
  } finally {
    node.kill();
    await once(node, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function seconds<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const startMs = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - startMs) / 1000 };
}

function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

function megabytesOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}
