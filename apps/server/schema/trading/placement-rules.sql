-- The rules by which orders_place judges: those of each order, of the house, and of each customer.
-- Times `_ms` are Unix milliseconds of the log's clock. Amounts are in smallest units.

-- The incomes of all orders of a settlement minute (its start, ms) by product, up and down: the most that the house can lose in
-- it. Both arrays have the same length. Minutes that are over are removed.
create table minute_incomes (
  minute_ms bigint not null,
  asset_id smallint not null references ledger.assets,
  products smallint[] not null,
  incomes bigint[] not null,
  primary key (minute_ms, asset_id),
  check (cardinality(products) = cardinality(incomes))
) with (fillfactor = 30);

-- ## Functions

-- The incomes of these customers' open orders, by product and settlement minute, from the current minute on. Callers name only
-- customers whose stakes exceed one customer's share: an order's income is below its stake, so the others can't exceed it.
create or replace function orders_own_incomes(_customers bigint[], _now_ms bigint)
returns table (customer_id bigint, asset_id smallint, product_id smallint, minute_ms bigint, income bigint)
language plpgsql stable
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

-- The most income that one customer may be promised: of a product's minute, of a group's, and in all. A tenth of what bounds the
-- house.
create or replace function house_shares()
returns table (asset_id smallint, product bigint, grouped bigint, equity bigint, smallest bigint)
language sql stable rows 5 as $$
  select i.asset_id, i.product_limit / 10, i.group_limit / 10, coalesce(h.balance, 0) / 10,
    least(i.product_limit, i.group_limit, coalesce(h.balance, 0)) / 10
  from public.promised_income i left join ledger.house_balances h on h.asset_id = i.asset_id
    and h.account = ledger.trading_account()
$$;

-- Judges each request by itself: terms, limits of the purchase, balance, and the customer's own limits. It keeps a fault that a
-- request has already. The faults stand in the order in which a customer is told of them. A bound is that of the fault. Without
-- nested loops the lists are hashed; what is looked up by key is a lateral part.
create or replace function orders_judge(
  _head placement_head, _log log_head, _now_ms bigint, _customers bigint[], _products smallint[], _assets smallint[],
  _minutes smallint[], _opens bigint[], _not_after bigint[], _stakes bigint[], _available bigint[],
  inout faults text[], inout bounds bigint[],
  out rules bigint[], out rates smallint[], out incomes bigint[], out opens bigint[], out settles bigint[]
) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off as $$
declare
  _is_log_alive boolean := _log.holder is not null and _now_ms - log_shown_ms(_log.size) <= 500;
  _kinds text[] := array_fill(null::text, array[cardinality(_products)]);
  _left bigint[] := array_fill(null::bigint, array[cardinality(_products)]);
  _own record;
