import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { hashToken, newToken } from '../apps/server/src/customers/identity/passwords.ts';
import { type BenchInstallation, openInstallation } from './kit/installation.ts';
import { cpuMsOf, familyCpuMs, inTurn, median, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * An order over HTTP against an empty authenticated POST of the same HTTP layer in the same process, with feed, engine, signing
 * and synchronous_commit on. Orders last an hour, so that none settles meanwhile. CPU is the server's and the database's, minus
 * what both use when idle.
 *   npm run bench -- http-orders
 */
const ROUNDS = sized(5, 1);
const WARM_UP_ROUNDS = sized(3, 1);
const LOAD_MS = sized(4_000, 500);
const IDLE_MS = sized(5_000, 500);
const CUSTOMERS = sized(5_000, 100);
/** Concurrent connections; the command line can set others. */
const CONNECTIONS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : sized([64, 256], [4]);
const SYMBOLS = ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'LTC/USDT'];
const run = promisify(execFile);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Figures {
  readonly rate: number;
  readonly cpuMicros: number;
  readonly serverMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
}

const installation = await openInstallation();
const tokenFile = join(installation.dataDir, 'tokens');
writeFileSync(tokenFile, (await makeCustomers(installation)).join('\n'));
const port = await freePort();
const server = await startServer(port);
try {
  await untilOpen(installation);
  const idle = await cpuOver(() => sleep(IDLE_MS));
  const rows: (string | number)[][] = [];
  for (const connections of CONNECTIONS) {
    // Warm-up: before their code is compiled, the first thousands of requests cost twice as much as all others.
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await load('order', connections, idle);
    await load('empty', connections, idle);
    const results = await inTurn(ROUNDS, {
      empty: () => load('empty', connections, idle),
      order: () => load('order', connections, idle),
    });
    const middle = (kind: string, figure: keyof Figures) =>
      median((results[kind] ?? []).map((result) => result[figure]));
    for (const kind of ['empty', 'order']) {
      rows.push([
        connections,
        kind === 'empty' ? 'empty POST' : 'order',
        Math.round(middle(kind, 'rate')),
        (middle('empty', 'rate') / middle(kind, 'rate')).toFixed(2),
        Math.round(middle(kind, 'cpuMicros')),
        Math.round(middle(kind, 'serverMicros')),
        (middle(kind, 'cpuMicros') / middle('empty', 'cpuMicros')).toFixed(2),
        `${middle(kind, 'p50Ms').toFixed(0)} / ${middle(kind, 'p99Ms').toFixed(0)}`,
        middle(kind, 'refused'),
      ]);
    }
  }
  const head = [
    'connections',
    'request',
    'a second',
    '× time',
    'CPU µs',
    'of these Node',
    '× CPU',
    'p50 / p99 ms',
    'refused',
  ];
  printTable(head, rows);
} finally {
  server.kill('SIGINT');
  await once(server, 'exit');
  await installation.close();
}

async function makeCustomers({ owner }: BenchInstallation): Promise<string[]> {
  const tokens = Array.from({ length: CUSTOMERS }, () => newToken());
  await owner.query(
    `with made as (
       insert into customers (account, nickname, password_hash) select 'bench' || i, 'bench', 'no hash'
       from generate_series(1, $1) i returning id
     ), placed as (select id, row_number() over (order by id) as place from made), opened as (
       select id, place, ledger.open_balances(id) from placed
     )
     insert into sessions (token_hash, customer_id, fresh_until, user_agent)
     select t.hash, o.id, now() + interval '1 day', 'bench' from opened o
     join unnest($2::bytea[]) with ordinality as t (hash, place) using (place)`,
    [CUSTOMERS, tokens.map(hashToken)],
  );
  await owner.query(
    `select ledger.reset_practice('first', sha256(id::text::bytea), id, 1::smallint) from customers`,
  );
  await owner.query('analyze');
  return tokens;
}

/** Orders are accepted only after prices have arrived for a while. */
async function untilOpen({ owner }: BenchInstallation): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ open: number }>(
      `select count(*)::int as open from product_states s join products p on p.id = s.product_id
       where p.symbol = any ($1) and s.orders_from_ms < log_now() and s.gap_reason is null`,
      [SYMBOLS],
    );
    if (rows[0]?.open === SYMBOLS.length) return;
    await sleep(250);
  }
}

async function startServer(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...process.execArgv, script('kit/http-server.ts')], {
    env: {
      ...process.env,
      MODE: 'demo',
      PORT: String(port),
      DATA_DIR: installation.dataDir,
      PUBLIC_ORIGIN: 'http://bench.invalid',
      LIMIT_ORDERS: '100000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

interface Cpu {
  readonly serverMs: number;
  readonly databaseMs: number;
  readonly wallMs: number;
}

async function cpuOver(work: () => Promise<unknown>): Promise<Cpu> {
  const databaseMs = () => familyCpuMs(installation.postmaster);
  const before = { server: cpuMsOf(server.pid as number), database: databaseMs(), at: performance.now() };
  await work();
  return {
    serverMs: cpuMsOf(server.pid as number) - before.server,
    databaseMs: databaseMs() - before.database,
    wallMs: performance.now() - before.at,
  };
}

async function load(kind: 'empty' | 'order', connections: number, idle: Cpu): Promise<Figures> {
  let output = '';
  const cpu = await cpuOver(async () => {
    const target = kind === 'order' ? port : port + 1;
    const args = [script('kit/http-load.ts'), target, kind, connections, LOAD_MS, tokenFile, SYMBOLS].map(
      String,
    );
    output = (await run(process.execPath, args)).stdout;
  });
  const { answers, refused, p50Ms, p99Ms } = JSON.parse(output) as Record<string, number> & {
    answers: number;
  };
  const share = cpu.wallMs / idle.wallMs;
  const serverMs = cpu.serverMs - idle.serverMs * share;
  const databaseMs = cpu.databaseMs - idle.databaseMs * share;
  return {
    rate: (answers * 1000) / LOAD_MS,
    cpuMicros: ((serverMs + databaseMs) * 1000) / answers,
    serverMicros: (serverMs * 1000) / answers,
    p50Ms: p50Ms ?? 0,
    p99Ms: p99Ms ?? 0,
    refused: refused ?? 0,
  };
}
