-- Placement and settlement check what the server gives them against the rules and the log: FT014 where an order's terms or its
-- ticks differ.

-- Reads the payout rates in basis points, by minutes, out of the text of a rules entry.
create function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;
alter table rules
  -- Payout rate in 1/10 000, by minutes.
  add column rates jsonb generated always as (rates_of(entry)) stored,
  add column delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  add column settle_bound_ms bigint generated always as ((rules_json(entry) ->> 'settleBoundMs')::bigint) stored;

-- Raises FT014 where an order is to be accepted by other terms than the rules say, and FT010 where other rules have come into force
-- since the batch was opened: what they would have said is not what was asked for. Income and settlement time follow from these
-- terms by checks of the table.
create function orders_demand_terms(_products smallint[], _minutes smallint[], _rates smallint[], _rules bigint[])
returns void
language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _wrong record;
begin
  if cardinality(_products) > 0 and (select is_halted from placement_head) then
    raise exception 'new orders are halted' using errcode = 'FT014';
  end if;
  for _wrong in
    select u.*, r.id is null or (r.rates ->> u.minutes::text)::int is distinct from u.rate as is_false
    from (select distinct * from unnest(_products, _minutes, _rates, _rules) as t (product_id, minutes, rate, rules_id)) u
    left join rules r on r.id = u.rules_id and r.product_id = u.product_id
    left join product_states s on s.product_id = u.product_id
    where r.id is null or (r.rates ->> u.minutes::text)::int is distinct from u.rate or s.rules_id is distinct from u.rules_id
  loop
    if _wrong.is_false then
      raise exception 'rules % of product % do not give % for % minutes', _wrong.rules_id, _wrong.product_id, _wrong.rate, _wrong.minutes
        using errcode = 'FT014';
    end if;
    raise exception 'other rules of product % are in force', _wrong.product_id using errcode = 'FT010';
  end loop;
end $$;

-- Raises FT014 unless these orders, which have just been settled, came to what the log lets them: one order of each group. Exact are
-- both ticks, that the second is the product's last, and when it is stale. Which of the ticks after acceptance + D opens hangs on
-- when their quotes came, which is packed: here it is one within the window and before any gap. The audit settles all again
-- (replay/).
create function orders_demand_logged(_ids bigint[]) returns void
language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _wrong bigint;
  _log_ms bigint := (select time_ms from log_head);
begin
  with settled as materialized (
    select o.id, o.product_id, o.accepted_at_ms, o.settles_at_ms, o.result, o.void_reason, o.open_index, o.open_ms, o.open_price,
      o.settle_index, o.settle_ms, o.settle_price, o.accepted_at_ms + r.delay_ms as opens_from_ms,
      least(o.accepted_at_ms + r.delay_ms + 5000, o.settles_at_ms) as opens_by_ms, r.settle_bound_ms,
      b.entry_index, b.time_ms as logged_ms
    from unnest(_ids) as u (id) join orders o on o.id = u.id join rules r on r.id = o.rules_id
    left join lateral (
      select * from logged_batches where first_batch <= o.id / 1024 order by first_batch desc limit 1
    ) b on b.last_batch >= o.id / 1024
  ), ticks as (
    select product_id, index, time_ms, price, min(id) as id from (
      select id, product_id, open_index as index, open_ms as time_ms, open_price as price from settled where open_index is not null
      union all select id, product_id, settle_index, settle_ms, settle_price from settled where settle_index is not null
    ) t group by 1, 2, 3, 4
  ), ends as (
    select product_id, settle_ms, settles_at_ms, min(id) as id from settled where settle_ms < settles_at_ms group by 1, 2, 3
  ), windows as (
    -- The time bounds the search: ticks after the orders entry are at most a second earlier than it.
    select product_id, entry_index, min(accepted_at_ms) - 1000 as from_ms, coalesce(open_index, 9223372036854775807) as before_index,
      coalesce(open_ms, opens_by_ms) as until_ms, open_index is null as is_gap, min(id) as id
    from settled where open_index is not null or void_reason = 'gap' group by 1, 2, 4, 5, 6
  )
  select id into _wrong from (
    select t.id from ticks t where not exists (
      select from log_entries l where l.index = t.index and l.kind <= 2 and l.product_id = t.product_id and l.time_ms = t.time_ms
        and l.price = t.price)
    union all
    select e.id from ends e where exists (
      select from log_entries l where l.product_id = e.product_id and l.kind <= 3 and l.kind <> 3
        and l.time_ms > e.settle_ms and l.time_ms <= e.settles_at_ms)
    union all
    select w.id from windows w where w.is_gap <> exists (
      select from log_entries l where l.product_id = w.product_id and l.kind <= 3 and l.kind = 3 and l.index > w.entry_index
        and l.index < w.before_index and l.time_ms >= w.from_ms and l.time_ms <= w.until_ms)
    union all
    select s.id from settled s where case
      when s.void_reason = 'not_logged' then coalesce(s.logged_ms, _log_ms) <= s.accepted_at_ms + 2000
      when s.logged_ms is null or s.logged_ms > s.accepted_at_ms + 2000 then true
      when s.void_reason = 'gap' then false
      when s.void_reason = 'no_open' then _log_ms <= s.opens_by_ms
      else s.open_index <= s.entry_index or s.open_ms < s.opens_from_ms or s.open_ms > s.opens_by_ms
        or (s.result < 1 and (s.settles_at_ms - s.settle_ms > s.settle_bound_ms) <> (s.void_reason is not null))
    end
  ) wrong limit 1;
  if _wrong is not null then
    raise exception 'order % is not settled as the log says', _wrong using errcode = 'FT014';
  end if;