begin
  for _own in
    select * from json_to_recordset(customer_limits_for(_customers, _assets, _now_ms))
      as l (place int, closed text, kind text, "left" bigint)
  loop
    faults[_own.place] := coalesce(faults[_own.place],
      case _own.closed when 'break' then 'ON_BREAK' when 'exclusion' then 'SELF_EXCLUDED' when 'freeze' then 'ORDERS_FROZEN'
        else _own.closed end);
    _kinds[_own.place] := _own.kind;
    _left[_own.place] := _own.left;
  end loop;
  with product as materialized (
    select d.product_id, n.rules_id, n.until_ms, r.delay_ms, r.rates, r.entry, case
        when n.rules_id is null then 'PRICE_UNAVAILABLE'
        when not n.is_open then 'MARKET_CLOSED'
        when (_is_log_alive and _now_ms >= s.orders_from_ms and _now_ms >= n.from_ms + 15000
          and s.gap_reason is null and _now_ms <= s.tick_ms + 500) is not true then 'PRICE_UNAVAILABLE'
      end as fault
    from (select distinct unnest(_products) as product_id) d
    left join lateral (select * from trading_periods t where t.product_id = d.product_id limit 1) n on true
    left join lateral (select * from product_states t where t.product_id = d.product_id limit 1) s on true
    left join lateral (select * from rules t where t.id = n.rules_id limit 1) r on true
  ), terms as materialized (
    select d.*, p.until_ms, p.delay_ms, e.rules_id, e.rate, e.min_stake, e.min_balance, e.max_stakes,
      least((e.max_stakes ->> 'bronze')::bigint, (e.max_stakes ->> 'silver')::bigint, (e.max_stakes ->> 'gold')::bigint,
        (e.max_stakes ->> 'platinum')::bigint) as least_max_stake, coalesce(p.fault, case
        when e.rate is not null then null
        when not p.rates ? d.minutes::text then 'CYCLE_NOT_OFFERED'
        when exists (
          select from jsonb_array_elements(rules_json(p.entry) -> 'limits') l join ledger.assets a on a.code = l ->> 'asset'
          where a.id = d.asset_id) then 'CYCLE_NOT_OFFERED'
        else 'ASSET_NOT_ACCEPTED'
      end) as fault
    from (select distinct * from unnest(_products, _assets, _minutes) as u (product_id, asset_id, minutes)) d
    join product p using (product_id)
    left join lateral (
      select * from rule_terms n where n.rules_id = p.rules_id and n.asset_id = d.asset_id and n.minutes = d.minutes limit 1
    ) e on true
  ), judged as (
    select o.ord, o.bound, t.rules_id, t.rate, t.min_stake, t.min_balance, m.max_stake, o.own_left, n.opens_ms, n.settles_ms,
      o.stake / 10000 * t.rate + o.stake % 10000 * t.rate / 10000 as income, coalesce(o.fault, case
        when _head.is_halted or o.product_id = any (_head.halted_products) then 'TRADING_HALTED'
        when _now_ms > o.not_after_ms then 'EXPIRED'
        when t.product_id is null then 'PRICE_UNAVAILABLE'
        when t.fault is not null then t.fault
        when n.opens_ms < _now_ms + t.delay_ms then 'LATE'
        when n.opens_ms > _now_ms + t.delay_ms + 10000 then 'OPENS_TOO_FAR'
        when n.settles_ms > t.until_ms then 'SESSION_ENDS'
        when o.stake < t.min_stake then 'AMOUNT_TOO_SMALL'
        when o.stake > m.max_stake then 'AMOUNT_TOO_LARGE'
        when coalesce(o.available, 0) < o.stake then 'INSUFFICIENT_BALANCE'
        when o.available < t.min_balance then 'BALANCE_TOO_LOW'
        when o.stake > o.own_left then case o.own_kind when 'stake' then 'STAKE_LIMIT' else 'LOSS_LIMIT' end
      end) as fault
    from unnest(faults, bounds, _customers, _products, _assets, _minutes, _opens, _not_after, _stakes, _available, _kinds, _left)
      with ordinality as o (fault, bound, customer_id, product_id, asset_id, minutes, opens_ms, not_after_ms, stake, available,
        own_kind, own_left, ord)
    left join terms t using (product_id, asset_id, minutes)
    -- The customer's level counts where it may bound the stake.
    cross join lateral (select case when o.stake > t.least_max_stake then
      (t.max_stakes ->> (select c.level from customers c where c.id = o.customer_id))::bigint end as max_stake offset 0) m
    cross join lateral (select a.ms as opens_ms, settles_ms(a.ms, o.minutes) as settles_ms
      from (select coalesce(o.opens_ms, (_now_ms + t.delay_ms + 999) / 1000 * 1000) as ms offset 0) a) n
  )
  select array_agg(j.fault order by j.ord), array_agg(case j.fault when 'AMOUNT_TOO_SMALL' then j.min_stake
      when 'AMOUNT_TOO_LARGE' then j.max_stake when 'BALANCE_TOO_LOW' then j.min_balance when 'STAKE_LIMIT' then j.own_left
      when 'LOSS_LIMIT' then j.own_left else j.bound end order by j.ord),
    array_agg(j.rules_id order by j.ord), array_agg(j.rate order by j.ord), array_agg(j.income order by j.ord),
    array_agg(j.opens_ms order by j.ord), array_agg(j.settles_ms order by j.ord)
  into faults, bounds, rules, rates, incomes, opens, settles from judged j;
