-- Customers' own limits per asset, breaks, self-exclusion and time reminders (decision 085).
-- Only functions that take the customer's session change them. The database enforces them for every order and every deposit, and
-- never for a withdrawal. Tightening counts at once, loosening after 24 hours; a break never becomes shorter.
-- Lock order: every change locks all of the customer's balances first. Placement and deposits hold these locks, too.

-- One row for each customer who has asked for any protection, or whom staff have frozen. For all others one look-up by key finds that there is nothing.
create table protected_customers (
  customer_id bigint primary key references customers,
  -- There are no orders and no deposits before closed_until; infinity means for good.
  closed_kind text check (closed_kind in ('break', 'exclusion')),
  closed_at timestamptz,
  closed_until timestamptz,
  -- Minutes of use between two reminders; null: no reminders. From later_at on, later_minutes counts instead.
  reminder_minutes int check (reminder_minutes between 15 and 240),
  later_minutes int check (later_minutes between 15 and 240),
  later_at timestamptz,
  -- An exclusion of another account with the same identity document closes this account, too, until document_until.
  document_at timestamptz,
  document_until timestamptz,
  -- Until these times staff have closed logins, orders or withdrawals (freezes.sql).
  login_frozen_until timestamptz,
  orders_frozen_until timestamptz,
  withdrawals_frozen_until timestamptz,
  check (num_nulls(closed_kind, closed_at, closed_until) in (0, 3)),
  check (closed_until > closed_at),
  check (later_minutes is null or later_at is not null),
  check (num_nulls(document_at, document_until) in (0, 2))
);

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

-- Each change of protection that a customer made; append-only.
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);

create index protection_events_by_customer on protection_events (customer_id, id);

-- Sums of orders by UTC day, so that placement need not add up a month of orders to check a limit on stakes or losses (decision
-- 112). A row exists only for a customer and asset with such a limit and for a day with orders. The first day is the start of the
-- week or of the month in which the first limit was set, whichever is earlier. Every writer holds the lock of the customer's balance
-- of the asset.
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  -- Start of the day.
  day_ms bigint not null check (day_ms % 86400000 = 0),
  -- Stakes of the orders that were accepted on that day, and the amounts paid back for these orders so far. In smallest units.
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);

-- ## Functions

create or replace function loosening_delay() returns interval immutable language sql as $$ select interval '24 hours' $$;

-- Start and end of the period that contains `_now_ms`. `_per`: day, week (from Monday) or month, in UTC.
create or replace function period_start_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select ms_of(date_trunc(_per, to_timestamp(_now_ms / 1000.0) at time zone 'UTC') at time zone 'UTC');
$$;

