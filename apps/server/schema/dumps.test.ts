import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';

const db = ownDatabase();

test('a dump restores each trigger and check in the words that the audit knows', async () => {
  const { rows } = await db.owner.query<{ name: string; table: string; kind: string; text: string }>(
    `select tgname as name, tgrelid::regclass::text as table, 'trigger' as kind, pg_get_triggerdef(oid) as text
     from pg_trigger where not tgisinternal and tgparentid = 0
     union all
     select conname, conrelid::regclass::text, 'constraint', pg_get_constraintdef(oid)
     from pg_constraint where contype = 'c' and conrelid <> 0 and coninhcount = 0 and connamespace <> 'pg_catalog'::regnamespace`,
  );
  expect(rows.length).toBeGreaterThan(300);
  const changed: string[] = [];
  const client = await db.owner.connect();
  for (const { name, table, kind, text } of rows) {
    await client.query('begin');
    const make = kind === 'trigger' ? text : `alter table ${table} add constraint "${name}" ${text}`;
    await client.query(
      kind === 'trigger'
        ? `drop trigger "${name}" on ${table}`
        : `alter table ${table} drop constraint "${name}"`,
    );
    await client.query(make);
    const { rows: again } = await client.query<{ text: string }>(
      kind === 'trigger'
        ? `select pg_get_triggerdef(oid) as text from pg_trigger where tgname = $1 and tgrelid = $2::regclass`
        : `select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1 and conrelid = $2::regclass`,
      [name, table],
    );
    if (again[0]?.text !== text) changed.push(`${kind} ${name} of ${table}`);
    await client.query('rollback');
  }
  client.release();
  expect(changed).toEqual([]);
});
