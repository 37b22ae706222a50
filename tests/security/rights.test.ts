import {
  CHAIN_FUNCTIONS,
  FUNCTIONS,
  isUnreadable,
  NOTHING,
  type Rights,
  TABLES,
} from '@fairtick/kit/database/server-rights.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../apps/server/src/platform/db/database.ts';

const DENIED = '42501';
/** Views over several tables, into which no row can be inserted. */
const VIEWS = ['public.destinations', 'public.news_visible', 'public.orders_and_results'];
const NOT_A_TABLE = '55000';
const SCHEMAS = `nspname in ('public', 'ledger', 'migrations')`;
let columns: Map<string, string[]>;
const still = forFile(() => StillHouse.open());
beforeAll(async () => {
  const { rows } = await still.house.db.owner.query<{ name: string; columns: string[] }>(
    `select n.nspname || '.' || c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and nspname in ('public', 'ledger') and n.nspname || '.' || c.relname <> all ($1)
     group by 1 order by 1`,
    [VIEWS],
  );
  columns = new Map(rows.map((row) => [row.name, row.columns]));
});

/** The SQLSTATE with which the server's role is refused, or null. */
async function tryAsServer(statement: string): Promise<string | null> {
  const client = await still.house.db.server.connect();
  try {
    await client.query('begin');
    await client.query(statement);
    return null;
  } catch (error) {
    return failureOf(error);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const isPartition = (table: string) =>
  /^(public\.(log_entries|orders|order_results)|ledger\.postings)_\d+$/.test(table);
const rightsOf = (table: string): Rights => (isPartition(table) ? NOTHING : (TABLES[table] as Rights));
const allowed = (right: true | readonly string[] | undefined, all: readonly string[]) =>
  all.filter((column) => right === true || right?.includes(column) === true);
const tables = Object.keys(TABLES);
const declaredIn = (list: string) => `${list} of tests/kit/database/server-rights.ts and the database differ`;

describe('tables', () => {
  test('each table of the catalogue is declared here', () => {
    expect([...columns.keys()].filter((table) => !isPartition(table)).sort(), declaredIn('TABLES')).toEqual(
      tables.toSorted(),
    );
    expect([...columns.keys()].some(isPartition)).toBe(true);
  });

  test.each([
    ...tables,
    'public.log_entries_0',
    'public.orders_1',
    'public.order_results_1',
    'ledger.postings_1',
  ])('%s lets the server do what is declared and nothing else', async (table) => {
    const rights = rightsOf(table);
    const refused = (isAllowed: boolean) => (isAllowed ? null : DENIED);
    const update: string[] = [];
    const insert: string[] = [];
    for (const column of columns.get(table) as string[]) {
      const updated = await tryAsServer(`update ${table} set ${column} = default where false`);
      if (updated !== DENIED) update.push(column);
      // An insert that the role may do fails for its missing values, or succeeds.
      const inserted = await tryAsServer(
        `insert into ${table} (${column}) overriding system value values (default)`,
      );
      if (inserted !== DENIED) insert.push(column);
    }
    expect({ update, insert }, declaredIn(`TABLES['${table}']`)).toEqual({
      update: allowed(rights.update, columns.get(table) as string[]),
      insert: allowed(rights.insert, columns.get(table) as string[]),
    });
    expect(['delete', await tryAsServer(`delete from ${table} where false`)]).toEqual([
      'delete',
      refused(rights.delete === true),
    ]);
    expect(['truncate', await tryAsServer(`truncate ${table}`)]).toEqual(['truncate', DENIED]);
    expect(['alter', await tryAsServer(`alter table ${table} disable trigger all`)]).toEqual([
      'alter',
      DENIED,
    ]);
    expect(['drop', await tryAsServer(`drop table ${table}`)]).toEqual(['drop', DENIED]);
  });

  test.each(tables)('%s can be read as far as its secrets allow', async (table) => {
    for (const column of columns.get(table) as string[]) {
      const read = await tryAsServer(`select ${column} from ${table} limit 1`);
      expect([column, read], declaredIn('UNREADABLE')).toEqual([
        column,
        isUnreadable(table, column) ? DENIED : null,
      ]);
    }
  });

  test('a new one can’t be read until it is granted', async () => {
    await still.house.db.owner.query('create table later_secrets (price bigint)');
    expect(await tryAsServer('select price from later_secrets')).toBe(DENIED);
  });

  test.each(VIEWS)('%s can be read and not written', async (view) => {
    expect(await tryAsServer(`select * from ${view} limit 1`)).toBeNull();
    expect(await tryAsServer(`delete from ${view}`)).toBe(NOT_A_TABLE);
    expect(await tryAsServer(`update ${view} set id = 1`)).toBe(NOT_A_TABLE);
    expect(await tryAsServer(`insert into ${view} (id) values (1)`)).toBe(NOT_A_TABLE);
  });

  test('no record can be changed through merges, inserts, locks, triggers, policies or rules', async () => {
    const ways = [
      'merge into ledger.balances b using (values (1)) v on true when matched then update set available = 0',
      'merge into ledger.postings p using (values (1)) v on true when matched then delete',
      `insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, ref) values (1, 1000, 1, 4, 4000, 5, 0)`,
      `insert into ledger.balances (owner_id, asset_id, available) values (5000, 1, 5) on conflict do nothing`,
      `insert into orders select * from orders on conflict (id) do update set stake = 1`,
      'select * from ledger.balances for update',
      'select * from log_entries for update',
      'select ledger.begin_transfer($$k$$, sha256($$k$$), $$capital$$)',
      'create trigger t before update on orders execute function suppress_redundant_updates_trigger()',
      'create policy p on orders for update to fairtick_server using (true)',
      'alter table orders disable row level security',
      'alter table orders no force row level security',
      'create rule r as on insert to ledger.postings do instead nothing',
      'create table public.mine (a int)',
      'create function public.mine() returns int language sql as $$select 1$$',
      'create schema mine',
    ];
    for (const way of ways) expect([way, await tryAsServer(way)]).toEqual([way, DENIED]);
  });
});

describe('functions', () => {
  const executable = async (role: string): Promise<string[]> => {
    const { rows } = await still.house.db.owner.query<{ name: string }>(
      `select distinct n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
       where ${SCHEMAS} and a.privilege_type = 'EXECUTE'
         and a.grantee = case when $1 = 'public' then 0 else (select oid from pg_roles where rolname = $1) end order by 1`,
      [role],
    );
    return rows.map((row) => row.name);
  };

  test('the server may call the listed functions, PUBLIC none', async () => {
    expect(await executable('fairtick_server'), declaredIn('FUNCTIONS')).toEqual(FUNCTIONS);
    expect(await executable('fairtick_chain'), declaredIn('CHAIN_FUNCTIONS')).toEqual(CHAIN_FUNCTIONS);
    expect(await executable('public')).toEqual([]);
  });

  test('the server can’t post capital or call the internal functions of ledger, log and candles', async () => {
    expect(await tryAsServer(`select ledger.post_capital('c', sha256('c'), 1::smallint, 5)`)).toBe(DENIED);
    expect(await tryAsServer(`select ledger.begin_transfer('c', sha256('c'), 'capital')`)).toBe(DENIED);
    expect(await tryAsServer('select ledger.roll_up_house()')).toBe(DENIED);
    expect(await tryAsServer('select log_ensure_partition(99999999)')).toBe(DENIED);
    expect(
      await tryAsServer(`select candles_add('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`),
    ).toBe(DENIED);
  });

  test('the server can’t call a new function until it is granted', async () => {
    await still.house.db.owner.query('create function later() returns int language sql as $$select 1$$');
    expect(await tryAsServer('select later()')).toBe(DENIED);
  });

  test('functions with their owner’s rights have a fixed search path, temporary tables last', async () => {
    const { rows } = await still.house.db.owner.query<{ name: string; path: string | null }>(
      `select p.proname as name, (select c from unnest(p.proconfig) c where c like 'search_path=%') as path
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${SCHEMAS} and p.prosecdef`,
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const { name, path } of rows)
      expect(`${name} ${path}`).toMatch(/search_path=(pg_catalog|public), pg_temp$/);
  });
});

describe('the server’s role', () => {
  test('has no special rights and can’t become another role', async () => {
    const { rows } = await still.house.db.owner.query(
      `select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication,
         (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships
       from pg_roles r where rolname = 'fairtick_server'`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolbypassrls: false,
        rolreplication: false,
        memberships: 0,
      },
    ]);
    expect(await tryAsServer('set role fairtick_owner')).toBe(DENIED);
  });

  test('can’t set a sequence', async () => {
    const { rows } = await still.house.db.owner.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'S' and ${SCHEMAS}`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { name } of rows)
      expect([name, await tryAsServer(`select setval('${name}', 1)`)]).toEqual([name, DENIED]);
  });
});

describe('an order’s settlement', () => {
  let customer: string;
  let orderId: number;

  beforeAll(async () => {
    await still.tick('EUR/USD', '1.08400');
    customer = await still.house.customer();
    orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  });

  test('can’t be written, nor its order locked', async () => {
    const ways = [
      `insert into order_results (order_id, settled_at_ms, credited, result, void_reason)
       select id, accepted_at_ms + 1, stake, 0, 'no_price' from orders where id = ${orderId}`,
      `update orders set direction = -direction where id = ${orderId}`,
      `select from orders where id = ${orderId} for update`,
    ];
    for (const way of ways) expect([way, await tryAsServer(way)]).toEqual([way, DENIED]);
    expect(await still.order(orderId)).toMatchObject({ result: null, credited: null });
  });

  test('can’t be changed once it is written, not even its time', async () => {
    const { settlesAtMs } = await still.order(orderId);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs + 250);
    expect(await still.settle()).toBe(1);
    const before = await still.order(orderId);
    expect(before.settledAtMs).not.toBeNull();
    for (const set of [
      'settled_at_ms = settled_at_ms + 1',
      'void_reason = null',
      'credited = 0',
      'result = 1',
    ])
      expect(await tryAsServer(`update order_results set ${set} where order_id = ${orderId}`)).toBe(DENIED);
    expect(await tryAsServer(`delete from order_results where order_id = ${orderId}`)).toBe(DENIED);
    expect(await still.order(orderId)).toEqual(before);
  });

  test('can’t be inserted with a new order, because the server can’t insert orders', async () => {
    expect(
      await tryAsServer(`insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income,
          rules_id, payout_rate_bps, product_id, asset_id, minutes, direction)
        select id + 1, customer_id, 'other---', input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income,
          rules_id, payout_rate_bps, product_id, asset_id, minutes, direction from orders where id = ${orderId}`),
    ).toBe(DENIED);
  });
});
