import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { testFolder } from '@fairtick/kit/folder.ts';
import { expect, test } from 'vitest';
import { compress } from './build-app.ts';

test('while a build compresses its files the process does other work, such as connecting to the database', async () => {
  const folder = testFolder('compress');
  const content = randomBytes(200_000).toString('hex');
  writeFileSync(join(folder, 'script.js'), content);
  let isDone = false;
  const compressing = compress(folder).then(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    await turn();
    turns += 1;
  }
  await compressing;
  expect(turns).toBeGreaterThan(3);
  expect(brotliDecompressSync(readFileSync(join(folder, 'script.js.br'))).toString()).toBe(content);
  expect(gunzipSync(readFileSync(join(folder, 'script.js.gz'))).toString()).toBe(content);
});
