import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anchorsOf } from '@fairtick/kit/anchors.ts';
import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { OfficeClient, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { type RunningApi, WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { COSIGNATURE_TYPE, generateNoteKey } from '@fairtick/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readWitnesses, type Witness } from '../../apps/server/src/config/witness-setting.ts';
import type { LiveReport } from '../../apps/server/src/market/feeds/live/live-report.ts';

const ROOT = join(import.meta.dirname, '../..');
const RULES = readFileSync(join(ROOT, 'ops/alerts.yml'), 'utf8');
const PROOFS = readFileSync(join(ROOT, 'ops/alerts.test.yml'), 'utf8');
const DRILL = readFileSync(join(ROOT, 'docs/ALERTS.md'), 'utf8');
const WITNESS = generateNoteKey('witness.example', randomBytes(32), COSIGNATURE_TYPE).verifierKey;

const seriesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^(fairtick_\w+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, name, value]) => [
      name as string,
      Number(value),
    ]),
  );

const LIVE_REPORT: LiveReport = {
  sources: [
    {
      ...{ source: 'okx', isConnected: true, reconnects: 0, gaps: 0, ignored: 0, refused: 0, fault: null },
      ...{ prices: 9, lastMs: 1, quotesPerSecond: 0.2, lagP50: 20, lagP99: 30, clockMs: -5 },
      ticks: { use: 3, stale: 1, outlier: 0, none: 0 },
    },
  ],
  products: [
    { symbol: 'BTC/USDT', isOpen: true, sources: 1, priced: 1, quorum: 1 },
    { symbol: 'XAU/USD', isOpen: false, sources: 1, priced: 0, quorum: 1 },
  ],
};

