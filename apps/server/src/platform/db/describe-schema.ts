import { createHash } from 'node:crypto';
import type { Queryable } from './database.ts';
import { CHAIN_ROLE, SERVER_ROLE } from './server-login.ts';

const SCHEMAS = `('public', 'ledger')`;
const ROLES = `('${SERVER_ROLE}', '${CHAIN_ROLE}')`;
const OURS = (catalogue: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;
const TABLES = `pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname in ${SCHEMAS} and not c.relispartition
  and ${OURS('pg_class', 'c.oid')}`;
const GRANTEE = `case a.grantee when 0 then 'everybody' else a.grantee::regrole::text end`;
const OWNER = `(select nspowner from pg_namespace where nspname = 'ledger')`;

/** Names and parts of objects, without what differs between PostgreSQL 15 and 18: `not null` constraints have rows from 18 on. */
const QUERIES = [
  `select 'columns of ' || c.oid::regclass, concat_ws('|', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
     pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated)
   from ${TABLES} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where c.relkind in ('r', 'v', 'p')`,
  `select 'table ' || c.oid::regclass, concat_ws('|', c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity) from ${TABLES}
   where c.relkind in ('r', 'v', 'p', 'm', 'f')`,
  `select 'constraints of ' || c.oid::regclass, k.conname || ' ' || pg_get_constraintdef(k.oid)
   from ${TABLES} join pg_constraint k on k.conrelid = c.oid and k.contype <> 'n'`,
  `select 'domain ' || t.oid::regtype, k.conname || ' ' || pg_get_constraintdef(k.oid)
   from pg_type t join pg_constraint k on k.contypid = t.oid and k.contype <> 'n' where ${OURS('pg_type', 't.oid')}
     and t.typnamespace::regnamespace::text in ${SCHEMAS}`,
  `select 'indexes of ' || i.indrelid::regclass, pg_get_indexdef(i.indexrelid) || i.indisvalid from ${TABLES} join pg_index i on i.indrelid = c.oid`,
  `select distinct 'partitions of ' || h.inhparent::regclass, concat_ws('|', c.relpersistence, c.relrowsecurity, (
     select string_agg(d.text, ';' order by d.text) from (
       select concat_ws(' ', i.indisunique, i.indisvalid, substring(pg_get_indexdef(i.indexrelid) from ' USING .*')) as text
       from pg_index i where i.indrelid = c.oid
       union all select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') d))
   from pg_inherits h join pg_class c on c.oid = h.inhrelid and c.relispartition and c.relkind = 'r'
     and c.relnamespace::regnamespace::text in ${SCHEMAS}`,
  `select 'trigger ' || t.tgname || ' on ' || t.tgrelid::regclass, pg_get_triggerdef(t.oid) || t.tgenabled::text
   from pg_trigger t where not t.tgisinternal and t.tgparentid = 0 and ${OURS('pg_trigger', 't.oid')}`,
  `select 'disabled triggers of ' || t.tgrelid::regclass, t.tgname::text from pg_trigger t where t.tgisinternal and t.tgenabled <> 'O'`,
  `select 'function ' || p.oid::regprocedure, pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)' and p.prokind in ('f', 'p')
     and ${OURS('pg_proc', 'p.oid')}`,
  `select 'view ' || c.oid::regclass, pg_get_viewdef(c.oid) from ${TABLES} where c.relkind in ('v', 'm')`,
  `select 'policy ' || p.polname || ' on ' || p.polrelid::regclass, concat_ws('|', p.polcmd, p.polpermissive, p.polroles::regrole[],
     pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) from pg_policy p`,
  `select 'rule ' || r.rulename || ' on ' || r.ev_class::regclass, pg_get_ruledef(r.oid) from pg_rewrite r
   where r.rulename <> '_RETURN' and r.oid >= 16384`,
  `select 'event trigger ' || evtname, evtenabled::text from pg_event_trigger e where ${OURS('pg_event_trigger', 'e.oid')}`,
  `select 'operator ' || o.oid::regoperator, o.oprcode::text from pg_operator o where o.oid >= 16384 and ${OURS('pg_operator', 'o.oid')}
   union all select 'cast from ' || c.castsource::regtype || ' to ' || c.casttarget::regtype, c.castcontext::text from pg_cast c
     where c.oid >= 16384 and ${OURS('pg_cast', 'c.oid')}`,
  `select 'rights of ' || ${GRANTEE} || ' on ' || c.oid::regclass, a.privilege_type || a.is_grantable
   from pg_class c cross join lateral aclexplode(c.relacl) a
   where c.relnamespace::regnamespace::text in ${SCHEMAS} and a.grantee <> c.relowner and ${OURS('pg_class', 'c.oid')}
   union all select 'rights of ' || ${GRANTEE} || ' on ' || c.oid::regclass, t.attname || ' ' || a.privilege_type || a.is_grantable
   from pg_class c join pg_attribute t on t.attrelid = c.oid and t.attnum > 0 and not t.attisdropped
   cross join lateral aclexplode(t.attacl) a
   where c.relnamespace::regnamespace::text in ${SCHEMAS} and a.grantee <> c.relowner and ${OURS('pg_class', 'c.oid')}
   union all select 'rights of ' || ${GRANTEE} || ' on the schema ' || n.nspname, a.privilege_type || a.is_grantable
   from pg_namespace n cross join lateral aclexplode(n.nspacl) a where n.nspname in ${SCHEMAS} and a.grantee not in (n.nspowner, ${OWNER})
   union all select 'rights of ' || ${GRANTEE} || ' on function ' || p.oid::regprocedure, a.privilege_type || a.is_grantable
   from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
   where p.pronamespace::regnamespace::text in ${SCHEMAS} and a.grantee <> p.proowner and ${OURS('pg_proc', 'p.oid')}
   union all select 'rights of ' || ${GRANTEE} || ' on what is made later', a.privilege_type || d.defaclobjtype::text
   from pg_default_acl d cross join lateral aclexplode(d.defaclacl) a where a.grantee <> d.defaclrole`,
  `select 'role ' || r.rolname, concat_ws('|', r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls, r.rolinherit)
   from pg_roles r where r.rolname in ${ROLES}
   union all select 'settings of role ' || s.setrole::regrole, s.setconfig::text from pg_db_role_setting s
   where s.setrole in (select oid from pg_roles where rolname in ${ROLES})
   union all select 'members of role ' || m.roleid::regrole, m.member::regrole::text from pg_auth_members m join pg_roles r on r.oid = m.member
   where m.member::regrole::text in ${ROLES} or (m.roleid::regrole::text in ${ROLES} and m.member <> ${OWNER} and not r.rolsuper)`,
  ...['four_eyes_rules', 'four_eyes_amounts'].map(
    (table) => `select 'rows of public.${table}', to_jsonb(t)::text from public.${table} t`,
  ),
];

/** A hash of each object of the schema, without its owner and the rows that the product writes. @param db in a transaction */
export async function describeSchema(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const { rows: before } = await db.query<{ path: string }>(`select current_setting('search_path') as path`);
  // Names and expressions are written with their schemas.
  await db.query(`select set_config('search_path', 'pg_catalog', true)`);
  const parts = new Map<string, string[]>();
  for (const query of QUERIES) {
    const { rows } = await db.query<{ name: string; text: string }>(
      `select name, text from (${query}) q (name, text)`,
    );
    for (const { name, text } of rows) parts.set(name, [...(parts.get(name) ?? []), text]);
  }
  await db.query(`select set_config('search_path', $1, true)`, [before[0]?.path]);
  const hash = (texts: string[]) =>
    createHash('sha256').update(texts.sort().join('\n')).digest('hex').slice(0, 16);
  return new Map(
    [...parts].map(([name, texts]) => [name, hash(texts)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
