import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MODES } from './long-modes.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'tests/long';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pathOf = (name: string) => `${FOLDER}/${name}.long.test.ts`;

describe('the list of long modes', () => {
  test('holds each file of the folder once, in the order of names', () => {
    const files = readdirSync(join(ROOT, FOLDER)).sort();
    expect(MODES.map(({ name }) => `${name}.long.test.ts`)).toEqual(files);
  });

  test.each(MODES)('$name takes at most ten minutes by default', ({ minutes }) => {
    expect(minutes).toBeGreaterThan(0);
    expect(minutes).toBeLessThanOrEqual(10);
  });

  test.each(MODES)(
    '$name has the settings that its source reads, with their defaults',
    ({ name, settings }) => {
      const found = read(pathOf(name)).matchAll(/process\.env\.(\w+)(?: \?\? ([\d_]+)\))?/g);
      const inSource = [...found].map(([, setting, number]) => [
        setting,
        number === undefined ? null : Number(number.replaceAll('_', '')),
      ]);
      const listed = settings.map((setting) => [setting.name, setting.byDefault]);
      expect(listed.sort()).toEqual(inSource.sort());
    },
  );

  test.each(MODES)('$name proves the promises whose rows name it', ({ name, promises }) => {
    const rows = [...read('docs/PROMISES.md').matchAll(/^\| (\d+) \|.*$/gm)];
    const named = rows
      .filter(([row]) => row.includes(`\`${pathOf(name)}\``))
      .map(([, number]) => Number(number));
    expect(promises).toEqual(named);
  });
});
