import type { Stage } from './stage.ts';

const SLOWEST = 10;

/** Counts of all stages. */
export function totals(stages: readonly Stage[]): { passed: number; failed: number } {
  const sum = (of: 'passed' | 'failed') => stages.reduce((total, stage) => total + stage[of], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** Prints failures, seconds by stage and the slowest files. */
export function printTable(stages: readonly Stage[], totalSeconds: number): void {
  for (const complaint of stages.flatMap(({ complaints }) => complaints)) console.log(`\n✗ ${complaint}`);
  console.log('\n  seconds  passed  failed  stage');
  for (const { name, seconds, passed, failed } of stages) console.log(row(seconds, passed, failed, name));
  const { passed, failed } = totals(stages);
  console.log(row(totalSeconds, passed, failed, 'all, from start to end'));
  const slowest = stages.flatMap(({ files }) => files).sort((a, b) => b.seconds - a.seconds);
  if (slowest.length > 0) console.log('\n  seconds  slowest files');
  for (const { path, seconds } of slowest.slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(9)}  ${path}`);
}

/** Prints the last line; a failure sets the exit code. */
export function printResult(stages: readonly Stage[]): void {
  const { passed, failed } = totals(stages);
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

function row(seconds: number, passed: number, failed: number, name: string): string {
  return `${seconds.toFixed(1).padStart(9)}${String(passed).padStart(8)}${String(failed).padStart(8)}  ${name}`;
}
