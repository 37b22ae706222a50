/** Published counts (see audit-checks.ts) are compared with the orders and fixes that they count. */

const DAY = (ms: string) => `(to_timestamp(${ms} / 1000) at time zone 'utc')::date`;
/** Orders that are counted: those that settle before the mark. */
const COUNTED = `(select o.*, ${DAY('o.settles_at_ms')} as day from orders_and_results o
  where o.settles_at_ms < (select settles_ms from statistics_mark) and o.settled_at_ms is not null)`;

export const STATISTICS_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'published statistics of orders are what the orders say',
    sql: `select format('%s, product %s, %s minutes, asset %s', coalesce(s.date, o.date), coalesce(s.product_id, o.product_id),
        coalesce(s.minutes, o.minutes), coalesce(s.asset_id, o.asset_id)) as detail
      from (select date, product_id, minutes, asset_id, won, lost, tied, void, staked, paid, stated from order_statistics
        where (won, lost, tied, void, staked) <> (0, 0, 0, 0, 0)) s
      full join (
        select day as date, product_id, minutes, asset_id, count(*) filter (where result = 1) as won, count(*) filter (where result = -1) as lost,
          count(*) filter (where result = 0 and void_reason is null) as tied, count(*) filter (where void_reason is not null) as void,
          coalesce(sum(stake) filter (where result <> 0), 0) as staked, coalesce(sum(credited) filter (where result <> 0), 0) as paid,
          coalesce(sum(stake::numeric * (10000 - payout_rate_bps) / 20000) filter (where result <> 0), 0) as stated
        from ${COUNTED} c group by 1, 2, 3, 4
      ) o using (date, product_id, minutes, asset_id)
      where (s.won, s.lost, s.tied, s.void, s.staked, s.paid, s.stated) is distinct from (o.won, o.lost, o.tied, o.void, o.staked, o.paid, o.stated)`,
  },
  {
    name: 'published statistics of voids and customers’ results are what the orders say',
    sql: `select format('%s, asset %s, %s: %s', coalesce(v.date, o.date), coalesce(v.asset_id, o.asset_id), coalesce(v.reason, o.reason), v.count) as detail
      from void_statistics v
      full join (select day as date, asset_id, void_reason as reason, count(*) as count from ${COUNTED} c where void_reason is not null
        group by 1, 2, 3) o using (date, asset_id, reason)
      where v.count is distinct from o.count
      union all
      select format('customer %s, %s, asset %s: %s, the orders say %s', coalesce(r.customer_id, o.customer_id), coalesce(r.month, o.month),
        coalesce(r.asset_id, o.asset_id), r.result, o.result)
      from customer_results r
      full join (select customer_id, date_trunc('month', day)::date as month, asset_id, sum(credited - stake) as result from ${COUNTED} c
        group by 1, 2, 3) o using (customer_id, month, asset_id)
      where r.result is distinct from o.result`,
  },
  {
    name: 'published statistics of fixes and delays are what the fixes and orders say',
    sql: `select format('%s, product %s: %s fixes, %s open, %s thin', coalesce(s.date, f.date), coalesce(s.product_id, f.product_id), s.fixes, s.open,
        s.thin) as detail
      from fix_statistics s
      full join (
        select ${DAY('e.time_ms')} as date, e.product_id, count(*) as fixes, count(*) filter (where f.is_open) as open,
          count(*) filter (where f.is_thin) as thin
        from log_entries e join logged_fixes f on f.product_id = e.product_id and f.n = e.n
        where e.kind = log_kind('fix') and e.index < (select entry_index from statistics_mark) group by 1, 2
      ) f using (date, product_id)
      where (s.fixes, s.open, s.thin) is distinct from (f.fixes, f.open, f.thin)
        and (exists (select from log_entries where index = 0)
          or coalesce(s.date, f.date) > (select ${DAY('time_ms')} from log_entries order by index limit 1))
      union all
      select format('%s: %s delays of settlement in bucket %s, the orders say %s', coalesce(d.date, o.date), d.count, coalesce(d.bucket, o.bucket),
        o.count)
      from (select * from delay_statistics where kind = 'settle') d
      full join (select day as date, least(greatest(settled_at_ms - settles_at_ms, 0) / 50, 12000)::int as bucket, count(*) as count
        from ${COUNTED} c where open_index is not null group by 1, 2) o using (date, bucket)
      where d.count is distinct from o.count`,
  },
];
