import type { Stage } from './stage.ts';

const SLOWEST = 10;

/** Prints failures, seconds by stage, the slowest files and the last line; a failure sets the exit code. */
export function printTable(stages: readonly Stage[], totalMs: number): void {
  for (const complaint of stages.flatMap(({ complaints }) => complaints)) console.log(`\n✗ ${complaint}`);
  console.log('\n  seconds  passed  failed  stage');
  for (const { name, seconds, passed, failed } of stages) console.log(row(seconds, passed, failed, name));
  const passed = stages.reduce((sum, stage) => sum + stage.passed, 0);
  const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
  console.log(row(totalMs / 1000, passed, failed, 'all, from start to end'));
  const slowest = stages.flatMap(({ files }) => files).sort((a, b) => b.seconds - a.seconds);
  if (slowest.length > 0) console.log('\n  seconds  slowest files');
  for (const { path, seconds } of slowest.slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(9)}  ${path}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

function row(seconds: number, passed: number, failed: number, name: string): string {
  return `${seconds.toFixed(1).padStart(9)}${String(passed).padStart(8)}${String(failed).padStart(8)}  ${name}`;
}
