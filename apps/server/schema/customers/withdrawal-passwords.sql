-- The withdrawal password: argon2id, sealed, since six digits are soon tried out by whoever has the hash.
create table pay_words (
  customer_id bigint primary key references customers,
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Rises with each change of the word; sealing the same anew leaves it.
  version int not null default 1,
  failures int not null default 0 check (failures between 0 and 5),
  locked_until timestamptz,
  changed_at timestamptz not null default now(),
  check ((locked_until is not null) = (failures = 5))
);

-- ## Functions

-- Takes one of the five tries before the word is looked at, so that any number of parallel guesses, at any number of processes,
-- comes to five: the fifth locks the word at once, and only its being right unlocks it. No row: no word is set. `sealed` null:
-- it is locked, until `locked_ms`.
create or replace function pay_word_try(_customer bigint) returns table (sealed bytea, version int, failures int, locked_ms bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  _word public.pay_words;
begin
  select * into _word from public.pay_words w where w.customer_id = _customer for update;
  if not found then return; end if;
  if _word.locked_until > clock_timestamp() then
    return query select null::bytea, _word.version, _word.failures, (extract(epoch from _word.locked_until) * 1000)::bigint;
    return;
  end if;
  -- A lock that is over leaves five new tries.
  _word.failures := case when _word.failures >= 5 then 1 else _word.failures + 1 end;
  _word.locked_until := case when _word.failures = 5 then clock_timestamp() + interval '24 hours' end;
  update public.pay_words w set failures = _word.failures, locked_until = _word.locked_until where w.customer_id = _customer;
  return query select _word.sealed, _word.version, _word.failures, (extract(epoch from _word.locked_until) * 1000)::bigint;
end $$;

-- The word that was looked at was right, and is still the one: the failures before it are forgiven.
create or replace function pay_word_right(_customer bigint, _version int) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.pay_words w set failures = 0, locked_until = null where w.customer_id = _customer and w.version = _version;
  return found;
end $$;

-- Sets the word in place of the one of that version; null: there was none. False: it is another one by now.
create or replace function pay_word_set(_customer bigint, _sealed bytea, _version int) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if _version is null then
    insert into public.pay_words (customer_id, sealed) values (_customer, _sealed) on conflict do nothing;
  else
    update public.pay_words w
      set sealed = _sealed, version = w.version + 1, failures = 0, locked_until = null, changed_at = now()
      where w.customer_id = _customer and w.version = _version;
  end if;
  return found;
end $$;
