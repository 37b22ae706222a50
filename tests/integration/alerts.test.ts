import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OfficeClient, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import type { RunningApi } from '@fairtick/kit/installation/running-api.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const RULES = readFileSync(join(ROOT, 'ops/alerts.yml'), 'utf8');
const GUIDE = readFileSync(join(ROOT, 'docs/OPERATIONS.md'), 'utf8');

/** A rule over a metric that is not exported never fires, without any error. */
describe('the alert rules', () => {
  let db: TestDatabase;
  let api: RunningApi & { officeOrigin: string };
  let exported: string;
  beforeAll(async () => {
    db = await createTestDatabase();
    const metricsPort = await freePort();
    api = await startOffice(db, { metricsPort });
    // A histogram has no series before its first observation.
    await fetch(`${api.origin}/api/order/create`, { method: 'POST', body: new URLSearchParams() });
    const auditor = await staffOf(db, api.officeOrigin, 'auditor');
    await auditor.get('dashboard/queues');
    await auditor.post('withdrawal/approve', { id: '1', content: 'x' });
    await new OfficeClient(api.officeOrigin).post('session/login', {
      account: 'nobody',
      password: 'wrong one',
    });
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(answer.status).toBe(200);
    exported = await answer.text();
  });
  afterAll(async () => {
    await api?.stop();
    await db.drop();
  });

  const alerts = RULES.split(/^ +- alert: /m).slice(1);
  const nameOf = (alert: string) => alert.slice(0, alert.indexOf('\n'));

  test('are more than ten, each with its own name', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts.map(nameOf)).size).toBe(alerts.length);
  });

  test.each(alerts.map((alert) => [nameOf(alert), alert] as const))(
    '%s uses only metrics and paths that are exported',
    (_name, alert) => {
      const expression = alert.slice(alert.indexOf('expr:'), alert.indexOf('labels:'));
      const metrics = expression.match(/\bfairtick_[a-z0-9_]+/g) ?? [];
      // Prometheus itself makes `up`.
      expect(metrics.length > 0 || /\bup\{/.test(expression)).toBe(true);
      for (const metric of metrics) expect(exported).toMatch(new RegExp(`^${metric}[ {]`, 'm'));
      for (const [, path] of expression.matchAll(/\bpath="([^"]+)"/g)) {
        expect(exported).toContain(`path="${path}"`);
      }
    },
  );

  test.each(alerts.map(nameOf))('%s is in the operations guide', (name) => {
    expect(GUIDE).toContain(`\`${name}\``);
  });

  test('the office’s metrics name operation and answer but no account, and no public origin serves metrics', async () => {
    const has = (line: string) => expect(exported).toContain(`\n${line}`);
    has('fairtick_office_answers_total{operation="session/login",answer="done"} 1');
    has('fairtick_office_answers_total{operation="session/login",answer="LOGIN_FAILED"} 1');
    has('fairtick_office_answers_total{operation="withdrawal/approve",answer="ROLE_MISSING"} 1');
    has('fairtick_office_request_seconds_count{operation="dashboard/queues",status="200"} 1');
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
    expect(figure('wal_archived_seconds_ago')).toBe('Nan');
    expect(figure('backup_seconds_ago')).toBe('Nan');
  });
});
