import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../platform/db/with-client.ts';
import type { Command } from './command.ts';
import { withInstallation } from './installation.ts';

export const PARTITIONS: Command = {
  name: 'partitions',
  options: { move: { type: 'string' }, to: { type: 'string' } },
  usage: '[--move TABLE --to TABLESPACE]',
  does: 'Lists the partitions of orders, results and postings with their sizes, or moves an old one to other storage',
  help: `Each holds about a month. TABLE is a name of the list; TABLESPACE is one that you have made on cheaper disks (create tablespace).
The table is copied while everything runs and takes the old one's place at the end; it is read as before.`,
  failure: 'Nothing was moved',
  run: ({ values: { move, to } }) =>
    withInstallation(({ database }) =>
      withClient(database.admin, 'partitions', async (client) => {
        if (typeof move === 'string') await movePartition(client, move, String(to ?? ''));
        for (const { table, from, until, size, rows, place } of await listPartitions(client))
          console.log(
            `${table.padEnd(26)} ids ${from} to ${until}, about ${rows} rows, ${size}, made ${place}`,
          );
        return 0;
      }),
    ),
};

interface Partition {
  readonly table: string;
  readonly parent: string;
  readonly key: string;
  readonly bound: string;
  readonly from: string;
  readonly until: string;
  readonly size: string;
  readonly rows: string;
  /** When it was made, and its tablespace. */
  readonly place: string;
  /** The newest that has been reached, and what comes after it. */
  readonly isInUse: boolean;
}

async function listPartitions(client: pg.ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select t.child as table, t.parent, t.key, pg_get_expr(c.relpartbound, c.oid) as bound, p.from_id as from, p.to_id as until,
       pg_size_pretty(pg_total_relation_size(c.oid)) as size, greatest(c.reltuples, 0)::bigint as rows,
       to_char(p.made_at, 'YYYY-MM-DD') || ', in ' || coalesce(s.spcname, 'the database''s own tablespace') as place,
       p.to_id > (select reached from row_ids_reached() r where r.family = p.family) as "isInUse"
     from row_partitions p
     join (values ('orders', 'orders', 'id'), ('orders', 'order_results', 'order_id'), ('postings', 'ledger.postings', 'id'))
       as f (family, parent, key) using (family)
     cross join lateral (select f.parent, f.key, f.parent || '_' || p.number as child) t
     join pg_class c on c.oid = t.child::regclass left join pg_tablespace s on s.oid = c.reltablespace
     order by f.parent, p.number`,
  );
  return rows;
}

/** Results of orders change for a day at most after their settlement time, by a `close` of the log. */
const UNCHANGED_MS = 3 * 86_400_000;
const TRIES = 100;

/**
 * Copies a partition whose rows change no more into a table on a tablespace, and puts that in its place. The parent is locked at the end
 * alone, for as long as a table takes to be attached whose rows are known to fit.
 * @throws Error when it is in use, or somebody keeps the parent locked
 */
export async function movePartition(
  client: pg.ClientBase,
  table: string,
  to: string,
  unchangedMs = UNCHANGED_MS,
): Promise<void> {
  const partition = (await listPartitions(client)).find((one) => one.table === table);
  if (!partition) throw new Error(`there is no partition ${table}`);
  const changing =
    partition.key === 'order_id'
      ? await client.query(
          'select from orders where id >= $1 and id < $2 and settles_at_ms > log_now() - $3 limit 1',
          [partition.from, partition.until, unchangedMs],
        )
      : null;
  if (partition.isInUse || changing?.rowCount === 1)
    throw new Error(`${table} is still written to: move it some days after the next one was begun`);
  const { parent, key, bound, from, until } = partition;
  const name = table.replace('ledger.', '');
  await client.query('begin');
  try {
    await client.query(`select set_config('default_tablespace', $1, true)`, [to]);
    await client.query(
      `create table ${table}_moved (like ${parent} including all excluding identity, check (${key} >= ${from} and ${key} < ${until}))`,
    );
    await client.query(`lock table only ${table} in share mode`);
    await client.query(`insert into ${table}_moved select * from only ${table} order by ${key}`);
    if (parent === 'orders')
      await client.query(`create unique index on ${table}_moved (customer_id, key_hash)`);
    await lockParent(client, parent);
    await client.query(`alter table ${parent} detach partition ${table}`);
    await client.query(`drop table ${table}`);
    await client.query(`alter table ${table}_moved rename to ${name}`);
    await client.query(`alter table ${parent} attach partition ${table} ${bound}`);
    await client.query(`alter table ${table} drop constraint ${name}_moved_${key}_check`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  await client.query(`analyze ${table}`);
}

/** Others wait in line behind a lock that is waited for, so it is asked for in short tries. */
async function lockParent(client: pg.ClientBase, parent: string): Promise<void> {
  await client.query(`set local lock_timeout = '200ms'`);
  for (let tried = 1; ; tried += 1) {
    await client.query('savepoint unlocked');
    try {
      await client.query(`lock table only ${parent} in access exclusive mode`);
      return;
    } catch (error) {
      if (tried === TRIES) throw error;
      await client.query('rollback to savepoint unlocked');
      await sleep(300);
    }
  }
}