end $$;

-- As before (migration 002), by the terms of the rules.
create or replace function orders_close_batch(
  _batch bigint, _accepted_at_ms bigint, _log_size bigint, _log_root bytea, _refused int, _refusals jsonb,
  _root bytea, _leaves bytea, _signed text, _late_after_ms bigint,
  _customers bigint[], _hashes bytea, _products smallint[], _assets smallint[], _minutes smallint[],
  _directions smallint[], _stakes bigint[], _incomes bigint[], _rates smallint[], _rules bigint[], _settles bigint[],
  _seen_sizes bigint[], _left bigint[],
  _let_go_customers bigint[], _let_go_assets smallint[], _let_go_stakes bigint[],
  _busy_products smallint[], _busy_until bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _count int := coalesce(array_length(_customers, 1), 0);
  _first bigint := _batch * 1024;
  _ids bigint[] := array(select _first + i from generate_series(0, _count - 1) i);
  _holds int; _hash numeric;
begin
  select open_holds, open_hash into strict _holds, _hash from placement_head;
  if (_holds, _hash) is distinct from (
    select (count(*)::int, coalesce(sum(ledger.hold_hash(l.owner_id, l.asset_id, l.amount)), 0))
    from (
      select * from unnest(_customers, _assets, _stakes)
      union all
      select * from unnest(_let_go_customers, _let_go_assets, _let_go_stakes)
    ) l (owner_id, asset_id, amount)
  ) then
    raise exception 'batch % is to be closed with other stakes than were held for it', _batch using errcode = 'FT013';
  end if;
  -- A bound of its own, so that nobody dates an acceptance back by saying that it may be late.
  _late_after_ms := least(_late_after_ms, 3000);
  perform orders_demand_terms(_products, _minutes, _rates, _rules);
  insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, refused, refusals, root, leaves, signed)
  values (_batch, _accepted_at_ms, _log_size, _log_root, _count, _refused, _refusals, _root, _leaves, _signed);
  update placement_head set next_batch = _batch + 1, open_holds = null, open_hash = null;
  if cardinality(_let_go_customers) > 0 then
    perform ledger.let_go(_let_go_customers, _let_go_assets, _let_go_stakes);
  end if;
  if _count > 0 then
    perform demand_customer_limits(_customers, _assets, _stakes, _accepted_at_ms);
    insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, settles_at_ms, stake, income, rules_id,
      seen_size, seen_root, payout_rate_bps, product_id, asset_id, minutes, direction)
    select _first + o.ord - 1, o.customer_id, substring(_hashes from o.at for 32), substring(_hashes from o.at + 32 for 32),
      _accepted_at_ms, o.settles_at_ms, o.stake, o.income, o.rules_id,
      o.seen_size, case when o.seen_size is not null then substring(_hashes from o.at + 64 for 32) end,
      o.rate, o.product_id, o.asset_id, o.minutes, o.direction
    from (
      select *, (ord * 96 - 95)::int as at
      from unnest(_customers, _products, _assets, _minutes, _directions, _stakes, _incomes, _rates, _rules, _settles, _seen_sizes)
        with ordinality
        as u (customer_id, product_id, asset_id, minutes, direction, stake, income, rate, rules_id, settles_at_ms, seen_size, ord)
    ) o;
    if ledger.post_taken('orders:' || _batch, _root, _customers, _assets, _stakes, _left, _ids) is null then
      raise exception 'the stakes of batch % are held already', _batch using errcode = 'FT012';
    end if;
    if cardinality(_busy_products) > 0 then
      insert into busy_products as b (product_id, until_ms)
      select product_id, max(until_ms) from unnest(_busy_products, _busy_until) as n (product_id, until_ms) group by 1
      on conflict (product_id) do update set until_ms = greatest(b.until_ms, excluded.until_ms);
    end if;
    update promised_income p set amount = p.amount + n.amount
    from (select asset_id, sum(income) as amount from unnest(_assets, _incomes) as u (asset_id, income) group by 1) n
    where p.asset_id = n.asset_id;
    perform orders_tell(_customers, _ids);
  end if;
  if abs(log_now() - _accepted_at_ms) > _late_after_ms then
    raise exception 'the batch took too long' using errcode = 'FT010';
  end if;