create or replace function period_end_ms(_per text, _now_ms bigint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select ms_of((to_timestamp(period_start_ms(_per, _now_ms) / 1000.0) at time zone 'UTC' + ('1 ' || _per)::interval) at time zone 'UTC');
$$;

-- All limits of a customer in an asset that count now, with the amount used; later_amount and later_at are a pending loosening.
-- A deposit counts from its announcement, unless it fails or is ignored. See limits_traded for stakes and losses.
create or replace function limits_used(_customer bigint, _asset smallint, _now_ms bigint)
returns table (kind text, per text, amount bigint, used bigint, later_amount bigint, later_at timestamptz)
stable language sql security definer rows 9 set search_path = public, pg_temp as $$
  select * from limits_traded(_customer, _asset, period_starts_ms(_now_ms))
  union all
  select l.kind, l.per, l.amount, coalesce((
      select sum(coalesce(d.found_amount, d.amount)) from deposit_requests d
      where d.customer_id = _customer and d.asset_id = _asset and d.status in ('review', 'success')
        and d.submitted_at >= to_timestamp(period_start_ms(l.per, _now_ms) / 1000.0)), 0)::bigint, l.later_amount, l.later_at
  from limits_standing(_customer, _asset) l where l.kind = 'deposit'
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

-- For placement: the customers of a batch who may place no orders, or have a limit on stakes or losses in their asset. The result is a
-- list of the request's place, `closed` (closed_for_orders), kind of the limit that leaves least or null, and `left`, the amount that it
-- leaves. It is null after one index look-up if none of them has any protection. The caller holds the locks of their balances.
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

-- Adds the stakes of new orders to the days. It adds them while a limit on stakes or losses has a row, even one that was taken off, so
-- that no day is incomplete.
create or replace function traded_days_add(_customers bigint[], _assets smallint[], _stakes bigint[], _now_ms bigint) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  if not exists (select from protected_customers p where p.customer_id = any (_customers)) then return; end if;
  insert into traded_days as d (customer_id, asset_id, day_ms, staked)
  select s.customer_id, s.asset_id, day_start_ms(_now_ms), sum(s.stake)
  from unnest(_customers, _assets, _stakes) as s (customer_id, asset_id, stake)
  where exists (
    select from customer_limits c where c.customer_id = s.customer_id and c.asset_id = s.asset_id and c.kind <> 'deposit')
  group by 1, 2
  on conflict (customer_id, asset_id, day_ms) do update set staked = d.staked + excluded.staked;
end $$;

-- Tells whether there are no orders and no deposits now, and why: 'break', 'exclusion' or null.
create or replace function closed_now(_p protected_customers) returns text
language sql set search_path = pg_catalog, pg_temp as $$
  select case
    when _p.document_until > clock_timestamp() then 'exclusion'
    when _p.closed_until > clock_timestamp() then _p.closed_kind
  end
$$;

-- Why there are no orders now: 'break', 'exclusion', 'freeze' or null. A freeze of orders leaves deposits open.
create or replace function closed_for_orders(_p protected_customers) returns text
language sql set search_path = public, pg_temp as $$
  select coalesce(closed_now(_p), case when _p.orders_frozen_until > clock_timestamp() then 'freeze' end)
$$;

-- The end of the longest exclusion of another account that is verified with one of these documents; null: none runs. Only a verified
-- name counts, because everybody can submit another person's number.
create or replace function document_excluded_until(_customer bigint, _documents bytea[]) returns timestamptz
stable language sql set search_path = public, pg_temp as $$
  select max(p.closed_until) from verifications v join protected_customers p using (customer_id)
  where v.document_index = any (_documents) and v.state = 'verified' and v.customer_id <> _customer
    and p.closed_kind = 'exclusion' and p.closed_until > clock_timestamp()
$$;

-- Closes the account until the end of an exclusion of another account with the same document. Null opens it again, for a customer who
-- is verified with another document than the one submitted before.
create or replace function document_bind(_customer bigint, _until timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  insert into protected_customers (customer_id) select _customer where _until is not null on conflict do nothing;
  update protected_customers set document_until = _until, document_at = case when _until is not null then clock_timestamp() end
  where customer_id = _customer and document_until is distinct from _until;
  if not found then return; end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, 'exclusion', jsonb_build_object('until', _until, 'byDocument', true));
  if _until is not null then perform exclusion_tell(_customer, 'exclusion', _until); end if;
end $$;

-- Extends an exclusion to all other accounts that are verified with the same document.
create or replace function document_bind_others(_customer bigint, _until timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform document_bind(o.customer_id, _until) from verifications v join verifications o using (document_index)
  where v.customer_id = _customer and v.state = 'verified' and o.state = 'verified' and o.customer_id <> _customer;
end $$;

-- Extends running exclusions to accounts that are verified with the same document and were not found before, because the indices of
-- the two documents were made under different keys. Run once a rotation of keys has made all indices anew.
create or replace function documents_bind_again() returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform exclusions_lock();
  perform document_bind(o.customer_id, max(p.closed_until))
  from protected_customers p join verifications v on v.customer_id = p.customer_id and v.state = 'verified'
    join verifications o on o.document_index = v.document_index and o.state = 'verified' and o.customer_id <> v.customer_id
    left join protected_customers b on b.customer_id = o.customer_id
  where p.closed_kind = 'exclusion' and p.closed_until > clock_timestamp()
  group by o.customer_id, b.document_until having max(p.closed_until) > coalesce(b.document_until, '-infinity');
end $$;

-- Tells whether a submission with these documents is refused, and closes the account if an exclusion of another account covers it. An
-- account that holds money may be verified all the same, because only a verified customer can withdraw it.
create or replace function document_refused(_customer bigint, _documents bytea[]) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _until timestamptz := document_excluded_until(_customer, _documents);
begin
  if _until is null then return false; end if;
  perform document_bind(_customer, _until);
  return not exists (select from ledger.balances b join ledger.assets a on a.id = b.asset_id
    where b.owner_id = _customer and not a.is_practice and b.available + b.held + b.earning > 0);
end $$;

-- A lock lets a single exclusion begin, or a single name be decided, at a time. So neither misses what the other one writes.
create or replace function exclusions_lock() returns void
language sql set search_path = pg_catalog, pg_temp as 'select pg_advisory_xact_lock(7033)';

create or replace function exclusion_tell(_customer bigint, _kind text, _until timestamptz) returns void
language sql set search_path = public, pg_temp as $$
  select notice_add(_customer, 'protection.' || case when _until = 'infinity' then 'forGood' else _kind end,
    jsonb_strip_nulls(jsonb_build_object('until', case when _until <> 'infinity' then ms_of(_until)::text end)))
$$;

-- Raises ON_BREAK or SELF_EXCLUDED while the customer's break or self-exclusion lasts.
create or replace function demand_open(_customer bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _kind text;
begin
  select closed_now(p) into _kind from protected_customers p where customer_id = _customer;
  if _kind = 'break' then
    perform refuse('ON_BREAK', format('customer %s takes a break', _customer));
  elsif _kind = 'exclusion' then
    perform refuse('SELF_EXCLUDED', format('customer %s is self-excluded', _customer));
  end if;
end $$;

-- Enforces breaks and limits on every new deposit (ON_BREAK, SELF_EXCLUDED, DEPOSIT_LIMIT). deposit_submit holds the balance's
-- lock. So deposits of one customer are counted one after the other, and a concurrent limit_set waits or is already visible.
create or replace function deposit_requests_protect() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _left bigint;
begin
  if not exists (select from protected_customers where customer_id = new.customer_id) then return new; end if;
  perform demand_open(new.customer_id);
  select min(greatest(0, amount - used)) into _left
  from limits_used(new.customer_id, new.asset_id, ms_of(clock_timestamp())) where kind = 'deposit';
  if new.amount > _left then
    perform refuse('DEPOSIT_LIMIT', format('customer %s has %s left of a limit on deposits', new.customer_id, _left), _left::text);
  end if;
  return new;
end $$;

create or replace trigger deposit_requests_protect before insert on deposit_requests for each row execute function deposit_requests_protect();

-- Returns the session's customer, or null, with all balances of the customer locked. So a change waits for placements and deposits
-- under way, and later ones see the change.
create or replace function protection_begin(_token_hash bytea) returns bigint
language plpgsql set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, false);
begin
  if _customer is null then return null; end if;
  perform ledger.lock_balances(array_agg(_customer), array_agg(a.id)) from ledger.assets a;
  insert into protected_customers (customer_id) values (_customer) on conflict do nothing;
  return _customer;
end $$;

-- Sets a limit in smallest units; `_amount` null takes it off. An amount that is not higher counts at once and cancels a pending
-- loosening; a higher one or none counts after 24 hours. The first limit on stakes or losses of an asset fills its days.
create or replace function limit_set(_token_hash bytea, _asset smallint, _kind text, _per text, _amount bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
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

-- Sets the minutes of use between two reminders; null turns them off. A shorter interval counts at once, a longer one or none
-- after 24 hours.
create or replace function reminder_set(_token_hash bytea, _minutes int, out refused text)
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

-- Begins a break of 24 hours to 6 weeks (`_hours`), or an exclusion of 6 months to 5 years (`_months`; null: for good). It counts
-- at once and nothing ends it early. While one lasts, only a break or exclusion with a later end is accepted. An exclusion counts for
-- the person: it closes all accounts that are verified with the same document.
create or replace function break_take(_token_hash bytea, _kind text, _hours int, _months int, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint;
  _at timestamptz;
  _until timestamptz;
begin
  if _kind = 'exclusion' then perform exclusions_lock(); end if;
  _customer := protection_begin(_token_hash);
  _at := clock_timestamp();
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
  perform exclusion_tell(_customer, _kind, _until);
  if _kind = 'exclusion' then perform document_bind_others(_customer, _until); end if;
end $$;

create or replace function day_start_ms(_time_ms bigint) returns bigint
immutable language sql as 'select _time_ms / 86400000 * 86400000';

-- Fills the days from the orders, for a customer's first limit on stakes or losses of this asset. It skips old orders by their ids:
-- batches are logged in the order of their clock readings, and an id begins with its batch.
create or replace function traded_days_fill(_customer bigint, _asset smallint, _now_ms bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _from_ms bigint := least(period_start_ms('week', _now_ms), period_start_ms('month', _now_ms));
  _from_id bigint := coalesce((select first_order(last_batch + 1) from logged_batches where time_ms < _from_ms
    order by time_ms desc limit 1), 0);
begin
  delete from traded_days where customer_id = _customer and asset_id = _asset;
  insert into traded_days (customer_id, asset_id, day_ms, staked, credited)
  select _customer, _asset, day_start_ms(accepted_at_ms), sum(stake), coalesce(sum(credited), 0) from orders
  where customer_id = _customer and asset_id = _asset and id >= _from_id and accepted_at_ms >= _from_ms
  group by 3;
end $$;

-- Adds amounts just paid for orders to the days on which these orders were accepted.
create or replace function traded_days_settle(_customers bigint[], _ids bigint[], _amounts bigint[]) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _limited bigint[] := array(select distinct customer_id from customer_limits where customer_id = any (_customers) and kind <> 'deposit');
begin
  if cardinality(_limited) = 0 then return; end if;
  update traded_days d set credited = d.credited + s.credited
  from (
    select o.customer_id, o.asset_id, day_start_ms(o.accepted_at_ms) as day_ms, sum(l.amount) as credited
    from unnest(_customers, _ids, _amounts) as l (customer_id, id, amount) join orders o using (id)
    where l.customer_id in (select unnest(_limited))
    group by 1, 2, 3
  ) s
  where (d.customer_id, d.asset_id, d.day_ms) = (s.customer_id, s.asset_id, s.day_ms);
end $$;

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
    where d.customer_id = _customer and d.asset_id = _asset and d.day_ms >= case l.per when 'day' then _starts[1] when 'week' then _starts[2] else _starts[3] end
  ) t
  where l.kind <> 'deposit'
$$;

create or replace function period_starts_ms(_now_ms bigint) returns bigint[]
immutable language sql set search_path = public, pg_temp as $$
  select array[period_start_ms('day', _now_ms), period_start_ms('week', _now_ms), period_start_ms('month', _now_ms)]
$$;
