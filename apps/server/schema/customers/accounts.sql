-- Customers' accounts and the history of their logins.
-- The server's role inserts a customer; it updates only nickname, password hash, language and watch list. Functions and triggers
-- write the level, the state of the name and the dates of security changes. The level follows from facts: no one can grant it.
-- A closed or erased customer keeps the row, because records of money refer to it.

create table customers (
  id bigint generated always as identity (start with 1000) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  nickname text not null check (length(nickname) between 1 and 20),
  password_hash text not null,
  level text not null default 'bronze' check (level in ('bronze', 'silver', 'gold', 'platinum')),
  real_status text not null default 'none' check (lifecycles() -> 'realName' ? real_status),
  country text check (country ~ '^[A-Z]{2}$'),
  risk_accepted_at timestamptz,
  language text not null default 'zh' check (language = any (languages())),
  -- Null until the customer adds or removes a product.
  watchlist text[] check (cardinality(watchlist) <= 100),
  created_at timestamptz not null default now(),
  password_changed_at timestamptz,
  -- Time at which a confirmed second factor was last added or removed, or the recovery codes were renewed.
  second_factor_changed_at timestamptz,
  erased_at timestamptz,
  -- Triggers on the factors maintain it, so that a login reads it together with the password's hash.
  has_second_factor boolean not null default false,
  -- Start of the current period in which the name is verified and a second factor is on. Gold and platinum count from it.
  secured_since timestamptz,
  closed_at timestamptz,
  -- Time at which a recovery code that removes factors was used.
  factor_taken_at timestamptz
);

create unique index customers_by_account on customers (lower(account));

-- Placement reads the levels of each batch's customers. The index is small, because most customers are bronze.
create index customers_above_bronze on customers (id) where level <> 'bronze';

create table login_events (
  id bigint generated always as identity primary key,
  -- Null: there is no such account. Its failed login is recorded like any other, so that both take the same work.
  customer_id bigint references customers,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);

create index login_events_by_customer on login_events (customer_id, id);

-- Customers whose level can rise with time: see levels_advance.
create index customers_rising on customers (secured_since) where secured_since is not null and level <> 'platinum';

create index login_events_of_nobody on login_events (at) where customer_id is null;

-- Each login looks for an earlier one from the same network. Strangers in other networks can't delay or lock out a customer whose
-- network is known (decision 119).
create index login_events_known_places on login_events (customer_id, at) where is_success;

-- Staff look for other accounts at the same address.
create index login_events_by_address on login_events (address, at) where is_success;

-- ## Functions

create or replace function customers_note_password() returns trigger language plpgsql as $$
begin
  new.password_changed_at := now();
  return new;
end $$;

create or replace trigger customers_note_password before update of password_hash on customers
  for each row when (old.password_hash is distinct from new.password_hash) execute function customers_note_password();

-- Adds a notice of this kind unless the customer got one within a day, so that nobody can fill an inbox by repeating its cause.
create or replace function notice_add_daily(_customer bigint, _kind text) returns void language plpgsql as $$
begin
  perform from customers where id = _customer for no key update;
  if not exists (
    select from notices n where n.customer_id = _customer and n.kind = _kind and n.at > now() - interval '1 day'
  ) then
    perform notice_add(_customer, _kind, '{}');
  end if;
end $$;

-- Tells a customer that wrong passwords keep new devices out. Null: there is no such account.
create or replace function logins_held_tell(_customer bigint) returns void language plpgsql security definer as $$
begin
  if _customer is not null then perform notice_add_daily(_customer, 'security.guessed'); end if;
end $$;

-- Raises LIVE_CONDITIONS for a registration without a country or an accepted risk in live mode. The server, not the database,
-- keeps the list of restricted regions.
create or replace function customers_live() returns trigger language plpgsql security definer as $$
begin
  if (select mode from house_settings) = 'live' and (new.country is null or new.risk_accepted_at is null) then
    perform refuse('LIVE_CONDITIONS', 'live mode needs a country and the risk accepted');
  end if;
  return new;
end $$;

create or replace trigger customers_live before insert on customers for each row execute function customers_live();

