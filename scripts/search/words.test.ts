import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../apps/server/src/market/catalogue/catalogue.ts';
import { ALIASES } from './aliases.ts';
import { PLACE_FILE, searchFiles } from './words.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the words of the searches are those of the catalogue; else `npm run search-words` writes them', () => {
  const kept = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const files = Object.entries(searchFiles(kept(PLACE_FILE)));
  expect(files).toHaveLength(3);
  for (const [path, text] of files) expect([path, kept(path) === text]).toEqual([path, true]);
});

test('each alias is one of a product or of one of its currencies', () => {
  const codes = new Set(CATALOGUE.flatMap(({ symbol }) => [symbol, ...symbol.split('/')]));
  expect(Object.keys(ALIASES).filter((code) => !codes.has(code))).toEqual([]);
});
