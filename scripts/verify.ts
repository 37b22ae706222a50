import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ownFonts } from '@fairtick/kit/browser/fonts.ts';
import { ensureChromium } from './chromium.ts';
import { changedTests } from './testing/changed.ts';
import { runChecks } from './testing/checks.ts';
import { inRunFolder } from './testing/run-folder.ts';
import { listModes, runModes } from './testing/run-modes.ts';
import type { Stage } from './testing/stage.ts';
import { printTable } from './testing/table.ts';
import { LIVE, matching, PURE, runTests } from './testing/tests.ts';

/**
 * The commands that prove things. Each ends with a table and the line `N passed, N failed`.
 *
 * - `verify.ts [PATTERN…]`: checks and all tests; with patterns only the test files whose path contains one of them.
 * - `verify.ts --check`: the checks alone: types, lint, format and boundaries.
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
  const run = () => {
    if (values.check) return runChecks();
    if (values.changed) return runChanged(positionals[0]);
    return values.long ? runModes(positionals) : runStages(positionals);
  };
  const stages = await run();
  if (stages !== null) printTable(stages, performance.now() - startedMs);
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
 * Runs the checks, then the live tests, which start processes and browsers and wait for them, then the computing tests. One group at a
 * time: on a slow machine, tests that compute take the processor from servers and browsers until their timeouts pass.
 */
async function runEverything(): Promise<Stage[]> {
  await prepareBrowser();
  const workers = availableParallelism() + 1;
  const checks = await runChecks();
  const live = await runTests('live', LIVE, { workers });
  return [...checks, ...live, ...(await runTests('computing', PURE, { workers }))];
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
