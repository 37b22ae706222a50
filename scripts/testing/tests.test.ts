import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaintsOf, type Report } from './tests.ts';

const ROOT = join(import.meta.dirname, '../..');
type Status = 'passed' | 'failed' | 'skipped';

const reportOf = (statuses: readonly Status[], message = ''): Report => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [
    {
      name: join(ROOT, 'a.test.ts'),
      message,
      startTime: 0,
      endTime: 0,
      assertionResults: statuses.map((status, at) => ({
        fullName: `test ${at}`,
        status,
        failureMessages: status === 'failed' ? ['expected 1'] : [],
      })),
    },
  ],
});

test('a failed hook is one complaint, beside those of tests that failed', () => {
  const report = reportOf(['skipped', 'skipped', 'failed', 'passed']);
  expect(complaintsOf(report, { 'a.test.ts': ['in "group": no database'] })).toEqual([
    'a.test.ts: 2 tests did not run\nin "group": no database',
    'a.test.ts > test 2 (failed)\nexpected 1',
  ]);
});

test('a skipped test is a complaint where no hook failed', () => {
  expect(complaintsOf(reportOf(['skipped']), {})).toEqual(['a.test.ts > test 0 (skipped)\n']);
});

test('a file that can’t be read is one complaint', () => {
  expect(complaintsOf(reportOf([], 'no such import'), {})).toEqual([
    'a.test.ts: 0 tests did not run\nno such import',
  ]);
});
