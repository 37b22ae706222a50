import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CODE = /\.tsx?$/;

/**
 * Test files of `npm test` that reach, by their imports, a file that differs from the revision, committed or not. Names the
 * changed files that nobody imports (SQL, documents, settings): the tests that read those are not found this way.
 * @param revision of git, such as `main` or `HEAD~2`
 * @throws Error when git does not know the revision
 */
export async function changedTests(revision: string): Promise<string[]> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  let changed: string[];
  try {
    changed = [...git('diff', '--name-only', revision), ...git('ls-files', '--others', '--exclude-standard')];
  } catch {
    throw new Error(`git knows no revision "${revision}"`);
  }
  const others = changed.filter((path) => !CODE.test(path));
  if (others.length > 0) console.log(`not imported by any test: ${others.join(', ')}`);
  return reaching(revision).filter((path) => !path.endsWith('.long.test.ts'));
}

function reaching(revision: string): string[] {
  const file = join(tmpdir(), 'changed.json');
  const options = ['list', '--filesOnly', `--json=${file}`, `--changed=${revision}`];
  execFileSync(join(ROOT, 'node_modules/.bin/vitest'), options, { cwd: ROOT, stdio: 'ignore' });
  const found = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly file: string }[];
  return found.map((one) => relative(ROOT, one.file));
}
