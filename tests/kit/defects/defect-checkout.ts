import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { PlantedDefect } from './planted-defects.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** Not part of the sources, or large and not needed to test them. */
const LEFT_OUT = new Set(['node_modules', '.git', 'data', 'pictures']);

/** Characters of output to keep: the end says why no test ran. */
const SHOWN = 3_000;

/** The outcome of a run of test files. `noTest`: no test could run, which proves nothing about the tests. */
export type RunResult =
  | { readonly kind: 'passed'; readonly tests: number }
  | { readonly kind: 'failed'; readonly failures: readonly string[] }
  | { readonly kind: 'noTest'; readonly output: string };

/** Replaces the one occurrence of the search string with the defect. */
export function withDefect(source: string, defect: PlantedDefect): string {
  const places = source.split(defect.search).length - 1;
  if (places !== 1) {
    throw new Error(`${defect.name}: its place is in ${defect.file} ${places} times, not once`);
  }
  return source.replace(defect.search, () => defect.replace);
}

/**
 * A copy of the checkout to plant defects in: its own sources, and links to the original's packages. Workspace packages link into
 * the copy, so that a defect in one of them takes effect.
 */
export class DefectCheckout {
  readonly dir: string;

  constructor() {
    this.dir = mkdtempSync(join(tmpdir(), 'fairtick-defects-'));
    cpSync(ROOT, this.dir, { recursive: true, filter: (source) => !LEFT_OUT.has(basename(source)) });
    const [from, to] = [join(ROOT, 'node_modules'), join(this.dir, 'node_modules')];
    const workspaces = '@fairtick';
    mkdirSync(join(to, workspaces), { recursive: true });
    for (const name of readdirSync(from)) {
      // Caches are written to, so each checkout needs its own.
      if (name !== workspaces && name !== '.vite' && name !== '.vite-temp' && name !== '.cache')
        symlinkSync(join(from, name), join(to, name));
    }
    for (const name of readdirSync(join(from, workspaces))) {
      const workspace = relative(realpathSync(ROOT), realpathSync(join(from, workspaces, name)));
      symlinkSync(join(this.dir, workspace), join(to, workspaces, name));
    }
  }

  /** Runs `work` with one defect in the sources, then restores them. */
  async planted<T>(defect: PlantedDefect, work: () => Promise<T>): Promise<T> {
    const file = join(this.dir, defect.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, withDefect(source, defect));
    try {
      return await work();
    } finally {
      writeFileSync(file, source);
    }
  }

  /** Runs test files until the first failure. */
  async run(files: readonly string[]): Promise<RunResult> {
    const report = join(this.dir, 'report.json');
    rmSync(report, { force: true });
    const chunks: Buffer[] = [];
    const child = spawn(
      join(ROOT, 'node_modules/.bin/vitest'),
      ['run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...files],
      // SEED chooses which defects are planted; the tests keep their own seeds.
      {
        cwd: this.dir,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, VITEST: '', SEED: undefined, TEST_SIZE: 'full' },
      },
    );
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return resultOf(report, code, String(Buffer.concat(chunks)));
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function resultOf(file: string, code: number | null, output: string): RunResult {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { kind: 'noTest', output: output.slice(-SHOWN) };
  }
  const failures = report.testResults.flatMap(({ status, message, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName }) => fullName);
    // A failed setup of a file counts as a failed test; a file without any result could not be loaded.
    return status === 'failed' && assertionResults.length > 0 ? [`before any test: ${message}`] : [];
  });
  if (failures.length > 0) return { kind: 'failed', failures };
  if (code === 0 && report.numPassedTests > 0) return { kind: 'passed', tests: report.numPassedTests };
  return { kind: 'noTest', output: output.slice(-SHOWN) };
}
