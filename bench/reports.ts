import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { REPORT_NAMES, type ReportName } from '@fairtick/protocol/office';
import pg from 'pg';
import { loadSigningKeys } from '../apps/server/src/market/keys/signing-keys.ts';
import { exportReport } from '../apps/server/src/office/reports/export-report.ts';
import { beginExport } from '../apps/server/src/office/reports/office.ts';
import { Assets } from '../apps/server/src/platform/assets.ts';
import { call } from '../apps/server/src/platform/db/call.ts';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import { FILLING, fill, NOW_MS } from './kit/fill.ts';
import { LOG_ORIGIN } from './kit/installation.ts';
import { printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Every report of a month with many orders: time, rows, and the memory that this process needs above its own. It fails if a report needs
 * more than {@link MOST_MB}, or if the movements since the beginning are not the trial balance.
 *   npm run bench -- reports [ORDERS]
 */
const ORDERS = Number(process.argv[2] ?? sized(1_000_000, 2_500));
const MOST_MB = 200;
const TICKS = sized(300_000, 300_000);
const MONTH_MS = 31 * 86_400_000;

const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-reports-'));
try {
  const filling = await startEmbedded(dataDir, () => {}, FILLING);
  const base = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  await fill(base.admin, 'large', { orders: ORDERS, ticks: TICKS, dataDir });
  await filling.stop();
  const running = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  try {
    await measure({ ...running.admin, database: 'large' });
  } finally {
    await running.embedded?.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...address, options: '-c timezone=UTC -c jit=off' });
  await client.connect();
  try {
    const rows: string[][] = [];
    for (const report of REPORT_NAMES) rows.push(await measureReport(client, report));
    printTable(
      ['report', 'rows', 'MB', 'first row, s', 'all, s', 'memory above, MB', 'longest task, ms'],
      rows,
    );
    await expectTrialBalance(client);
  } finally {
    await client.end();
  }
}

async function measureReport(client: pg.Client, report: ReportName): Promise<string[]> {
  const signer = loadSigningKeys(join(dataDir, 'signing.key'), LOG_ORIGIN).acceptances;
  const order = { staff: null, report, format: 'csv', zone: 'UTC', reason: 'a benchmark' };
  const [since, until] = [new Date(NOW_MS - MONTH_MS), new Date(Date.now() + 60_000)];
  const id = await call<string>(client, 'report_order', { ...order, since, until });
  const begun = await beginExport(client, { id, staffId: null });
  const parts = { client, assets: await Assets.load(client), signer, staffId: null };
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let [bytes, chunks, firstMs, most] = [0, 0, 0, 0];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedMs = performance.now();
  for await (const chunk of exportReport(parts, begun)) {
    bytes += chunk.length;
    chunks += 1;
    // The first chunk has the names of the columns alone.
    if (chunks === 2) firstMs = performance.now() - startedMs;
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  const tookMs = performance.now() - startedMs;
  delay.disable();
  const { rows } = await client.query<{ rows: string }>('select rows from report_exports where id = $1', [
    begun.id,
  ]);
  const mb = most / 2 ** 20;
  if (mb > MOST_MB) throw new Error(`${report} needs ${Math.round(mb)} MB`);
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return [
    report,
    String(rows[0]?.rows),
    (bytes / 2 ** 20).toFixed(1),
    seconds(firstMs),
    seconds(tookMs),
    mb.toFixed(0),
    (delay.max / 1e6).toFixed(0),
  ];
}

/** @throws Error unless the totals of the movements are the balances of all accounts */
async function expectTrialBalance(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; balance: string }>(
    `select split_part(b.account, ' ', 1) || ' ' || a.code as name, round(sum(b.balance) / 10::numeric ^ a.scale, a.scale)::text as balance
     from trial_balance() b join ledger.assets a on a.id = b.asset_id group by 1, a.scale having sum(b.balance) <> 0 order by 1`,
  );
  const { rows: notes } = await client.query<{ note: string }>(
    `select note from report_exports where report = 'movements'`,
  );
  const totals = new Map(
    [...(notes[0]?.note ?? '').matchAll(/^total (\S+ \S+) (\S+)$/gm)].map(([, name, sum]) => [name, sum]),
  );
  if (rows.length === 0) throw new Error('the trial balance is empty');
  for (const { name, balance } of rows)
    if (totals.get(name) !== balance)
      throw new Error(`${name}: the movements say ${totals.get(name)}, the trial balance ${balance}`);
  console.log(
    `The movements are the trial balance: ${rows.map(({ name, balance }) => `${name} ${balance}`).join(', ')}`,
  );
}
