import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, TestFinder } from './affected.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What `npm run check` judges alone: a source file that is gone, and the settings of the checks. */
const CHECKED = /^(biome\.json|boundaries\.config\.ts|(.*\/)?tsconfig\.json)$/;
/** All tests depend on them. */
const EVERYWHERE = /(^|\/)(package(-lock)?\.json|vitest\.config\.ts)$/;

/** The tests to run, and a line for each changed file that none of them judges. */
export interface Choice {
  readonly tests: readonly string[];
  readonly unjudged: readonly string[];
}

/**
 * The tests of what differs from a revision, committed or not.
 * @param revision of git, such as `HEAD~2`; without one, the commit where the branch left `main`, and on `main` the one before the last
 * @param isFull whether files named `*.full.test.ts` run as well
 * @returns null when nothing differs
 * @throws Error when git does not know the revision
 */
export function changedTests(revision: string | undefined, isFull: boolean): Choice | null {
  const base = baseOf(revision);
  console.log(`compared with ${git('log', '-1', '--format=%h (%s)', base).trim()}`);
  const changes = changesSince(base);
  if (changes.length === 0) {
    console.log('nothing differs from it');
    return null;
  }
  const finder = new TestFinder(ROOT);
  return choose(changes, (change) => finder.testsOf(change), isFull);
}

/** Splits the tests found by whether they run now. */
export function choose(
  changes: readonly Change[],
  testsOf: (change: Change) => readonly string[],
  isFull: boolean,
): Choice {
  const later = isFull ? /\.long\.test\.ts$/ : /\.(full|long)\.test\.ts$/;
  const tests = new Set<string>();
  const unjudged = changes.flatMap((change) => {
    const { path } = change;
    const found = EVERYWHERE.test(path) ? [] : testsOf(change);
    const now = found.filter((test) => !later.test(test));
    for (const test of now) tests.add(test);
    const isChecked = CHECKED.test(path) || (change.now === null && /\.(tsx?|cjs)$/.test(path));
    return now.length > 0 || isChecked ? [] : [`${path}: ${commandFor(path, found)}`];
  });
  return { tests: [...tests].sort(), unjudged };
}

function commandFor(path: string, found: readonly string[]): string {
  if (found.some((test) => test.includes('.full.')))
    return 'only tests of full size reach it, run `npm run test:changed -- --full`';
  const modes = found.map((test) => /([\w-]+)\.long\.test\.ts$/.exec(test)?.[1]);
  if (modes.length > 0) return `only long modes reach it, run \`npm run test:long -- ${modes.join(' ')}\``;
  if (EVERYWHERE.test(path)) return 'all tests depend on it, run `npm test`';
  return `no test is known to reach it, run \`${path.startsWith('bench/') ? 'npm run bench' : 'npm test'}\``;
}

function git(...options: readonly string[]): string {
  return execFileSync('git', options, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function commitOf(revision: string): string | null {
  try {
    return git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).trim();
  } catch {
    return null;
  }
}

function baseOf(revision: string | undefined): string {
  if (revision !== undefined) {
    const commit = commitOf(revision);
    if (commit === null) throw new Error(`git knows no revision "${revision}"`);
    return commit;
  }
  const main = commitOf('main') ?? commitOf('origin/main');
  if (main === null) throw new Error('git knows no branch "main": name a revision to compare with');
  const left = git('merge-base', 'HEAD', main).trim();
  return left === commitOf('HEAD') ? (commitOf('HEAD~1') ?? left) : left;
}

function changesSince(base: string): Change[] {
  const listed = [
    git('diff', '--name-only', '--no-renames', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  const paths = listed
    .join('\0')
    .split('\0')
    .filter((path) => path !== '');
  const textOf = (read: () => string) => {
    try {
      return read();
    } catch {
      return null;
    }
  };
  return [...new Set(paths)].map((path) => ({
    path,
    before: path.endsWith('.sql') ? textOf(() => git('show', `${base}:${path}`)) : null,
    now: textOf(() => readFileSync(join(ROOT, path), 'utf8')),
  }));
}
