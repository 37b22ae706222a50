import type pg from 'pg';

/** The rights and objects of a database, read from its own catalogue. Names are `schema.name`. */
export interface Catalogue {
  /** `table column type`, with its default or generation expression. */
  readonly columns: readonly { table: string; column: string; shape: string }[];
  /** Grants to everyone but the schema's owner; a null column means the whole table. */
  readonly grants: readonly { grantee: string; table: string; column: string | null; right: string }[];
  readonly functions: readonly DatabaseFunction[];
  readonly callers: readonly { grantee: string; function: string }[];
  readonly triggers: readonly { table: string; trigger: string; function: string }[];
  /** Other objects that act behind a statement: rules, policies, event triggers, foreign tables, publications. */
  readonly others: readonly string[];
  /** `member of role`, except the role that migrates. */
  readonly memberships: readonly string[];
}

export interface DatabaseFunction {
  readonly name: string;
  readonly parameters: string;
  readonly language: string;
  readonly text: string;
}

const OURS = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp%'`;
/** Partitions count as their parent, so they are left out. */
const TABLE = `n.nspname || '.' || c.relname`;
const TABLES = `pg_class c join pg_namespace n on n.oid = c.relnamespace and ${OURS} and not c.relispartition`;

export async function readCatalogue(db: Pick<pg.Pool, 'query'>): Promise<Catalogue> {
  const rows = async <Row extends pg.QueryResultRow>(text: string) => (await db.query<Row>(text)).rows;
  const grantee = `case a.grantee when 0 then 'public' else (select rolname from pg_roles where oid = a.grantee) end`;
  return {
    columns: await rows(
      `select ${TABLE} as table, a.attname::text as column, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
         case when a.attgenerated <> '' then 'generated' end, nullif(a.attidentity::text, ''), pg_get_expr(d.adbin, d.adrelid)) as shape
       from ${TABLES} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where c.relkind in ('r', 'p', 'm', 'v', 'f') order by 1, a.attnum`,
    ),
    grants: await rows(
      `select ${grantee} as grantee, ${TABLE} as table, null as column, a.privilege_type as right
       from ${TABLES} cross join lateral aclexplode(c.relacl) a where c.relkind in ('r', 'p', 'm', 'v', 'f') and a.grantee <> c.relowner
       union all
       select ${grantee}, ${TABLE}, t.attname, a.privilege_type from ${TABLES}
       join pg_attribute t on t.attrelid = c.oid and t.attnum > 0 and not t.attisdropped
       cross join lateral aclexplode(t.attacl) a where a.grantee <> c.relowner
       union all
       select ${grantee}, 'default of ' || coalesce(d.defaclnamespace::regnamespace::text, 'all'), null, a.privilege_type
       from pg_default_acl d cross join lateral aclexplode(d.defaclacl) a where a.grantee <> d.defaclrole
       order by 1, 2, 3, 4`,
    ),
    functions: await rows(
      `select n.nspname || '.' || p.proname as name, pg_get_function_identity_arguments(p.oid) as parameters, l.lanname as language,
         coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as text
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace and ${OURS} join pg_language l on l.oid = p.prolang
       order by 1, 2`,
    ),
    callers: await rows(
      `select ${grantee} as grantee, n.nspname || '.' || p.proname as function
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace and ${OURS}
       cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee <> p.proowner order by 1, 2`,
    ),
    triggers: await rows(
      `select ${TABLE} as table, t.tgname::text as trigger, f.pronamespace::regnamespace || '.' || f.proname as function
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace and ${OURS}
       join pg_proc f on f.oid = t.tgfoid where not t.tgisinternal and not c.relispartition order by 1, 2`,
    ),
    others: await others(rows),
    memberships: (
      await rows<{ text: string }>(
        `select m.member::regrole || ' of ' || m.roleid::regrole as text from pg_auth_members m
         where m.roleid in ('fairtick_server'::regrole, 'fairtick_chain'::regrole) and m.member <> (select nspowner from pg_namespace where nspname = 'ledger')
           and not exists (select from pg_roles r where r.oid = m.member and r.rolsuper)
           or m.member in ('fairtick_server'::regrole, 'fairtick_chain'::regrole)
           or m.roleid = (select nspowner from pg_namespace where nspname = 'ledger')`,
      )
    ).map(({ text }) => text),
  };
}

async function others(
  rows: <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>,
): Promise<string[]> {
  const found = await rows<{ text: string }>(
    `select 'rule ' || r.rulename || ' on ' || ${TABLE} as text from pg_rewrite r join ${TABLES} on c.oid = r.ev_class where r.rulename <> '_RETURN'
     union all select 'policy ' || p.polname || ' on ' || p.polrelid::regclass from pg_policy p
     union all select 'event trigger ' || evtname from pg_event_trigger
     union all select 'foreign server ' || srvname from pg_foreign_server
     union all select 'subscription of ' || subname from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())
     union all select 'extension ' || extname from pg_extension where extname <> 'plpgsql'
     order by 1`,
  );
  return found.map(({ text }) => text);
}
