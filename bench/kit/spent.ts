import type { BenchHouse } from './house.ts';
import { cpuMsOf } from './measure.ts';

/** The cost so far, or that of one order. */
export interface Spent {
  /** CPU of the backends of this process's connections, and of this process, in µs. */
  readonly databaseUs: number;
  readonly nodeUs: number;
  /** Of the whole server, with the log of the feed. */
  readonly walBytes: number;
  /** Of the tables that orders fill, with their indexes. */
  readonly diskBytes: number;
}

const TABLES = `array['orders', 'order_results', 'order_batches', 'ledger.postings', 'ledger.transfers', 'ledger.house_movements']`;

export async function spentNow({ owner }: Pick<BenchHouse, 'owner'>): Promise<Spent> {
  const { rows: backends } = await owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'fairtick bench'`,
  );
  const { rows } = await owner.query<{ wal: string; disk: string }>(
    `select pg_current_wal_insert_lsn() - '0/0' as wal, (select sum(pg_total_relation_size(t.relid))
       from unnest(${TABLES}::regclass[]) p cross join lateral (
         select relid from pg_partition_tree(p) where isleaf union select p where not exists (select from pg_partition_tree(p))) t) as disk`,
  );
  const { user, system } = process.cpuUsage();
  return {
    databaseUs: backends.reduce((sum, { pid }) => sum + cpuMsOf(pid) * 1000, 0),
    nodeUs: user + system,
    walBytes: Number(rows[0]?.wal),
    diskBytes: Number(rows[0]?.disk),
  };
}

/** The cost of each of `orders` since `before`. */
export async function spentSince(house: BenchHouse, before: Spent, orders: number): Promise<Spent> {
  const now = await spentNow(house);
  const each = (name: keyof Spent) => (now[name] - before[name]) / orders;
  return {
    databaseUs: each('databaseUs'),
    nodeUs: each('nodeUs'),
    walBytes: each('walBytes'),
    diskBytes: each('diskBytes'),
  };
}

/** @param baselineUs CPU of a transaction of the baseline */
export function spentText({ databaseUs, nodeUs, walBytes, diskBytes }: Spent, baselineUs: number): string {
  const share = (databaseUs + nodeUs) / baselineUs;
  return [
    `CPU per order ${databaseUs.toFixed(0)} µs database + ${nodeUs.toFixed(0)} µs Node = 1/${(1 / share).toFixed(1)} of tpcb's ${baselineUs.toFixed(0)} µs`,
    `${walBytes.toFixed(0)} bytes of WAL, ${diskBytes.toFixed(0)} of disk`,
  ].join('; ');
}