end $$;

-- What is left of each customer's share of the bounds of the house, for the requests without a fault whose customers may exceed
-- it (see orders_own_incomes); null for the others, and in place of the array if there are none.
create or replace function orders_own_left(
  _now_ms bigint, _customers bigint[], _products smallint[], _assets smallint[], _stakes bigint[], _held bigint[],
  _settles bigint[], _faults text[]
) returns bigint[] language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  -- By the asset's id.
  _most bigint[] := array(
    select s.smallest from generate_series(1, (select max(id) from ledger.assets)) a (id)
    left join house_shares() s on s.asset_id = a.id order by a.id);
  _heavy bigint[] := array(
    select o.customer_id
    from unnest(_customers, _assets, _stakes, _held, _faults) as o (customer_id, asset_id, stake, held, fault)
    where o.fault is null and o.held + o.stake > _most[o.asset_id]);
begin
  if cardinality(_heavy) = 0 then return null; end if;
  return array(
    with own as materialized (
      select o.*, p.exposure_group from orders_own_incomes(_heavy, _now_ms) o join products p on p.id = o.product_id
    )
    select (
      select least(s.equity - coalesce(sum(o.income), 0),
        s.product - coalesce(sum(o.income) filter (where o.minute_ms = m.ms and o.product_id = u.product_id), 0),
        s.grouped - coalesce(sum(o.income) filter (where o.minute_ms = m.ms and o.exposure_group = p.exposure_group), 0))
      from own o where o.customer_id = u.customer_id and o.asset_id = u.asset_id
    )
    from unnest(_customers, _products, _assets, _settles, _faults) with ordinality
      as u (customer_id, product_id, asset_id, settles_ms, fault, ord)
    left join house_shares() s on s.asset_id = u.asset_id and u.fault is null and u.customer_id = any (_heavy)
    left join products p on p.id = u.product_id
    cross join lateral (select minute_ms(u.settles_ms) as ms) m
    order by u.ord);
end $$;