-- The level depends on the verified name and on the time since `_secured_since`, never on turnover. The server's standing.ts has
-- the same thresholds.
create or replace function level_of(_real_status text, _secured_since timestamptz) returns text
stable language sql set search_path = pg_catalog, pg_temp as $$
  select case
    when _real_status <> 'verified' then 'bronze'
    when _secured_since <= now() - interval '365 days' then 'platinum'
    when _secured_since <= now() - interval '90 days' then 'gold'
    else 'silver' end
$$;

-- Computes the level when the state of the name or of the second factor changes. A value that the statement sets is overwritten.
create or replace function customers_level() returns trigger language plpgsql as $$
begin
  new.secured_since := case when new.real_status = 'verified' and new.has_second_factor
    then coalesce(new.secured_since, now()) end;
  new.level := level_of(new.real_status, new.secured_since);
  return new;
end $$;

create or replace trigger customers_level before update of real_status, has_second_factor on customers
  for each row when (old.real_status is distinct from new.real_status
    or old.has_second_factor is distinct from new.has_second_factor)
  execute function customers_level();

-- Raises the level of customers who have waited long enough, at most 1000 per call. The trigger customers_level lowers levels.
-- Returns the number of raised customers. The caller repeats the call until it returns 0.
create or replace function levels_advance() returns int language plpgsql security definer as $$
declare
  _count int;
begin
  update customers c set level = level_of(c.real_status, c.secured_since)
  where c.id in (
    select r.id from customers r
    where r.secured_since <= now() - interval '90 days' and r.level <> 'platinum'
      and r.level <> level_of(r.real_status, r.secured_since)
    order by r.secured_since limit 1000 for no key update skip locked);
  get diagnostics _count = row_count;
  return _count;
end $$;

-- Deletes failed logins of unknown accounts after 30 days (at most 10 000 per call), expired challenges, and credentials that are
-- too old for taking back. Returns the number of deleted logins. The caller repeats the call until it returns 0.
create or replace function identity_tidy() returns int language plpgsql security definer as $$
declare
  _count int;
begin
  delete from login_events e where e.id in (
    select n.id from login_events n where n.customer_id is null and n.at < now() - interval '30 days' order by n.at limit 10000);
  get diagnostics _count = row_count;
  delete from customer_challenges where expires_at < now();
  delete from former_factors where lost_at <= now() - take_back_time();
  delete from former_codes where lost_at <= now() - take_back_time();
  delete from former_passwords where lost_at <= now() - take_back_time();
  return _count;
end $$;

-- Records an export of a customer's data and writes a notice, before the server reads the data. Returns false without recording
-- it if `_a_day` exports were made in the last 24 hours.
create or replace function data_export_begin(_customer bigint, _a_day int) returns boolean language plpgsql security definer as $$
begin
  perform from customers where id = _customer for no key update;
  if (select count(*) from data_exports e where e.customer_id = _customer and e.at > now() - interval '1 day') >= _a_day then
    return false;
  end if;
  insert into data_exports (customer_id) values (_customer);
  perform notice_add(_customer, 'security.export', '{}');
  return true;
end $$;

-- Closes an account: ends its sessions, deletes its credentials and removes its destinations. Records of money stay, and the
-- sealed identity stays until `npm run admin -- erase-customer`. `refused` is null on success. With ACCOUNT_NOT_EMPTY, `assets`
-- lists the assets that hold money; practice money counts only while it is held. Needs a proved session.
create or replace function customer_close(_token_hash bytea, out refused text, out assets text)
language plpgsql security definer as $$
declare
  _customer bigint := session_proved(_token_hash);
  _c customers;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  select * into _c from customers where id = _customer for update;
  if not found or _c.closed_at is not null or _c.erased_at is not null then refused := 'ACCOUNT_CLOSED'; return; end if;
  if _c.real_status = 'pending'
    or exists (select from deposit_requests d where d.customer_id = _customer and d.status = 'review') then
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
  delete from withdrawal_passwords where customer_id = _customer;
  update bank_cards set removed_at = now() where customer_id = _customer and removed_at is null;
  update crypto_addresses set removed_at = now() where customer_id = _customer and removed_at is null;
  update customers set closed_at = now(), watchlist = null where id = _customer;
  perform former_forget(_customer);
  perform audit_append(null, 'customer.closed', 'customer:' || _customer, '{}');
  perform sessions_tell(_customer);
end $$;
