import { equalBytes, leafHash } from '@fairtick/proof';
import type { Result } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import { acceptanceText, batchOf } from '../../trading/order-terms.ts';

/** An order as the ledger has it: its terms and its outcome. Prices in points, amounts in smallest units. */
export interface LedgerOrder {
  readonly id: number;
  readonly batch: number;
  readonly logSize: number;
  readonly symbol: string;
  readonly rulesId: number;
  readonly minutes: number;
  readonly direction: 'up' | 'down';
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly acceptedAtMs: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  /** Whether the signed batch holds an acceptance with exactly these terms. */
  readonly isAsAccepted: boolean;
  /** Null while the order is open. */
  readonly outcome: LedgerOutcome | null;
  /** From the postings; null without any. */
  readonly paid: bigint | null;
}

export interface LedgerOutcome {
  readonly result: Result;
  readonly voidReason: string | null;
  readonly credited: bigint;
  readonly open: { readonly index: number; readonly price: bigint } | null;
  readonly settle: { readonly index: number; readonly price: bigint } | null;
}

type OrderRow = Record<string, string | number | Buffer | null>;

/** How many orders are fetched at once. */
const ORDERS_A_READ = 10_000;

/** The ids of the first and the last order of a UTC day, by acceptance; null for a day without orders. */
export async function ordersOfDay(
  db: Queryable,
  fromMs: number,
): Promise<{ first: number; last: number } | null> {
  const { rows } = await db.query<{ first: string | null; last: string | null }>(
    `select first_order(min(number)) as first, first_order(max(number) + 1) - 1 as last from order_batches
     where accepted_at_ms >= $1 and accepted_at_ms < $1 + 86400000`,
    [fromMs],
  );
  const [row] = rows;
  return row?.first && row.last ? { first: Number(row.first), last: Number(row.last) } : null;
}

/** Orders by their ids, oldest first, with what the ledger's postings paid for each. */
export async function* ledgerOrders(
  db: Queryable,
  { first, last }: { first: number; last: number },
): AsyncGenerator<LedgerOrder[]> {
  // A stake is held before it is paid back, so transfers before the first batch's can be skipped.
  await db.query(
    `declare replayed no scroll cursor for
     with since as (
       select coalesce((select id from ledger.transfers where idempotency_key = 'orders:' || batch_of(${first}::bigint)), 0) as id
     ), paid as (
       select p.ref, p.owner_id, p.asset_id, count(distinct p.transfer_id) filter (where t.kind = 'resolve') as transfers,
         coalesce(sum(p.amount) filter (where t.kind = 'resolve' and p.credit = p.owner_id * 4), 0) as returned,
         coalesce(sum(p.amount) filter (where t.kind = 'amend'), 0) as amended
       from ledger.postings p join ledger.transfers t on t.id = p.transfer_id, since
       where p.transfer_id >= since.id and t.kind in ('resolve', 'amend') and p.ref between ${first} and ${last}
       group by 1, 2, 3
     )
     select o.*, s.symbol, a.code, a.scale, b.log_size, b.log_root, substring(b.leaves from ((o.id % orders_per_batch()) * 32 + 1)::int for 32) as leaf,
       r.hash as rules_hash, p.transfers, p.returned, p.amended
     from orders_and_results o join order_batches b on b.number = batch_of(o.id) join products s on s.id = o.product_id
     join ledger.assets a on a.id = o.asset_id join rules r on r.id = o.rules_id
     left join paid p on p.ref = o.id and p.owner_id = o.customer_id and p.asset_id = o.asset_id
     where o.id between ${first} and ${last} order by o.id`,
  );
  for (;;) {
    const { rows } = await db.query<OrderRow>(`fetch ${ORDERS_A_READ} from replayed`);
    if (rows.length > 0) yield rows.map(readOrder);
    if (rows.length < ORDERS_A_READ) break;
  }
  await db.query('close replayed');
}

function readOrder(row: OrderRow): LedgerOrder {
  const number = (name: string) => Number(row[name]);
  const whole = (name: string) => BigInt(row[name] as string);
  const terms = {
    id: number('id'),
    symbol: row.symbol as string,
    minutes: number('minutes'),
    direction: number('direction') === 1 ? ('up' as const) : ('down' as const),
    stake: whole('stake'),
    payoutRateBps: number('payout_rate_bps'),
    acceptedAtMs: number('accepted_at_ms'),
    opensAtMs: number('opens_at_ms'),
    settlesAtMs: number('settles_at_ms'),
    logSize: number('log_size'),
  };
  const text = acceptanceText({
    ...terms,
    asked: row.asked as Buffer | null,
    asset: { code: row.code as string, scale: number('scale') },
    rulesHash: (row.rules_hash as Buffer).toString('hex'),
    logRoot: (row.log_root as Buffer).toString('hex'),
    seen:
      row.seen_size === null
        ? null
        : { size: number('seen_size'), root: (row.seen_root as Buffer).toString('hex') },
  });
  return {
    ...terms,
    batch: batchOf(terms.id),
    rulesId: number('rules_id'),
    isAsAccepted: equalBytes(leafHash(text), row.leaf as Buffer),
    outcome: readOutcome(row),
    paid: row.transfers === null ? null : whole('returned') * BigInt(number('transfers')) + whole('amended'),
  };
}

function readOutcome(row: OrderRow): LedgerOutcome | null {
  if (row.settled_at_ms === null) return null;
  const stated = (name: 'open' | 'settle') =>
    row[`${name}_index`] === null
      ? null
      : { index: Number(row[`${name}_index`]), price: BigInt(row[`${name}_price`] as string) };
  return {
    result: (['loss', 'none', 'profit'] as const)[Number(row.result) + 1] as Result,
    voidReason: row.void_reason as string | null,
    credited: BigInt(row.credited as string),
    open: stated('open'),
    settle: stated('settle'),
  };
}
