import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';

/** The schemas with data. That of the migrations is made by the target's own start. */
const SCHEMAS = `'public', 'ledger'`;

export interface Table {
  /** With its schema, quoted. */
  readonly name: string;
  /** Without those that PostgreSQL computes. */
  readonly columns: string;
}

export interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly bound: string;
  /** Statements that make the indexes that its parent does not have. */
  readonly indexes: readonly string[];
}

interface Named {
  readonly name: string;
}

export interface ForeignKey extends Named {
  readonly table: string;
  readonly definition: string;
}

/** Partitions are read and written through their table. */
export const TABLES = `select format('%I.%I', n.nspname, c.relname) as name,
    string_agg(format('%I', a.attname), ', ' order by a.attname) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname in (${SCHEMAS}) and c.relkind in ('r', 'p') and not c.relispartition group by 1 order by 1`;
export const PARTITIONS = `select format('%I.%I', n.nspname, c.relname) as name, i.inhparent::regclass::text as parent,
    pg_get_expr(c.relpartbound, c.oid) as bound, array(select pg_get_indexdef(x.indexrelid) from pg_index x where x.indrelid = c.oid
      and not exists (select from pg_inherits h where h.inhrelid = x.indexrelid)) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_inherits i on i.inhrelid = c.oid
  where n.nspname in (${SCHEMAS}) and c.relispartition and c.relkind = 'r' order by 1`;
export const SEQUENCES = `select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in (${SCHEMAS}) and c.relkind = 'S' order by 1`;
export const FOREIGN_KEYS = `select conrelid::regclass::text as table, format('%I', conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and conparentid = 0 and connamespace::regnamespace::text in (${SCHEMAS}) order by 1, 2`;

export interface Copied {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Copies all rows and sequences into a database whose tables the same version has made. Triggers and foreign keys do not act meanwhile,
 * because the rows have passed them; the foreign keys are checked again at the end.
 * @param source within the transaction whose snapshot is copied
 * @param target within a transaction
 * @throws Error when both databases have other tables
 */
export async function copyTables(
  source: pg.Client,
  target: pg.Client,
  say: (text: string) => void,
): Promise<Copied> {
  const read = async <T extends pg.QueryResultRow>(client: pg.Client, sql: string) =>
    (await client.query<T>(sql)).rows;
  const tables = await read<Table>(source, TABLES);
  if (JSON.stringify(tables) !== JSON.stringify(await read<Table>(target, TABLES)))
    throw new Error('both databases have other tables');
  await copyPartitions(
    await read<Partition>(source, PARTITIONS),
    await read<Partition>(target, PARTITIONS),
    target,
  );
  const foreignKeys = await read<ForeignKey>(target, FOREIGN_KEYS);
  for (const { table, name } of foreignKeys)
    await target.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of tables) await target.query(`alter table ${name} disable trigger user`);
  await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  let rows = 0;
  for (const table of tables) rows += await copyTable(source, target, table, say);
  for (const { name } of await read<Named>(source, SEQUENCES)) await copySequence(source, target, name);
  for (const { name } of tables) await target.query(`alter table ${name} enable trigger user`);
  say('checking the foreign keys');
  for (const { table, name, definition } of foreignKeys)
    await target.query(`alter table ${table} add constraint ${name} ${definition}`);
  return { tables: tables.length, rows };
}

/** Partitions are made, and old ones of the log dropped, while the server runs. */
async function copyPartitions(
  wanted: readonly Partition[],
  present: readonly Partition[],
  target: pg.Client,
): Promise<void> {
  const isIn = (list: readonly Partition[], { name, bound }: Partition) =>
    list.some((one) => one.name === name && one.bound === bound);
  for (const one of present) if (!isIn(wanted, one)) await target.query(`drop table ${one.name}`);
  for (const one of wanted)
    if (!isIn(present, one)) for (const statement of statementsOf(one)) await target.query(statement);
}

/** The statements that make a partition. */
export const statementsOf = ({ name, parent, bound, indexes }: Partition): string[] => [
  `create table ${name} (like ${parent} including all excluding identity)`,
  `alter table ${parent} attach partition ${name} ${bound}`,
  ...indexes,
];

/** @returns the number of rows, which both databases count */
async function copyTable(
  source: pg.Client,
  target: pg.Client,
  { name, columns }: Table,
  say: (text: string) => void,
): Promise<number> {
  const startedMs = performance.now();
  const reading = source.query(to(`copy (select ${columns} from ${name}) to stdout`));
  const writing = target.query(from(`copy ${name} (${columns}) from stdin`));
  await pipeline(reading, writing);
  const [read, written] = [reading.rowCount, writing.rowCount];
  if (read !== written) throw new Error(`${name}: ${read} rows were read and ${written} written`);
  const seconds = (performance.now() - startedMs) / 1_000;
  if (seconds >= 1) say(`${name}: ${written} rows in ${seconds.toFixed(1)} s`);
  return written;
}

async function copySequence(source: pg.Client, target: pg.Client, name: string): Promise<void> {
  const { rows } = await source.query<{ last_value: string; is_called: boolean }>(
    `select last_value, is_called from ${name}`,
  );
  await target.query('select setval($1, $2, $3)', [name, rows[0]?.last_value, rows[0]?.is_called]);
}
