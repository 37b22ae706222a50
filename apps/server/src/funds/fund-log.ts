import { formatDecimal } from '@fairtick/money';
import type { FundEntry } from '@fairtick/protocol';
import type { Assets } from '../assets.ts';
import type { Queryable } from '../db/database.ts';

export interface FundFilter {
  readonly customerId: string;
  readonly beforeId: number | null;
  readonly type: FundEntry['type'] | null;
  readonly assetId: number | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
}

/**
 * Everything that moved a customer's spendable money, newest first. An order shows when it is bought (the stake leaves) and
 * when it is settled (stake and income come back, in one line; a lost order brings nothing back, and its line says 0).
 */
export async function readFundLog(db: Queryable, assets: Assets, filter: FundFilter): Promise<FundEntry[]> {
  const { rows } = await db.query<{
    id: string;
    at_ms: string;
    type: FundEntry['type'];
    asset_id: number;
    amount: string;
    balance: string | null;
    ref: string;
  }>({
    name: 'fund-log',
    text: FUND_LOG,
    values: [
      filter.customerId,
      filter.beforeId,
      filter.type,
      filter.assetId,
      filter.fromMs,
      filter.toMs,
      filter.limit,
    ],
  });
  return rows.map((row) => {
    const { code, scale } = assets.byId(row.asset_id);
    return {
      id: row.id,
      time: Number(row.at_ms),
      type: row.type,
      result: 'success',
      asset: code,
      amount: formatDecimal(BigInt(row.amount), scale),
      balance: row.balance === null ? null : formatDecimal(BigInt(row.balance), scale),
      ref: row.ref,
    };
  });
}

/**
 * Postings of one transfer with one cause are one line: they follow one another, three of them at most, so that the newest
 * lines are among the newest postings. A lost order has a posting that does not touch the available balance: its line has
 * amount 0, and the balance that stood then is the one of the posting before.
 */
const FUND_LOG = `
  with recent as (
    select p.*, t.kind, floor(extract(epoch from t.created_at) * 1000)::bigint as at_ms
    from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
    where p.owner_id = $1 and p.id < coalesce($2, 9223372036854775807) and ($4::smallint is null or p.asset_id = $4)
      and ($3::text is null or case t.kind when 'reserve' then $3 = 'purchase' when 'resolve' then $3 = 'settlement'
        else $3 = case when p.debit = p.owner_id * 4 then 'withdrawal' else 'deposit' end end)
      and ($5::bigint is null or t.created_at >= to_timestamp($5 / 1000.0))
      and ($6::bigint is null or t.created_at < to_timestamp(($6 + 1) / 1000.0))
    order by p.id desc limit $7 * 3
  ), line as (
    select min(p.id) as id, p.kind, p.at_ms, p.asset_id, p.ref,
      sum(case when p.credit = p.owner_id * 4 then p.amount when p.debit = p.owner_id * 4 then -p.amount else 0 end)::bigint as amount,
      (array_agg(p.available_after order by p.id desc) filter (where p.available_after is not null))[1] as balance
    from recent p
    group by p.transfer_id, p.kind, p.at_ms, p.asset_id, p.ref
    order by 1 desc limit $7
  )
  select id, at_ms, asset_id, amount,
    case kind when 'reserve' then 'purchase' when 'resolve' then 'settlement'
      else case when amount >= 0 then 'deposit' else 'withdrawal' end end as type,
    coalesce(balance, (
      select p.available_after from ledger.postings p
      where p.owner_id = $1 and p.asset_id = line.asset_id and p.id < line.id and p.available_after is not null
      order by p.id desc limit 1
    )) as balance,
    case kind when 'practice' then 'demo:' || id else 'order:' || ref end as ref
  from line order by id desc`;
