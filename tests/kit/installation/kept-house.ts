import { text } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import {
  FOREIGN_KEYS,
  type ForeignKey,
  PARTITIONS,
  type Partition,
  SEQUENCES,
  statementsOf,
  TABLES,
  type Table,
} from '../../../apps/server/src/platform/backup/copy-tables.ts';
import {
  functionsOfSchema,
  initialTables,
  nameOfTables,
} from '../../../apps/server/src/platform/db/schema-files.ts';

/** Files of the data folder, each in Base64: without its keys a house does not go on. */
type Files = Readonly<Record<string, string>>;

interface About {
  readonly version: string;
  /** Of the text of the tables. */
  readonly tables: string;
  readonly files: Files;
}

/** Charts alone need the simulated past: of a few products it is enough. */
const FEWER: Readonly<Record<string, string>> = {
  'public.candles': 'where product_id <= 2 and period = 1440',
  'public.candle_histories': 'where product_id <= 2',
};
const COPY = /\ncopy (.+) from stdin;\n/;
const END = '\\.\n';
/** As `platform/db/migrate.ts` and node-pg-migrate make them. */
const MIGRATIONS = [
  'create schema migrations',
  'create table migrations.applied (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  'create table migrations.functions (file text primary key, hash text not null, version text not null)',
  'create table migrations.oldest_beside (one boolean primary key default true check (one), version text not null)',
];
const MIGRATION_RIGHTS = `grant usage on schema migrations to fairtick_server;
grant select on all tables in schema migrations to fairtick_server`;

/** A house of this version with its tables, functions and rows as SQL that `psql` reads, too. @param db as its superuser */
export async function keepHouse(db: pg.ClientConfig, version: string, files: Files): Promise<Buffer> {
  const client = new pg.Client(db);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const about: About = { version, tables: nameOfTables(), files };
    const parts = [
      `-- ${JSON.stringify(about)}`,
      'set check_function_bodies = off; set client_min_messages = warning',
      initialTables().sql,
      ...(await rowsOf(client)),
      ...functionsOfSchema().map(({ sql }) => sql),
      ...MIGRATIONS,
      ...(await copies(
        client,
        await tablesOf(
          client,
          `select format('migrations.%I', c.relname) as name,
        string_agg(format('%I', a.attname), ', ' order by a.attname) as columns from pg_class c join pg_attribute a on a.attrelid = c.oid
        and a.attnum > 0 and not a.attisdropped where c.relnamespace = 'migrations'::regnamespace and c.relkind = 'r' group by 1 order by 1`,
        ),
      )),
      MIGRATION_RIGHTS,
    ];
    return brotliCompressSync(parts.map((part) => (part.endsWith(END) ? part : `${part};\n`)).join('\n'));
  } finally {
    await client.end();
  }
}

export function aboutHouse(kept: Buffer): About {
  const [first = ''] = brotliDecompressSync(kept).toString('utf8').split('\n', 1);
  return JSON.parse(first.replace(/^-- /, '').replace(/;$/, ''));
}

/** Fills an empty database. @param db as the owner of the schema */
export async function loadHouse(db: pg.ClientConfig, kept: Buffer): Promise<void> {
  const client = new pg.Client(db);
  await client.connect();
  try {
    let rest = brotliDecompressSync(kept).toString('utf8');
    for (let copy = COPY.exec(rest); copy !== null; copy = COPY.exec(rest)) {
      await client.query(rest.slice(0, copy.index + 1));
      const start = copy.index + copy[0].length;
      const end = rest.startsWith(END, start) ? start : rest.indexOf(`\n${END}`, start) + 1;
      const stream = client.query(from(`copy ${copy[1]} from stdin`));
      await new Promise((resolve, reject) => {
        stream.on('error', reject).on('finish', resolve).end(rest.slice(start, end));
      });
      rest = rest.slice(end + END.length);
    }
    await client.query(rest);
  } finally {
    await client.end();
  }
}

const tablesOf = async (client: pg.Client, sql: string) => (await client.query<Table>(sql)).rows;

/** Tables are filled before their triggers are made, and foreign keys are made again at the end. */
async function rowsOf(client: pg.Client): Promise<string[]> {
  const tables = await tablesOf(client, TABLES);
  const { rows: keys } = await client.query<ForeignKey>(FOREIGN_KEYS);
  const { rows: sequences } = await client.query<{ name: string }>(SEQUENCES);
  const at: string[] = [];
  for (const { name } of sequences) {
    const { rows } = await client.query(`select last_value, is_called from ${name}`);
    at.push(`select setval('${name}', ${rows[0].last_value}, ${rows[0].is_called})`);
  }
  return [
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    `truncate ${tables.map(({ name }) => name).join(', ')}`,
    ...(await partitionsOf(client)),
    ...(await copies(client, tables)),
    ...at,
    ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
  ];
}

/** A new database has none, or the first ones. */
async function partitionsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Partition>(PARTITIONS);
  const parents = [...new Set(rows.map(({ parent }) => `'${parent}'::regclass`))].join(', ');
  const drop = `do $$ declare _name text; begin
    for _name in select inhrelid::regclass::text from pg_inherits where inhparent in (${parents}) loop execute 'drop table ' || _name; end loop;
  end $$`;
  return rows.length === 0 ? [] : [drop, ...rows.flatMap(statementsOf)];
}

async function copies(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const parts: string[] = [];
  for (const { name, columns } of tables) {
    const rows = await text(
      client.query(to(`copy (select ${columns} from ${name} ${FEWER[name] ?? ''}) to stdout`)),
    );
    if (rows !== '') parts.push(`copy ${name} (${columns}) from stdin;\n${rows}${END}`);
  }
  return parts;
}
