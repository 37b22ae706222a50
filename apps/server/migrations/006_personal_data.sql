-- Who customers are and where their money may go: what only they and the staff who decide may read.
--
-- What can name a person is sealed: AES-256-GCM by the server, with keys that are not in this database. A sealed value begins
-- with its format (1 byte) and the key's id (4 bytes), so that the rotation finds what is still under an older key. What
-- has to be found again without being read has an index beside it: an HMAC under a key derived from the same.
--
-- For withdrawals: the view `destinations` has every bound card and address, a row of it never changes its content (who
-- edits one gets another row), and `hold_until(customer, destination)` says until when it may not be approved.

alter table customers
  add column password_changed_at timestamptz,
  -- Whoever adds, changes or removes a second factor sets this.
  add column second_factor_changed_at timestamptz,
  add column erased_at timestamptz;

create function customers_note_password() returns trigger language plpgsql as $$
begin
  new.password_changed_at := now();
  return new;
end $$;
create trigger customers_note_password before update of password_hash on customers
  for each row when (old.password_hash is distinct from new.password_hash) execute function customers_note_password();

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

create function sealed_key(_sealed bytea) returns bytea immutable language sql as 'select substring(_sealed from 2 for 4)';

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

-- A real name that was submitted, and what became of it: pending -> verified or failed, once.
create table verifications (
  id bigint primary key,
  customer_id bigint not null references customers,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  -- Name, country, document and addresses; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Of the document's kind, country and number, and of the name.
  document_index bytea check (octet_length(document_index) = 32),
  name_index bytea check (octet_length(name_index) = 32),
  is_restricted_country boolean not null,
  front_id bigint not null references uploads,
  back_id bigint not null references uploads,
  submitted_at timestamptz not null default now(),
  -- Whoever looks at it now; a claim lapses.
  claimed_by bigint references staff,
  claimed_at timestamptz,
  decided_at timestamptz,
  decided_by bigint references staff,
  reason text check (reason in ('unreadable', 'mismatch', 'expired', 'incomplete', 'duplicate', 'restricted', 'suspicious', 'other')),
  -- What staff add to the reason, for the customer to read.
  note text check (length(note) between 1 and 500),
  check ((claimed_by is null) = (claimed_at is null)),
  check ((state = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((state = 'failed') = (reason is not null)),
  check (reason <> 'other' or note is not null),
  check (state = 'pending' or claimed_by is null),
  check (sealed is not null or document_index is null and name_index is null)
);
create unique index verifications_one_pending on verifications (customer_id) where state = 'pending';
create index verifications_by_customer on verifications (customer_id, id);
create index verifications_queue on verifications (submitted_at, id) where state = 'pending';
create index verifications_by_document on verifications (document_index);
create index verifications_by_name on verifications (name_index);
create index verifications_by_key on verifications (key_id);

-- Each step of it: who, when, why. `staff_id` null: the customer.
create table verification_events (
  id bigint generated always as identity primary key,
  verification_id bigint not null references verifications,
  customer_id bigint not null,
  step text not null check (step in ('submitted', 'claimed', 'released', 'verified', 'failed', 'erased')),
  staff_id bigint references staff,
  reason text,
  note text,
  at timestamptz not null default clock_timestamp()
);
create index verification_events_of on verification_events (verification_id, id);

-- Where a customer's money may go. A row never changes its content: an edited card is a new row with the same card_id, and
-- the old one is removed.
create table bank_cards (
  id bigint primary key,
  -- The card as the customer knows it: the first row's id.
  card_id bigint not null,
  customer_id bigint not null references customers,
  -- Holder, bank, branch and number; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  last4 text check (last4 ~ '^\d{4}$'),
  number_index bytea check (octet_length(number_index) = 32),
  changed_at timestamptz not null default now(),
  removed_at timestamptz,
  check (num_nulls(sealed, last4, number_index) in (0, 3)),
  check (sealed is not null or removed_at is not null)
);
create unique index bank_cards_live on bank_cards (customer_id, card_id) where removed_at is null;
create unique index bank_cards_once on bank_cards (customer_id, number_index) where removed_at is null;
create index bank_cards_by_number on bank_cards (number_index);
create index bank_cards_by_key on bank_cards (key_id);

create table crypto_addresses (
  id bigint primary key,
  customer_id bigint not null references customers,
  asset text not null check (asset in ('USDT', 'BTC', 'ETH')),
  network text not null check (network in ('TRC20', 'ERC20', 'Bitcoin', 'Ethereum')),
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  address_index bytea check (octet_length(address_index) = 32),
  changed_at timestamptz not null default now(),
  removed_at timestamptz,
  check (case asset when 'USDT' then network in ('TRC20', 'ERC20') when 'BTC' then network = 'Bitcoin' else network = 'Ethereum' end),
  check (num_nulls(sealed, address_index) in (0, 2)),
  check (sealed is not null or removed_at is not null)
);
create unique index crypto_addresses_live on crypto_addresses (customer_id, asset) where removed_at is null;
create index crypto_addresses_by_address on crypto_addresses (address_index);
create index crypto_addresses_by_key on crypto_addresses (key_id);

-- A destination is removed once, now, and nothing brings it back.
create function destinations_end() returns trigger language plpgsql as $$
begin
  if old.removed_at is not null and new.removed_at is distinct from old.removed_at then
    raise exception 'destination % was removed before', old.id using errcode = 'FT144';
  end if;
  if new.removed_at is distinct from old.removed_at then new.removed_at := now(); end if;
  return new;
end $$;
create trigger bank_cards_end before update of removed_at on bank_cards for each row execute function destinations_end();
create trigger crypto_addresses_end before update of removed_at on crypto_addresses
  for each row execute function destinations_end();

-- What withdrawals know of them. `wire_id` is what the customer's app calls it.
create view destinations with (security_invoker = true) as
  select id, card_id as wire_id, customer_id, 'bank' as kind, 'USD' as asset, null as network, last4, number_index as content_index,
    changed_at, removed_at
  from bank_cards
  union all
  select id, id, customer_id, 'crypto', asset, network, null, address_index, changed_at, removed_at from crypto_addresses;

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

-- Takes one of the five tries before the word is looked at, so that any number of parallel guesses, at any number of processes,
-- comes to five: the fifth locks the word at once, and only its being right unlocks it. No row: no word is set. `sealed` null:
-- it is locked, until `locked_ms`.
create function pay_word_try(_customer bigint) returns table (sealed bytea, version int, failures int, locked_ms bigint)
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
create function pay_word_right(_customer bigint, _version int) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.pay_words w set failures = 0, locked_until = null where w.customer_id = _customer and w.version = _version;
  return found;
end $$;

-- Sets the word in place of the one of that version; null: there was none. False: it is another one by now.
create function pay_word_set(_customer bigint, _sealed bytea, _version int) returns boolean
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

-- The customer hears of every change that withdrawals go by, also when it was somebody else who made it. (`notice_add` comes with
-- migration 007.)
create function personal_data_tell() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(new.customer_id, tg_argv[0], '{}');
  return null;
end $$;
create trigger pay_words_tell after insert or update of version on pay_words
  for each row execute function personal_data_tell('security.payWord');
create trigger bank_cards_tell after insert on bank_cards for each row execute function personal_data_tell('security.bank');
create trigger crypto_addresses_tell after insert on crypto_addresses
  for each row execute function personal_data_tell('security.address');

create function customers_tell_password() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(new.id, 'security.password', '{}');
  return null;
end $$;
create trigger customers_tell_password after update of password_hash on customers
  for each row when (old.password_hash is distinct from new.password_hash) execute function customers_tell_password();

-- Until when a withdrawal to this destination may not be approved: what was changed last, the destination or what the customer
-- proves himself with, plus the hold. Null: it is not this customer's, or was removed. The present word counts from its
-- setting, the first one too; a password counts from its last change.
create function hold_until(_customer bigint, _destination bigint) returns timestamptz
stable language sql set search_path = pg_catalog, pg_temp as $$
  select greatest(d.changed_at, c.password_changed_at, c.second_factor_changed_at, w.changed_at) + make_interval(secs => s.hold_seconds)
  from public.destinations d
  join public.customers c on c.id = d.customer_id
  left join public.pay_words w on w.customer_id = d.customer_id
  cross join public.house_settings s
  where d.id = _destination and d.customer_id = _customer and d.removed_at is null
$$;

-- Takes a real name for review. False: one is pending, or it is verified already.
create function verification_submit(_id bigint, _customer bigint, _sealed bytea, _document_index bytea, _name_index bytea, _restricted boolean,
  _front bigint, _back bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.customers where id = _customer and real_status in ('none', 'failed') and erased_at is null for update;
  if not found then return false; end if;
  perform from public.uploads where id = _front and customer_id = _customer and purpose = 'id_front' and file is not null;
  if not found then raise exception 'not a front of this customer''s' using errcode = 'FT145'; end if;
  perform from public.uploads where id = _back and customer_id = _customer and purpose = 'id_back' and file is not null;
  if not found then raise exception 'not a back of this customer''s' using errcode = 'FT145'; end if;
  insert into public.verifications
    (id, customer_id, sealed, document_index, name_index, is_restricted_country, front_id, back_id)
    values (_id, _customer, _sealed, _document_index, _name_index, _restricted, _front, _back);
  insert into public.verification_events (verification_id, customer_id, step) values (_id, _customer, 'submitted');
  update public.customers set real_status = 'pending' where id = _customer;
  return true;
end $$;

-- Deciding names. The server says who acts; who may do what is said here. Refusals, beside those of the staff:
--   FT140 nothing under review of that number        FT142 decided without having looked at all of it
--   FT141 somebody else has claimed it               FT143 of a restricted region, in live mode
create function verification_claim_time() returns interval immutable language sql as $$ select interval '15 minutes' $$;

-- Locks the customer, then the pending verification, the order of verification_submit.
create function verification_for_staff(_staff bigint, _id bigint) returns verifications
language plpgsql set search_path = public, pg_temp as $$
declare
  _row verifications;
begin
  if not staff_may(_staff, 'verification') then raise exception 'staff % may not decide names', _staff using errcode = 'FT101'; end if;
  perform demand_usable(_staff, 'verification');
  perform from customers c where c.id = (select v.customer_id from verifications v where v.id = _id) for update;
  select * into _row from verifications v where v.id = _id and v.state = 'pending' for update;
  if not found then raise exception 'nothing under review: %', _id using errcode = 'FT140'; end if;
  if _row.claimed_by <> _staff and _row.claimed_at > now() - verification_claim_time() then
    raise exception 'verification % is claimed', _id using errcode = 'FT141';
  end if;
  perform demand_not_own(_staff, _row.customer_id);
  return _row;
end $$;

-- Says that somebody looks at it now; again, to look longer. A claim lapses.
create function verification_claim(_staff bigint, _id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row verifications := verification_for_staff(_staff, _id);
begin
  update verifications set claimed_by = _staff, claimed_at = now() where id = _id;
  if _row.claimed_by is distinct from _staff then
    insert into verification_events (verification_id, customer_id, step, staff_id) values (_id, _row.customer_id, 'claimed', _staff);
  end if;
end $$;

create function verification_release(_staff bigint, _id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row verifications := verification_for_staff(_staff, _id);
begin
  if _row.claimed_by is distinct from _staff then return; end if;
  update verifications set claimed_by = null, claimed_at = null where id = _id;
  insert into verification_events (verification_id, customer_id, step, staff_id) values (_id, _row.customer_id, 'released', _staff);
end $$;

-- Verified (`_reason` null) or failed, once and for all of this submission. Only by whoever looked at the fields and at both
-- pictures since they were submitted: the record of views, which the customer reads, is also the proof of it.
create function verification_decide(_staff bigint, _id bigint, _reason text, _note text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row verifications := verification_for_staff(_staff, _id);
  _state text := case when _reason is null then 'verified' else 'failed' end;
begin
  if (select count(distinct w.what) from personal_data_views w
      where w.staff_id = _staff and w.customer_id = _row.customer_id and w.at >= _row.submitted_at
        and (w.what, w.subject_id) in (('identity', _id), ('id_front', _row.front_id), ('id_back', _row.back_id))) < 3 then
    raise exception 'staff % has not looked at all of %', _staff, _id using errcode = 'FT142';
  end if;
  if _state = 'verified' and _row.is_restricted_country and (select s.mode from house_settings s) = 'live' then
    raise exception 'verification % is of a restricted region', _id using errcode = 'FT143';
  end if;
  update verifications set state = _state, decided_at = now(), decided_by = _staff, reason = _reason, note = _note,
    claimed_by = null, claimed_at = null where id = _id;
  insert into verification_events (verification_id, customer_id, step, staff_id, reason, note)
    values (_id, _row.customer_id, _state, _staff, _reason, _note);
  update customers set real_status = _state,
    level = case when _state = 'verified' and level = 'bronze' then 'silver' else level end where id = _row.customer_id;
  perform audit_append(_staff, 'verification.' || _state, 'verification:' || _id,
    jsonb_strip_nulls(jsonb_build_object('customer', _row.customer_id, 'reason', _reason)));
end $$;

-- What the server may do. It never changes what was sealed: the rotation runs as the owner.
grant select on house_settings, data_keys, uploads, verifications, verification_events, bank_cards, crypto_addresses, destinations,
  pay_words, personal_data_views to fairtick_server;
grant usage on sequence personal_data_ids to fairtick_server;
grant insert (id) on data_keys to fairtick_server;
grant insert (id, customer_id, purpose, file, key_id, width, height, bytes, sha256) on uploads to fairtick_server;
grant insert (id, card_id, customer_id, sealed, last4, number_index), update (removed_at) on bank_cards to fairtick_server;
grant insert (id, customer_id, asset, network, sealed, address_index), update (removed_at) on crypto_addresses to fairtick_server;
grant insert (staff_id, customer_id, what, subject_id) on personal_data_views to fairtick_server;
grant execute on function sealed_key, pay_word_try, pay_word_right, pay_word_set, hold_until, verification_submit, verification_claim_time,
  verification_claim, verification_release, verification_decide to fairtick_server;
