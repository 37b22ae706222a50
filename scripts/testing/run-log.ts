import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
export const RUN_LOG = 'runs.log';

/** A run of tests: the command or long mode, and how its machine and sources were at its start. */
export interface Run {
  readonly name: string;
  readonly startedAt: Date;
  readonly commit: string;
  /** Processes that waited for a processor in the minute before the start. */
  readonly load: number;
}

export interface RunResult {
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Seeds and other settings, in words. */
  readonly settings: readonly string[];
}

export function beginRun(name: string): Run {
  return { name, startedAt: new Date(), commit: readCommit(), load: loadavg()[0] ?? 0 };
}

/** Prints the line of a run, and adds it to `runs.log`. */
export function logRun(run: Run, result: RunResult): void {
  const line = runLine(run, result, loadavg()[0] ?? 0);
  console.log(`\n${line}`);
  try {
    appendFileSync(join(ROOT, RUN_LOG), `${line}\n`);
  } catch {
    console.log(`${RUN_LOG} can't be written, so this line is only here`);
  }
}

/** Time, command or mode, commit, machine, load at start and end, settings, seconds and result. */
export function runLine(
  { name, startedAt, commit, load }: Run,
  { seconds, passed, failed, settings }: RunResult,
  loadAfter: number,
): string {
  return [
    `${startedAt.toISOString().slice(0, 19)}Z`,
    name,
    commit,
    machine(),
    `load ${load.toFixed(1)} to ${loadAfter.toFixed(1)}`,
    ...settings,
    `${Math.round(seconds)} s`,
    `${passed} passed, ${failed} failed`,
  ].join(' | ');
}

function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${memory} GiB, ${type()} ${release()}`;
}

/** The commit whose sources run, and whether they were changed since. */
function readCommit(): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short', 'HEAD');
  if (commit === '') return 'no commit';
  return git('status', '--porcelain') === '' ? commit : `${commit}+changes`;
}
