import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const run = (...names: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), ...names], { encoding: 'utf8' });

test('the list of benchmarks names every benchmark file', () => {
  const { stdout, status } = run();
  expect(status).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
  const files = readdirSync(import.meta.dirname).filter(
    (file) =>
      file.endsWith('.ts') &&
      readFileSync(join(import.meta.dirname, file), 'utf8').includes('npm run bench -- '),
  );
  expect(files.length).toBeGreaterThan(12);
  for (const file of files) if (!file.startsWith('run.')) expect(listed).toContain(file.replace('.ts', ''));
});

test('an unknown name prints the list and exits with an error', () => {
  const { stdout, status } = run('nothing');
  expect(status).toBe(1);
  expect(stdout).toContain('placement');
});
