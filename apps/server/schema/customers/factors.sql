-- Customers' second factors (authenticator apps and passkeys) and the challenges that passkeys sign.
-- staff_second_factors has the same columns for staff. The server's role inserts and deletes factors and updates their use; a
-- secret, a public key and an owner never change. Each change of a confirmed factor holds withdrawals and updates the level.
-- The functions also include the trigger on new recovery codes (table in recovery.sql).

create table customer_second_factors (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  -- TOTP: the secret, and the time step of the last accepted code, so that a code works once.
  sealed_secret bytea,
  last_step bigint,
  -- A later step whose code was given too early. It was told that its clock is fast, so the code never counts.
  early_step bigint,
  -- Passkey: its credential, with the signature counter.
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- Time at which the customer showed that the factor works. An unconfirmed factor does not count.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);

create index customer_second_factors_by_customer on customer_second_factors (customer_id);

-- Random values that a passkey signs when it is registered or used. Each works once.
create table customer_challenges (
  challenge text primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);

create index customer_challenges_by_customer on customer_challenges (customer_id);

-- ## Functions

-- Runs when a confirmed factor is added or removed. It starts the hold of withdrawals (see hold_until), updates
-- has_second_factor, which updates the level, and writes a notice.
create or replace function customer_factors_tell() returns trigger language plpgsql security definer as $$
declare
  _customer bigint := case when tg_op = 'DELETE' then old.customer_id else new.customer_id end;
  _was boolean := tg_op <> 'INSERT' and old.confirmed_at is not null;
  _is boolean := tg_op <> 'DELETE' and new.confirmed_at is not null;
begin
  if _was = _is then return null; end if;
  update customers set second_factor_changed_at = now(),
    has_second_factor = exists (
      select from customer_second_factors f where f.customer_id = _customer and f.confirmed_at is not null)
  where id = _customer;
  perform notice_add(_customer, case when _is then 'security.factorAdded' else 'security.factorRemoved' end, '{}');
  return null;
end $$;

create or replace trigger customer_factors_tell after insert or delete or update of confirmed_at on customer_second_factors
  for each row execute function customer_factors_tell();

-- Starts the hold of withdrawals and writes one notice for all codes of a statement. A registration's codes need neither. A code
-- of a recovery has an expires_at and is skipped, because carry_out_account_recovery writes its notice and the customer's own
-- codes stay valid.
create or replace function recovery_codes_tell_new() returns trigger language plpgsql security definer as $$
begin
  update customers set second_factor_changed_at = now()
    where created_at < now() and id in (select customer_id from added where expires_at is null);
  perform notice_add(t.customer_id, 'security.codes', '{}')
    from (select distinct customer_id from added where expires_at is null) t
    join customers c on c.id = t.customer_id and c.created_at < now();
  return null;
end $$;

create or replace trigger recovery_codes_tell_new after insert on recovery_codes referencing new table as added
  for each statement execute function recovery_codes_tell_new();

