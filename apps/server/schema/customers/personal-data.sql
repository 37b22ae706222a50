-- Personal data: ids of keys, customers' pictures, and the records of staff's views and customers' exports.
-- Data that can identify a person is sealed: encrypted by the server with AES-256-GCM, under keys outside this database. A sealed
-- value begins with its format (1 byte) and the key's id (4 bytes), so that a rotation finds values under older keys. A blind
-- index beside it (an HMAC) finds the value without opening it. The rotation of keys runs as the owner.
-- The functions are triggers on destinations and withdrawal passwords.

-- Ids of the keys that seal values. The keys themselves are in a file of the operator's.
create table data_keys (
  id bytea primary key check (octet_length(id) = 4),
  added_at timestamptz not null default now(),
  -- Time since which no value is sealed with the key. Older backups may still need it.
  retired_at timestamptz
);

-- Numbers of sealed records. The server takes a number before it seals, because the seal is bound to the number. All tables share
-- the sequence, so that a destination's number is unique across cards and addresses.
create sequence personal_data_ids start with 10000;

-- Customers' pictures. The file store keeps each one re-encoded from its pixels and sealed.
create table uploads (
  id bigint primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('id_front', 'id_back', 'proof', 'chat')),
  -- Random name of the file in the store; null once erased, as with a deposit that its customer cancels or that lapses.
  file text unique check (file ~ '^[A-Za-z0-9_-]{32}$'),
  key_id bytea not null check (octet_length(key_id) = 4),
  -- Size of the picture in pixels. `bytes` and `sha256` describe the sealed file in the store.
  width int not null check (width between 1 and 65535),
  height int not null check (height between 1 and 65535),
  bytes int not null check (bytes between 1 and 8000000),
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((file is null) = (erased_at is not null))
);

create index uploads_by_customer on uploads (customer_id, id);
create index uploads_by_key on uploads (key_id) where file is not null;

-- Each view of a customer's personal data by staff. The customer can read these rows; decisions use them as proof of a review.
create table personal_data_views (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  customer_id bigint not null references customers,
  what text not null check (what in (
    'identity', 'id_front', 'id_back', 'proof', 'bank_card', 'address', 'account', 'search', 'chat', 'recovery', 'report')),
  subject_id bigint,
  at timestamptz not null default clock_timestamp()
);

create index personal_data_views_by_customer on personal_data_views (customer_id, id);

-- Each export by a customer of all data that is stored about them.
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);

create index data_exports_by_customer on data_exports (customer_id, at);

-- ## Functions

-- Makes the removal of a destination final: removed_at becomes the current time, and a later change raises ALREADY_REMOVED.
create or replace function destinations_end() returns trigger language plpgsql as $$
begin
  if old.removed_at is not null and new.removed_at is distinct from old.removed_at then
    perform refuse('ALREADY_REMOVED', format('destination %s was removed before', old.id));
  end if;
  if new.removed_at is distinct from old.removed_at then new.removed_at := now(); end if;
  return new;
end $$;

create or replace trigger bank_cards_end before update of removed_at on bank_cards
  for each row execute function destinations_end();

create or replace trigger crypto_addresses_end before update of removed_at on crypto_addresses
  for each row execute function destinations_end();

-- Writes a notice about a change that affects withdrawals, so that the owner learns of a change made by someone else. The
-- trigger's argument is the kind of the notice.
create or replace function personal_data_tell() returns trigger language plpgsql security definer as $$
begin
  perform notice_add(new.customer_id, tg_argv[0], '{}');
  return null;
end $$;

create or replace trigger withdrawal_passwords_tell after insert or update of version on withdrawal_passwords
  for each row execute function personal_data_tell('security.payWord');

create or replace trigger bank_cards_tell after insert on bank_cards
  for each row execute function personal_data_tell('security.bank');

create or replace trigger crypto_addresses_tell after insert on crypto_addresses
  for each row execute function personal_data_tell('security.address');

-- The most bytes of pictures that a customer may have before a deposit of theirs is credited: ten of the largest. That is enough
-- to submit a real name three times, with both sides, and to send four more pictures.
create or replace function uploads_budget() returns bigint immutable language sql as 'select 20971520::bigint';

-- Refuses a picture beyond the budget (PICTURES_FULL). A removed picture counts for a day, so that nobody fills the disk by
-- cancelling.
create or replace function uploads_bound() returns trigger language plpgsql security definer as $$
begin
  if exists (select from deposit_requests d where d.customer_id = new.customer_id and d.status = 'success') then
    return new;
  end if;
  -- Concurrent pictures of one customer wait for each other.
  perform from customers where id = new.customer_id for no key update;
  if new.bytes + coalesce((select sum(u.bytes) from uploads u where u.customer_id = new.customer_id
      and (u.file is not null or u.erased_at > now() - interval '1 day')), 0) > uploads_budget() then
    perform refuse('PICTURES_FULL', format('customer %s has stored as many pictures as before a first deposit', new.customer_id));
  end if;
  return new;
end $$;

create or replace trigger uploads_bound before insert on uploads for each row execute function uploads_bound();

-- Forgets the file of a picture; the sweep of uploads removes it from the store. The row with the hash stays.
create or replace function upload_forget(_id bigint) returns void
language sql set search_path = public, pg_temp as $$
  update uploads set file = null, erased_at = now() where id = _id and file is not null
$$;
