import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ownFonts } from '@fairtick/kit/browser/fonts.ts';
import { ensureChromium } from './chromium.ts';
import { changedTests } from './testing/changed.ts';
import { runChecks } from './testing/checks.ts';
import { inRunFolder } from './testing/run-folder.ts';
import { beginRun, logRun } from './testing/run-log.ts';
import { listModes, runModes } from './testing/run-modes.ts';
import type { Stage } from './testing/stage.ts';
import { printResult, printTable, totals } from './testing/table.ts';
import { LIVE, matching, PURE, runTests } from './testing/tests.ts';

/**
 * Priority of what runs beside the live tests, in steps of `nice`: about half the share of a live test. With a lower one, other work on the
 * machine would leave it next to nothing.
 */
const BEHIND = 3;

/**
 * The commands that prove things. Each ends with a table and the line `N passed, N failed`.
 *
 * - `verify.ts [PATTERN…]`: checks and all tests; with patterns only the test files whose path contains one of them.
 * - `verify.ts --check`: the checks alone: types, lint, format, boundaries and the form of SQL.
 * - `verify.ts --full [PATTERN…]`: the same with every sample in full size, and the files named `*.full.test.ts`.
 * - `verify.ts --changed [REVISION]`: the checks, and the test files of what changed since the revision; it fails for a changed file whose
 *   tests it can't tell.
 * - `verify.ts --long [NAME…]`: long modes (`tests/long`); without a name it lists them.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: 'boolean' },
      full: { type: 'boolean' },
      changed: { type: 'boolean' },
      long: { type: 'boolean' },
    },
  });
  if (values.long && positionals.length === 0) return listModes();
  if (values.full) process.env.TEST_SIZE = 'full';
  const startedMs = performance.now();
  const run = beginRun(values.full ? 'npm run test:full' : 'npm test');
  const runAll = () => {
    if (values.check) return runChecks();
    if (values.changed) return runChanged(positionals[0]);
    return values.long ? runModes(positionals) : runStages(positionals);
  };
  const stages = await runAll();
  if (stages === null) return;
  const seconds = (performance.now() - startedMs) / 1000;
  printTable(stages, seconds);
  const isWhole = !values.long && !values.check && !values.changed && positionals.length === 0;
  if (isWhole) logRun(run, { seconds, ...totals(stages), settings: [] });
  printResult(stages);
}

/** Runs the test files whose path contains one of the words, and without a word everything. */
async function runStages(words: readonly string[]): Promise<Stage[] | null> {
  if (words.length === 0) return runEverything();
  const files = matching(words);
  if (files.length > 0) return runFiles(files);
  console.log(`no test file matches ${words.join(' ')}`);
  process.exitCode = 1;
  return null;
}

async function runChanged(revision: string | undefined): Promise<Stage[] | null> {
  const choice = changedTests(revision, process.env.TEST_SIZE === 'full');
  if (choice === null) return null;
  const { tests, unjudged } = choice;
  console.log([...tests, ...unjudged, ''].join('\n'));
  const checks = await runChecks();
  const name = 'files without a known test';
  const left = { name, seconds: 0, passed: 0, failed: unjudged.length, files: [], complaints: unjudged };
  return [
    ...checks,
    ...(tests.length > 0 ? await runFiles(tests) : []),
    ...(unjudged.length > 0 ? [left] : []),
  ];
}

async function runFiles(files: readonly string[]): Promise<Stage[]> {
  await prepareBrowser();
  return runTests('tests', [...PURE, ...LIVE], { files, workers: availableParallelism() + 1 });
}

/**
 * Runs the checks, the computing tests, and the live tests, which start processes and browsers and wait for them. In `npm test` the live tests
 * wait most of their time, and the others run beside them at a lower priority: otherwise they take the processor from servers and browsers
 * on a slow machine, until timeouts pass. In `test:full` the live tests leave nothing, so one stage follows the other.
 */
async function runEverything(): Promise<Stage[]> {
  await prepareBrowser();
  const processors = availableParallelism();
  if (process.env.TEST_SIZE === 'full')
    return [
      ...(await runChecks()),
      ...(await runTests('computing', PURE, { workers: processors })),
      ...(await runTests('live', LIVE, { workers: processors })),
    ];
  const workers = processors + 1;
  const [live, [checks, computing]] = await Promise.all([
    runTests('live', LIVE, { workers }),
    (async () => [
      await runChecks(BEHIND),
      await runTests('computing', PURE, { workers, priority: BEHIND }),
    ])(),
  ]);
  return [...checks, ...live, ...computing];
}

/** @throws Error in one line when there is no Chromium and none can be installed */
async function prepareBrowser(): Promise<void> {
  process.env.CHROMIUM = ensureChromium();
  await ownFonts();
}

await inRunFolder(main).catch((error: Error) => {
  console.error(error.message);
  console.log('\n0 passed, 1 failed');
  process.exitCode = 1;
});
