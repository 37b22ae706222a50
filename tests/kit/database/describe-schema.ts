import type pg from 'pg';

const SCHEMAS = `('public', 'ledger')`;
/** Each query lists objects of one kind, one text a row. Partitions and sequences follow from their tables. */
const QUERIES = [
  `select 'column ' || c.oid::regclass || ' ' || concat_ws('|', attname, format_type(atttypid, atttypmod), attnotnull,
     pg_get_expr(adbin, adrelid), attidentity, attgenerated, attstorage, attacl) as text
   from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relnamespace::regnamespace::text in ${SCHEMAS} and attnum > 0 and not attisdropped and relkind in ('r', 'v', 'p')`,
  `select 'table ' || oid::regclass || ' ' || concat_ws('|', relkind, relpersistence, reloptions, relrowsecurity, relacl)
   from pg_class where relnamespace::regnamespace::text in ${SCHEMAS} and relkind in ('r', 'v', 'p')`,
  `select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
   from pg_constraint where connamespace::regnamespace::text in ${SCHEMAS} and conrelid <> 0`,
  `select 'domain ' || typname || ' ' || pg_get_constraintdef(k.oid) from pg_type t join pg_constraint k on contypid = t.oid`,
  `select pg_get_indexdef(oid) from pg_class
   where relkind in ('i', 'I') and relnamespace::regnamespace::text in ${SCHEMAS}`,
  `select 'on ' || tgrelid::regclass || ' ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
  `select 'policy ' || concat_ws('|', tablename, policyname, roles, cmd, qual, with_check) from pg_policies`,
  `select pg_get_functiondef(oid) || ' ' || coalesce(proacl::text, '') from pg_proc
   where pronamespace::regnamespace::text in ${SCHEMAS} and prokind = 'f'`,
  `select 'view ' || oid::regclass || pg_get_viewdef(oid) from pg_class
   where relkind = 'v' and relnamespace::regnamespace::text in ${SCHEMAS}`,
];

/** Everything in a database that the schema defines, sorted, without its rows. The owner's name is left out. */
export async function describeSchema(db: pg.Client | pg.Pool): Promise<string[]> {
  const owner = (await db.query<{ name: string }>('select current_user as name')).rows[0]?.name ?? '';
  const texts: string[] = [];
  for (const query of QUERIES) {
    const { rows } = await db.query<{ text: string }>(`select text from (${query}) q (text)`);
    texts.push(...rows.map(({ text }) => text.replaceAll(owner, 'owner')));
  }
  return texts.sort();
}
