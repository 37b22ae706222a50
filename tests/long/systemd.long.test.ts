import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { SystemdMachine } from '@fairtick/kit/processes/systemd-machine.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, onTestFailed, onTestFinished, test } from 'vitest';

/**
 * The way in of an operator: the lines of docs/OPERATIONS.md, "With systemd" and "Several processes", typed on a Debian that systemd
 * has booted. The tests follow one another, and each leaves the processes running with their settings, also when it fails.
 */
const ROOT = join(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/OPERATIONS.md'), 'utf8');

/** The code blocks of a chapter, in order. */
function blocksOf(title: string): string[] {
  const start = GUIDE.indexOf(`\n${title}\n`);
  const chapter = GUIDE.slice(start, GUIDE.indexOf('\n## ', start + 5));
  return [...chapter.matchAll(/```\n([\s\S]*?)```/g)].map(([, text]) => text as string);
}

/** The version of npm that the lines are typed with; null: this machine's. */
const npm = process.env.NPM ?? null;

let machine: SystemdMachine;
beforeAll(async () => {
  ensurePackages('/usr/sbin/haproxy', 'haproxy');
  ensurePackages('/usr/lib/postgresql/15/bin/initdb', 'postgresql-15');
  machine = await SystemdMachine.boot(npm);
  if (npm !== null)
    expect(machine.root('npm --version')).toSatisfy((version: string) => version.startsWith(npm));
}, 180_000);
afterAll(async () => {
  await machine?.close();
});

const ready = (port: number) => machine.succeeds(`curl -sf -m 5 localhost:${port}/readyz`);
const property = (unit: string, name: string) => machine.root(`systemctl show ${unit} -p ${name} --value`);
const linesOf = (unit: string) => machine.root(`journalctl -u ${unit} -o cat --no-pager || true`).split('\n');

/** Waits for an event of a unit. @throws Error with the unit's last lines when it does not come */
async function untilOf(unit: string, event: () => boolean): Promise<void> {
  await until(event).catch((error: Error) => {
    throw new Error(`${unit}: ${error.message}\n${linesOf(unit).slice(-30).join('\n')}`);
  });
}

const [install, command] = blocksOf('## With systemd') as [string, string];

test('the lines of the page install and start one process', async () => {
  // The project is there already, with its packages; the origin is this machine, because no other name exists here.
  const typed = install
    .replace(/^git clone.*$/m, 'cd /opt/fairtick && npm run build')
    .replace('https://trade.example', 'http://localhost:3000');
  machine.root(typed);
  await untilOf('fairtick', () => ready(3000));
  expect(machine.root('stat -c "%U %G %a" /etc/fairtick/fairtick.env')).toBe('root fairtick 640');
  expect(machine.root('stat -c "%U %a" /var/lib/fairtick/socket')).toBe('fairtick 700');
  expect(machine.root('ls /tmp')).not.toMatch(/fairtick-/);
  // The command fails when a check does.
  expect(machine.root(command)).toMatch(/^ok {4}/m);
}, 180_000);

test('each unit is exposed by 3 at most, of 10', () => {
  for (const unit of [
    'fairtick.service',
    'fairtick@api-1.service',
    'fairtick-backup.service',
    'fairtick-balancer.service',
  ]) {
    const told = machine.root(
      `systemd-analyze security --offline=true /etc/systemd/system/${unit.replace('api-1', '')} | tail -1`,
    );
    expect(Number(/: ([\d.]+)/.exec(told)?.[1]), told).toBeLessThanOrEqual(3);
  }
});

test('a killed process is started again, and a base backup is made beside it', async () => {
  machine.root('systemctl kill -s KILL --kill-who=main fairtick');
  await untilOf('fairtick', () => property('fairtick', 'NRestarts') === '1' && ready(3000));
  machine.root('systemctl start fairtick-backup');
  expect(machine.root('ls /var/backups/fairtick/base')).not.toBe('');
  // Neither the backup nor a command after it takes the database for its own, which it would stop.
  const postmaster = () => machine.root('head -1 /var/lib/fairtick/postgres/postmaster.pid');
  const before = postmaster();
  machine.root(command);
  expect([postmaster(), machine.root('cut -d" " -f1 /var/lib/fairtick/owner.pid')]).toEqual([
    before,
    property('fairtick', 'MainPID'),
  ]);
}, 120_000);

test('the lines of the page restore everything from the backup and the lost WAL', async () => {
  const [lines] = blocksOf('### Restore') as [string];
  const restoring = lines.split('\n').filter((line) => !/look|--yes$|^# [23]/.test(line));
  const placed = machine.root('curl -sf localhost:3000/api/transparency/checkpoint').split('\n')[1];
  onTestFailed(() => {
    machine.root(`systemctl stop fairtick fairtick-backup.timer
      if [ -e /var/lib/fairtick.lost ]; then rm -rf /var/lib/fairtick; mv /var/lib/fairtick.lost /var/lib/fairtick; fi
      systemctl reset-failed; systemctl start fairtick fairtick-backup.timer`);
  });
  expect(() =>
    machine.root(`cd /opt/fairtick && npm run admin -- restore /var/backups/fairtick --data /srv/x --yes`),
  ).toThrow(/belongs to user \d+/);
  expect(machine.root(restoring.join('\n'))).toMatch(/^ok {4}/m);
  await untilOf('fairtick', () => ready(3000));
  const now = machine.root('curl -sf localhost:3000/api/transparency/checkpoint').split('\n')[1];
  expect(Number(now)).toBeGreaterThan(Number(placed));
}, 120_000);

test('a wrong setting stops the unit at once, and the journal says why', async () => {
  onTestFinished(async () => {
    machine.root(`sed -i /LIMIT_ORDERS/d /etc/fairtick/fairtick.env
      systemctl reset-failed fairtick && systemctl start fairtick`);
    await untilOf('fairtick', () => ready(3000));
  });
  machine.root('echo LIMIT_ORDERS=many >> /etc/fairtick/fairtick.env && systemctl restart fairtick');
  await until(() => property('fairtick', 'ActiveState') === 'failed');
  expect([property('fairtick', 'NRestarts'), property('fairtick', 'ExecMainStatus')]).toEqual(['0', '2']);
  expect(linesOf('fairtick').filter((line) => /could not start.*LIMIT_ORDERS/.test(line))).toHaveLength(1);
}, 120_000);

test('the lines of the page start six processes on a database of one’s own, behind HAProxy', async () => {
  const [database, several] = blocksOf('## Several processes') as [string, string];
  machine.root(`pg_createcluster 15 fairtick -p 5466 -- -A trust >/dev/null && pg_ctlcluster 15 fairtick start
    setpriv --reuid postgres --regid postgres --init-groups psql -q -p 5466 -v ON_ERROR_STOP=1 <<'END'\n${database.replace('…', 'x')}END
    pg_ctlcluster 15 fairtick restart`);
  // A machine that allows fewer open files than HAProxy's connections need.
  machine.root(
    `[ "$(ulimit -Hn)" -ge 40100 ] || sed -i 's/maxconn 20000/maxconn 9000/' /opt/fairtick/ops/haproxy.cfg`,
  );
  machine.root(several.replace('postgres://…', 'postgres://fairtick_owner:x@127.0.0.1:5466/fairtick'));
  await untilOf('fairtick@api-1', () => ready(3001) && ready(3002) && ready(8080));
  expect(machine.root('curl -s -o /dev/null -w %{http_code} localhost:8081/healthz')).toBe('200');
  for (const port of [9101, 9102, 9111, 9112, 9121, 9122])
    expect(machine.root(`curl -sf localhost:${port}/metrics`)).toContain('fairtick_log_size');
  expect(linesOf('fairtick@api-1').join('\n')).toMatch(
    /differs from the one that was measured .*shared_buffers 128MB/,
  );
  const answer = JSON.parse(
    machine.root(`curl -sf -X POST localhost:8080/api/user/register -d lang=en -d account=newcomer \
      -d password='correct horse battery' -d confirmPassword='correct horse battery'`),
  ) as { code: number };
  expect(answer.code).toBe(1);
  // The balancer's line and the security log have the same number of the request; no line names the account.
  const apis = ['fairtick@api-1', 'fairtick@api-2'].flatMap(linesOf);
  const note = JSON.parse(apis.find((line) => line.includes('"operation":"user/register"')) ?? '{}');
  expect(note).toMatchObject({ about: 'security', answer: 'done' });
  expect(linesOf('fairtick-balancer').some((line) => line.includes(note.requestId))).toBe(true);
  expect(apis.join('\n')).not.toContain('newcomer');
  for (const line of apis.filter((one) => !/^(Started|Starting|Stopped|Stopping|fairtick@)/.test(one)))
    JSON.parse(line);
  expect(
    linesOf('fairtick-balancer').some((line) =>
      /"path":"\/api\/user\/register","id":"[0-9a-f-]{36}"/.test(line),
    ),
  ).toBe(true);
}, 240_000);

test('a database that is away is waited for, with few lines, and no process ends', async () => {
  const units = ['api-1', 'engine-1', 'feed-1', 'api-2', 'engine-2', 'feed-2'].map(
    (name) => `fairtick@${name}`,
  );
  const before = units.map((unit) => linesOf(unit).length);
  machine.root('pg_ctlcluster 15 fairtick stop -m immediate');
  machine.root('systemctl restart fairtick@api-2');
  await until(() => linesOf('fairtick@api-2').some((line) => line.includes('waiting for the database')));
  machine.root(
    'sleep 20; for n in $(seq 40); do curl -s -m 5 localhost:3001/api/product/list >/dev/null; done; pg_ctlcluster 15 fairtick start',
  );
  await untilOf('fairtick@api-2', () => ready(3001) && ready(3002));
  const written = units.map((unit, place) => linesOf(unit).length - (before[place] as number));
  console.log(
    `lines while the database was away: ${units.map((unit, place) => `${unit} ${written[place]}`).join(', ')}`,
  );
  for (const lines of written) expect(lines).toBeLessThan(60);
  for (const unit of units) expect(property(unit, 'NRestarts')).toBe('0');
}, 180_000);

test('the tools of Prometheus accept the files, and HAProxy says which address is missing', () => {
  ensurePackages('/usr/bin/promtool', 'prometheus');
  ensurePackages('/usr/bin/amtool', 'prometheus-alertmanager');
  const folder = mkdtempSync(join(tmpdir(), 'fairtick-prometheus-'));
  try {
    for (const file of ['prometheus.yml', 'alerts.yml']) cpSync(join(ROOT, 'ops', file), join(folder, file));
    const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
    expect(run('promtool', 'check', 'config', join(folder, 'prometheus.yml')).status).toBe(0);
    expect(run('amtool', 'check-config', join(ROOT, 'ops/alertmanager.yml')).status).toBe(0);
    const checked = run('haproxy', '-c', '-f', join(ROOT, 'ops/haproxy.cfg'));
    expect([checked.status, checked.stderr]).toEqual([1, expect.stringContaining('set API_1, and API_2')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
