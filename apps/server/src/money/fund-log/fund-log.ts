import type { FundEntry } from '@fairtick/protocol';
import { endingOf } from '@fairtick/protocol/request-states';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf } from '../../platform/office-queries.ts';

export interface FundFilter {
  readonly customerId: string;
  readonly cursor?: string | undefined;
  readonly type?: FundEntry['type'] | undefined;
  readonly result?: FundEntry['result'] | undefined;
  readonly assetId?: number | undefined;
  /** Unix milliseconds, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
}

/**
 * Everything that moved or will move a customer's available money, and the interest on earnings, newest first. An order shows
 * when it is bought (the stake leaves) and when it is settled (stake and income come back in one line; a lost order brings
 * nothing back, and its line says 0).
 */
export async function readFundLog(db: Queryable, filter: FundFilter): Promise<FundEntry[]> {
  const { customerId, cursor, type, assetId, from, to, limit, result } = filter;
  const { rows } = await db.query<Omit<FundEntry, 'ending'> & { readonly reason: string | null }>({
    name: 'fund-log',
    text: FUND_LOG,
    values: [customerId, cursor, type, assetId, from, to, limit, result],
  });
  return rows.map(({ reason, ...row }) => ({ ...row, ending: endingOf(reason) }));
}

/** A posting's type by its transfer's kind (`t`) and, where needed, by its direction (`p`). */
const TYPE = `case t.kind when 'reserve' then 'purchase' when 'resolve' then 'settlement' when 'amend' then 'settlement' when 'hold' then 'withdrawal'
    when 'release' then 'withdrawal' when 'deposit' then 'deposit' when 'revert' then 'deposit' when 'legal_hold' then 'legal' when 'legal_release' then 'legal'
    when 'earn_in' then 'earnIn' when 'earn_out' then 'earnOut' when 'interest' then 'interest'
    else case when p.debit = p.owner_id * 4 then 'withdrawal' else 'deposit' end end`;

/**
 * Postings of one transfer with one cause form one line. They are adjacent, three at most, so the newest lines are among the
 * newest postings. A lost order has a posting that leaves the available balance unchanged: its line has amount 0 and the balance
 * of the posting before.
 *
 * A withdrawal shows where its money leaves the available balance, with its current status, and where the money comes back, if it
 * does; the payout itself moves nothing that is shown here. A deposit shows where it was credited. One that was not credited has
 * moved nothing: its line stands where it was submitted, without a balance. So does a payment on a chain that is not credited.
 */
const FUND_LOG = `
  with posted as (
    select p.id, p.transfer_id, p.owner_id, p.asset_id, p.debit, p.credit, p.amount, p.available_after, p.ref, t.kind,
      floor(extract(epoch from t.created_at) * 1000)::bigint as at_ms, ${TYPE} as type,
      case when w.status in ('approved', 'sending') then 'review' else coalesce(w.status, 'success') end as result
    from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
    left join withdrawal_requests w on t.kind in ('hold', 'release') and w.id = p.ref
    where p.owner_id = $1 and p.id < coalesce($2, 9223372036854775807) and ($4::smallint is null or p.asset_id = $4)
      and t.kind <> 'payout' and ($3::text is null or $3 = ${TYPE})
      and ($5::bigint is null or t.created_at >= to_timestamp($5 / 1000.0))
      and ($6::bigint is null or t.created_at < to_timestamp(($6 + 1) / 1000.0))
      and ($8::text is null or $8 = case when w.status in ('approved', 'sending') then 'review'
        else coalesce(w.status, 'success') end)
    order by p.id desc limit $7::bigint * 3
  ), line as (
    select min(p.id) as id, p.at_ms, p.type, p.result, p.asset_id,
      sum(case when p.credit = p.owner_id * 4 or p.kind = 'interest' then p.amount when p.debit = p.owner_id * 4 then -p.amount else 0
        end)::bigint as amount,
      (array_agg(p.available_after order by p.id desc) filter (where p.available_after is not null))[1] as balance,
      case p.kind when 'practice' then 'demo:' || min(p.id) when 'hold' then 'withdrawal:' || p.ref
        when 'release' then 'withdrawal:' || p.ref when 'deposit' then 'deposit:' || p.ref when 'revert' then 'deposit:' || p.ref
        when 'legal_hold' then 'legal:' || p.ref when 'legal_release' then 'legal:' || p.ref
        when 'correction' then 'correction:' || p.ref when 'interest' then 'interest:' || to_date(p.ref::text, 'YYYYMMDD')
        when 'earn_in' then 'earnings:' || p.transfer_id when 'earn_out' then 'earnings:' || p.transfer_id
        else 'order:' || p.ref end as ref,
      case when p.kind in ('reserve', 'resolve', 'amend') then p.ref end as order_id
    from posted p
    group by p.transfer_id, p.kind, p.at_ms, p.type, p.result, p.asset_id, p.ref
    order by 1 desc limit $7
  ), known as (
    select l.id, l.at_ms, l.type, l.result, l.asset_id, l.amount, l.ref, l.order_id,
      case when l.type = 'interest' then null else coalesce(l.balance, (
        select p.available_after from ledger.postings p
        where p.owner_id = $1 and p.asset_id = l.asset_id and p.id < l.id and p.available_after is not null
        order by p.id desc limit 1
      )) end as balance
    from line l
  ), waiting as (
    select d.line as id, floor(extract(epoch from d.submitted_at) * 1000)::bigint as at_ms, 'deposit' as type, d.status as result,
      d.asset_id, d.amount, 'deposit:' || d.id as ref, null::bigint as order_id, null::bigint as balance
    from deposit_requests d
    where d.customer_id = $1 and d.status <> 'success' and d.line < coalesce($2, 9223372036854775807)
      and ($3::text is null or $3 = 'deposit') and ($4::smallint is null or d.asset_id = $4)
      and ($5::bigint is null or d.submitted_at >= to_timestamp($5 / 1000.0))
      and ($6::bigint is null or d.submitted_at < to_timestamp(($6 + 1) / 1000.0))
      and ($8::text is null or $8 = d.status)
    order by d.line desc limit $7
  ), coming as (
    select d.line as id, floor(extract(epoch from d.seen_at) * 1000)::bigint as at_ms, 'deposit' as type, s.result,
      d.asset_id, d.amount, 'chain:' || d.id as ref, null::bigint as order_id, null::bigint as balance
    from chain_customers c join chain_addresses using (number) join chain_deposits d using (chain, address)
    cross join lateral (select case when d.state in ('unmatched', 'reverted') then 'failure' else 'review' end as result) s
    where c.customer_id = $1 and d.request_id is null and d.amount is not null and d.reason is distinct from 'known'
      and d.line < coalesce($2, 9223372036854775807)
      and ($3::text is null or $3 = 'deposit') and ($4::smallint is null or d.asset_id = $4)
      and ($5::bigint is null or d.seen_at >= to_timestamp($5 / 1000.0))
      and ($6::bigint is null or d.seen_at < to_timestamp(($6 + 1) / 1000.0))
      and ($8::text is null or $8 = s.result)
    order by d.line desc limit $7
  ), known_or_waiting as (
    select id, at_ms, type, result, asset_id, amount, ref, order_id, balance from known
    union all select id, at_ms, type, result, asset_id, amount, ref, order_id, balance from waiting
    union all select id, at_ms, type, result, asset_id, amount, ref, order_id, balance from coming
  )
  select e.id, e.at_ms::float8 as time, e.type, e.result, a.code as asset, ${amountOf('e.amount')} as amount, e.ref,
    ${amountOf('e.balance')} as balance, coalesce(w.reason, d.reason) as reason, case when o.id is not null then json_build_object(
      'symbol', product.symbol, 'direction', case o.direction when 1 then 'up' else 'down' end, 'minutes', o.minutes) end as order
  from (select * from known_or_waiting order by id desc limit $7) e join ledger.assets a on a.id = e.asset_id
  cross join lateral (select case e.result when 'ignored' then split_part(e.ref, ':', 2)::bigint end as id) ignored
  left join withdrawal_requests w on e.type = 'withdrawal' and w.id = ignored.id
  left join deposit_requests d on e.type = 'deposit' and d.id = ignored.id
  left join orders o on o.id = e.order_id left join products product on product.id = o.product_id
  order by e.id desc`;
