import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(join(import.meta.dirname, '../docs/GLOSSARY.md'), 'utf8');

test('the glossary is one table, sorted, with each word once', () => {
  const [, table = ''] = text.split('|---|---|\n');
  const lines = table.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(80);
  expect(lines.filter((line) => !/^\| [^|]+ \| [^|]+ \|$/.test(line))).toEqual([]);
  const words = lines.map((line) => (line.split('|')[1] as string).trim().toLowerCase());
  expect(words).toEqual([...words].sort());
  expect(words).toEqual([...new Set(words)]);
});
