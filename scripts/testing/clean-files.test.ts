import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@fairtick/kit/folder.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { CleanFiles } from './clean-files.ts';

const root = testFolder('clean-files');
const write = (name: string, text: string) => writeFileSync(join(root, name), text);
const open = () => new CleanFiles(root, join(root, '.git/clean.json'));
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(() => {
  execFileSync('git', ['init', '-q', root]);
  for (const name of ['a.ts', 'b.ts', 'biome.json', 'package.json', 'package-lock.json']) write(name, '{}');
  open().remember('');
});

test('a file that had no fault is known until its text changes', () => {
  expect(open().notKnownClean()).toEqual([]);
  write('b.ts', '{ }');
  expect(open().notKnownClean()).toEqual(['b.ts']);
});

test('a file with a fault stays unknown', () => {
  write('a.ts', '1');
  write('b.ts', '2');
  open().remember('b.ts:1:1 lint ━━━');
  expect(open().notKnownClean()).toEqual(['b.ts']);
});

test.each(['biome.json', 'package.json', 'package-lock.json'])('%s decides about all files', (name) => {
  write(name, '{"changed": true}');
  expect(open().notKnownClean()).toHaveLength(5);
});

test('without git no file is known', () => {
  rmSync(join(root, '.git'), { recursive: true });
  expect(open().notKnownClean()).toBeNull();
});
