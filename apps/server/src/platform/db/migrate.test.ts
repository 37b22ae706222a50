import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { LANGUAGES } from '@fairtick/protocol';
import { STAFF_ROLES } from '@fairtick/protocol/office';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../build.ts';
import { describeSchema } from './describe-schema.ts';
import { migrate, refuseOtherVersions } from './migrate.ts';
import { UnfitDatabaseError } from './unfit-database.ts';

const db = forTest(() => createTestDatabase());

const applied = async (): Promise<unknown[]> => {
  const { rows: migrations } = await db.owner.query(
    'select name, run_on from migrations.applied order by id',
  );
  const { rows: functions } = await db.owner.query('select * from migrations.functions order by file');
  const { rows: oldest } = await db.owner.query('select * from migrations.oldest_beside');
  return [...migrations, ...functions, ...oldest];
};

describe('a database that is up to date', () => {
  test('is not changed by several migrations at once', async () => {
    const before = await applied();
    const said: string[] = [];
    await Promise.all(Array.from({ length: 4 }, () => migrate(db.ownerAddress, (text) => said.push(text))));
    expect(await applied()).toEqual(before);
  });
});

test('the database knows the languages of the product and no others', async () => {
  const known = async (language: string) =>
    (await db.owner.query<{ known: boolean }>('select $1 = any (languages()) as known', [language])).rows[0]
      ?.known;
  const { rows } = await db.owner.query('select languages()');
  expect(rows).toEqual([{ languages: LANGUAGES }]);
  for (const language of LANGUAGES) expect(await known(language)).toBe(true);
  for (const language of ['fr', 'zh-CN', '']) expect(await known(language)).toBe(false);
});

test('the database knows the roles of staff and no others, and their sides', async () => {
  const { rows: checks } = await db.owner.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint where contypid = 'staff_role'::regtype`,
  );
  const known = checks.flatMap(({ text }) => [...text.matchAll(/'([^']*)'::text/g)].map(([, role]) => role));
  expect(known).toEqual(STAFF_ROLES);
  const { rows } = await db.owner.query<{ role: string; side: string }>(
    'select role, side_of(role) as side from unnest($1::text[]) role',
    [STAFF_ROLES],
  );
  expect(rows.filter(({ side }) => side !== 'work')).toEqual([
    { role: 'auditor', side: 'audit' },
    { role: 'administrator', side: 'administration' },
  ]);
});

/** What PostgreSQL 16 to 18 brought that a function of ours could call; version 15 finds that out at the call. */
const NEWER_THAN_15 =
  'any_value array_reverse array_sample array_shuffle array_sort casefold crc32 crc32c date_add date_subtract erf erfc gamma json_array json_object json_scalar json_serialize json_value json_query json_exists json_table lgamma pg_basetype pg_input_error_info pg_input_is_valid jsonb_populate_record_valid random_normal system_user to_bin to_oct to_regtypemod unicode_assigned uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 xmltext';

describe('functions', () => {
  test('call nothing that PostgreSQL 15 lacks', async () => {
    const { rows } = await db.owner.query<{ calls: string }>(
      `select distinct p.oid::regprocedure || ' calls ' || m[1] as calls
       from pg_proc p cross join regexp_matches(regexp_replace(p.prosrc, '--[^\\n]*', '', 'g'), '\\m([a-z_0-9]+)\\(', 'g') m
       where p.pronamespace::regnamespace::text in ('public', 'ledger') and m[1] = any (string_to_array($1, ' '))`,
      [NEWER_THAN_15],
    );
    expect(rows).toEqual([]);
  });

  test('that call refuse() find it in their own search path', async () => {
    const { rows } = await db.owner.query<{ name: string }>(
      `select oid::regprocedure::text as name from pg_proc
       where prosrc ~ '(^|[^.[:alnum:]_])refuse\\('
         and array_to_string(proconfig, ' ') ~ 'search_path' and array_to_string(proconfig, ' ') !~ 'search_path=public'`,
    );
    expect(rows).toEqual([]);
  });

  test('whose text has changed are applied again, with all rights, and others are left alone', async () => {
    const schema = await describeSchema(db.owner);
    await db.owner.query(`
      create or replace function trading_halt(_by bigint, _reason text, _product smallint default null) returns bigint
        language sql as 'select 7::bigint';
      revoke all on function log_now from fairtick_server;
      grant insert on orders to fairtick_server;
      update migrations.functions set hash = 'of an older text' where file = 'trading/halts'`);
    expect(await describeSchema(db.owner)).not.toEqual(schema);
    await migrate(db.ownerAddress);
    expect(await describeSchema(db.owner)).toEqual(schema);
  });
});

describe('a database of a newer version', () => {
  const BY_FUNCTIONS = `update migrations.functions set hash = 'newer', version = '99.10.0' where file = 'log/heads'`;
  const BY_MIGRATION = `insert into migrations.applied (name, run_on) values ('9999-later', now())`;
  const oldestBeside = (version: string) =>
    db.owner.query('update migrations.oldest_beside set version = $1', [version]);

  test.each([
    ['functions', BY_FUNCTIONS, '99.10.0'],
    ['a migration', BY_MIGRATION, '9999-later'],
  ])('that only adds is used as it is: by %s', async (_what, change, name) => {
    await db.owner.query(change);
    const before = await applied();
    const said: string[] = [];
    await migrate(db.ownerAddress, (text) => said.push(text));
    expect(said).toEqual([`the database is of a newer version (${name}) and is used as it is`]);
    expect(await applied()).toEqual(before);
  });

  test.each([
    ['functions', BY_FUNCTIONS, '99.10.0'],
    ['a migration', BY_MIGRATION, '9999-later'],
  ])(
    'that older programs can not use is refused by name, and is not changed: by %s',
    async (_what, change, name) => {
      await db.owner.query(change);
      await oldestBeside('99.10.0');
      const before = await applied();
      await expect(migrate(db.ownerAddress)).rejects.toThrow(
        `newer version (${name}), which version ${VERSION} can't use; 99.10.0 is the oldest that can: start the newer version again, or restore`,
      );
      expect(await applied()).toEqual(before);
    },
  );

  test('that does not say which programs can use it is refused', async () => {
    await db.owner.query(`${BY_MIGRATION}; drop table migrations.oldest_beside`);
    await expect(migrate(db.ownerAddress)).rejects.toThrow(UnfitDatabaseError);
  });
});

