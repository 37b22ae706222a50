import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNamedTests } from './specification/named-tests.ts';
import { specificationTable, TABLE_PATH } from './specification/table.ts';

/** Writes the table of the specification's lines from the titles of the tests. */
const ROOT = join(import.meta.dirname, '..');
writeFileSync(join(ROOT, TABLE_PATH), specificationTable(readNamedTests(ROOT)));
