import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DECIDED, FULL_ONLY, LINES } from './lines.ts';
import { linesIn, namedTests, readNamedTests } from './named-tests.ts';
import { specificationTable, TABLE_PATH } from './table.ts';

const ROOT = join(import.meta.dirname, '../..');
const tests = readNamedTests(ROOT);
const named = new Set(tests.flatMap(({ lines }) => lines));
/** Lines that `npm test` proves by itself. */
const everyday = new Set(tests.filter(({ isEveryday }) => isEveryday).flatMap(({ lines }) => lines));

describe('the lines of the specification', () => {
  test('are 279, each listed once', () => {
    expect(new Set(LINES).size).toBe(279);
  });

  test('each have a test that names them, all but some of them in `npm test`', () => {
    const unproven = LINES.filter((line) => !named.has(line));
    expect(unproven, 'name the line in the title of the test that proves it, such as (S1-03)').toEqual([]);
    const isLarger = LINES.filter((line) => !everyday.has(line));
    expect(isLarger, 'lines without a test of `npm test`: FULL_ONLY in lines.ts lists them').toEqual(
      FULL_ONLY,
    );
  });

  test('with an open question have a decision with a test (S1-03)', () => {
    expect(DECIDED.filter((line) => !LINES.includes(line) || !named.has(line))).toEqual([]);
  });

  test('include every line that a title names', () => {
    const strange = tests.flatMap(({ file, title, lines }) =>
      lines.filter((line) => !LINES.includes(line)).map((line) => `${line}: ${file}: ${title}`),
    );
    expect(strange, 'scripts/specification/lines.ts lists all lines').toEqual([]);
  });

  test('are in the table as the titles name them; `npm run spec-lines` writes it', () => {
    const isSame = readFileSync(join(ROOT, TABLE_PATH), 'utf8') === specificationTable(tests);
    expect(isSame, `${TABLE_PATH} differs from the titles: run \`npm run spec-lines\``).toBe(true);
  });
});

describe('a title', () => {
  const read = (text: string) => namedTests('a.test.ts', text);

  test('names lines one by one or as a range', () => {
    expect(linesIn('does it (S2-09, S2-48 to S2-50)')).toEqual(['S2-09', 'S2-48', 'S2-49', 'S2-50']);
    expect(() => linesIn('does it (S2-50 to S2-48)')).toThrow('no range');
    expect(() => linesIn('does it (S2-50 to S3-01)')).toThrow('no range');
  });

  test('is found with its test in every form of the call', () => {
    const title = (text: string) => read(text).map((one) => one.title);
    expect(title(`test('one (S1-01)', () => {})`)).toEqual(['one (S1-01)']);
    expect(title(`test(\`of \${width} (S1-01)\`, () => {})`)).toEqual([`of \${width} (S1-01)`]);
    expect(title(`test.each([1, 2])(\n  '%s is it (S1-01)',\n  () => {},\n)`)).toEqual(['%s is it (S1-01)']);
    expect(title(`describe('all', () => { it('is nested (S1-01)', () => {}) })`)).toEqual([
      'is nested (S1-01)',
    ]);
    expect(title(`// test('not one (S1-01)')\nexpect('nor this (S1-01)')`)).toEqual([]);
  });

  test('of a group must name no line, because a group asserts nothing', () => {
    expect(() => read(`describe('all of it (S1-01)', () => {})`)).toThrow('for a group');
  });
});
