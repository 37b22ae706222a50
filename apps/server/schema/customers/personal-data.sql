-- The keys that values here were sealed with. The keys themselves are in a file of the operator's.
create table data_keys (
  id bytea primary key check (octet_length(id) = 4),
  added_at timestamptz not null default now(),
  -- Since when nothing is sealed with it any more; backups of before may still need it.
  retired_at timestamptz
);

-- Numbers for whatever is sealed or leads to it. The server takes one before it seals: the number is bound into the seal. One
-- sequence for all, so that a destination's number names one destination, whatever its kind.
create sequence personal_data_ids start with 10000;

-- Pictures, as they are kept in the file store: made anew from the pixels that were sent, then sealed.
create table uploads (
  id bigint primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('id_front', 'id_back', 'proof', 'chat')),
  -- Its name in the store, random; null once erased.
  file text unique check (file ~ '^[A-Za-z0-9_-]{32}$'),
  key_id bytea not null check (octet_length(key_id) = 4),
  -- Of the picture; `bytes` and `sha256` are of what the store holds.
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  bytes int not null check (bytes between 1 and 8000000),
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((file is null) = (erased_at is not null))
);

create index uploads_by_customer on uploads (customer_id, id);

create index uploads_by_key on uploads (key_id) where file is not null;

-- Who of the staff looked at what of a customer's personal data; the customer reads it.
create table personal_data_views (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  customer_id bigint not null references customers,
  what text not null check (what in ('identity', 'id_front', 'id_back', 'proof', 'bank_card', 'address', 'account', 'search', 'chat', 'recovery')),
  subject_id bigint,
  at timestamptz not null default clock_timestamp()
);

create index personal_data_views_by_customer on personal_data_views (customer_id, id);

-- Each time that a customer took all that is stored about them.
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);

create index data_exports_by_customer on data_exports (customer_id, at);

-- ## Functions

-- A destination is removed once, now, and nothing brings it back.
create or replace function destinations_end() returns trigger language plpgsql as $$
begin
  if old.removed_at is not null and new.removed_at is distinct from old.removed_at then
    perform refuse('ALREADY_REMOVED', format('destination %s was removed before', old.id));
  end if;
  if new.removed_at is distinct from old.removed_at then new.removed_at := now(); end if;
  return new;
end $$;

create or replace trigger bank_cards_end before update of removed_at on bank_cards for each row execute function destinations_end();

create or replace trigger crypto_addresses_end before update of removed_at on crypto_addresses
  for each row execute function destinations_end();

-- The customer hears of every change that withdrawals go by, also when it was somebody else who made it. (`notice_add` comes with
-- migration 007.)
create or replace function personal_data_tell() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(new.customer_id, tg_argv[0], '{}');
  return null;
end $$;

create or replace trigger pay_words_tell after insert or update of version on pay_words
  for each row execute function personal_data_tell('security.payWord');

create or replace trigger bank_cards_tell after insert on bank_cards for each row execute function personal_data_tell('security.bank');

create or replace trigger crypto_addresses_tell after insert on crypto_addresses
  for each row execute function personal_data_tell('security.address');
