/**
 * Invariants of orders besides constraints (see audit-checks.ts): what the door of placement demands. A violation shows an order
 * that was written past it, by somebody with stronger rights than those of the server's database role.
 */

/** The highest level that the customer can have had when the order was accepted: levels also fall, and are not kept. */
const LEVEL_THEN = `coalesce((
  select case when v.age >= interval '365 days' then 'platinum' when v.age >= interval '90 days' then 'gold' when v.age >= interval '0' then 'silver' end
  from (select to_timestamp(o.accepted_at_ms / 1000.0) - min(decided_at) as age from verifications
    where customer_id = o.customer_id and state = 'verified') v), 'bronze')`;

export const ORDER_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'orders keep within the stakes that their rules offer',
    sql: `select format('order %s: %s for %s minutes, rules %s take %s to %s', o.id, o.stake, o.minutes, o.rules_id, t.min_stake, t.max_stakes)
        as detail
      from orders o left join rule_terms t using (rules_id, asset_id, minutes)
      where t.rate is null or o.stake < t.min_stake
        or (o.stake > coalesce((t.max_stakes ->> 'bronze')::bigint, 0) and o.stake > (t.max_stakes ->> ${LEVEL_THEN})::bigint)`,
  },
  {
    name: 'no settlement minute promises more than the house may lose, nor one customer more than a tenth of that',
    sql: `select format('minute %s of product %s, asset %s%s: %s of %s', s.minute_ms, s.product_id, s.asset_id,
        ', customer ' || s.customer_id, s.income, i.product_limit) as detail
      from (
        select asset_id, product_id, settles_at_ms / 60000 * 60000 as minute_ms, customer_id, sum(income) as income from orders
        group by grouping sets ((1, 2, 3), (1, 2, 3, 4))
      ) s join promised_income i using (asset_id)
      where s.income > case when s.customer_id is null then i.product_limit else i.product_limit / 10 end
      union all
      select format('minute %s of group %s, asset %s%s: %s of %s', s.minute_ms, s.exposure_group, s.asset_id, ', customer ' || s.customer_id,
        s.income, i.group_limit)
      from (
        select o.asset_id, p.exposure_group, o.settles_at_ms / 60000 * 60000 as minute_ms, o.customer_id, sum(o.income) as income
        from orders o join products p on p.id = o.product_id group by grouping sets ((1, 2, 3), (1, 2, 3, 4))
      ) s join promised_income i using (asset_id)
      where s.income > case when s.customer_id is null then i.group_limit else i.group_limit / 10 end`,
  },
  {
    name: 'no order was accepted during a halt, or during a break or an exclusion of its customer',
    sql: `select format('order %s at %s: halt %s', o.id, o.accepted_at_ms, h.halt_id) as detail
      from log_halts h left join log_halts e on e.halt_id = h.halt_id and not e.is_on
      join trading_halts t on t.id = h.halt_id
      join orders o on o.accepted_at_ms > h.time_ms + 250 and o.accepted_at_ms < coalesce(e.time_ms, 9223372036854775807)
        and o.product_id = coalesce(t.product_id, o.product_id)
      where h.is_on
      union all
      select format('order %s at %s: customer %s', o.id, o.accepted_at_ms, o.customer_id)
      from protected_customers p join orders o on o.customer_id = p.customer_id
      where to_timestamp(o.accepted_at_ms / 1000.0 - 60) between p.closed_at and p.closed_until
        or to_timestamp(o.accepted_at_ms / 1000.0 - 60) between p.document_at and p.document_until`,
  },
  {
    name: 'each order was placed under a session of its customer',
    sql: `select format('order %s of customer %s: session %s', o.id, o.customer_id, coalesce(b.sessions[o.id % orders_per_batch() + 1]::text, 'none')) as detail
      from orders o join order_batches b on b.number = batch_of(o.id)
      left join session_log s on s.id = b.sessions[o.id % orders_per_batch() + 1] and s.customer_id = o.customer_id
      where s.id is null and b.number >= (select min(number) from order_batches where sessions is not null)`,
  },
  {
    name: 'what the house may lose in the coming minutes is what orders say',
    sql: `select format('minute %s of product %s, asset %s: %s, orders say %s', coalesce(m.minute_ms, o.minute_ms),
        coalesce(m.product_id, o.product_id), coalesce(m.asset_id, o.asset_id), m.income, o.income) as detail
      from (
        select m.minute_ms, m.asset_id, i.product_id, i.income from minute_incomes m
        cross join unnest(m.products, m.incomes) as i (product_id, income)
      ) m
      full join (
        select settles_at_ms / 60000 * 60000 as minute_ms, asset_id, product_id, sum(income) as income from orders
        where settles_at_ms >= (select settled_before_ms from settlement_head) group by 1, 2, 3
      ) o using (minute_ms, asset_id, product_id)
      where coalesce(m.minute_ms, o.minute_ms) >= (select settled_before_ms + 59999 from settlement_head) / 60000 * 60000
        and m.income is distinct from o.income`,
  },
];
