import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BENCHMARKS } from './list.ts';

/** Runs one benchmark: `npm run bench -- NAME [ARGUMENTS]`; without a name it lists them. */

const [name = '', ...rest] = process.argv.slice(2);
if (Object.hasOwn(BENCHMARKS, name)) {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...rest], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
} else {
  console.log('npm run bench -- NAME [ARGUMENTS]\n');
  for (const [each, what] of Object.entries(BENCHMARKS)) console.log(`  ${each.padEnd(16)} ${what}`);
  if (name !== '') process.exitCode = 1;
}
