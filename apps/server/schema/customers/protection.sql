-- Protection that customers ask for: limits (limits.sql), breaks and exclusions (exclusions.sql), time reminders (decision 085).
-- Only functions that take the customer's session change it. The database enforces it for every order and every deposit, and
-- never for a withdrawal. Tightening counts at once, loosening after 24 hours; a break never becomes shorter.
-- Lock order: every change locks all of the customer's balances first. Placement and deposits hold these locks, too.

-- One row for each customer who has asked for any protection, or whom staff have frozen. For all others one look-up by key finds
-- that there is nothing.
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

-- Each change of protection that a customer made; append-only.
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);

create index protection_events_by_customer on protection_events (customer_id, id);

-- ## Functions

create or replace function loosening_delay() returns interval immutable language sql as $$ select interval '24 hours' $$;

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

-- Raises ON_BREAK or SELF_EXCLUDED while the customer's break or self-exclusion lasts.
create or replace function demand_open(_customer bigint) returns void language plpgsql as $$
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

-- Returns the session's customer, or null, with all balances of the customer locked. So a change waits for placements and
-- deposits under way, and later ones see the change.
create or replace function protection_begin(_token_hash bytea) returns bigint language plpgsql as $$
declare
  _customer bigint := session_customer(_token_hash, false);
begin
  if _customer is null then return null; end if;
  perform ledger.lock_balances(array_agg(_customer), array_agg(a.id)) from ledger.assets a;
  insert into protected_customers (customer_id) values (_customer) on conflict do nothing;
  return _customer;
end $$;

-- Sets the minutes of use between two reminders; null turns them off. A shorter interval counts at once, a longer one or none
-- after 24 hours.
create or replace function reminder_set(_token_hash bytea, _minutes int, out refused text) language plpgsql security definer as $$
declare
  _customer bigint := protection_begin(_token_hash);
  _now int;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  select case when later_at <= now() then later_minutes else reminder_minutes end into _now
  from protected_customers where customer_id = _customer;
  if _now is null or _minutes <= _now then
    update protected_customers set reminder_minutes = _minutes, later_minutes = null, later_at = null
    where customer_id = _customer;
  else
    update protected_customers set reminder_minutes = _now, later_minutes = _minutes,
      later_at = clock_timestamp() + loosening_delay()
    where customer_id = _customer;
  end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, 'reminder', jsonb_build_object('minutes', _minutes, 'before', _now));
end $$;