describe('a command', () => {
  const command = () => refuseOtherVersions(db.ownerAddress);

  test('runs on a database of this version, and on a newer one that this version can use', async () => {
    await command();
    // A start with the server's address alone checks the same.
    await refuseOtherVersions(db.serverAddress);
    await db.owner.query(`insert into migrations.applied (name, run_on) values ('9999-later', now())`);
    await command();
  });

  test.each([
    [
      'an older database by functions',
      `update migrations.functions set hash = 'older', version = '0.1.9' where file = 'log/heads'`,
      /older.*log\/heads/,
    ],
    [
      'a newer one that it can not use',
      `insert into migrations.applied (name, run_on) values ('9999-later', now()); update migrations.oldest_beside set version = '99.10.0'`,
      /newer version \(9999-later\)/,
    ],
    ['one without tables', 'drop schema migrations cascade', /the database is empty/],
  ])('refuses %s in one line and changes nothing', async (_what, change, reason) => {
    await db.owner.query(change);
    const error = await command().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnfitDatabaseError);
    expect((error as Error).message).toMatch(reason);
    expect((error as Error).message).not.toContain('\n');
  });
});

test('transaction ids that rows bring from another server are passed, so that what is moved from then on counts', async () => {
  const watermark = async () =>
    (await db.owner.query('select xid::text from ledger.house_watermark')).rows[0].xid;
  await db.owner.query(
    `update ledger.house_watermark set xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 2000)::text::xid8`,
  );
  const before = await watermark();
  const said: string[] = [];
  await migrate(db.ownerAddress, (text) => said.push(text));
  expect(said).toEqual([
    expect.stringMatching(
      /^(1\d{3}|20\d\d) transaction ids of the server that the rows come from are passed$/,
    ),
  ]);
  const { rows } = await db.owner.query('select pg_current_xact_id() > $1::xid8 as passed', [before]);
  expect(rows).toEqual([{ passed: true }]);
});

test('a database of a build that was not released is refused in one line', async () => {
  const refused = /^the database was made by a build that was not released.*empty DATA_DIR/;
  await db.owner.query(`update migrations.applied set name = '0001-initial'`);
  await expect(migrate(db.ownerAddress)).rejects.toThrow(refused);
  await db.owner.query('create table staff_changes (id int); delete from migrations.applied');
  await expect(migrate(db.ownerAddress)).rejects.toThrow(refused);
});