-- Judges the requests without a fault by the bounds of the house, and adds the incomes of those that it accepts. All of them are
-- tried together; if they exceed a bound, or a customer's share of one, they are judged in their order.
create or replace function orders_judge_together(
  _now_ms bigint, _customers bigint[], _products smallint[], _assets smallint[], _stakes bigint[], _held bigint[],
  _settles bigint[], _rates smallint[], _incomes bigint[], inout faults text[], inout bounds bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  _own_left bigint[] := orders_own_left(_now_ms, _customers, _products, _assets, _stakes, _held, _settles, faults);
  -- What is promised so far, by the numbers of assets, of products and of groups in a minute.
  _of_asset numeric[] := '{}'; _of_product numeric[] := '{}'; _of_group numeric[] := '{}';
  _one record;
begin
  if not exists (
    select from unnest(_incomes, _own_left, faults) as o (income, own_left, fault) where o.fault is null and o.income > o.own_left
  ) then
    begin
      perform orders_demand_exposure(_products, _assets, _settles, _incomes, faults);
      return;
    exception when sqlstate 'FT000' then
      null;
    end;
  end if;
  for _one in
    with new as materialized (
      select o.*, minute_ms(o.settles_ms) as minute_ms
      from unnest(_products, _assets, _settles, _rates, _incomes, _own_left, faults) with ordinality
        as o (product_id, asset_id, settles_ms, rate, income, own_left, fault, ord) where o.fault is null
    )
    select n.*, b.product_limit, b.group_limit, coalesce(h.balance, 0) - (b.amount - coalesce(s.amount, 0)) as room,
      dense_rank() over (order by n.asset_id, n.minute_ms, n.product_id) as product_number,
      dense_rank() over (order by n.asset_id, n.minute_ms, p.exposure_group) as group_number
    from (
      select ord, product_id, asset_id, minute_ms, rate, income, own_left from new
      union all
      -- What is promised already.
      select 0, t.product_id, m.asset_id, m.minute_ms, 0, t.income, null from (select distinct asset_id, minute_ms from new) m
      join minute_incomes i on i.minute_ms = m.minute_ms and i.asset_id = m.asset_id
      cross join unnest(i.products, i.incomes) as t (product_id, income)
    ) n
    join products p on p.id = n.product_id
    left join promised_income b on b.asset_id = n.asset_id
    left join settled_income s on s.asset_id = n.asset_id
    left join ledger.house_balances h on h.asset_id = n.asset_id and h.account = ledger.trading_account()
    order by n.ord
  loop
    if _one.ord > 0 and (_one.income <= least(_one.room - coalesce(_of_asset[_one.asset_id], 0),
      _one.product_limit - coalesce(_of_product[_one.product_number], 0),
      _one.group_limit - coalesce(_of_group[_one.group_number], 0))) is not true then
      faults[_one.ord] := 'EXPOSURE_LIMIT';
      continue;
    end if;
    if _one.income > _one.own_left then
      faults[_one.ord] := 'SHARE_LIMIT';
      -- The largest stake whose income, rounded down, is within the share.
      bounds[_one.ord] := case when _one.own_left < 0 then 0 else div((_one.own_left + 1)::numeric * 10000 - 1, _one.rate) end;
      continue;
    end if;
    _of_product[_one.product_number] := coalesce(_of_product[_one.product_number], 0) + _one.income;
    _of_group[_one.group_number] := coalesce(_of_group[_one.group_number], 0) + _one.income;
    if _one.ord > 0 then _of_asset[_one.asset_id] := coalesce(_of_asset[_one.asset_id], 0) + _one.income; end if;
  end loop;
  perform orders_demand_exposure(_products, _assets, _settles, _incomes, faults);
end $$;

-- Adds the incomes of the requests without a fault to their minutes, products and assets, and raises EXPOSURE_LIMIT where they
-- exceed what the house may lose in a minute with a product or a group, or has at all.
create or replace function orders_demand_exposure(
  _products smallint[], _assets smallint[], _settles bigint[], _incomes bigint[], _faults text[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
declare
  _is_beyond boolean;
begin
  with added as materialized (
    select u.asset_id, minute_ms(u.settles_ms) as minute_ms, u.product_id, sum(u.income)::bigint as income
    from unnest(_products, _assets, _settles, _incomes, _faults) as u (product_id, asset_id, settles_ms, income, fault)
    where u.fault is null group by 1, 2, 3
  ), minutes as materialized (
    select m.*, i.products, i.incomes from (select distinct asset_id, minute_ms from added) m
    left join lateral (
      select * from minute_incomes n where n.minute_ms = m.minute_ms and n.asset_id = m.asset_id limit 1
    ) i on true
  ), sums as materialized (
    select n.asset_id, n.minute_ms, n.product_id, sum(n.income)::bigint as income, bool_or(n.is_new) as is_new
    from (
      select asset_id, minute_ms, product_id, income, true as is_new from added
      union all
      select m.asset_id, m.minute_ms, o.product_id, o.income, false from minutes m
      cross join unnest(m.products, m.incomes) as o (product_id, income)
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
      from sums s join products p on p.id = s.product_id group by s.asset_id, s.minute_ms, p.exposure_group
      having bool_or(s.is_new)
    ) g left join promised p using (asset_id)
    where (g.product_income <= p.product_limit and g.group_income <= p.group_limit) is not true
  ) or exists (
    select from promised p
    where p.amount - coalesce((select s.amount from settled_income s where s.asset_id = p.asset_id), 0)
      > coalesce((select h.balance from ledger.house_balances h where h.asset_id = p.asset_id
        and h.account = ledger.trading_account()), 0)
  ) into _is_beyond;
  if _is_beyond then
    perform refuse('EXPOSURE_LIMIT', 'the house could lose more than it may');
  end if;
end $$;
