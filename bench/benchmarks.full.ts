import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import { BENCHMARKS } from './list.ts';

/** A minute's cycle and more pass before their orders are due. */
const LONG = ['settlement', 'together', 'where-time-goes', 'receipts'];
/** Needs the address of a database, and a program from the registry. */
const OTHERS = ['own-server', 'lighthouse'];
const SHORT = Object.keys(BENCHMARKS).filter((name) => ![...LONG, ...OTHERS].includes(name));
const LONGEST_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'fairtick-bench-own-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A benchmark ends with another code than 0 when books are wrong, or orders are void or unsettled that should not be. */
async function runSmall(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), name, ...args], {
    env: { ...process.env, BENCH_SIZE: 'small' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, output }).toMatchObject({ code: 0 });
  return output;
}

test.each(SHORT)(
  '%s runs to its end',
  async (name) => {
    expect(await runSmall(name)).not.toBe('');
  },
  LONGEST_MS,
);

test(
  'own-server runs to its end',
  async () => {
    const server = await startEmbedded(folder, () => {});
    try {
      expect(await runSmall('own-server', server.toString())).toContain('own, ');
    } finally {
      await server.stop();
    }
  },
  LONGEST_MS,
);

describe.concurrent('with orders that settle', () => {
  test.each(LONG)(
    '%s runs to its end',
    async (name) => {
      expect(await runSmall(name)).not.toBe('');
    },
    LONGEST_MS,
  );
});
