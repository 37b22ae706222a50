import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTRIES } from '@fairtick/protocol/countries';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../apps/server/src/market/catalogue/catalogue.ts';
import { ALIASES } from './aliases.ts';
import { COUNTRY_ALIASES } from './countries.ts';
import { COUNTRY_FILE, PLACE_FILE, searchFiles } from './words.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the words of the searches are those of the catalogue; else `npm run search-words` writes them', () => {
  const kept = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const files = Object.entries(searchFiles(kept(PLACE_FILE), kept(COUNTRY_FILE)));
  expect(files).toHaveLength(4);
  for (const [path, text] of files) expect([path, kept(path) === text]).toEqual([path, true]);
});

test('each alias is one of a product, of one of its currencies, or of a country', () => {
  const codes = new Set(CATALOGUE.flatMap(({ symbol }) => [symbol, ...symbol.split('/')]));
  expect(Object.keys(ALIASES).filter((code) => !codes.has(code))).toEqual([]);
  expect(Object.keys(COUNTRY_ALIASES).filter((code) => !COUNTRIES.includes(code))).toEqual([]);
});
