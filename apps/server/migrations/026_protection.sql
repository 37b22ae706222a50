-- Customers' protection of themselves: limits per asset, breaks, self-exclusion, time reminders. Tightening counts at once,
-- loosening a day later; a break never becomes shorter. Nobody but the customer's own session changes any of it, and no
-- order and no deposit gets past it (decision 085). What is used of a limit is counted by migration 038, which has limit_set,
-- limits_used, customer_limits_for and demand_customer_limits anew (decision 112).
--
--   FT170 a break is under way      FT172 more than the limit on deposits leaves
--   FT171 self-excluded             FT173 more than the limit on stakes or on losses leaves

-- One row of each customer who ever asked for any of it: whoever has none is told apart by this one key.
create table protected_customers (
  customer_id bigint primary key references customers,
  -- No orders and no deposits before closed_until; infinity is for good.
  closed_kind text check (closed_kind in ('break', 'exclusion')),
  closed_at timestamptz,
  closed_until timestamptz,
  -- Minutes of use between two reminders, null: none; and what they become at later_at.
  reminder_minutes int check (reminder_minutes between 15 and 240),
  later_minutes int check (later_minutes between 15 and 240),
  later_at timestamptz,
  check (num_nulls(closed_kind, closed_at, closed_until) in (0, 3)),
  check (closed_until > closed_at),
  check (later_minutes is null or later_at is not null)
);

create table customer_limits (
  customer_id bigint not null references protected_customers,
  asset_id smallint not null references ledger.assets,
  kind text not null check (kind in ('deposit', 'stake', 'loss')),
  per text not null check (per in ('day', 'week', 'month')),
  -- In smallest units; a limit that was taken off has a later_at and no later_amount.
  amount bigint not null check (amount > 0),
  later_amount bigint check (later_amount > amount),
  later_at timestamptz,
  primary key (customer_id, asset_id, kind, per),
  check (later_amount is null or later_at is not null)
);

-- What was asked for and when; never changed.
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);
create index protection_events_by_customer on protection_events (customer_id, id);
create trigger protection_events_keep before update or delete or truncate on protection_events execute function requests_keep();

create function loosening_delay() returns interval immutable language sql as $$ select interval '24 hours' $$;

-- When a period began or ends: days, weeks (from Monday) and months of UTC.
create function period_start_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select floor(extract(epoch from date_trunc(_per, to_timestamp(_now_ms / 1000.0) at time zone 'UTC') at time zone 'UTC') * 1000)::bigint;
$$;
create function period_end_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select floor(extract(epoch from (to_timestamp(period_start_ms(_per, _now_ms) / 1000.0) at time zone 'UTC' + ('1 ' || _per)::interval)
    at time zone 'UTC') * 1000)::bigint;
$$;

-- The limits that count now, and what has been used of them. Stakes count when they are accepted. A loss is what the orders
-- of the period took less what they paid back, an open one counted as lost; winning it back frees the limit, and never
-- beyond it. Deposits count from the day they are announced, unless they come to nothing.
create function limits_used(_customer bigint, _asset smallint, _now_ms bigint)
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql security definer rows 9 set search_path = public, pg_temp as $$
  with mine as (
    select l.kind, l.per, case when l.later_at <= now() then l.later_amount else l.amount end as amount,
      case when l.later_at > now() then l.later_amount end as later_amount,
      case when l.later_at > now() then l.later_at end as later_at,
      period_start_ms(l.per, _now_ms) as from_ms
    from customer_limits l where l.customer_id = _customer and l.asset_id = _asset
  ), traded as (
    select min(from_ms) as from_ms from mine where mine.kind <> 'deposit' and mine.amount is not null
  )
  select m.kind, m.per, m.amount, case m.kind
      when 'deposit' then coalesce((
        select sum(coalesce(d.found_amount, d.amount)) from deposit_requests d
        where d.customer_id = _customer and d.asset_id = _asset and d.status in ('review', 'success')
          and d.submitted_at >= to_timestamp(m.from_ms / 1000.0)), 0)
      when 'stake' then coalesce(sum(o.stake) filter (where o.accepted_at_ms >= m.from_ms), 0)
      else greatest(0, coalesce(sum(o.stake - coalesce(o.credited, 0)) filter (where o.accepted_at_ms >= m.from_ms), 0))
    end::bigint, m.later_amount, m.later_at
  from mine m
  left join (
    select o.stake, o.credited, o.accepted_at_ms from traded t, orders o
    where o.customer_id = _customer and o.asset_id = _asset and o.accepted_at_ms >= t.from_ms
      and o.id >= coalesce((select (b.last_batch + 1) * 1024 from logged_batches b where b.time_ms < t.from_ms
        order by b.time_ms desc limit 1), 0)
  ) o on m.kind <> 'deposit'
  where m.amount is not null
  group by m.kind, m.per, m.amount, m.later_amount, m.later_at, m.from_ms;
