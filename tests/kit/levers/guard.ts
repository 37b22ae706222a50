import { readFileSync } from 'node:fs';
import {
  CHAIN_FUNCTIONS,
  CHAIN_READS,
  CHAIN_WRITES,
  FUNCTIONS,
  isUnreadable,
  type Rights,
  TABLES,
  UNREADABLE,
} from '../database/server-rights.ts';
import type { Catalogue, DatabaseFunction } from './catalogue.ts';

/**
 * The only ways to set a price, an outcome or a balance. Each list is complete, so that a new way fails the test and its author
 * must list it, where a reviewer sees it.
 */
export interface Lists {
  /** Tables that hold or decide a price, an outcome or a balance; each line `table: column, column…`. */
  readonly columns: ReadonlyMap<string, string>;
  /** Functions that write such a table, directly or through functions they call; `name(parameters): tables`. */
  readonly functions: ReadonlyMap<string, string>;
  /** Functions that build statements at run time. */
  readonly dynamic: ReadonlySet<string>;
  /** `table trigger function`, of those tables. */
  readonly triggers: ReadonlySet<string>;
  /** Functions that the server's role may call. */
  readonly callable: readonly string[];
  readonly policies: ReadonlySet<string>;
}

/** Not tables of the server: views, and records of migrations. */
const BESIDE = [
  'public.destinations',
  'public.orders_and_results',
  'public.news_visible',
  'migrations.applied',
  'migrations.functions',
  'migrations.oldest_beside',
];
const SERVER = 'fairtick_server';
const CHAIN = 'fairtick_chain';
/** Ends a complaint: the file that allows it. */
const see = (list: string): string => `: see tests/kit/levers/lists/${list}.txt`;
const SEE_RIGHTS = ': see tests/kit/database/server-rights.ts';

/** Everything in a database that could set a price, an outcome or a balance and is on no list; empty: there is no lever. */
export function leversIn(catalogue: Catalogue, lists: Lists): string[] {
  return [
    ...strangeColumns(catalogue, lists),
    ...strangeGrants(catalogue),
    ...strangeFunctions(catalogue, lists),
    ...strangeCallers(catalogue, lists),
    ...strangeTriggers(catalogue, lists),
    ...catalogue.others
      .filter((text) => !lists.policies.has(text))
      .map((text) => `${text}${see('behind-statements')}`),
    ...catalogue.memberships.map((text) => `the role ${text}`),
  ];
}

function strangeColumns({ columns }: Catalogue, lists: Lists): string[] {
  const tables = Map.groupBy(columns, ({ table }) => table);
  const unknown = [...tables.keys()].filter((table) => !(table in TABLES) && !BESIDE.includes(table));
  const changed = [...lists.columns].flatMap(([table, listed]) => {
    const found = linesOfColumns(tables.get(table) ?? []);
    return found === listed
      ? []
      : [`the columns of ${table}: ${differences(found, listed)}${see('columns')}`];
  });
  return [...unknown.map((table) => `the table ${table}${SEE_RIGHTS}`), ...changed];
}

const linesOfColumns = (columns: Catalogue['columns']): string =>
  columns.map(({ column, shape }) => `${column} ${shape}`).join(', ');

function differences(found: string, listed: string): string {
  const [now, before] = [found.split(', '), listed.split(', ')];
  const more = now.filter((part) => !before.includes(part)).map((part) => `+ ${part}`);
  const less = before.filter((part) => !now.includes(part)).map((part) => `- ${part}`);
  return [...more, ...less].join(', ');
}

const WRITES: Readonly<Record<string, keyof Rights | undefined>> = {
  INSERT: 'insert',
  UPDATE: 'update',
  DELETE: 'delete',
};

function strangeGrants({ grants }: Catalogue): string[] {
  return grants
    .filter(({ grantee, table, column, right }) => {
      if (grantee === CHAIN) return !(right === 'SELECT' ? CHAIN_READS : CHAIN_WRITES).includes(table);
      if (grantee !== SERVER) return true;
      if (right === 'SELECT') return column === null ? table in UNREADABLE : isUnreadable(table, column);
      const declared = TABLES[table]?.[WRITES[right] as keyof Rights];
      return !(
        declared === true ||
        (column !== null && Array.isArray(declared) && declared.includes(column))
      );
    })
    .map(
      ({ grantee, table, column, right }) =>
        `${right} on ${table}${column === null ? '' : `.${column}`} to ${grantee}${SEE_RIGHTS}`,
    );
}

function strangeFunctions({ functions }: Catalogue, lists: Lists): string[] {
  const writing = writersOf(functions, new Set(lists.columns.keys()));
  const found = functions.flatMap((one) => {
    const name = signature(one);
    const effects = effectsOf(one.text);
    const faults: string[] = [];
    if (!['sql', 'plpgsql'].includes(one.language)) faults.push(`the function ${name} is in ${one.language}`);
    if (effects.isDynamic && !lists.dynamic.has(name))
      faults.push(`the function ${name} puts statements together${see('dynamic')}`);
    const tables = writing.get(name) ?? '';
    if (tables !== (lists.functions.get(name) ?? ''))
      faults.push(`the function ${name} writes: ${tables || 'nothing'}${see('functions')}`);
    return faults;
  });
  const gone = [...lists.functions.keys()].filter(
    (name) => !functions.some((one) => signature(one) === name),
  );
  return [
    ...found,
    ...gone.map((name) => `the function ${name} is listed and is not there${see('functions')}`),
  ];
}

