-- Taking back (decisions 122 and 153): for 24 hours after a password, second factor or recovery code was replaced or removed,
-- what stood before opens a claim (see recovery.sql): a factor or unused code, also one that is still in place, with the present
-- password or one replaced in that time. A claim holds withdrawals until two members of staff have decided. It changes no
-- credential and ends no session, because the customer may have replaced what a thief had. Former credentials are kept for this
-- purpose only. A factor or code qualifies if it came before the first loss, and either a week before it or on the account's
-- first day. Triggers and functions write these tables; the server's role only updates the use of former factors, so that a code
-- works once.

create table former_factors (
  id bigint primary key,
  customer_id bigint not null references customers,
  kind text not null,
  label text not null,
  sealed_secret bytea,
  last_step bigint,
  -- A later step whose code was given too early. It was told that its clock is fast, so the code never counts.
  early_step bigint,
  credential_id bytea,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null,
  confirmed_at timestamptz not null,
  last_used_at timestamptz,
  lost_at timestamptz not null
);

create index former_factors_by_customer on former_factors (customer_id);
create index former_factors_by_time on former_factors (lost_at);

create table former_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null,
  created_at timestamptz not null,
  lost_at timestamptz not null,
  primary key (customer_id, code_hash)
);

create index former_codes_by_time on former_codes (lost_at);

create table former_passwords (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  password_hash text not null,
  lost_at timestamptz not null
);

create index former_passwords_by_customer on former_passwords (customer_id);
create index former_passwords_by_time on former_passwords (lost_at);

-- ## Functions

create or replace function take_back_time() returns interval immutable language sql as $$ select interval '24 hours' $$;

-- Time of the first loss of a password, factor or code in the last 24 hours; null: there was none. The server can't read
-- former_codes.
create or replace function first_loss(_customer bigint) returns timestamptz language sql stable security definer as $$
  select min(l.lost_at) from (
    select f.lost_at from former_factors f where f.customer_id = _customer
    union all select c.lost_at from former_codes c where c.customer_id = _customer
    union all select p.lost_at from former_passwords p where p.customer_id = _customer) l
  where l.lost_at > now() - take_back_time()
$$;

-- Whether something that exists since `_since` is older than `_until`, and either had existed for `_long` by then or dates from
-- the account's first day.
create or replace function stood(_customer bigint, _since timestamptz, _until timestamptz, _long interval) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select _since < _until and (_since < _until - _long
    or _since < (select c.created_at + interval '1 day' from customers c where c.id = _customer))
$$;

create or replace function customer_factors_keep() returns trigger language plpgsql security definer as $$
declare
  _at timestamptz := clock_timestamp();
begin
  if not stood(old.customer_id, old.confirmed_at, coalesce(first_loss(old.customer_id), _at), interval '7 days') then
    return null;
  end if;
  insert into former_factors (id, customer_id, kind, label, sealed_secret, last_step, credential_id, public_key, counter,
    transports, created_at, confirmed_at, last_used_at, lost_at)
  values (old.id, old.customer_id, old.kind, old.label, old.sealed_secret, old.last_step, old.credential_id, old.public_key,
    old.counter, old.transports, old.created_at, old.confirmed_at, old.last_used_at, _at)
  on conflict do nothing;
  return null;
end $$;

create or replace trigger customer_factors_keep after delete on customer_second_factors
  for each row when (old.confirmed_at is not null) execute function customer_factors_keep();

-- Keeps deleted codes that qualify for taking back. A used code does not, because anyone who saw it typed knows it. A code of an
-- approved call for help, which has an expires_at, does not either.
create or replace function recovery_codes_keep() returns trigger language plpgsql security definer as $$
declare
  _at timestamptz := clock_timestamp();
begin
  insert into former_codes (customer_id, code_hash, created_at, lost_at)
  select g.customer_id, g.code_hash, g.created_at, _at from gone g
  where g.used_at is null and g.expires_at is null
    and stood(g.customer_id, g.created_at, coalesce(first_loss(g.customer_id), _at), interval '7 days')
  on conflict do nothing;
  return null;
end $$;

create or replace trigger recovery_codes_keep after delete on recovery_codes referencing old table as gone
  for each statement execute function recovery_codes_keep();

-- Tells the customer, and keeps the first three passwords that were replaced in the last 24 hours. Later ones are dropped, so
-- that a thief can't push out the owner's password by repeated changes.
create or replace function customers_keep_password() returns trigger language plpgsql security definer as $$
begin
  insert into former_passwords (customer_id, password_hash, lost_at)
  select old.id, old.password_hash, clock_timestamp()
  where (select count(*) from former_passwords p where p.customer_id = old.id and p.lost_at > now() - take_back_time()) < 3;
  perform notice_add(old.id, 'security.password', '{}');
  return null;
end $$;

create or replace trigger customers_keep_password after update of password_hash on customers
  for each row when (old.password_hash is distinct from new.password_hash) execute function customers_keep_password();

create or replace function former_forget(_customer bigint) returns void language sql set search_path = public, pg_temp as $$
  delete from former_factors where customer_id = _customer;
  delete from former_codes where customer_id = _customer;
  delete from former_passwords where customer_id = _customer;
$$;

-- Opens a claim, and deletes the former credentials, so that they serve once. The server has checked the password and, if
-- `_code_hash` is null, a factor. `_status_hash` is the hash of the claimant's code (see recovery_requests). Returns false if
-- nothing was lost in the last 24 hours or the factor or code does not qualify.
create or replace function account_take_back(_customer bigint, _code_hash bytea, _id bigint, _sealed bytea, _address inet,
  _status_hash bytea) returns boolean language plpgsql security definer as $$
