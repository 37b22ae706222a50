import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { describeSchema } from '@fairtick/kit/database/describe-schema.ts';
import { ask, deposit, newPayee, usdt } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { LANGUAGES } from '@fairtick/protocol';
import { STAFF_ROLES } from '@fairtick/protocol/office';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, refuseOtherVersions } from './migrate.ts';
import { functionsOfSchema, tablesOfSchema } from './schema-files.ts';
import { UnfitDatabaseError } from './unfit-database.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

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

  test('has exactly the schema that the files of schema/ describe', async () => {
    const empty = await createTestDatabase('template0');
    const client = await empty.owner.connect();
    try {
      await client.query('begin; set local check_function_bodies = off');
      await client.query(tablesOfSchema());
      for (const { sql } of functionsOfSchema()) await client.query(sql);
      await client.query('commit');
      expect(await describeSchema(db.owner)).toEqual(await describeSchema(empty.owner));
    } finally {
      client.release();
      await empty.drop();
    }
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

describe('functions', () => {
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
      create or replace function trading_halt(_by bigint, _reason text) returns bigint language sql as 'select 7::bigint';
      revoke all on function log_now from fairtick_server;
      grant insert on orders to fairtick_server;
      update migrations.functions set hash = 'of an older text' where file = 'trading/halts'`);
    expect(await describeSchema(db.owner)).not.toEqual(schema);
    await migrate(db.ownerAddress);
    expect(await describeSchema(db.owner)).toEqual(schema);
  });
});

test('payments of an older version whose references look alike are named, and the database stays as it was', async () => {
  const cashier = await installStaff(db.owner, 'cashier');
  const ann = await newPayee(db);
  await db.owner.query(`
    drop index deposit_requests_by_evidence;
    create index deposit_requests_by_evidence on deposit_requests (evidence);
    create or replace function reference_key(_reference text) returns text immutable language sql as 'select lower(_reference)';
    delete from migrations.applied where name >= '0009'`);
  for (const reference of ['PAY-20', 'other', 'PAY 2O'])
    await ask(db, 'deposit_find', [cashier, await deposit(db, ann, usdt(50)), usdt(50), reference]);
  const before = await applied();
  const error = await migrate(db.ownerAddress).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(UnfitDatabaseError);
  expect((error as Error).message).toMatch(
    /deposits (\d+) \(reference PAY-20\) and \d+ \(reference PAY 2O\)/,
  );
  expect(await applied()).toEqual(before);
});

describe('a database of a newer version', () => {
  const BY_FUNCTIONS = `update migrations.functions set hash = 'newer', version = '0.10.0' where file = 'log/heads'`;
  const BY_MIGRATION = `insert into migrations.applied (name, run_on) values ('9999-later', now())`;
  const oldestBeside = (version: string) =>
    db.owner.query('update migrations.oldest_beside set version = $1', [version]);

  test.each([
    ['functions', BY_FUNCTIONS, '0.10.0'],
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
    ['functions', BY_FUNCTIONS, '0.10.0'],
    ['a migration', BY_MIGRATION, '9999-later'],
  ])(
    'that older programs can not use is refused by name, and is not changed: by %s',
    async (_what, change, name) => {
      await db.owner.query(change);
      await oldestBeside('0.10.0');
      const before = await applied();
      await expect(migrate(db.ownerAddress)).rejects.toThrow(
        `newer version (${name}), which version 0.2.0 can't use; 0.10.0 is the oldest that can: start the newer version again, or restore`,
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
      'an older database by migration',
      `delete from migrations.applied where name = '0006-add-trading-days'`,
      /older.*0006-add-trading-days.*start the server/,
    ],
    [
      'an older database by functions',
      `update migrations.functions set hash = 'older', version = '0.1.9' where file = 'log/heads'`,
      /older.*log\/heads/,
    ],
    [
      'a newer one that it can not use',
      `insert into migrations.applied (name, run_on) values ('9999-later', now()); update migrations.oldest_beside set version = '0.10.0'`,
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

test.each(['044_proofs', '0002-rename-proved-until'])(
  'a database of a build with the replaced migration %s says what it is',
  async (name) => {
    await db.owner.query('insert into migrations.applied (name, run_on) values ($1, now())', [name]);
    await expect(migrate(db.ownerAddress)).rejects.toThrow(
      `made by a build before 0.2.0 (its migration ${name}`,
    );
  },
);

test.each([
  ['of version 0.1.0', 'migrations.ledger_migrations'],
  ['of a build before 0.2.0', 'staff_changes'],
])('a database %s is refused in one line', async (_what, table) => {
  await db.owner.query(`create table ${table} (id int)`);
  await expect(migrate(db.ownerAddress)).rejects.toThrow(/^the database was made by version 0\.1\.0.*empty/);
});

test('a database with a public log of a former format is refused in one line', async () => {
  await db.owner.query(`drop table order_refusals; alter table rules disable trigger user;
    insert into rules (id, product_id, n, hash, effective_ms, entry) select 0, id, 1, decode(repeat('00', 32), 'hex'), 0, 'rules|3|A/B' from products limit 1`);
  await expect(migrate(db.ownerAddress)).rejects.toThrow(/^the public log.*former format.*empty DATA_DIR/);
});
