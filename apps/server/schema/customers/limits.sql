-- Customers' own limits on deposits, stakes and losses, per asset and per day, week or month (protection.sql).

create table customer_limits (
  customer_id bigint not null references protected_customers,
  asset_id smallint not null references ledger.assets,
  kind text not null check (kind in ('deposit', 'stake', 'loss')),
  per text not null check (per in ('day', 'week', 'month')),
  -- Amounts are in smallest units. From later_at on, later_amount counts instead; null then means that the limit is off.
  amount bigint not null check (amount > 0),
  later_amount bigint check (later_amount > amount),
  later_at timestamptz,
  primary key (customer_id, asset_id, kind, per),
  check (later_amount is null or later_at is not null)
);

-- ## Functions

-- Start and end of the period that contains `_now_ms`. `_per`: day, week (from Monday) or month, in UTC.
create or replace function period_start_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select ms_of(date_trunc(_per, to_timestamp(_now_ms / 1000.0) at time zone 'UTC') at time zone 'UTC');
$$;

create or replace function period_end_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select ms_of(
    (to_timestamp(period_start_ms(_per, _now_ms) / 1000.0) at time zone 'UTC' + ('1 ' || _per)::interval) at time zone 'UTC');
$$;

create or replace function period_starts_ms(_now_ms bigint) returns bigint[]
immutable language sql set search_path = public, pg_temp as $$
  select array[period_start_ms('day', _now_ms), period_start_ms('week', _now_ms), period_start_ms('month', _now_ms)]
$$;

-- A customer's limits in an asset that count now; later_amount and later_at are a pending loosening.
create or replace function limits_standing(_customer bigint, _asset smallint)
returns table (kind text, per text, amount bigint, later_amount bigint, later_at timestamptz)
stable language sql as $$
  select l.* from (
    select c.kind, c.per, case when c.later_at <= now() then c.later_amount else c.amount end as amount,
      case when c.later_at > now() then c.later_amount end, case when c.later_at > now() then c.later_at end
    from customer_limits c where c.customer_id = _customer and c.asset_id = _asset
  ) l where l.amount is not null
$$;

-- All limits of a customer in an asset that count now, with the amount used; later_amount and later_at are a pending loosening.
-- A deposit counts from its announcement, unless it fails or is ignored. See limits_traded for stakes and losses.
create or replace function limits_used(_customer bigint, _asset smallint, _now_ms bigint)
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql security definer rows 9 as $$
  select * from limits_traded(_customer, _asset, period_starts_ms(_now_ms))
  union all
  select l.kind, l.per, l.amount, coalesce((
      select sum(coalesce(d.found_amount, d.amount)) from deposit_requests d
      where d.customer_id = _customer and d.asset_id = _asset and d.status in ('review', 'success')
        and d.submitted_at >= to_timestamp(period_start_ms(l.per, _now_ms) / 1000.0)), 0)::bigint, l.later_amount, l.later_at
  from limits_standing(_customer, _asset) l where l.kind = 'deposit'
$$;

-- A customer's limits on stakes and losses that count now, with the amount used since the starts of the day, week and month in
-- `_starts`. A stake counts from acceptance. Loss = stakes of the period's orders - amounts paid back for them, at least 0, so an
-- open order counts as lost and a win frees the limit again.
create or replace function limits_traded(_customer bigint, _asset smallint, _starts bigint[])
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql as $$
  select l.kind, l.per, l.amount, least(9223372036854775807, greatest(0, t.used))::bigint, l.later_amount, l.later_at
  from limits_standing(_customer, _asset) l
  cross join lateral (
    select sum(d.staked - case l.kind when 'loss' then d.credited else 0 end) as used from traded_days d
    where d.customer_id = _customer and d.asset_id = _asset
      and d.day_ms >= case l.per when 'day' then _starts[1] when 'week' then _starts[2] else _starts[3] end
  ) t
  where l.kind <> 'deposit'
$$;

-- For placement: the customers of a batch who may place no orders, or have a limit on stakes or losses in their asset. The result
-- is a list of the request's place, `closed` (closed_for_orders), kind of the limit that leaves least or null, and `left`, the
-- amount that it leaves. It is null after one index look-up if none of them has any protection. The caller holds the locks of
-- their balances.
create or replace function customer_limits_for(_customers bigint[], _assets smallint[], _now_ms bigint) returns json
language plpgsql security definer set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _protected bigint[] := array(select p.customer_id from protected_customers p where p.customer_id = any (_customers));
  _starts bigint[];
begin
  if cardinality(_protected) = 0 then return null; end if;
  _starts := period_starts_ms(_now_ms);
  return (
    select json_agg(json_build_object('place', a.ord, 'closed', closed_for_orders(p), 'kind', l.kind, 'left', l.left::text))
    from unnest(_customers, _assets) with ordinality as a (customer_id, asset_id, ord)
    join protected_customers p on p.customer_id = a.customer_id
    left join lateral (
      select u.kind, greatest(0, u.amount - u.used) as left from limits_traded(a.customer_id, a.asset_id, _starts) u
      order by 2 limit 1
    ) l on true
    where closed_for_orders(p) is not null or l.kind is not null
  );
end $$;

-- Enforces breaks and limits on every new deposit (ON_BREAK, SELF_EXCLUDED, DEPOSIT_LIMIT). deposit_submit holds the balance's
-- lock. So deposits of one customer are counted one after the other, and a concurrent limit_set waits or is already visible.
create or replace function deposit_requests_protect() returns trigger language plpgsql security definer as $$
declare
  _left bigint;
begin
  -- A payment on a chain has come already.
  if new.proof_id is null or not exists (select from protected_customers where customer_id = new.customer_id) then
    return new;
  end if;
  perform demand_open(new.customer_id);
  select min(greatest(0, amount - used)) into _left
  from limits_used(new.customer_id, new.asset_id, ms_of(clock_timestamp())) where kind = 'deposit';
  if new.amount > _left then
    perform refuse(
      'DEPOSIT_LIMIT', format('customer %s has %s left of a limit on deposits', new.customer_id, _left), _left::text);
  end if;
  return new;
end $$;

create or replace trigger deposit_requests_protect before insert on deposit_requests
  for each row execute function deposit_requests_protect();

-- Sets a limit in smallest units; `_amount` null takes it off. An amount that is not higher counts at once and cancels a pending
-- loosening; a higher one or none counts after 24 hours. The first limit on stakes or losses of an asset fills its days.
create or replace function limit_set(_token_hash bytea, _asset smallint, _kind text, _per text, _amount bigint, out refused text)
language plpgsql security definer as $$
declare
  _customer bigint := protection_begin(_token_hash);
  _now bigint;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  -- Practice money is never deposited.
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