const signature = ({ name, parameters }: DatabaseFunction): string => `${name}(${parameters})`;

/** The listed tables that each function writes, also through functions that it calls. */
function writersOf(functions: readonly DatabaseFunction[], tables: ReadonlySet<string>): Map<string, string> {
  const effects = new Map(functions.map((one) => [signature(one), effectsOf(one.text)]));
  const named = Map.groupBy(functions, ({ name }) => name);
  const reached = new Map(
    [...effects].map(([name, { written, setOnNew }]) => {
      const direct = [...written].map(qualified).filter((table) => tables.has(table));
      return [name, new Set([...direct, ...[...setOnNew].map((column) => `new.${column}`)])];
    }),
  );
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    for (const [name, own] of reached) {
      const before = own.size;
      for (const called of calledBy(effects.get(name) as SqlEffects, named))
        for (const table of reached.get(called) ?? []) own.add(table);
      hasGrown ||= own.size > before;
    }
  }
  return new Map(
    [...reached].flatMap(([name, own]) => (own.size === 0 ? [] : [[name, [...own].sort().join(' ')]])),
  );
}

function calledBy({ words }: SqlEffects, named: ReadonlyMap<string, DatabaseFunction[]>): string[] {
  return [...words].flatMap((word) => (named.get(qualified(word)) ?? []).map(signature));
}

/** Names without a schema belong to `public`: every function fixes its search path to it. */
const qualified = (name: string): string => (name.includes('.') ? name : `public.${name}`);

function strangeCallers({ callers }: Catalogue, lists: Lists): string[] {
  return callers
    .filter(({ grantee, function: name }) => {
      if (grantee === CHAIN) return !CHAIN_FUNCTIONS.includes(name);
      return grantee !== SERVER || !lists.callable.includes(name);
    })
    .map((caller) => `${caller.grantee} may call ${caller.function}${SEE_RIGHTS}`);
}

function strangeTriggers({ triggers }: Catalogue, lists: Lists): string[] {
  const lines = triggers
    .filter(({ table }) => lists.columns.has(table))
    .map((one) => `${one.table} ${one.trigger} ${one.function}`);
  return [
    ...lines
      .filter((line) => !lists.triggers.has(line))
      .map((line) => `the trigger ${line}${see('triggers')}`),
    ...[...lists.triggers]
      .filter((line) => !lines.includes(line))
      .map((line) => `the trigger ${line} is listed and is not there${see('triggers')}`),
  ];
}

/** The lists are text files with one item per line; a line that begins with # is a comment on those below it. */
export function readLines(name: string): string[] {
  return readFileSync(new URL(`./lists/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function readMap(name: string): Map<string, string> {
  return new Map(
    readLines(name).map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
}

export function readLists(): Lists {
  return {
    columns: readMap('columns'),
    functions: readMap('functions'),
    dynamic: new Set(readLines('dynamic')),
    triggers: new Set(readLines('triggers')),
    policies: new Set(readLines('behind-statements')),
    callable: FUNCTIONS,
  };
}

/**
 * A function's effects on tables, as far as its text shows: comments and literals are removed first, so that they do not count.
 * SQL built at run time is not seen; functions with `execute` therefore have a list of their own.
 */
export interface SqlEffects {
  /** Every name in the text, of any kind. */
  readonly words: ReadonlySet<string>;
  /** Targets of insert, update, merge, delete and truncate. */
  readonly written: ReadonlySet<string>;
  /** Columns that a trigger sets in a new row. */
  readonly setOnNew: ReadonlySet<string>;
  readonly isDynamic: boolean;
}

const NAME = `(?:"(?:[^"]|"")*"|[a-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)`;
const TOKEN = new RegExp(`${NAME}(?:\\s*\\.\\s*${NAME})*|:=|[=;(),*]`, 'giu');

function effectsOf(text: string): SqlEffects {
  const tokens = [...bare(text).matchAll(TOKEN)].map(([token]) => plain(token));
  const written = new Set<string>();
  const setOnNew = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const next = (by: number) => tokens[at + by] ?? '';
    const isTarget =
      (token === 'into' && ['insert', 'merge'].includes(next(-1))) ||
      (token === 'from' && next(-1) === 'delete') ||
      // Not `for update`, `for no key update`, `on conflict do update set`.
      (token === 'update' && !['for', 'key', 'do'].includes(next(-1))) ||
      token === 'truncate';
    if (isTarget) written.add(next(next(1) === 'only' || next(1) === 'table' ? 2 : 1));
    if (token.startsWith('new.') && (next(1) === ':=' || next(1) === '=')) setOnNew.add(token.slice(4));
    if (token === 'into' && /^new(\.|$)/.test(next(1))) setOnNew.add(next(1).slice(4) || '*');
    if (token === 'new' && (next(1) === ':=' || next(1) === '=')) setOnNew.add('*');
  }
  return { words: new Set(tokens), written, setOnNew, isDynamic: tokens.includes('execute') };
}

/** Lower case and unquoted, as names are in the catalogue. */
function plain(token: string): string {
  return token
    .split('.')
    .map((part) => {
      const name = part.trim();
      return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
    })
    .join('.');
}

/** Without comments and literals. */
function bare(text: string): string {
  const literal = /--[^\n]*|\/\*[\s\S]*?\*\/|[eu]?&?'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/giu;
  return text.replace(literal, ' ');
}
