import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';
import { DiskStore } from '../uploads/disk-store.ts';
import { copyPictures, prunePictures } from './picture-copies.ts';

const root = temporaryFolder('copies');
const [data, backup, restored] = ['data', 'backup', 'restored'].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
const name = (letter: string) => letter.repeat(32);
const at = (folder: string, letter: string) => join(folder, 'uploads', letter.repeat(2), name(letter));

test('pictures are copied once, come back with a restore, and are removed once nothing needs them', async () => {
  const store = new DiskStore(join(data, 'uploads'));
  await store.write(name('a'), Buffer.from('first'));
  await store.write(name('b'), Buffer.from('second'));
  // A file that is still being written does not count yet.
  writeFileSync(`${at(data, 'b')}.new`, 'half');
  expect(await copyPictures(data, backup)).toBe(2);
  expect(await copyPictures(data, backup)).toBe(0);
  await store.write(name('c'), Buffer.from('third'));
  expect(await copyPictures(data, backup)).toBe(1);
  mkdirSync(restored);
  expect(await copyPictures(backup, restored)).toBe(3);
  expect(readFileSync(at(restored, 'c'), 'utf8')).toBe('third');

  await store.remove(name('a'));
  await store.remove(name('b'));
  utimesSync(at(backup, 'a'), 1_000, 1_000);
  expect(prunePictures(data, backup, 2_000_000)).toBe(1);
  expect([existsSync(at(backup, 'a')), existsSync(at(backup, 'b')), existsSync(at(backup, 'c'))]).toEqual([
    false,
    true,
    true,
  ]);
});
