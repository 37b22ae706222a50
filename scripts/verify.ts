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
 * - `verify.ts --changed [REVISION]`: the test files that reach, by their imports, a file changed since the revision (`main`).
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
    return values.long ? runModes(positionals) : runStages(values.changed, positionals);
  };
  const stages = await run();
  if (stages !== null) printTable(stages, performance.now() - startedMs);
}

/** Runs the chosen test files; checks only run when nothing was chosen. */
async function runStages(isChanged: boolean | undefined, words: readonly string[]): Promise<Stage[] | null> {
  if (!isChanged && words.length === 0) return runEverything();
  const files = isChanged ? await changedTests(words[0] ?? 'main') : matching(words);
  if (files.length === 0) {
    console.log(isChanged ? 'no test reaches what changed' : `no test file matches ${words.join(' ')}`);
    process.exitCode = isChanged ? 0 : 1;
    return null;
  }
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
