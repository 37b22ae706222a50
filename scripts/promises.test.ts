import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** The table of promises has every promise, and every proof that it names exists. */
const ROOT = join(dirname(import.meta.filename), '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PROMISES = 25;

const rows = [
  ...read('docs/PROMISES.md').matchAll(/^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| (.*?) ?\|$/gm),
].map(([, number, promise, commands, proof]) => ({
  number: Number(number),
  promise,
  commands: commands as string,
  proof: proof as string,
}));

test('the table holds each promise once, with a proof', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: PROMISES }, (_, number) => number));
  for (const { number, proof } of rows) expect([number, pathsIn(proof).length > 0]).toEqual([number, true]);
});

test('the table names only existing tests, and lists each test under the promises that the test names', () => {
  const paths = rows.flatMap(({ proof }) => pathsIn(proof));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  // A test that names a promise stands in that promise's row.
  for (const path of new Set(paths)) {
    for (const number of namedIn(read(path))) {
      const row = rows.find((one) => one.number === number);
      expect([path, number, row !== undefined && pathsIn(row.proof).includes(path)]).toEqual([
        path,
        number,
        true,
      ]);
    }
  }
});

test('the table names the commands that run the tests of each promise', () => {
  for (const { number, commands, proof } of rows) {
    const wanted = [...new Set(pathsIn(proof).map(commandOf))].sort();
    expect([number, [...commands.matchAll(/`([^`]+)`/g)].map(([, command]) => command).sort()]).toEqual([
      number,
      wanted,
    ]);
  }
});

/** The command that runs a test file, by the end of its name. */
function commandOf(path: string): string {
  if (path.endsWith('.long.test.ts')) return `test:long -- ${basename(path, '.long.test.ts')}`;
  return path.endsWith('.full.test.ts') ? 'test:full' : 'npm test';
}

function pathsIn(proof: string): string[] {
  return [...proof.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => path as string);
}

/** "Promise 5", "(promise 7)", "Promises 5 and 7". */
function namedIn(source: string): number[] {
  return [...source.matchAll(/promises? (\d+)(?: and (\d+))?/gi)].flatMap(([, first, second]) =>
    [first, second].filter((number) => number !== undefined).map(Number),
  );
}
