import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { beforeAll, expect, test } from 'vitest';

/** The alert rules, evaluated by Prometheus's own tool over series as the processes export them. */
const OPS = join(import.meta.dirname, '../../ops');
const PROMTOOL = '/usr/bin/promtool';

beforeAll(() => ensurePackages(PROMTOOL, 'prometheus'));

test.each([
  ['reads each rule and its texts', ['check', 'rules', 'alerts.yml']],
  [
    'sees each rule fire for bad values, and be silent before, after, and for good ones',
    ['test', 'rules', 'alerts.test.yml'],
  ],
])('promtool %s', (_what, args) => {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd: OPS, encoding: 'utf8' });
  expect(stdout + stderr).toContain('SUCCESS');
  expect(status).toBe(0);
});
