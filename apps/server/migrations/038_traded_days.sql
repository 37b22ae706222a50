-- What a limit on stakes or losses has left, without adding up the orders of the month at each new one: sums by day, kept where
-- orders are written and settled, of those customers alone who have such a limit (decision 112). Whoever writes here holds the
-- customer's balance of the asset, as whoever sets a limit does.

-- A row for each day (UTC, by its beginning) with orders, since the month and the week in which the first limit was set.
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  day_ms bigint not null check (day_ms % 86400000 = 0),
  -- Stakes of the orders accepted on that day, and what has been paid back for them since. In smallest units.
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);

create function day_start_ms(_time_ms bigint) returns bigint
immutable language sql as 'select _time_ms / 86400000 * 86400000';

-- The days anew from the orders, where a customer had no limit on stakes or losses of this asset until now. Old orders are not
-- read: batches are logged in the order of their clocks, so those logged before a time have lower ids.
create function traded_days_fill(_customer bigint, _asset smallint, _now_ms bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _from_ms bigint := least(period_start_ms('week', _now_ms), period_start_ms('month', _now_ms));
  _from_id bigint := coalesce((select (last_batch + 1) * 1024 from logged_batches where time_ms < _from_ms
    order by time_ms desc limit 1), 0);
begin
  delete from traded_days where customer_id = _customer and asset_id = _asset;
  insert into traded_days (customer_id, asset_id, day_ms, staked, credited)
  select _customer, _asset, day_start_ms(accepted_at_ms), sum(stake), coalesce(sum(credited), 0) from orders
  where customer_id = _customer and asset_id = _asset and id >= _from_id and accepted_at_ms >= _from_ms
  group by 3;
end $$;

-- Adds what orders that were just settled got back to the days of their acceptance.
create function traded_days_settle(_customers bigint[], _ids bigint[]) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _limited bigint[] := array(select distinct customer_id from customer_limits where customer_id = any (_customers) and kind <> 'deposit');
begin
  if cardinality(_limited) = 0 then return; end if;
  update traded_days d set credited = d.credited + s.credited
  from (
    select o.customer_id, o.asset_id, day_start_ms(o.accepted_at_ms) as day_ms, sum(o.credited) as credited
    from unnest(_customers, _ids) as l (customer_id, id) join orders o using (id)
    where l.customer_id in (select unnest(_limited))
    group by 1, 2, 3
  ) s
  where (d.customer_id, d.asset_id, d.day_ms) = (s.customer_id, s.asset_id, s.day_ms);
end $$;

-- A customer's limits on stakes and losses that count now, with what is used of them in the day, week and month that began at
-- _starts. Stakes count when they are accepted. A loss is what the orders of the period took less what they paid back, an
-- open one counted as lost; winning it back frees the limit, and never beyond it.
create function limits_traded(_customer bigint, _asset smallint, _starts bigint[])
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql as $$
  select l.kind, l.per, l.amount, least(9223372036854775807, greatest(0, case l.kind when 'stake' then t.staked[l.period] else t.lost[l.period] end))::bigint,
    l.later_amount, l.later_at
  from (
    select array[coalesce(sum(d.staked) filter (where d.day_ms >= _starts[1]), 0),
        coalesce(sum(d.staked) filter (where d.day_ms >= _starts[2]), 0), coalesce(sum(d.staked) filter (where d.day_ms >= _starts[3]), 0)] as staked,
      array[coalesce(sum(d.staked - d.credited) filter (where d.day_ms >= _starts[1]), 0),
        coalesce(sum(d.staked - d.credited) filter (where d.day_ms >= _starts[2]), 0),
        coalesce(sum(d.staked - d.credited) filter (where d.day_ms >= _starts[3]), 0)] as lost
    from traded_days d where d.customer_id = _customer and d.asset_id = _asset and d.day_ms >= least(_starts[2], _starts[3])
  ) t
  cross join lateral (
    select c.kind, c.per, case c.per when 'day' then 1 when 'week' then 2 else 3 end as period,
      case when c.later_at <= now() then c.later_amount else c.amount end as amount,
      case when c.later_at > now() then c.later_amount end as later_amount, case when c.later_at > now() then c.later_at end as later_at
    from customer_limits c where c.customer_id = _customer and c.asset_id = _asset and c.kind <> 'deposit'
  ) l
  where l.amount is not null
$$;

create function period_starts_ms(_now_ms bigint) returns bigint[]
immutable language sql set search_path = public, pg_temp as $$
  select array[period_start_ms('day', _now_ms), period_start_ms('week', _now_ms), period_start_ms('month', _now_ms)]
$$;

-- All limits that count now. Deposits count from the day they are announced, unless they come to nothing.
create or replace function limits_used(_customer bigint, _asset smallint, _now_ms bigint)
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql security definer rows 9 set search_path = public, pg_temp as $$
  select * from limits_traded(_customer, _asset, period_starts_ms(_now_ms))
  union all
  select l.kind, l.per, l.amount, coalesce((
      select sum(coalesce(d.found_amount, d.amount)) from deposit_requests d
      where d.customer_id = _customer and d.asset_id = _asset and d.status in ('review', 'success')
        and d.submitted_at >= to_timestamp(period_start_ms(l.per, _now_ms) / 1000.0)), 0)::bigint, l.later_amount, l.later_at
  from (
    select c.kind, c.per, case when c.later_at <= now() then c.later_amount else c.amount end as amount,
      case when c.later_at > now() then c.later_amount end as later_amount, case when c.later_at > now() then c.later_at end as later_at
    from customer_limits c where c.customer_id = _customer and c.asset_id = _asset and c.kind = 'deposit'
  ) l
  where l.amount is not null;
$$;

-- As before (migration 026), by the sums.
create or replace function customer_limits_for(_customers bigint[], _assets smallint[], _now_ms bigint) returns json
language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _protected bigint[] := array(select p.customer_id from protected_customers p where p.customer_id = any (_customers));
  _starts bigint[];
begin
  if cardinality(_protected) = 0 then return null; end if;
  _starts := period_starts_ms(_now_ms);
  return (
    select json_agg(json_build_array(p.customer_id::text, a.asset_id,
      case when p.closed_until > clock_timestamp() then p.closed_kind end, l.kind, l.left::text))
    from unnest(_customers, _assets) as a (customer_id, asset_id)
    join protected_customers p on p.customer_id = a.customer_id
    left join lateral (
      select u.kind, greatest(0, u.amount - u.used) as left from limits_traded(a.customer_id, a.asset_id, _starts) u
      order by 2 limit 1
    ) l on true
    where p.closed_until > clock_timestamp() or l.kind is not null
  );
end $$;

-- The same as a rule, and their count: orders that are about to be written get past no break and no limit, whoever decided them,
-- and use up what their customers' limits leave. Days are kept as long as a limit has a row, also one that was taken off.
create or replace function demand_customer_limits(_customers bigint[], _assets smallint[], _stakes bigint[], _now_ms bigint) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _protected bigint[] := array(select p.customer_id from protected_customers p where p.customer_id = any (_customers));
  _row record;
begin
  if cardinality(_protected) = 0 then return; end if;
  for _row in
    select l ->> 0 as customer, l ->> 3 as kind, (l ->> 4)::bigint as left, s.stake
    from json_array_elements(customer_limits_for(_customers, _assets, _now_ms)) l
    join unnest(_customers, _assets, _stakes) as s (customer_id, asset_id, stake)
      on s.customer_id = (l ->> 0)::bigint and s.asset_id = (l ->> 1)::smallint
    where l ->> 2 is not null or s.stake > (l ->> 4)::bigint
  loop
    perform demand_open(_row.customer::bigint);
    if _row.stake > _row.left then
      raise exception 'customer % has % left of a limit on %', _row.customer, _row.left, _row.kind using errcode = 'FT173';
    end if;
  end loop;
  insert into traded_days as d (customer_id, asset_id, day_ms, staked)
  select s.customer_id, s.asset_id, day_start_ms(_now_ms), sum(s.stake)
  from unnest(_customers, _assets, _stakes) as s (customer_id, asset_id, stake)
  where exists (
    select from customer_limits c where c.customer_id = s.customer_id and c.asset_id = s.asset_id and c.kind <> 'deposit')
  group by 1, 2
  on conflict (customer_id, asset_id, day_ms) do update set staked = d.staked + excluded.staked;
end $$;

-- Sets a limit, or with no amount takes it off. The first of an asset on stakes or losses counts its days; all balances are locked.
create or replace function limit_set(_token_hash bytea, _asset smallint, _kind text, _per text, _amount bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := protection_begin(_token_hash);
  _now bigint;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  -- Practice money is not paid in.
  if _kind = 'deposit' and exists (select from ledger.assets where id = _asset and is_practice) then
    refused := 'ASSET_NOT_ACCEPTED';
    return;
  end if;
  if _kind <> 'deposit' and not exists (
    select from customer_limits where customer_id = _customer and asset_id = _asset and kind <> 'deposit'
  ) then
    perform traded_days_fill(_customer, _asset, log_now());
  end if;
  select case when later_at <= now() then later_amount else amount end into _now from customer_limits
  where (customer_id, asset_id, kind, per) = (_customer, _asset, _kind, _per);
  if _now is null or _amount <= _now then
    delete from customer_limits where (customer_id, asset_id, kind, per) = (_customer, _asset, _kind, _per);
    if _amount is not null then
      insert into customer_limits (customer_id, asset_id, kind, per, amount) values (_customer, _asset, _kind, _per, _amount);
    end if;
  else
    update customer_limits set amount = _now, later_amount = _amount, later_at = clock_timestamp() + loosening_delay()
    where (customer_id, asset_id, kind, per) = (_customer, _asset, _kind, _per);
  end if;
  insert into protection_events (customer_id, what, facts) values (_customer, 'limit',
    jsonb_build_object('asset', _asset, 'kind', _kind, 'per', _per, 'amount', _amount::text, 'before', _now::text));
end $$;

-- As before (migration 002), with its days.
create or replace function orders_settle(
  _key text, _hash bytea, _now_ms bigint, _ids bigint[], _places int[], _results smallint[], _voids smallint[],
  _open_indexes bigint[], _open_times bigint[], _open_prices bigint[],
  _settle_indexes bigint[], _settle_times bigint[], _settle_prices bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _reasons constant text[] := '{not_logged,no_open,gap,stale}';
  _owners bigint[]; _assets smallint[]; _stakes bigint[]; _back bigint[]; _refs bigint[];
begin
  with settled as (
    update orders o set settled_at_ms = _now_ms, result = _results[l.place * 2 - (1 - o.direction) / 2],
      credited = case _results[l.place * 2 - (1 - o.direction) / 2] when 1 then o.stake + o.income when 0 then o.stake else 0 end,
      void_reason = _reasons[_voids[l.place * 2 - (1 - o.direction) / 2]],
      open_index = nullif(_open_indexes[l.place], -1), open_ms = nullif(_open_times[l.place], -1),
      open_price = nullif(_open_prices[l.place], -1), settle_index = nullif(_settle_indexes[l.place], -1),
      settle_ms = nullif(_settle_times[l.place], -1), settle_price = nullif(_settle_prices[l.place], -1)
    from unnest(_ids, _places) as l (id, place)
    where o.id = l.id and o.settled_at_ms is null
    returning o.id, o.customer_id, o.asset_id, o.stake, o.income, o.credited
  ), promise as (
    insert into settled_promises (asset_id, amount) select asset_id, sum(income) from settled group by asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(stake), array_agg(credited), array_agg(id)
  into _owners, _assets, _stakes, _back, _refs from (select * from settled order by id) s;
  if cardinality(_refs) is distinct from cardinality(_ids) then
    raise exception 'an order of the chunk is settled already' using errcode = 'FT011';
  end if;
  if ledger.resolve(_key, _hash, _owners, _assets, _stakes, _back, _refs) is null then
    raise exception 'the stakes of the chunk are paid back already' using errcode = 'FT012';
  end if;
  perform traded_days_settle(_owners, _refs);
  perform orders_tell(_owners, _refs);
end $$;

-- Customers who have such limits already.
select traded_days_fill(customer_id, asset_id, log_now())
from (select distinct customer_id, asset_id from customer_limits where kind <> 'deposit') l;

grant select on traded_days to fairtick_server;