/** A rule over a metric that is not exported never fires, without any error. */
describe('the alert rules', () => {
  let api: RunningApi & { officeOrigin: string };
  let exported: string;
  let address: string;
  /** Series of the first scrape, before the first request. */
  let born: ReadonlyMap<string, number>;
  let dataDir: string;
  const house = forFile(() => House.open(new ManualFeed()));
  beforeAll(async () => {
    const metricsPort = await freePort();
    await house.db.server.query('select live_sources_report($1)', [JSON.stringify(LIVE_REPORT)]);
    dataDir = mkdtempSync(join(tmpdir(), 'fairtick-alerts-'));
    api = await startOffice(house.db, {
      metricsPort,
      dataDir,
      witnesses: readWitnesses(WITNESS) as Witness[],
      // As an operator has it, so that most of a burst of logins is refused by the limit.
      limits: { ...WIDE_LIMITS, failedLoginsPerAccount: 10 },
    });
    address = `http://127.0.0.1:${metricsPort}/metrics`;
    born = seriesOf(await (await fetch(address)).text());
    const auditor = await staffOf(house.db, api.officeOrigin, 'auditor');
    await auditor.get('dashboard/queues');
    await auditor.post('withdrawal/approve', { id: '1', content: 'x' });
    await new OfficeClient(api.officeOrigin).post('session/login', {
      account: 'nobody',
      password: 'wrong one',
    });
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    exported = await answer.text();
  });
  afterAll(async () => {
    await api?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const alerts = RULES.split(/^ +- alert: /m).slice(1);
  const nameOf = (alert: string) => alert.slice(0, alert.indexOf('\n'));

  test('are more than ten, each with its own name', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts.map(nameOf)).size).toBe(alerts.length);
  });

  test('ask through the balancer, and come from jobs that the scrape file has', () => {
    const scrapes = readFileSync(join(ROOT, 'ops/prometheus.yml'), 'utf8');
    for (const [, job] of RULES.matchAll(/\bjob="([^"]+)"/g)) expect(scrapes).toContain(`job_name: ${job}`);
    expect(scrapes).toContain('/readyz');
  });

  test('a second outage is not told later than the first, and each severity has its receiver', () => {
    const routes = readFileSync(join(ROOT, 'ops/alertmanager.yml'), 'utf8');
    expect(routes).toMatch(/^ {2}group_interval: 10s$/m);
    const severities = new Set([...RULES.matchAll(/severity: (\w+)/g)].map(([, severity]) => severity));
    expect([...severities].sort()).toEqual(['page', 'ticket', 'watchdog']);
    for (const severity of ['page', 'watchdog'])
      expect(routes).toContain(`matchers: [severity = ${severity}]`);
  });

  /** Expects every metric, label and path of an expression in what the processes export. */
  const expectExported = (expression: string) => {
    const metrics = expression.match(/\bfairtick_[a-z0-9_]+/g) ?? [];
    for (const metric of metrics) expect(exported).toMatch(new RegExp(`^${metric}[ {]`, 'm'));
    for (const [, metric, matchers] of expression.matchAll(/\b(fairtick_[a-z0-9_]+)\{([^}]*)\}/g)) {
      for (const [, label] of (matchers as string).matchAll(/([a-z]+)[!=]/g))
        expect(exported).toMatch(new RegExp(`^${metric}\\{[^}]*\\b${label}="`, 'm'));
    }
    for (const [, path] of expression.matchAll(/\bpath="([^"]+)"/g))
      expect(exported).toContain(`path="${path}"`);
    for (const [, labels] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      // Prometheus adds `instance` itself, and `machine` by ops/prometheus.yml.
      for (const label of (labels as string).split(', ').filter((name) => !/^(instance|machine)$/.test(name)))
        expect(exported).toMatch(new RegExp(`^${metrics[0]}\\{[^}]*\\b${label}="`, 'm'));
    }
    return metrics;
  };

  test.each(alerts.map((alert) => [nameOf(alert), alert] as const))(
    '%s uses only metrics, labels and paths that are exported',
    (_name, alert) => {
      const expression = alert.slice(alert.indexOf('expr:'), alert.indexOf('labels:'));
      // Prometheus itself makes `up`, its prober `probe_success`; the long mode lost-machine reads the metrics of Patroni and etcd.
      const foreign = /\bup\{|\b(patroni|etcd|probe)_|vector\(1\)/.test(expression);
      expect(expectExported(expression).length > 0 || foreign).toBe(true);
    },
  );

  test('the dashboard shows only metrics that are exported', () => {
    const { panels } = JSON.parse(readFileSync(join(ROOT, 'ops/grafana-dashboard.json'), 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    expect(panels.length).toBeGreaterThan(10);
    for (const { targets } of panels)
      for (const { expr } of targets) expect(expectExported(expr)).not.toEqual([]);
  });

  test.each(alerts.map(nameOf))('%s has a section of three lines in docs/ALERTS.md', (name) => {
    const [, section = ''] = DRILL.split(`\n## ${name}\n`);
    const lines = (section.split('\n## ')[0] as string).match(/^- .*$/gm) ?? [];
    expect(lines.map((line) => /^- (Look at:|Do:)?/.exec(line)?.[1] ?? 'means')).toEqual([
      'means',
      'Look at:',
      'Do:',
    ]);
  });

  test('docs/ALERTS.md has no section of an alert that is gone', () => {
    expect([...DRILL.matchAll(/^## (\w+)$/gm)].map(([, name]) => name).sort()).toEqual(
      alerts.map(nameOf).sort(),
    );
  });

  test.each(alerts.map(nameOf))('%s fires in its own test (alert-rules.full.test.ts)', (name) => {
    expect(PROOFS).toContain(`exp_samples: [{ labels: '{alertname="${name}"}', value: 1 }`);
  });

  test.each(alerts.map((alert) => [nameOf(alert), alert] as const))(
    '%s says what is wrong and what to do first, in words that a clock shows, and links to its section',
    (name, alert) => {
      for (const part of ['summary', 'description'])
        expect(alert).toMatch(new RegExp(`^ +${part}: .{20,}`, 'm'));
      expect(alert).not.toMatch(/humanize }} m?s\b/);
      const [, anchor] =
        /^ +runbook_url: '{{ \$externalLabels\.runbooks }}\/ALERTS\.md#(\w+)'$/m.exec(alert) ?? [];
      expect(anchor).toBe(name.toLowerCase());
      expect(anchorsOf(DRILL)).toContain(anchor);
    },
  );

  test('the office’s metrics name operation and answer but no account, and no public origin serves metrics', async () => {
    const has = (line: string) => expect(exported).toContain(`\n${line}`);
    has('fairtick_office_answers_total{operation="session/login",answer="done"} 1');
    has('fairtick_office_answers_total{operation="session/login",answer="LOGIN_FAILED"} 1');
    // A burst at one account is refused with this code after ten guesses.
    has('fairtick_office_answers_total{operation="session/login",answer="TOO_MANY_REQUESTS"} 0');
    has('fairtick_office_answers_total{operation="withdrawal/approve",answer="ROLE_MISSING"} 1');
    has('fairtick_office_request_seconds_count{operation="dashboard/queues",status="200"} 1');
    has('fairtick_office_failures_total 0');
    for (const queue of [
      'deposits',
      'withdrawals',
      'payouts',
      'identities',
      'corrections',
      'rules',
      'staff',
    ]) {
      has(`fairtick_office_queue_waiting{queue="${queue}"} 0`);
      has(`fairtick_office_queue_seconds{queue="${queue}"} 0`);
    }
    expect(exported).not.toMatch(/auditor_|nobody/);
    for (const origin of [api.officeOrigin, api.origin])
      expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  });

  test('the figures of the installation are numbers, or NaN where there is nothing to measure', () => {
    const figure = (name: string) => new RegExp(`^fairtick_${name} (\\S+)$`, 'm').exec(exported)?.[1];
    for (const name of ['log_size', 'batches_waiting', 'unsettled_orders', 'database_connections_used']) {
      expect(Number(figure(name))).toBeGreaterThanOrEqual(0);
    }
  });

  test('live sources have their figures, counters from 0 on, and closed products no shortage', () => {
    const has = (line: string) => expect(exported).toContain(`\nfairtick_source${line}\n`);
    has('_connected{source="okx"} 1');
    has('_quotes_per_second{source="okx"} 0.2');
    has('_lag_seconds{source="okx",quantile="0.5"} 0.02');
    has('_lag_seconds{source="okx",quantile="0.99"} 0.03');
    has('_clock_seconds{source="okx"} -0.005');
    has('_tick_share{source="okx",use="used"} 0.75');
    has('_tick_share{source="okx",use="stale"} 0.25');
    for (const counter of ['reconnects', 'gaps', 'ignored', 'refused'])
      has(`_${counter}_total{source="okx"} 0`);
    has('s_spare{symbol="BTC/USDT"} 0');
    has('s_lost{symbol="BTC/USDT"} 0');
    expect(exported).not.toMatch(/^fairtick_sources_.*XAU/m);
  });

  test('each open product has the age of its price, in seconds', () => {
    expect(exported).toMatch(/^fairtick_product_price_age_seconds\{symbol="EUR\/USD"\} [0-9.]+$/m);
  });

  test('the file systems of the data and of the pictures are watched, before there is a picture', () => {
    for (const folder of ['data', 'uploads'])
      expect(exported).toMatch(new RegExp(`^fairtick_disk_free_ratio\\{folder="${folder}"\\} 0\\.\\d`, 'm'));
  });

  test('the figures of the database are left out while it is away, and those of the process stay', async () => {
    expect(await figureNow('database_answers')).toBe('1');
    await house.db.owner.query('alter table log_head rename to lost');
    const text = await (await fetch(address)).text();
    await house.db.owner.query('alter table lost rename to log_head');
    expect(text).toMatch(/^fairtick_database_answers 0$/m);
    expect(text).toMatch(/^fairtick_process_start_time_seconds \d/m);
    expect(text).toMatch(/^fairtick_pressure_seconds_total\{resource="cpu"\} \d/m);
    expect(text).not.toMatch(/^fairtick_(log_silence_ms|product_price_age_seconds|office_queue_waiting)/m);
  });

  const figureNow = async (name: string) =>
    new RegExp(`^fairtick_${name} (\\S+)$`, 'm').exec(await (await fetch(address)).text())?.[1];

  test('the first burst of refused logins and orders counts in full', async () => {
    const office = new OfficeClient(api.officeOrigin);
    // Prometheus sees an increase only of series that were there before.
    const increase = async (series: RegExp): Promise<number> => {
      const now = seriesOf(await (await fetch(address)).text());
      return [...now]
        .filter(([name]) => series.test(name) && born.has(name))
        .reduce((sum, [name, value]) => sum + value - (born.get(name) as number), 0);
    };
    const refused = /^fairtick_office_answers_total\{operation="session\/login",answer="(?!done)/;
    const before = await increase(refused);
    for (let attempt = 0; attempt < 36; attempt += 1)
      await office.post('session/login', { account: 'nobody_else', password: 'wrong one' });
    expect((await increase(refused)) - before).toBe(36);
    for (const status of ['200', '429', '503'])
      expect(born.get(`fairtick_request_seconds_count{path="/api/order/create",status="${status}"}`)).toBe(0);
  });

  test('requests that fail are counted from 0, refused ones are not', async () => {
    const { token } = await register(api.origin);
    expect(await figureNow('failures_total')).toBe('0');
    await house.db.owner.query('alter table price_alerts rename to lost');
    expect((await get(api.origin, 'alert/list', {}, { token })).status).toBe(500);
    expect((await get(api.origin, 'order/list')).status).toBe(401);
    await house.db.owner.query('alter table lost rename to price_alerts');
    expect(await figureNow('failures_total')).toBe('1');
  });

  test('an acceptance that the log does not carry ages', async () => {
    expect(await figureNow('acceptance_waiting_ms')).toBe('0');
    await house.db.owner.query(
      `insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed)
       select last_batch + 1, log_now() - 5000, size, root, 1, root, root, '' from log_head`,
    );
    expect(Number(await figureNow('acceptance_waiting_ms'))).toBeGreaterThanOrEqual(5_000);
  });

  test('a daily reconciliation that finds a fault of the ledger shows it, and a line of a bank statement is none', async () => {
    expect(await figureNow('ledger_faults')).toBe('Nan');
    const run = (findings: readonly { rule: string }[]) =>
      house.db.owner.query(`insert into reconciliations (findings, balances) values ($1, '[]')`, [
        JSON.stringify(findings),
      ]);
    await run([{ rule: 'what came in on the statement is credited' }, { rule: 'the ledger adds up' }]);
    expect(await figureNow('ledger_faults')).toBe('1');
    await run([]);
    expect(await figureNow('ledger_faults')).toBe('0');
  });

  test('a server of one’s own that does not archive has no age of an archive, and no backup until one touches the file', async () => {
    expect(await figureNow('wal_archived_seconds_ago')).toBe('Nan');
    expect(await figureNow('backup_seconds_ago')).toBe('+Inf');
    writeFileSync(join(dataDir, 'last-backup'), '');
    expect(Number(await figureNow('backup_seconds_ago'))).toBeLessThan(60);
  });
});