end $$;

-- As before (migration 038), by the log.
create or replace function orders_settle(
  _key text, _hash bytea, _now_ms bigint, _ids bigint[], _places int[], _results smallint[], _voids smallint[],
  _open_indexes bigint[], _open_times bigint[], _open_prices bigint[],
  _settle_indexes bigint[], _settle_times bigint[], _settle_prices bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _reasons constant text[] := '{not_logged,no_open,gap,stale}';
  _owners bigint[]; _assets smallint[]; _stakes bigint[]; _back bigint[]; _refs bigint[]; _samples bigint[];
begin
  if _now_ms > (select time_ms from log_head) then
    raise exception 'the log has not come to %', _now_ms using errcode = 'FT014';
  end if;
  with settled as (
    update orders o set settled_at_ms = _now_ms, result = _results[l.place * 2 - (1 - o.direction) / 2],
      credited = case _results[l.place * 2 - (1 - o.direction) / 2] when 1 then o.stake + o.income when 0 then o.stake else 0 end,
      void_reason = _reasons[_voids[l.place * 2 - (1 - o.direction) / 2]],
      open_index = nullif(_open_indexes[l.place], -1), open_ms = nullif(_open_times[l.place], -1),
      open_price = nullif(_open_prices[l.place], -1), settle_index = nullif(_settle_indexes[l.place], -1),
      settle_ms = nullif(_settle_times[l.place], -1), settle_price = nullif(_settle_prices[l.place], -1)
    from unnest(_ids, _places) as l (id, place)
    where o.id = l.id and o.settled_at_ms is null
    returning o.id, o.customer_id, o.asset_id, o.stake, o.income, o.credited, l.place, o.product_id, o.rules_id, o.accepted_at_ms,
      o.settles_at_ms, o.direction
  ), promise as (
    insert into settled_promises (asset_id, amount) select asset_id, sum(income) from settled group by asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(stake), array_agg(credited), array_agg(id),
    (select array_agg(g.id) from (select min(d.id) as id from settled d
      group by d.place, d.id / 1024, d.product_id, d.rules_id, d.accepted_at_ms, d.settles_at_ms, d.direction) g)
  into _owners, _assets, _stakes, _back, _refs, _samples from (select * from settled order by id) s;
  if cardinality(_refs) is distinct from cardinality(_ids) then
    raise exception 'an order of the chunk is settled already' using errcode = 'FT011';
  end if;
  perform orders_demand_logged(_samples);
  if ledger.resolve(_key, _hash, _owners, _assets, _stakes, _back, _refs) is null then
    raise exception 'the stakes of the chunk are paid back already' using errcode = 'FT012';
  end if;
  perform traded_days_settle(_owners, _refs);
  perform orders_tell(_owners, _refs);
end $$;

-- The server no longer writes settled promises: orders_settle does, in the transaction that settles the order.
revoke insert on settled_promises from fairtick_server;
