-- The bounds of orders, which orders_close_batch checks: those of each order, of the house, and of each customer.
-- Times `_ms` are Unix milliseconds of the log's clock. Amounts are in smallest units.

-- The incomes of all orders of a settlement minute (its start, ms) by product, up and down: the most that the house can lose in it.
-- Both arrays have the same length. Minutes that are over are removed.
create table minute_incomes (
  minute_ms bigint not null,
  asset_id smallint not null references ledger.assets,
  products smallint[] not null,
  incomes bigint[] not null,
  primary key (minute_ms, asset_id),
  check (cardinality(products) = cardinality(incomes))
) with (fillfactor = 30);

-- ## Functions

-- The incomes of these customers' orders, by product and settlement minute, from the current minute on. It is asked of those who hold
-- more than their share of what bounds the house: an order's income is below its stake, so that nobody else can exceed it.
create or replace function orders_own_incomes(_customers bigint[], _now_ms bigint)
returns table (customer_id bigint, asset_id smallint, product_id smallint, minute_ms bigint, income bigint)
language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if _customers is null then return; end if;
  return query
  select o.customer_id, o.asset_id, o.product_id, minute_ms(o.settles_at_ms), sum(o.income)::bigint
  from (select distinct unnest(_customers) as id) c
  cross join lateral (
    select * from orders n where n.customer_id = c.id and n.id >= coalesce((
      -- No order of an earlier batch is open: see FIRST_OPEN in order-queries.ts.
      select first_order(l.last_batch + 1) from logged_batches l, settlement_head m
      where l.time_ms < m.settled_before_ms - longest_cycle_ms() - 60000 order by l.time_ms desc limit 1), 0)
    offset 0
  ) o
  where o.settles_at_ms >= minute_ms(_now_ms) group by 1, 2, 3, 4;
end $$;

-- The most income that one customer may be promised: of a product's minute, of a group's, and in all. A tenth of what bounds the house.
create or replace function house_shares() returns table (asset_id smallint, product bigint, grouped bigint, equity bigint, smallest bigint)
language sql stable rows 5 as $$
  select i.asset_id, i.product_limit / 10, i.group_limit / 10, coalesce(h.balance, 0) / 10,
    least(i.product_limit, i.group_limit, coalesce(h.balance, 0)) / 10
  from public.promised_income i left join ledger.house_balances h on h.asset_id = i.asset_id and h.account = ledger.trading_account()
$$;

-- Refuses the orders if one of them breaks a bound of its own (decidePlacements has the same in the same order): the log is silent or has no writer,
-- its rules are not in force (BATCH_LATE), its product takes no orders now, its length or asset is not offered, it can't open at its
-- time, its stake is out of bounds, or the balance is too low. Returns each order's rate and income.
create or replace function orders_demand_terms(
  _head placement_head, _customers bigint[], _products smallint[], _assets smallint[], _minutes smallint[], _opens bigint[], _settles bigint[],
  _stakes bigint[], _left bigint[], _rules bigint[], out rates smallint[], out incomes bigint[]
) language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
declare
  _fault text; _at_ms bigint := _head.open_at_ms;
begin
  if _at_ms - log_shown_ms(_head.open_log_size) > 500 or (select holder from log_head) is null then
    perform refuse('PRICE_UNAVAILABLE', 'the log is silent');
  end if;
  with product as materialized (
    select d.*, t.from_ms, t.until_ms, f.delay_ms, case
        when f.id is distinct from d.rules_id then 'BATCH_LATE'
        when (t.is_open and t.rules_id = d.rules_id and _at_ms >= t.from_ms and _at_ms < t.until_ms) is not true then 'MARKET_CLOSED'
        when s.orders_from_ms is null or _at_ms < greatest(s.orders_from_ms, t.from_ms + 15000) then 'PRICE_UNAVAILABLE'
        when (s.gap_reason is null and _at_ms <= s.tick_ms + 500) is not true then 'PRICE_UNAVAILABLE'
      end as fault
    from (select distinct * from unnest(_products, _rules) as u (product_id, rules_id)) d
    -- The rules in force: of those whose effective time has come, the ones with the highest number.
    left join lateral (
      select n.id, n.delay_ms from rules n where n.product_id = d.product_id and n.effective_ms <= _at_ms order by n.n desc limit 1
    ) f on true
    left join lateral (select * from trading_periods n where n.product_id = d.product_id limit 1) t on true
    left join lateral (select * from product_states n where n.product_id = d.product_id limit 1) s on true
  ), terms as materialized (
    select d.*, p.until_ms, p.delay_ms, t.rate, t.min_balance, t.min_stake, t.max_stakes, (t.max_stakes ->> 'bronze')::bigint as max_stake, coalesce(p.fault, case
        when t.rate is null and exists (select from rule_terms n where n.rules_id = d.rules_id and n.asset_id = d.asset_id) then 'CYCLE_NOT_OFFERED'
        when t.rate is null then 'ASSET_NOT_ACCEPTED'
      end) as fault
    from (select distinct * from unnest(_products, _assets, _minutes, _rules) as u (product_id, asset_id, minutes, rules_id)) d
    join product p using (product_id, rules_id)
    left join lateral (
      select * from rule_terms n where n.rules_id = d.rules_id and n.asset_id = d.asset_id and n.minutes = d.minutes limit 1
    ) t on true
  ), judged as (
    select o.ord, t.rate, o.stake / 10000 * t.rate + o.stake % 10000 * t.rate / 10000 as income, coalesce(t.fault, case
        when o.opens_ms < _at_ms + t.delay_ms then 'LATE'
        when o.opens_ms > _at_ms + t.delay_ms + 10000 then 'OPENS_TOO_FAR'
        when o.settles_ms > t.until_ms then 'SESSION_ENDS'
        when o.stake < t.min_stake then 'AMOUNT_TOO_SMALL'
        when o.stake > coalesce(t.max_stake, 0)
          and o.stake > (t.max_stakes ->> (select c.level from customers c where c.id = o.customer_id))::bigint then 'AMOUNT_TOO_LARGE'
        when o.left + o.stake < t.min_balance then 'BALANCE_TOO_LOW'
      end) as fault
    from unnest(_customers, _products, _assets, _minutes, _opens, _settles, _stakes, _left, _rules) with ordinality
      as o (customer_id, product_id, asset_id, minutes, opens_ms, settles_ms, stake, "left", rules_id, ord)
    join terms t using (product_id, asset_id, minutes, rules_id)
  )
  select array_agg(j.rate order by j.ord), array_agg(j.income order by j.ord),
    (array_agg(j.fault order by j.ord) filter (where j.fault is not null))[1]
  into rates, incomes, _fault from judged j;
  if _fault is not null then
    perform refuse(_fault, 'an order of the batch breaks a bound');
  end if;
