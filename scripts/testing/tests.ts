import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { testFiles } from '../specification/named-tests.ts';
import type { Stage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Projects of `vitest.config.ts` whose tests compute, and those that start processes and browsers. */
export const PURE = ['server', 'packages', 'apps'];
export const LIVE = ['processes', 'journeys'];
/** How much of a failure's message the end of the output repeats. */
const COMPLAINT_CHARS = 1_500;

/** The parts of vitest's JSON report that are read here. Times in ms. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

export interface RunOptions {
  /** Paths of test files; none given: all of the projects. */
  readonly files?: readonly string[];
  readonly workers: number;
  /** In steps of `nice`. */
  readonly priority?: number;
}

/** Test files of `npm test`, or of `test:full` where that runs, whose path contains one of the words. */
export function matching(words: readonly string[]): string[] {
  const larger = process.env.TEST_SIZE === 'full' ? /\.long\.test\.ts$/ : /\.(full|long)\.test\.ts$/;
  return testFiles(ROOT).filter((path) => !larger.test(path) && words.some((word) => path.includes(word)));
}

/** Runs projects of tests. */
export async function runTests(
  name: string,
  projects: readonly string[],
  { files = [], workers, priority = 0 }: RunOptions,
): Promise<Stage[]> {
  const options = projects.flatMap((project) => ['--project', project]);
  return [await runVitest(name, [...options, `--maxWorkers=${workers}`, ...files], {}, priority)];
}

/** Runs vitest. A run without a report counts as a failure, and so does a skipped test. */
export async function runVitest(
  name: string,
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  priority = 0,
): Promise<Stage> {
  const file = join(tmpdir(), `report of ${name}.json`);
  const hooks = join(tmpdir(), `hooks of ${name}.json`);
  const startedMs = performance.now();
  const child = spawn(
    join(ROOT, 'node_modules/.bin/vitest'),
    [
      'run',
      `--reporter=${join(import.meta.dirname, 'progress.ts')}`,
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...options,
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, ...environment, TEST_RUN: name, TEST_HOOKS: hooks },
    },
  );
  // Its workers and their servers inherit it.
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - startedMs) / 1000;
  try {
    const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
    return stageOf(name, seconds, read(file) as Report, { code: code ?? 1, hooks: read(hooks) as Hooks });
  } catch {
    return { name, seconds, passed: 0, failed: 1, files: [], complaints: [`${name}: no report`] };
  }
}

function stageOf(
  name: string,
  seconds: number,
  report: Report,
  { code, hooks }: { readonly code: number; readonly hooks: Hooks },
): Stage {
  // A skipped test proves nothing, and a failed run without a failed test broke elsewhere.
  const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests;
  const brokeElsewhere = code !== 0 && failed === 0;
  return {
    name,
    seconds,
    passed: report.numPassedTests,
    failed: brokeElsewhere ? 1 : failed,
    files: report.testResults.map((one) => ({
      path: relative(ROOT, one.name),
      seconds: (one.endTime - one.startTime) / 1000,
    })),
    complaints: [...(brokeElsewhere ? [`${name}: exit code ${code}`] : []), ...complaintsOf(report, hooks)],
  };
}

/** Messages of hooks and of files that failed as a whole, by test file. */
type Hooks = Readonly<Record<string, readonly string[]>>;

/** One complaint for each failed test, and one for a failed hook with all tests that it kept from running. */
export function complaintsOf(report: Report, hooks: Hooks): string[] {
  return report.testResults.flatMap((file) => {
    const path = relative(ROOT, file.name);
    const broken = hooks[path] ?? (file.message === '' ? [] : [file.message]);
    const left = file.assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed');
    const ofHooks = broken.map(
      (message) => `${path}: ${left.length} tests did not run\n${message.slice(0, COMPLAINT_CHARS)}`,
    );
    const tests = file.assertionResults.filter(
      ({ status }) => status === 'failed' || (status !== 'passed' && broken.length === 0),
    );
    const ofTests = tests.map(
      (test) =>
        `${path} > ${test.fullName} (${test.status})\n${(test.failureMessages ?? []).join('\n').slice(0, COMPLAINT_CHARS)}`,
    );
    return [...ofHooks, ...ofTests];
  });
}
