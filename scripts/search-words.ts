import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeWords, searchFiles } from './search/words.ts';

/** Writes the words by which products, countries and time zones are found, from the catalogue, Unicode CLDR and `scripts/search`. */
const ROOT = join(import.meta.dirname, '..');
for (const [path, text] of Object.entries(searchFiles(...placeWords())))
  writeFileSync(join(ROOT, path), text);
