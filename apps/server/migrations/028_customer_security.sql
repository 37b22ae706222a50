-- What customers prove themselves with beside the password, where they are logged in, and how they leave.

alter table customers
  -- Kept true by the factors' own triggers; a login reads it with the password.
  add column has_second_factor boolean not null default false,
  -- Since when the name is verified and a second factor on, both without a break: what gold and platinum count by.
  add column secured_since timestamptz,
  add column closed_at timestamptz;
create index customers_rising on customers (secured_since) where secured_since is not null and level <> 'platinum';

-- The level follows from facts alone, never from turnover, and nobody can grant one.
create function level_of(_real_status text, _secured_since timestamptz) returns text
stable language sql set search_path = pg_catalog, pg_temp as $$
  select case
    when _real_status <> 'verified' then 'bronze'
    when _secured_since <= now() - interval '365 days' then 'platinum'
    when _secured_since <= now() - interval '90 days' then 'gold'
    else 'silver' end
$$;

create function customers_level() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.secured_since := case when new.real_status = 'verified' and new.has_second_factor then coalesce(new.secured_since, now()) end;
  new.level := level_of(new.real_status, new.secured_since);
  return new;
end $$;
create trigger customers_level before update of real_status, has_second_factor on customers
  for each row when (old.real_status is distinct from new.real_status or old.has_second_factor is distinct from new.has_second_factor)
  execute function customers_level();

-- Raises whoever has waited long enough; falling is the trigger's. Answers how many; again, while it is not 0.
create function levels_advance() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _count int;
begin
  update customers c set level = level_of(c.real_status, c.secured_since)
  where c.id in (
    select r.id from customers r
    where r.secured_since <= now() - interval '90 days' and r.level <> 'platinum' and r.level <> level_of(r.real_status, r.secured_since)
    order by r.secured_since limit 1000 for no key update skip locked);
  get diagnostics _count = row_count;
  return _count;
end $$;

-- As staff_second_factors (005).
create table customer_second_factors (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  sealed_secret bytea,
  last_step bigint,
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- A factor counts once it was shown to work.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);
create index customer_second_factors_by_customer on customer_second_factors (customer_id);

create table customer_challenges (
  challenge text primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);
create index customer_challenges_by_customer on customer_challenges (customer_id);

-- Whatever adds or takes a factor: withdrawals are held from now on (hold_until in 006), the level is counted anew, and the
-- customer hears of it.
create function customer_factors_tell() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := case when tg_op = 'DELETE' then old.customer_id else new.customer_id end;
  _was boolean := tg_op <> 'INSERT' and old.confirmed_at is not null;
  _is boolean := tg_op <> 'DELETE' and new.confirmed_at is not null;
begin
  if _was = _is then return null; end if;
  update customers set second_factor_changed_at = now(),
    has_second_factor = exists (select from customer_second_factors f where f.customer_id = _customer and f.confirmed_at is not null)
  where id = _customer;
  perform notice_add(_customer, case when _is then 'security.factorAdded' else 'security.factorRemoved' end, '{}');
  return null;
end $$;
create trigger customer_factors_tell after insert or delete or update of confirmed_at on customer_second_factors
  for each row execute function customer_factors_tell();

-- New codes make one notice, however many they are; a used one says that it was.
create function recovery_codes_tell_new() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(t.customer_id, 'security.codes', '{}')
    from (select distinct customer_id from added) t join customers c on c.id = t.customer_id and c.created_at < now();
  return null;
end $$;
create trigger recovery_codes_tell_new after insert on recovery_codes referencing new table as added
  for each statement execute function recovery_codes_tell_new();
create function recovery_codes_tell_used() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(new.customer_id, 'security.codeUsed', '{}');
  return null;
end $$;
create trigger recovery_codes_tell_used after update of used_at on recovery_codes
  for each row when (old.used_at is null and new.used_at is not null) execute function recovery_codes_tell_used();

-- A session as its customer knows it: a number that opens nothing.
alter table sessions add column id bigint generated always as identity;
create unique index sessions_by_id on sessions (id);

-- A failed login of an account that does not exist is written down as any other, so that both are the same work.
alter table login_events alter column customer_id drop not null;
create index login_events_of_nobody on login_events (at) where customer_id is null;

-- What is of no use any more: failed logins of nobody after 30 days, challenges after they lapsed.
create function identity_tidy() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _count int;
begin
  delete from login_events e where e.id in (
    select n.id from login_events n where n.customer_id is null and n.at < now() - interval '30 days' order by n.at limit 10000);
  get diagnostics _count = row_count;
  delete from customer_challenges where expires_at < now();
  return _count;
end $$;

-- Each time that a customer took all that is stored about them.
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);
create index data_exports_by_customer on data_exports (customer_id, at);

-- Writes it down before anything is read. False: it was taken as often as it may be within a day.
create function data_export_begin(_customer bigint, _a_day int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from customers where id = _customer for no key update;
  if (select count(*) from data_exports e where e.customer_id = _customer and e.at > now() - interval '1 day') >= _a_day then return false; end if;
  insert into data_exports (customer_id) values (_customer);
  perform notice_add(_customer, 'security.export', '{}');
  return true;
end $$;

-- Closes an account: nobody logs in to it any more, and what opened it or said where money goes is gone. What moved money stays,
-- and so does who it was, sealed, until the operator erases it (`npm run erase-customer`). Refused while money is left or anything
-- is under review. `assets`: of which something is left.
create function customer_close(_customer bigint, out refused text, out assets text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c customers;
begin
  select * into _c from customers where id = _customer for update;
  if not found or _c.closed_at is not null or _c.erased_at is not null then refused := 'ACCOUNT_CLOSED'; return; end if;
  if _c.real_status = 'pending' or exists (select from deposit_requests d where d.customer_id = _customer and d.status = 'review') then
    refused := 'ACCOUNT_UNDER_REVIEW';
    return;
  end if;
  select string_agg(a.code, ', ' order by a.id) into assets
  from ledger.balances b join ledger.assets a on a.id = b.asset_id
  where b.owner_id = _customer and (b.held > 0 or not a.is_practice and b.available + b.earning > 0);
  if assets is not null then refused := 'ACCOUNT_NOT_EMPTY'; return; end if;
  delete from sessions where customer_id = _customer;
  delete from recovery_codes where customer_id = _customer;
  delete from customer_challenges where customer_id = _customer;
  delete from customer_second_factors where customer_id = _customer;
  delete from pay_words where customer_id = _customer;
  update bank_cards set removed_at = now() where customer_id = _customer and removed_at is null;
  update crypto_addresses set removed_at = now() where customer_id = _customer and removed_at is null;
  update customers set closed_at = now(), watchlist = '{}' where id = _customer;
  perform audit_append(null, 'customer.closed', 'customer:' || _customer, '{}');
  perform pg_notify('sessions', jsonb_build_object('customerId', _customer::text, 'tokenHash', null, 'exceptHash', null)::text);
end $$;

grant select on customer_second_factors, customer_challenges, data_exports to fairtick_server;
-- The secret, the key and whose it is never change.
grant insert, update (last_step, counter, confirmed_at, last_used_at), delete on customer_second_factors to fairtick_server;
grant insert, delete on customer_challenges to fairtick_server;
grant execute on function levels_advance, identity_tidy, data_export_begin, customer_close to fairtick_server;
