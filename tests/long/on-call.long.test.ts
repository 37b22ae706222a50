import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OfficeClient } from '@fairtick/kit/clients/office-client.ts';
import { type Disk, smallDisk } from '@fairtick/kit/processes/disks.ts';
import { OnCall } from '@fairtick/kit/processes/on-call.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import {
  openInstallation,
  type RoleProcess,
  type Installation as Roles,
} from '@fairtick/kit/processes/role-processes.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Outages, full disks and refused logins are told within a minute: by Prometheus, its prober, Alertmanager and HAProxy with the shipped files. One
 * installation has a database server of its own, which archives nothing; another one has the embedded database, with its data,
 * pictures, backups and archive on a disk each.
 */
const TOLD_S = 60;
/** How long the outside service waits for the message of the watchdog, in seconds. */
const PATIENCE_S = 30;
/** An API dies so long after its start, in ms. */
const LIFE_MS = 9_000;

let own: Roles;
let api: RoleProcess;
let environment: Record<string, string>;
const embedded = new Installation(mkdtempSync(join(tmpdir(), 'fairtick-on-call-data-')));
const backupDir = mkdtempSync(join(tmpdir(), 'fairtick-on-call-backup-'));
const FOLDERS: Readonly<Record<string, string>> = {
  data: embedded.dataDir,
  uploads: join(embedded.dataDir, 'uploads'),
  backup: backupDir,
  archive: join(backupDir, 'wal'),
};
const disks: Disk[] = [];
let onCall: OnCall;

beforeAll(async () => {
  disks.push(
    ...Object.entries(FOLDERS).map(([name, folder]) => smallDisk(folder, name === 'data' ? 1_500 : 400)),
  );
  const [first, second, third, office] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  await embedded.startReady({ BACKUP_DIR: backupDir, METRICS_PORT: String(first), OFFICE_PORT: 'off' });
  own = await openInstallation();
  await own.start('engine,feed', { METRICS_PORT: String(second) });
  environment = { METRICS_PORT: String(third), OFFICE_PORT: String(office) };
  api = await own.start('api', environment);
  await api.untilReady();
  environment.PORT = String(api.port);
  onCall = await OnCall.open(
    [first, second, third].map((port) => `127.0.0.1:${port}`),
    { api: api.origin, office: `http://127.0.0.1:${office}` },
  );
}, 300_000);
afterAll(async () => {
  await onCall?.close();
  await own?.close();
  await embedded.killAll();
  for (const disk of disks.reverse()) disk.close();
  await embedded.close();
  rmSync(backupDir, { recursive: true, force: true });
}, 120_000);

/** Expects that a page was sent in time, and prints after how many seconds. */
function inTime(what: string, seconds: number): void {
  console.log(`${what}: told after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(TOLD_S);
}

test('an installation at work sends no page in a minute and a half, also where WAL is not archived', async () => {
  await until(() => onCall.messages.some(({ receiver }) => receiver === 'watchdog'), 60_000);
  await sleep(90_000);
  expect(onCall.messages.filter(({ receiver }) => receiver === 'pager')).toEqual([]);
  expect(new Set(onCall.messages.map(({ labels }) => labels.alertname))).not.toContain(
    'FairtickWalNotArchived',
  );
}, 240_000);

test('a balancer that is away is told, and so is the next outage within five minutes', async () => {
  for (const outage of ['first', 'second']) {
    const away = performance.now();
    await onCall.kill('haproxy');
    inTime(`the balancer is away, ${outage} outage`, await onCall.told('FairtickUnreachable', away));
    onCall.startBalancer();
    await onCall.ended('FairtickUnreachable', away);
  }
}, 400_000);

test('an API that dies every nine seconds is told', async () => {
  const firstDeath = performance.now();
  let isTold = false;
  const told = onCall.told('FairtickRestarts', firstDeath).finally(() => {
    isTold = true;
  });
  while (!isTold) {
    await api.kill();
    api = await own.start('api', environment);
    await Promise.race([sleep(LIFE_MS), told]);
  }
  inTime('an API dies every 9 s', await told);
  await api.untilReady();
}, 240_000);

test.each(Object.entries(FOLDERS))(
  'a full disk of the folder %s is told',
  async (folder, path) => {
    const ballast = join(path, 'ballast');
    const { bavail, blocks, bsize } = await statfs(path);
    const full = performance.now();
    execFileSync('fallocate', ['-l', String((bavail - Math.floor(blocks * 0.07)) * bsize), ballast]);
    inTime(`the disk of ${folder} is full`, await onCall.told('FairtickDiskFull', full, { folder }));
    rmSync(ballast);
  },
  240_000,
);

test('a burst of refused logins of staff is told', async () => {
  const office = new OfficeClient(`http://127.0.0.1:${environment.OFFICE_PORT}`);
  await until(async () => (await fetch(`${office.origin}/healthz`).catch(() => null))?.ok ?? false);
  // The process that has just started is scraped before the burst.
  await sleep(10_000);
  const burst = performance.now();
  const answers = [];
  for (let guess = 0; guess < 40; guess += 1)
    answers.push(await office.post('session/login', { account: 'somebody', password: `guess ${guess}` }));
  expect(answers.every(({ body }) => body.code !== 1)).toBe(true);
  console.log(`answers of the burst: ${[...new Set(answers.map(({ body }) => body.error))].join(', ')}`);
  inTime('a burst of refused logins', await onCall.told('FairtickOfficeLoginsRefused', burst));
}, 240_000);

test('an outside service is told that Prometheus is away', async () => {
  const pings = () =>
    onCall.messages.filter(({ receiver }) => receiver === 'watchdog').map(({ atMs }) => atMs);
  const gaps = pings()
    .slice(1)
    .map((atMs, place) => (atMs - (pings()[place] as number)) / 1000);
  console.log(`the watchdog's message comes after ${Math.max(...gaps).toFixed(1)} s at most`);
  expect(Math.max(...gaps)).toBeLessThan(PATIENCE_S);
  const away = performance.now();
  await onCall.kill('prometheus');
  await until(() => performance.now() - (pings().at(-1) as number) > PATIENCE_S * 1000, 150_000);
  inTime('Prometheus is away', (performance.now() - away) / 1000);
}, 240_000);