end $$;

-- Adds the incomes of new orders to their minutes, products and assets, and raises EXPOSURE_LIMIT where they exceed what the house
-- may lose in a minute with a product or a group, or has at all.
create or replace function orders_demand_exposure(_products smallint[], _assets smallint[], _settles bigint[], _incomes bigint[])
returns void
language plpgsql set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
declare
  _is_beyond boolean;
begin
  with added as materialized (
    select u.asset_id, minute_ms(u.settles_ms) as minute_ms, u.product_id, sum(u.income)::bigint as income
    from unnest(_products, _assets, _settles, _incomes) as u (product_id, asset_id, settles_ms, income) group by 1, 2, 3
  ), minutes as materialized (
    select m.*, i.products, i.incomes from (select distinct asset_id, minute_ms from added) m
    left join lateral (select * from minute_incomes n where n.minute_ms = m.minute_ms and n.asset_id = m.asset_id limit 1) i on true
  ), sums as materialized (
    select n.asset_id, n.minute_ms, n.product_id, sum(n.income)::bigint as income, bool_or(n.is_new) as is_new
    from (
      select asset_id, minute_ms, product_id, income, true as is_new from added
      union all
      select m.asset_id, m.minute_ms, o.product_id, o.income, false from minutes m cross join unnest(m.products, m.incomes) as o (product_id, income)
    ) n group by 1, 2, 3
  ), kept as (
    insert into minute_incomes as i (minute_ms, asset_id, products, incomes)
    select minute_ms, asset_id, array_agg(product_id), array_agg(income) from sums group by 1, 2
    on conflict (minute_ms, asset_id) do update set products = excluded.products, incomes = excluded.incomes
  ), busy as (
    insert into busy_products as b (product_id, until_ms) select n.product_id, n.until_ms
    from (select product_id, max(minute_ms) + 60000 as until_ms from added group by 1) n
    where not exists (select from busy_products k where k.product_id = n.product_id and k.until_ms >= n.until_ms)
    on conflict (product_id) do update set until_ms = excluded.until_ms
  ), promised as (
    update promised_income p set amount = p.amount + n.income
    from (select asset_id, sum(income) as income from added group by 1) n where p.asset_id = n.asset_id
    returning p.asset_id, p.amount, p.product_limit, p.group_limit
  )
  select exists (
    select from (
      select s.asset_id, max(s.income) filter (where s.is_new) as product_income, sum(s.income) as group_income
      from sums s join products p on p.id = s.product_id group by s.asset_id, s.minute_ms, p.exposure_group having bool_or(s.is_new)
    ) g left join promised p using (asset_id)
    where (g.product_income <= p.product_limit and g.group_income <= p.group_limit) is not true
  ) or exists (
    select from promised p
    where p.amount - coalesce((select s.amount from settled_income s where s.asset_id = p.asset_id), 0)
      > coalesce((select h.balance from ledger.house_balances h where h.asset_id = p.asset_id and h.account = ledger.trading_account()), 0)
  ) into _is_beyond;
  if _is_beyond then
    perform refuse('EXPOSURE_LIMIT', 'the house could lose more than it may');
  end if;
end $$;

-- Raises SHARE_LIMIT where a customer of the batch, whose orders are written, has more than a tenth of what bounds the house.
create or replace function orders_demand_shares(
  _at_ms bigint, _heavy bigint[], _customers bigint[], _products smallint[], _assets smallint[], _settles bigint[]
) returns void
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  if exists (
    with own as materialized (
      select o.*, p.exposure_group from orders_own_incomes(_heavy, _at_ms) o join products p on p.id = o.product_id
    )
    select from unnest(_customers, _products, _assets, _settles) as u (customer_id, product_id, asset_id, settles_ms)
    join house_shares() s using (asset_id)
    join products p on p.id = u.product_id
    cross join lateral (
      select sum(o.income) filter (where o.minute_ms = m.ms and o.product_id = u.product_id) as product,
        sum(o.income) filter (where o.minute_ms = m.ms and o.exposure_group = p.exposure_group) as grouped, sum(o.income) as equity
      from own o cross join lateral (select minute_ms(u.settles_ms) as ms) m
      where o.customer_id = u.customer_id and o.asset_id = u.asset_id
    ) t
    where t.product > s.product or t.grouped > s.grouped or t.equity > s.equity
  ) then
    perform refuse('SHARE_LIMIT', 'one customer would have more than a tenth of a bound');
  end if;
end $$;
