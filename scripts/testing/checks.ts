import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Stage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');

const CHECKS = [
  ['types of the server and the packages', 'tsc', '--checkers', '1', '-p', '.'],
  ['types of the web app', 'tsc', '--checkers', '1', '-p', 'apps/web'],
  ['types of the office', 'tsc', '--checkers', '1', '-p', 'apps/office'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['boundaries', 'depcruise', '--config', 'boundaries.config.cjs', 'apps', 'packages'],
] as const;

/** Types, lint, format and boundaries, all at once; what they print is shown as it comes. */
export async function runChecks(): Promise<Stage[]> {
  return Promise.all(CHECKS.map(([name, program, ...rest]) => runCheck(name, program, rest)));
}

async function runCheck(name: string, program: string, options: readonly string[]): Promise<Stage> {
  const startedMs = performance.now();
  const child = spawn(join(ROOT, 'node_modules/.bin', program), options, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - startedMs) / 1000;
  const isFine = code === 0;
  console.log(`${isFine ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`);
  return {
    name,
    seconds,
    passed: isFine ? 1 : 0,
    failed: isFine ? 0 : 1,
    files: [],
    complaints: isFine ? [] : [name],
  };
}
