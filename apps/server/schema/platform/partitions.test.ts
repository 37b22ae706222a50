import { randomBytes } from 'node:crypto';
import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { beforeAll, expect, test } from 'vitest';
import { movePartition } from '../../src/commands/partitions.ts';
import { copyTables } from '../../src/platform/backup/copy-tables.ts';
import { withClient } from '../../src/platform/db/with-client.ts';

/** A customer trades through several partitions, of two batches and eight postings at first. */
const floor = ownFloor();
const owner = () => floor.house.db.owner;
const keep = () => floor.house.db.server.query('select row_partitions_keep()');
let token: string;

beforeAll(async () => {
  await owner().query(`
    create temporary table kept on commit drop as select * from ledger.postings;
    drop table orders_1, orders_2, order_results_1, order_results_2, ledger.postings_1, ledger.postings_2;
    delete from row_partitions;
    create or replace function row_partition_least(_family text) returns bigint immutable language sql
      as $$ select case _family when 'orders' then first_order(2) else 8 end $$;
    select row_partitions_keep();
    insert into ledger.postings overriding system value select * from kept`);
  ({ token } = await register(floor.origin));
});

interface Sent {
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly id: string;
}
const sent: Sent[] = [];

async function place(fields: Readonly<Record<string, string>> = {}): Promise<void> {
  const key = randomBytes(12).toString('hex');
  const { body } = await floor.order(token, fields, { key });
  expect(body.error).toBeUndefined();
  sent.push({ key, fields, id: body.data.id as string });
  await keep();
}

const named = () => ({
  opensAt: String(Math.ceil(floor.at(4_000) / 1_000) * 1_000),
  nonce: randomBytes(16).toString('hex'),
});

const again = async ({ key, fields }: Sent, more = {}) =>
  (await floor.order(token, { ...fields, ...more }, { key })).body;

test('orders, results and postings go on in the next partitions, and all are shown', async () => {
  await place(named());
  await place();
  for (let round = 0; round < 3; round += 1) {
    await place(named());
    await place({ direction: 'down' });
    await floor.openAt('EUR/USD', '1.08400');
    await floor.settleAt('EUR/USD', '1.08500');
    await floor.tick();
  }
  const { rows } = await owner().query(
    `select (select count(distinct tableoid)::int from orders) as orders, (select count(distinct tableoid)::int from order_results) as results,
       (select count(distinct tableoid)::int from ledger.postings) as postings,
       (select count(*)::int from orders_and_results where settled_at_ms is null) as open`,
  );
  expect(rows).toEqual([{ orders: 3, results: 3, postings: 3, open: 0 }]);
  const log = await get(floor.origin, 'fund/log', { limit: 100 }, { token });
  const refs = log.body.data.items.map(({ ref }: { ref: string }) => ref);
  for (const { id } of sent) {
    expect(refs.filter((ref: string) => ref === `order:${id}`)).toHaveLength(2);
    const receipt = await get(floor.origin, 'order/receipt', { id }, { token });
    expect([id, receipt.body.error]).toEqual([id, undefined]);
  }
  expect(await floor.house.violations()).toEqual([]);
});

test('a key of an old partition makes no second order', async () => {
  for (const one of sent) expect((await again(one)).data.id).toBe(one.id);
  for (const one of sent) expect((await again(one, { amount: '7' })).error).toBe('IDEMPOTENCY_MISMATCH');
});

test('a partition that can’t be made now stops no order, and is made later', async () => {
  const last = async () =>
    (await owner().query(`select max(number) as last from row_partitions where family = 'orders'`)).rows[0]
      .last;
  const before = await last();
  const locking = await owner().connect();
  try {
    await locking.query('begin; lock table orders in share update exclusive mode');
    await owner().query(
      `update row_partitions set from_id = (select reached from row_ids_reached() where family = 'orders') where family = 'orders' and number = $1`,
      [before],
    );
    await expect(keep()).rejects.toMatchObject({ code: '55P03' });
    expect((await floor.order(token)).body.error).toBeUndefined();
    await locking.query('rollback');
  } finally {
    locking.release();
  }
  await keep();
  expect(await last()).toBe(before + 1);
});

test('another database gets the same partitions with the same rows', async () => {
  const target = await createTestDatabase();
  try {
    await withClient(floor.house.db.ownerAddress, 'source', (from) =>
      withClient(target.ownerAddress, 'target', (to) => copyTables(from, to, () => {})),
    );
    const shape = `select n.nspname, c.relname, pg_get_expr(c.relpartbound, c.oid) as bound,
        (select count(*)::int from pg_index i where i.indrelid = c.oid and i.indisunique) as keys, s.rows
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join lateral (select (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', c.oid::regclass), true, true, '')))[1]::text as rows) s
      where c.relispartition and c.relkind = 'r' order by 1, 2`;
    expect((await target.owner.query(shape)).rows).toEqual((await owner().query(shape)).rows);
  } finally {
    await target.drop();
  }
});

test('an old partition is read as before when it has moved to other storage', async () => {
  const rows = async (table: string) =>
    (await owner().query(`select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`)).rows;
  const tables = ['orders', 'order_results', 'ledger.postings'];
  const before = await Promise.all(tables.map(rows));
  const log = async () => (await get(floor.origin, 'fund/log', { limit: 100 }, { token })).body.data;
  const logBefore = await log();
  const client = await owner().connect();
  try {
    for (const table of tables) await movePartition(client, `${table}_1`, 'pg_default', 0);
    await expect(movePartition(client, 'order_results_2', 'pg_default')).rejects.toThrow('still written to');
    await expect(movePartition(client, 'orders_9', 'pg_default')).rejects.toThrow('there is no partition');
    await expect(movePartition(client, 'orders_3', 'pg_default')).rejects.toThrow('still written to');
  } finally {
    client.release();
  }
  expect(await Promise.all(tables.map(rows))).toEqual(before);
  expect(await log()).toEqual(logBefore);
  for (const one of sent) expect((await again(one)).data.id).toBe(one.id);
  expect(await floor.house.violations()).toEqual([]);
});
