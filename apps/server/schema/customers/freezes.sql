-- Freezes: staff close a customer's logins, orders or withdrawals, each apart, with a reason and an end. One person alone may
-- close each for up to 72 hours, once in seven days. Two lift it early or keep it longer (the proposal `freeze`). A freeze moves
-- no money: open orders settle, deposits are credited, a withdrawal that somebody took for paying is paid, and the customer may
-- cancel one under review. Breaks and exclusions go on beside it.
-- Enforced by session_begin, at placement (closed_for_orders), by withdrawal_submit and by demand_payable. They read
-- protected_customers; account_freezes is the history.
-- Lock order: the proposal -> the customer -> all balances of the customer -> the audit log's head, at the commit.

-- Each row says what counts from its time on: a freeze until then, or with `until` = `at` that it is lifted. Append-only.
create table account_freezes (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  what text not null check (what in ('login', 'orders', 'withdrawals')),
  at timestamptz not null default clock_timestamp(),
  until timestamptz not null,
  -- The customer reads the reason, and staff alone the note.
  reason text not null check (reason in ('security', 'review', 'request', 'authority')),
  note text not null check (length(note) between 5 and 500),
  staff_id bigint not null references staff,
  -- Null: by one person alone.
  proposal_id bigint unique references proposals,
  check (until >= at and until <= at + case when proposal_id is null then interval '72 hours' else interval '366 days' end)
);

create index account_freezes_by_customer on account_freezes (customer_id, what, id);

-- ## Functions

-- Raises ROLE_MISSING unless the member of staff has one of these roles, and ABOUT_ONESELF for their own customer account.
create or replace function demand_staff_for(_staff bigint, _roles text[], _customer bigint) returns void language plpgsql as $$
begin
  perform demand_role(_staff, variadic _roles);
  perform demand_not_own(_staff, _customer);
  perform from customers where id = _customer and closed_at is null and erased_at is null;
  if not found then perform refuse('CUSTOMER_NOT_FOUND', format('no open account %s', _customer)); end if;
end $$;

-- Ends at which a customer's logins, orders or withdrawals open again; null: they are open.
create or replace function frozen_until(_customer bigint, _what text) returns timestamptz
language sql stable security definer as $$
  select u.until from protected_customers p cross join lateral (select case _what when 'login' then p.login_frozen_until
    when 'orders' then p.orders_frozen_until when 'withdrawals' then p.withdrawals_frozen_until end) u (until)
  where p.customer_id = _customer and u.until > clock_timestamp()
$$;

-- Writes what counts from now on, and tells the customer. The locks make it wait for logins, orders and withdrawals under way;
-- later ones see it. A freeze of logins ends all sessions.
create or replace function freeze_put(_staff bigint, _customer bigint, _what text, _until timestamptz, _reason text, _note text,
  _proposal bigint default null) returns void language plpgsql as $$
declare
  _at constant timestamptz := clock_timestamp();
begin
  perform from customers where id = _customer for no key update;
  perform ledger.lock_balances(array_agg(_customer), array_agg(a.id)) from ledger.assets a;
  _until := greatest(_until, _at);
  insert into protected_customers (customer_id) values (_customer) on conflict do nothing;
  update protected_customers set
    login_frozen_until = case when _what = 'login' then _until else login_frozen_until end,
    orders_frozen_until = case when _what = 'orders' then _until else orders_frozen_until end,
    withdrawals_frozen_until = case when _what = 'withdrawals' then _until else withdrawals_frozen_until end
  where customer_id = _customer;
  insert into account_freezes (customer_id, what, at, until, reason, note, staff_id, proposal_id)
  values (_customer, _what, _at, _until, _reason, _note, _staff, _proposal);
  if _what = 'login' and _until > _at then
    delete from sessions where customer_id = _customer;
    perform sessions_tell(_customer);
  end if;
  perform notice_add(_customer, 'freeze.' || case when _until > _at then _what else 'lifted' end, case when _until > _at then
    jsonb_build_object('until', ms_of(_until)::text, 'reason', _reason) else '{}' end);
end $$;

-- Closes logins, orders or withdrawals for 1 to 72 hours, in the name of one member of staff. Raises NOTHING_NEW while they are
-- closed, and FREEZE_NEEDS_TWO if one person alone closed them in the last seven days.
create or replace function freeze_start(_staff bigint, _customer bigint, _what text, _hours int, _reason text, _note text)
returns void language plpgsql security definer as $$
begin
  perform demand_staff_for(_staff, '{support,verification,cashier,approver}', _customer);
  if _hours not between 1 and 72 then perform refuse('INVALID_VALUE', 'one person freezes for 1 to 72 hours'); end if;
  -- Two who freeze at the same time wait for each other here.
  perform from customers where id = _customer for no key update;
  if frozen_until(_customer, _what) is not null then
    perform refuse('NOTHING_NEW', format('%s of customer %s is frozen already', _what, _customer));
  end if;
  if exists (select from account_freezes f where f.customer_id = _customer and f.what = _what and f.proposal_id is null
      and f.at > now() - interval '7 days') then
    perform refuse('FREEZE_NEEDS_TWO', format('one person froze %s of customer %s lately', _what, _customer));
  end if;
  perform freeze_put(_staff, _customer, _what, clock_timestamp() + _hours * interval '1 hour', _reason, _note);
  perform audit_append(_staff, 'freeze.start', 'customer:' || _customer,
    jsonb_build_object('what', _what, 'hours', _hours, 'reason', _reason));
end $$;

-- Proposes to keep a freeze, or begin one, for `_days` from now; null lifts it. Returns the proposal's id.
create or replace function freeze_propose(_staff bigint, _customer bigint, _what text, _days int, _reason text, _note text)
returns bigint language plpgsql security definer as $$
declare
  _until constant timestamptz := now() + _days * interval '1 day';
begin
  perform demand_staff_for(_staff, '{verification}', _customer);
  if _until is null and frozen_until(_customer, _what) is null then
    perform refuse('NOTHING_NEW', format('%s of customer %s is not frozen', _what, _customer));
  end if;
  if _days not between 1 and 365 or (length(_note) between 5 and 500) is not true
    or _what not in ('login', 'orders', 'withdrawals') or _reason not in ('security', 'review', 'request', 'authority') then
    perform refuse('INVALID_VALUE', 'a freeze lasts a day to a year, and has a note');
  end if;
  return (propose(_staff, 'freeze', _customer || ' ' || _what,
    jsonb_strip_nulls(jsonb_build_object('customer', _customer, 'what', _what, 'until', _until, 'freezeReason', _reason,
      'note', _note)),
    jsonb_strip_nulls(jsonb_build_object('customer', _customer, 'what', _what, 'until', _until, 'reason', _reason)),
    _customer => _customer)).id;
end $$;

create or replace function carry_out_freeze(_staff bigint, _p proposals) returns jsonb language plpgsql as $$
begin
  perform freeze_put(_staff, _p.customer_id, _p.content ->> 'what', coalesce((_p.content ->> 'until')::timestamptz, '-infinity'),
    _p.content ->> 'freezeReason', _p.content ->> 'note', _p.id);
  return jsonb_build_object('customer', _p.customer_id, 'what', _p.content ->> 'what', 'until', _p.content ->> 'until');
end $$;
