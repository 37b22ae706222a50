import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../schema');
/** The name of the first release's tables, which databases of all later versions have, too. `npm run release -- freeze` writes it. */
export const FIRST_RELEASE = join(import.meta.dirname, '../../../migrations/first-release.txt');

const MAKES = /^create (?:unlogged )?(?:table|sequence|domain) ([\w.]+)/gm;
/** Tables, sequences and types that a table or its first rows name. */
const NAMES = /\b(?:references |into |nextval\(')([\w.]+)|^ +\w+ ([\w.]+)/gm;
const FUNCTIONS = '-- ## Functions\n';

/** Part of a schema file that can be applied to any database of the current tables. */
export interface Functions {
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of `sql`, in hexadecimal. */
  readonly hash: string;
}

/**
 * The files of `schema/`, each after those whose tables its own tables name. A file has a noun's tables first and its functions after
 * the line {@link FUNCTIONS}. Besides, `values` has only functions that tables need, and `rights` all rights of the server's role.
 */
function nouns(): string[] {
  const files = globSync('*/*.sql', { cwd: FOLDER }).map((file) => file.replace('.sql', ''));
  const tables = new Map(files.sort().map((noun) => [noun, partsOf(noun).tables.replaceAll(/--.*/g, '')]));
  const makers = new Map(
    [...tables].flatMap(([noun, text]) => [...text.matchAll(MAKES)].map(([, made]) => [made, noun])),
  );
  const ordered = new Set<string>();
  const add = (noun: string): void => {
    for (const [, name, type] of (tables.get(noun) as string).matchAll(NAMES)) {
      const maker = makers.get(name ?? type);
      if (maker !== undefined && maker !== noun && !ordered.has(maker)) add(maker);
    }
    ordered.add(noun);
  };
  for (const noun of tables.keys()) add(noun);
  return [...ordered];
}

/** All tables, indexes and first rows, for an empty database: `values`, then the tables of each noun. */
function tablesOfSchema(): string {
  return [read('values'), ...nouns().map((noun) => partsOf(noun).tables)].filter(Boolean).join('\n');
}

/**
 * The tables with their name among the applied migrations. Before the first release another text, comments aside, has another name;
 * afterwards the name stays, and numbered migrations bring older databases to the text.
 */
export function initialTables(): { readonly name: string; readonly sql: string } {
  const name = existsSync(FIRST_RELEASE) ? readFileSync(FIRST_RELEASE, 'utf8').trim() : nameOfTables();
  return { name, sql: tablesOfSchema() };
}

/** Of the present text. */
export function nameOfTables(): string {
  const text = tablesOfSchema().replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
  return `0001-initial-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** Functions, triggers, views and rights. They are independent of one another, except that `rights` comes last. */
export function functionsOfSchema(): Functions[] {
  const texts = [
    { file: 'values', sql: read('values') },
    ...nouns().map((noun) => ({ file: noun, sql: partsOf(noun).functions })),
    { file: 'rights', sql: read('rights') },
  ];
  return texts
    .filter(({ sql }) => sql !== '')
    .map(({ file, sql }) => ({ file, sql, hash: createHash('sha256').update(sql).digest('hex') }));
}

function partsOf(noun: string): { tables: string; functions: string } {
  const [tables = '', functions = ''] = read(noun).split(FUNCTIONS);
  return { tables: tables.trim() === '' ? '' : tables, functions };
}

const read = (file: string): string => readFileSync(join(FOLDER, `${file}.sql`), 'utf8');
