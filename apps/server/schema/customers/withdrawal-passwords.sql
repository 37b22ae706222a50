-- Withdrawal passwords (withdrawal passwords): six digits, kept as an argon2id hash that is sealed as well, because a thief of
-- the bare hash could soon try all of them. The server's role writes them through the functions below only.

create table withdrawal_passwords (
  customer_id bigint primary key references customers,
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Rises with each change of the password. Sealing the same password under another key leaves it as it is.
  version int not null default 1,
  failures int not null default 0 check (failures between 0 and 5),
  locked_until timestamptz,
  changed_at timestamptz not null default now(),
  check ((locked_until is not null) = (failures = 5))
);

-- ## Functions

-- Takes one of five tries before the server checks the password, so that parallel guesses at any number of processes get no more
-- than five. The fifth try locks the password for 24 hours at once; withdrawal_password_right unlocks it if that try was right.
-- Returns no row if no password is set, and `sealed` null while it is locked. `locked_ms`: end of the lock in Unix milliseconds.
create or replace function withdrawal_password_try(_customer bigint)
returns table (sealed bytea, version int, failures int, locked_ms bigint) language plpgsql security definer as $$
declare
  _word public.withdrawal_passwords;
begin
  select * into _word from public.withdrawal_passwords w where w.customer_id = _customer for update;
  if not found then return; end if;
  if _word.locked_until > clock_timestamp() then
    return query select null::bytea, _word.version, _word.failures, public.ms_of(_word.locked_until);
    return;
  end if;
  -- After a lock has ended, there are five new tries.
  _word.failures := case when _word.failures >= 5 then 1 else _word.failures + 1 end;
  _word.locked_until := case when _word.failures = 5 then clock_timestamp() + interval '24 hours' end;
  update public.withdrawal_passwords w set failures = _word.failures, locked_until = _word.locked_until
  where w.customer_id = _customer;
  return query select _word.sealed, _word.version, _word.failures, public.ms_of(_word.locked_until);
end $$;

-- Records that the checked password was right, and resets the failures. Returns false if the password has been changed since the
-- try, so that `_version` is outdated.
create or replace function withdrawal_password_right(_customer bigint, _version int) returns boolean
language plpgsql security definer as $$
begin
  update public.withdrawal_passwords w set failures = 0, locked_until = null where w.customer_id = _customer
    and w.version = _version;
  return found;
end $$;

-- Sets a password. `_version` is the version that it replaces; null: none is set yet. Returns false if another change came first.
create or replace function withdrawal_password_set(_customer bigint, _sealed bytea, _version int) returns boolean
language plpgsql security definer as $$
begin
  if _version is null then
    insert into public.withdrawal_passwords (customer_id, sealed) values (_customer, _sealed) on conflict do nothing;
  else
    update public.withdrawal_passwords w
      set sealed = _sealed, version = w.version + 1, failures = 0, locked_until = null, changed_at = now()
      where w.customer_id = _customer and w.version = _version;
  end if;
  return found;
end $$;
