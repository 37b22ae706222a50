import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/platform/db/database.ts';
import { BENCHMARKS } from '../../bench/list.ts';

/** A minute's cycle and more pass before their orders are due. */
const LONG = ['settlement', 'settled-shown', 'together', 'where-time-goes', 'receipts'];
/** One is given the address of a database; the other fetches a program from the registry, and is not run here. */
const OTHERS = ['own-server', 'lighthouse'];
const SHORT = Object.keys(BENCHMARKS).filter((name) => ![...LONG, ...OTHERS].includes(name));
const LONGEST_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'fairtick-bench-own-'));
beforeAll(() => ensurePackages('/usr/lib/postgresql/15/bin/pgbench', 'postgresql-15'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A benchmark ends with another code than 0 when books are wrong, or orders are void or unsettled that should not be. */
async function runSmall(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bench/run.ts'), name, ...args], {
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

describe('each benchmark, at its smallest, runs to its end with right books', { timeout: LONGEST_MS }, () => {
  test.each(SHORT)('%s', async (name) => {
    expect(await runSmall(name)).not.toBe('');
  });

  test('own-server', async () => {
    const { embedded } = await openDatabase(
      { databaseUrl: null, dataDir: folder, backupDir: null },
      () => {},
    );
    const host = encodeURIComponent(embedded?.socketDir ?? '');
    try {
      const output = await runSmall(
        'own-server',
        `postgres://fairtick_owner:bench@localhost/fairtick?host=${host}`,
      );
      expect(output).toContain('own, ');
    } finally {
      await embedded?.stop();
    }
  });

  describe.concurrent('and those that wait for settlement', () => {
    test.each(LONG)('%s', async (name) => {
      expect(await runSmall(name)).not.toBe('');
    });
  });
});