declare
  _first timestamptz;
begin
  perform from customers where id = _customer and closed_at is null and erased_at is null for update;
  if not found then return false; end if;
  _first := first_loss(_customer);
  if _first is null then return false; end if;
  if _code_hash is null then
    perform from former_factors f where f.customer_id = _customer and f.lost_at > now() - take_back_time()
      union all select from customer_second_factors f where f.customer_id = _customer
        and stood(_customer, f.confirmed_at, _first, interval '7 days');
  else
    delete from former_codes c where c.customer_id = _customer and c.code_hash = _code_hash
      and c.lost_at > now() - take_back_time();
    if not found then
      -- A code that was not deleted counts as well.
      update recovery_codes c set used_at = now() where c.customer_id = _customer and c.code_hash = _code_hash
        and c.used_at is null and c.expires_at is null and stood(_customer, c.created_at, _first, interval '7 days');
    end if;
  end if;
  if not found then return false; end if;
  insert into recovery_requests (id, account, sealed, address, lost_at, status_hash)
    select _id, c.account, _sealed, _address, _first, _status_hash from customers c where c.id = _customer;
  perform former_forget(_customer);
  perform notice_add(_customer, 'security.takenBack', '{}');
  perform audit_append(null, 'customer.taken_back', 'customer:' || _customer, '{}');
  return true;
end $$;

-- The holder of the account objects to its open claims: the changes were theirs. Returns whether there was one without an
-- objection.
create or replace function claim_object(_token_hash bytea) returns boolean language plpgsql security definer as $$
declare
  _customer bigint := session_proved(_token_hash);
begin
  update recovery_requests r set objected_at = now() from customers c
    where c.id = _customer and lower(c.account) = lower(r.account)
      and r.lost_at is not null and r.decided_at is null and r.objected_at is null;
  if not found then return false; end if;
  perform notice_add(_customer, 'security.claimDisputed', '{}');
  perform audit_append(null, 'customer.claim_disputed', 'customer:' || _customer, '{}');
  return true;
end $$;

-- Time until which an open claim holds withdrawals: a week after it was opened or last kept. Somebody with an old password and
-- code can claim an account falsely, so a claim that nobody looks at does not hold its money for ever.
create or replace function claim_holds_until(_claim recovery_requests) returns timestamptz
immutable language sql as $$ select coalesce(_claim.kept_at, _claim.at) + interval '7 days' $$;

-- Time until which claims hold withdrawals: that of an open one, and two holds after a decision. Null: no claim.
create or replace function claim_hold_until(_account text, _hold interval) returns timestamptz
stable language sql set search_path = pg_catalog, pg_temp as $$
  select max(coalesce(r.decided_at + 2 * _hold, public.claim_holds_until(r)))
  from public.recovery_requests r where lower(r.account) = lower(_account) and r.lost_at is not null
$$;

create or replace function claim_waits(_customer bigint) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select exists (select from recovery_requests r join customers c on lower(c.account) = lower(r.account)
    where c.id = _customer and r.lost_at is not null and r.decided_at is null and claim_holds_until(r) > now())
$$;

-- First loss of a claim that was approved in the last 24 hours, the life of its code; null: there is none. New codes of the
-- customer don't void the code of a claim, because a thief who holds the account could make them.
create or replace function claim_approved(_customer bigint) returns timestamptz
language sql stable set search_path = public, pg_temp as $$
  select min(r.lost_at) from recovery_requests r join customers c on lower(c.account) = lower(r.account)
  where c.id = _customer and r.lost_at is not null and r.reason is null and r.decided_at > now() - interval '24 hours'
$$;

-- Runs when a code is used, and tells the customer. With the code of an approved call the customer's own codes are deleted,
-- because a thief may have made them. If the call was a claim, so are the withdrawal password and destinations that came after
-- the first loss or in the day before it. A code that takes the second factors starts the double hold of withdrawals (see
-- hold_until) with that.
create or replace function recovery_codes_used() returns trigger language plpgsql security definer as $$
declare
  _first timestamptz := claim_approved(new.customer_id);
begin
  if new.expires_at is not null then
    delete from recovery_codes c where c.customer_id = new.customer_id and c.code_hash <> new.code_hash;
    if _first is not null then
      delete from withdrawal_passwords w where w.customer_id = new.customer_id
        and not stood(w.customer_id, w.changed_at, _first, interval '1 day');
      update bank_cards d set removed_at = now() where d.customer_id = new.customer_id and d.removed_at is null
        and not stood(d.customer_id, d.changed_at, _first, interval '1 day');
      update crypto_addresses d set removed_at = now() where d.customer_id = new.customer_id and d.removed_at is null
        and not stood(d.customer_id, d.changed_at, _first, interval '1 day');
    end if;
    perform former_forget(new.customer_id);
  end if;
  if new.takes_factor then
    update customers set factor_taken_at = now() where id = new.customer_id;
    delete from customer_second_factors where customer_id = new.customer_id;
    delete from customer_challenges where customer_id = new.customer_id;
  end if;
  perform notice_add(new.customer_id, 'security.codeUsed', '{}');
  return null;
end $$;

create or replace trigger recovery_codes_used after update of used_at on recovery_codes
  for each row when (old.used_at is null and new.used_at is not null) execute function recovery_codes_used();
