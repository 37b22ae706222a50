import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromium.ts';

/**
 * Everything that must hold before a change lands: types, lint and format, boundaries, tests of the packages, of the
 * server on a real PostgreSQL, and journeys in a real browser. Ends with a line `N passed, N failed`. With `--long [FILTER…]`
 * it runs the long modes instead, or those whose path contains a filter.
 */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const BIN = join(ROOT, 'node_modules/.bin');

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** What failed and why, for the end of the output: whoever reads only that should know. */
  readonly complaints?: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types of the server and the packages', command: ['tsc', '-p', '.'] },
  { name: 'types of the web app', command: ['tsc', '-p', 'apps/web'] },
  { name: 'types of the office', command: ['tsc', '-p', 'apps/office'] },
  { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'boundaries', command: ['depcruise', '--config', 'boundaries.config.cjs', 'apps', 'packages'] },
];

/** So much of a failure's message is said again at the end. */
const COMPLAINT_CHARS = 1_500;

const PROJECTS = ['unit', 'integration', 'journeys', 'e2e'];

async function main(): Promise<void> {
  const [mode, ...filters] = process.argv.slice(2);
  conclude(mode === '--long' ? [await runTests('long', filters)] : await verify());
}

function conclude(outcomes: readonly Outcome[]): void {
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  for (const complaint of outcomes.flatMap((outcome) => outcome.complaints ?? []))
    console.log(`\n✗ ${complaint}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function verify(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check.name, check.command));
  try {
    process.env.CHROMIUM = ensureChromium();
  } catch (error) {
    console.error((error as Error).message);
    outcomes.push({ passed: 0, failed: 1 });
  }
  for (const project of PROJECTS) outcomes.push(await runTests(project));
  return outcomes;
}

async function run([program, ...rest]: readonly string[]): Promise<number> {
  const child = spawn(join(BIN, program as string), rest, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

async function runCheck(name: string, command: readonly string[]): Promise<Outcome> {
  const startedMs = performance.now();
  const code = await run(command);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, complaints: [name] };
}

/** Runs one project of tests. A run that ends without a report counts as a failure: something broke it. */
async function runTests(project: string, filters: readonly string[] = []): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'fairtick-verify-'));
  const report = join(folder, 'report.json');
  const options = [
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const code = await run(['vitest', 'run', ...options, ...filters]);
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8')) as Report;
    // A test that was left out proves nothing, and a failed run without a failed test broke elsewhere.
    const leftOut = counts.numPendingTests + counts.numTodoTests;
    const failed = counts.numFailedTests + leftOut;
    const brokeElsewhere = code !== 0 && failed === 0;
    return {
      passed: counts.numPassedTests,
      failed: brokeElsewhere ? 1 : failed,
      complaints: brokeElsewhere ? [`${project}: exit code ${code}`] : complaintsOf(counts),
    };
  } catch {
    return { passed: 0, failed: 1, complaints: [`${project}: no report`] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function complaintsOf(report: Report): string[] {
  return report.testResults.flatMap((file) => {
    const path = relative(ROOT, file.name);
    const tests = file.assertionResults.filter((test) => test.status !== 'passed');
    if (tests.length === 0 && file.message !== '')
      return [`${path}\n${file.message.slice(0, COMPLAINT_CHARS)}`];
    return tests.map(
      (test) =>
        `${path} > ${test.fullName} (${test.status})\n${(test.failureMessages ?? []).join('\n').slice(0, COMPLAINT_CHARS)}`,
    );
  });
}

await main();
