import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSchema } from '../../platform/db/describe-schema.ts';
import type { CodeCheck } from './audit-checks.ts';

/** What the schema of this version defines: a line `hash name` for each object. A test compares it with a new database. */
export const SCHEMA_LIST = join(import.meta.dirname, '../../../schema/catalogue.txt');

export const schemaLines = (objects: ReadonlyMap<string, string>): string =>
  [...objects].map(([name, hash]) => `${hash} ${name}\n`).join('');

/** Tables, functions, triggers, constraints and rights that are not those of this version: who changes one changes what the database enforces. */
export const schemaCheck = (): CodeCheck => ({
  name: 'functions, triggers, rights and tables of the database are those of this version',
  run: async (client) => {
    const listed = new Map(
      readFileSync(SCHEMA_LIST, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => [line.slice(17), line.slice(0, 16)]),
    );
    const found = await describeSchema(client);
    const strange = [...found].filter(([name, hash]) => listed.get(name) !== hash);
    const missing = [...listed.keys()].filter((name) => !found.has(name));
    return [
      ...strange.map(([name]) => `${name}: ${listed.has(name) ? 'changed' : 'added'}`),
      ...missing.map((name) => `${name}: missing`),
    ];
  },
});
