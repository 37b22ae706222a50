import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { boundaryFaults } from './boundaries.ts';
import { sqlFormFaults } from './sql-form.ts';
import type { Stage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
/** How much of a check's output is shown. */
const SHOWN_LINES = 100;

interface Check {
  readonly name: string;
  /** Ends the message of a fault: what to do. */
  readonly advice: string;
  /** @returns its faults; empty: there is none */
  run(): Promise<string>;
}

/**
 * Types, lint, format, boundaries and the form of SQL, all at once. The compiler remembers in a folder which files had no fault, so that it looks only at
 * files that changed, and at those that depend on them.
 * @param priority of the compiler and the linter, in steps of `nice`
 */
export async function runChecks(priority = 0): Promise<Stage[]> {
  const memory = openMemory();
  const types = (name: string, project: string, file: string): Check => ({
    name,
    advice: 'correct the lines that the messages name',
    run: () => typeFaults(project, join(memory, `${file}.tsbuildinfo`), priority),
  });
  const checks: readonly Check[] = [
    types('types of the server and the packages', '.', 'server'),
    types('types of the web app', 'apps/web', 'web'),
    types('types of the office', 'apps/office', 'office'),
    {
      name: 'lint and format',
      advice:
        '`npm run format` corrects format, order of imports and other plain faults; correct the rest by hand',
      run: () =>
        outputOf(
          'biome',
          ['check', '--error-on-warnings', '--colors=off', '--max-diagnostics=none', '.'],
          priority,
        ),
    },
    {
      name: 'boundaries',
      advice: 'move the code to a folder that may import the file, or take what it needs as a parameter',
      run: async () => boundaryFaults(ROOT).join('\n'),
    },
    {
      name: 'form of SQL',
      advice: 'break or indent the lines that the messages name',
      run: async () => sqlFormFaults(ROOT).join('\n'),
    },
  ];
  return Promise.all(checks.map(runCheck));
}

async function runCheck({ name, advice, run }: Check): Promise<Stage> {
  const startedMs = performance.now();
  const faults = await run();
  const seconds = (performance.now() - startedMs) / 1000;
  const isFine = faults === '';
  console.log(`${isFine ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`);
  const lines = faults.trim().split('\n');
  const more = lines.length > SHOWN_LINES ? [`… and ${lines.length - SHOWN_LINES} lines more`] : [];
  const complaint = [`${name}: ${advice}`, ...lines.slice(0, SHOWN_LINES), ...more].join('\n  ');
  return {
    name,
    seconds,
    passed: isFine ? 1 : 0,
    failed: isFine ? 0 : 1,
    files: [],
    complaints: isFine ? [] : [complaint],
  };
}

async function typeFaults(project: string, memory: string, priority: number): Promise<string> {
  const options = ['--checkers', '1', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', memory];
  const output = await outputOf('tsc', [...options, '-p', project], priority);
  return output.replaceAll(/^(\S+)\((\d+),\d+\): error (TS\d+): /gm, '$1:$2 ($3) ');
}

/** @returns nothing when the program ends well */
async function outputOf(program: string, options: readonly string[], priority: number): Promise<string> {
  const child = spawn(join(ROOT, 'node_modules/.bin', program), options, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return code === 0 ? '' : `${output}${errors}` || `${program} ended with ${code}`;
}

/** Beside the packages, whose versions decide what is a fault; for a user who may not write there, the run's own folder. */
function openMemory(): string {
  const folder = join(ROOT, 'node_modules/.cache/checks');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return tmpdir();
  }
}
