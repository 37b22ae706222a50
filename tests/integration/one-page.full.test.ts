import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { freePort, killAndWait } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A cause makes one page: Alertmanager with the shipped file, and the alerts that fire together for each cause. */
const OPS = join(import.meta.dirname, '../../ops');
const MANAGER = '/usr/bin/prometheus-alertmanager';
const SEVERITIES = new Map(
  [...readFileSync(join(OPS, 'alerts.yml'), 'utf8').matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)].map(
    ([, name, severity]) => [name as string, severity as string],
  ),
);
const home = mkdtempSync(join(tmpdir(), 'fairtick-one-page-'));
let origin: string;
let manager: ReturnType<typeof spawn>;

beforeAll(async () => {
  ensurePackages(MANAGER, 'prometheus-alertmanager');
  const address = `127.0.0.1:${await freePort()}`;
  manager = spawn(
    MANAGER,
    [
      `--config.file=${join(OPS, 'alertmanager.yml')}`,
      `--storage.path=${home}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore', detached: true },
  );
  origin = `http://${address}/api/v2`;
  await until(async () => (await fetch(`${origin}/status`).catch(() => null))?.ok ?? false);
}, 120_000);
afterAll(async () => {
  await killAndWait([manager?.pid as number]);
  rmSync(home, { recursive: true, force: true });
});

type Labels = Readonly<Record<string, string>>;

async function send(alerts: readonly Labels[], endsAt?: string): Promise<void> {
  const response = await fetch(`${origin}/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map((labels) => ({ labels, ...(endsAt ? { endsAt } : {}) }))),
  });
  expect(response.status).toBe(200);
}

/** The alerts that Alertmanager would send, by name. */
async function told(): Promise<string[]> {
  const answer = await fetch(`${origin}/alerts?inhibited=false&silenced=false`);
  const alerts = (await answer.json()) as { labels: { alertname: string } }[];
  return alerts.map(({ labels }) => labels.alertname).sort();
}

const on = (machine: string, ...names: readonly string[]): Labels[] =>
  names.map((alertname) => ({ alertname, machine, severity: SEVERITIES.get(alertname) as string }));

test.each<[cause: string, fires: readonly Labels[], tells: readonly string[]]>([
  [
    'a starved machine',
    on(
      'a',
      ...[
        'FairtickMachineStarved',
        'FairtickDown',
        'FairtickDatabaseAway',
        'FairtickUnreachable',
        'FairtickLogSilent',
      ],
      ...[
        'FairtickPriceOld',
        'FairtickSettlementBehind',
        'FairtickAcceptancesNotLogged',
        'FairtickTakeovers',
      ],
      ...['FairtickLeadLost', 'FairtickDecisionsDelayed', 'FairtickPlacementSlow', 'FairtickSourcesShort'],
      ...[
        'FairtickSourcesAllLate',
        'FairtickErrors',
        'FairtickEventLoopSlow',
        'FairtickNoStandby',
        'FairtickSourceLost',
      ],
    ),
    ['FairtickMachineStarved'],
  ],
  [
    'a starved machine whose database answers',
    on('a', 'FairtickMachineStarved', 'FairtickWalNotArchived', 'FairtickEventLoopSlow'),
    ['FairtickMachineStarved'],
  ],
  [
    'a full disk of the database',
    on(
      'a',
      ...['FairtickDiskExhausted', 'FairtickDiskFull', 'FairtickWalNotArchived', 'FairtickDatabaseAway'],
      ...['FairtickLogSilent', 'FairtickUnreachable', 'FairtickErrors', 'FairtickBackupOld'],
    ),
    ['FairtickDiskExhausted'],
  ],
  [
    'a database that is away',
    on(
      'a',
      ...[
        'FairtickDatabaseAway',
        'FairtickUnreachable',
        'FairtickErrors',
        'FairtickOfficeErrors',
        'FairtickLogSilent',
      ],
      ...['FairtickWalNotArchived', 'FairtickNoStandby'],
    ),
    ['FairtickDatabaseAway'],
  ],
  [
    'a network without a way to the processes',
    on(
      'a',
      'FairtickAllDown',
      'FairtickDown',
      'FairtickUnreachable',
      'FairtickLogSilent',
      'FairtickNoStandby',
    ),
    ['FairtickAllDown'],
  ],
  [
    'a feed without a standby that is killed',
    on(
      'a',
      'FairtickLogSilent',
      'FairtickDown',
      'FairtickUnreachable',
      'FairtickAcceptancesNotLogged',
      'FairtickPriceOld',
    ),
    ['FairtickLogSilent'],
  ],
  [
    'an engine that is paused',
    on('a', 'FairtickSettlementBehind', 'FairtickDown', 'FairtickUnreachable', 'FairtickLeadLost'),
    ['FairtickSettlementBehind'],
  ],
  [
    'an API that dies again and again',
    on('a', 'FairtickRestarts', 'FairtickUnreachable', 'FairtickDown'),
    ['FairtickRestarts'],
  ],
  ['all APIs that are killed', on('a', 'FairtickUnreachable', 'FairtickDown'), ['FairtickUnreachable']],
  [
    'a cluster without a primary',
    on(
      '',
      'FairtickNoPrimary',
      'FairtickNoSynchronousStandby',
      'FairtickDatabaseAway',
      'FairtickUnreachable',
    ),
    ['FairtickNoPrimary'],
  ],
  [
    'two causes: a full disk of pictures, and books that are wrong',
    on('a', 'FairtickDiskFull', 'FairtickLedgerWrong', 'FairtickAuditFindings'),
    ['FairtickAuditFindings', 'FairtickDiskFull', 'FairtickLedgerWrong'],
  ],
  [
    'a process that is down, and customers who are not reached for another reason',
    on('a', 'FairtickDown', 'FairtickUnreachable'),
    ['FairtickUnreachable'],
  ],
])('%s tells its cause alone', async (_cause, fires, tells) => {
  for (const { alertname } of fires) expect(SEVERITIES.has(alertname as string)).toBe(true);
  await send(fires);
  await expect.poll(told).toEqual(tells);
  await send(fires, new Date().toISOString());
  await expect.poll(told).toEqual([]);
});
