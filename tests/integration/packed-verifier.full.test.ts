import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { beforeAll, expect, test } from 'vitest';

/** The packed verifier, in an empty folder without the project. */
const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const folder = temporaryFolder('packed');
const vectors = JSON.parse(readFileSync(join(ROOT, 'docs/receipt-vectors.json'), 'utf8'));
const keys = ['--key', vectors.keys.log, '--key', vectors.keys.acceptances];

beforeAll(async () => {
  await run(process.execPath, [join(ROOT, 'scripts/pack-verifier.ts'), folder]);
  const [packed] = readdirSync(folder);
  await run('tar', ['xzf', join(folder, packed as string), '-C', folder]);
});

const verify = (receipt: unknown) => {
  const file = join(folder, 'receipt.json');
  writeFileSync(file, JSON.stringify(receipt));
  return run(process.execPath, [join(folder, 'package/fairtick.mjs'), 'verify', file, ...keys], {
    cwd: folder,
  }).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
};

test('verifies receipts', async () => {
  const { receipt } = vectors.receipts.won;
  expect(await verify(receipt)).toBe(0);
  expect(await verify({ ...receipt, order: { ...receipt.order, stake: '1' } })).not.toBe(0);
});

test('needs nothing but Node, and passes licences on', async () => {
  const read = (name: string) => readFileSync(join(folder, 'package', name), 'utf8');
  const imported = [...read('fairtick.mjs').matchAll(/^import .* from ["']([^"']+)["']/gm)].map(
    ([, name]) => name,
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
  expect(JSON.parse(read('package.json'))).not.toHaveProperty('dependencies');
  expect(read('NOTICE')).toContain('@noble/curves');
});