$$;

-- For placement: of those who ask for orders in these assets, in one list, the ones who have anything to keep to:
-- [customer, asset, 'break' or 'exclusion' or null, the limit that leaves least or null, what it leaves]. Null where nobody
-- has, which costs one look into the index of protected_customers. The caller holds their balances' locks.
create function customer_limits_for(_customers bigint[], _assets smallint[], _now_ms bigint) returns json
language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _protected bigint[] := array(select p.customer_id from protected_customers p where p.customer_id = any (_customers));
begin
  if cardinality(_protected) = 0 then return null; end if;
  return (
    select json_agg(json_build_array(p.customer_id::text, a.asset_id,
      case when p.closed_until > clock_timestamp() then p.closed_kind end, l.kind, l.left::text))
    from unnest(_customers, _assets) as a (customer_id, asset_id)
    join protected_customers p on p.customer_id = a.customer_id
    left join lateral (
      select u.kind, greatest(0, u.amount - u.used) as left from limits_used(p.customer_id, a.asset_id, _now_ms) u
      where u.kind <> 'deposit' order by 2 limit 1
    ) l on true
    where a.customer_id = any (_protected) and (p.closed_until > clock_timestamp() or l.kind is not null)
  );
end $$;

-- The same as a rule: orders that are about to be written get past no break and no limit, whoever decided them.
create function demand_customer_limits(_customers bigint[], _assets smallint[], _stakes bigint[], _now_ms bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _row record;
begin
  for _row in
    select l ->> 0 as customer, l ->> 2 as closed, l ->> 3 as kind, (l ->> 4)::bigint as left, s.stake
    from json_array_elements(customer_limits_for(_customers, _assets, _now_ms)) l
    join unnest(_customers, _assets, _stakes) as s (customer_id, asset_id, stake)
      on s.customer_id = (l ->> 0)::bigint and s.asset_id = (l ->> 1)::smallint
  loop
    perform demand_open(_row.customer::bigint);
    if _row.stake > _row.left then
      raise exception 'customer % has % left of a limit on %', _row.customer, _row.left, _row.kind using errcode = 'FT173';
    end if;
  end loop;
end $$;

-- Refuses whoever takes a break.
create function demand_open(_customer bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _kind text;
begin
  select closed_kind into _kind from protected_customers where customer_id = _customer and closed_until > clock_timestamp();
  if _kind = 'break' then
    raise exception 'customer % takes a break', _customer using errcode = 'FT170';
  elsif _kind = 'exclusion' then
    raise exception 'customer % is self-excluded', _customer using errcode = 'FT171';
  end if;
end $$;

-- Deposits, by whichever way they are written. deposit_submit holds the balance's lock, so that two are counted one after
-- the other, and a limit that is set meanwhile waits or is seen.
create function deposit_requests_protect() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _left bigint;
begin
  if not exists (select from protected_customers where customer_id = new.customer_id) then return new; end if;
  perform demand_open(new.customer_id);
  select min(greatest(0, amount - used)) into _left
  from limits_used(new.customer_id, new.asset_id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) where kind = 'deposit';
  if new.amount > _left then
    raise exception 'customer % has % left of a limit on deposits', new.customer_id, _left using errcode = 'FT172', detail = _left::text;
  end if;
  return new;
end $$;
create trigger deposit_requests_protect before insert on deposit_requests for each row execute function deposit_requests_protect();

-- Whose session this is, with the lock of all that could be bought or paid in meanwhile: what is under way is waited for, what
-- comes later sees what is decided here.
create function protection_begin(_token_hash bytea) returns bigint
language plpgsql set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, false);
begin
  if _customer is null then return null; end if;
  perform ledger.lock_balances(array_agg(_customer), array_agg(a.id)) from ledger.assets a;
  insert into protected_customers (customer_id) values (_customer) on conflict do nothing;
  return _customer;
end $$;

-- Sets a limit, or with no amount takes it off.
create function limit_set(_token_hash bytea, _asset smallint, _kind text, _per text, _amount bigint, out refused text)
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

-- Sets how often the app says how long somebody has been here; more often at once, less often or not at all a day later.
create function reminder_set(_token_hash bytea, _minutes int, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := protection_begin(_token_hash);
  _now int;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  select case when later_at <= now() then later_minutes else reminder_minutes end into _now
  from protected_customers where customer_id = _customer;
  if _now is null or _minutes <= _now then
    update protected_customers set reminder_minutes = _minutes, later_minutes = null, later_at = null where customer_id = _customer;
  else
    update protected_customers set reminder_minutes = _now, later_minutes = _minutes, later_at = clock_timestamp() + loosening_delay()
    where customer_id = _customer;
  end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, 'reminder', jsonb_build_object('minutes', _minutes, 'before', _now));
end $$;

-- Takes a break of 24 hours to 6 weeks, or excludes for 6 months to 5 years or (no months) for good. It begins at once, and
-- nothing ends it before its time: another one may only end later.
create function break_take(_token_hash bytea, _kind text, _hours int, _months int, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := protection_begin(_token_hash);
  _at timestamptz := clock_timestamp();
  _until timestamptz;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  if _kind = 'break' and _hours between 24 and 1008 then
    _until := _at + make_interval(hours => _hours);
  elsif _kind = 'exclusion' and _months between 6 and 60 then
    _until := _at + make_interval(months => _months);
  elsif _kind = 'exclusion' and _months is null then
    _until := 'infinity';
  else
    refused := 'INVALID_VALUE';
    return;
  end if;
  update protected_customers set closed_kind = _kind, closed_at = _at, closed_until = _until
  where customer_id = _customer and (closed_until is null or closed_until < _until);
  if not found then refused := 'BREAK_LASTS_LONGER'; return; end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, _kind, jsonb_build_object('until', _until, 'hours', _hours, 'months', _months));
  perform notice_add(_customer, 'protection.' || case when _until = 'infinity' then 'forGood' else _kind end,
    jsonb_strip_nulls(jsonb_build_object('until', case when _until <> 'infinity' then floor(extract(epoch from _until) * 1000)::bigint::text end)));
end $$;

-- In live mode nobody opens an account without a country and without having accepted the risk. The regions that are restricted
-- are the server's list (http/app-config.ts).
create function customers_live() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select mode from house_settings) = 'live' and (new.country is null or new.risk_accepted_at is null) then
    raise exception 'live mode needs a country and the risk accepted' using errcode = 'FT174';
  end if;
  return new;
end $$;
create trigger customers_live before insert on customers for each row execute function customers_live();

grant select on protected_customers, customer_limits, protection_events to fairtick_server;
grant execute on function period_start_ms, period_end_ms, limits_used, limit_set, reminder_set, break_take to fairtick_server;
