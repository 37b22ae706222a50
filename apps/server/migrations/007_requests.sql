-- Deposits and withdrawals: channels, requests, what happened to each, and the notices that tell of it.
--
-- The server only reads these tables. What a customer does goes through the functions below, which take the hash of the
-- customer's own session token: without a customer's session there is no request, whoever asks. What staff decide is in
-- 008_decisions.sql. The lifecycles are drawn in recharge/deposit-lifecycle.ts and withdraw/withdrawal-lifecycle.ts.

-- Where deposits are paid to. Rows are never changed: a change is a new version, the newest one counts.
create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  -- Of a chain; else the bank's details.
  address text check (length(address) between 1 and 200),
  bank jsonb check (bank ?& array['bank', 'branch', 'holder', 'accountNumber']),
  min bigint not null check (min > 0),
  max bigint not null check (max >= min),
  presets bigint[] not null default '{}' check (cardinality(presets) <= 8),
  fee bigint not null default 0 check (fee >= 0),
  is_enabled boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (id, version),
  check ((address is null) <> (bank is null)),
  -- Of the smallest deposit at least four fifths arrive.
  check (fee * 5 <= min)
);

-- The highest minimum that a withdrawal may have: a tenth of what takes two approvals. Nobody's money is locked in by a bound
-- that it does not reach. Assets as seeded: 2 USDT, 3 USD, 4 BTC, 5 ETH.
create function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _asset when 2 then 500000000 when 3 then 50000 when 4 then 1000000 when 5 then 20000000 end::bigint
$$;

-- Bounds of withdrawals. Which of them need how many people stands in four_eyes_rules.
create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  -- Of the smallest withdrawal at least four fifths arrive, whatever two people agree on.
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id))
);

-- One payment is one reference, however it is typed.
create function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$ select lower(regexp_replace(_reference, '\s', '', 'g')) $$;

create table deposit_requests (
  id bigint generated always as identity (start with 1000) primary key,
  -- Its place among the lines of the fund log while no posting stands for it.
  line bigint not null unique default ledger.next_line(),
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  channel_id bigint not null,
  channel_version int not null,
  asset_id smallint not null references ledger.assets,
  -- What the customer says was paid, and the fee: that of the channel's version, or of one before it if that was less.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  proof_id bigint not null unique,
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'success', 'failure', 'ignored')),
  -- What staff found to have come in, where it can be looked up, who wrote that down last, and how often that was done.
  found_amount bigint check (found_amount > 0),
  evidence text check (length(evidence) between 1 and 200),
  edited_by bigint,
  revision int not null default 0,
  -- A name of recharge/reasons.ts, and words beside it.
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  decided_at timestamptz,
  transfer_id bigint,
  -- Who has taken the case up; it falls back when the time has passed.
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  foreign key (channel_id, channel_version) references deposit_channels (id, version),
  check ((status = 'review') = (decided_at is null)),
  check ((status = 'success') = (transfer_id is not null)),
  check (status <> 'success' or (found_amount > fee and evidence is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (num_nulls(found_amount, evidence, edited_by) = case revision when 0 then 3 else 0 end),
  check ((claimed_by is null) = (claimed_until is null))
);
create index deposit_requests_by_customer on deposit_requests (customer_id, id);
create index deposit_requests_in_review on deposit_requests (id) where status = 'review';
-- What came in once is credited once.
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';

create table withdrawal_requests (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  asset_id smallint not null references ledger.assets,
  -- What leaves the balance; the fee is part of it, so amount - fee arrives.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee < amount),
  -- Of `destinations`, whose rows never change: another card or address is another row.
  destination_id bigint not null,
  -- As its customer reads it: the last digits of a card, the ends of an address.
  destination_label text not null check (length(destination_label) between 1 and 80),
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'approved', 'success', 'failure', 'ignored')),
  -- A cashier has looked at it and proposes to pay it, with a word on how; part of what is approved.
  instructions text check (length(instructions) <= 500),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  -- Of the payment: the bank's or the chain's.
  reference text check (length(reference) between 1 and 200),
  approved_at timestamptz,
  decided_at timestamptz,
  hold_transfer_id bigint not null,
  -- Of the payout, or of the release.
  transfer_id bigint,
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  check ((status in ('review', 'approved')) = (decided_at is null)),
  check ((decided_at is null) = (transfer_id is null)),
  check (case status when 'review' then approved_at is null when 'approved' then approved_at is not null
    when 'success' then approved_at is not null else true end),
  check ((status = 'success') = (reference is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (num_nulls(instructions, edited_by) = case revision when 0 then 2 else 0 end),
  check (status not in ('approved', 'success') or revision > 0),
  check ((claimed_by is null) = (claimed_until is null))
);
create index withdrawal_requests_by_customer on withdrawal_requests (customer_id, id);
create index withdrawal_requests_open on withdrawal_requests (id) where status in ('review', 'approved');
create index withdrawal_requests_by_destination on withdrawal_requests (destination_id);
create unique index withdrawal_requests_by_reference on withdrawal_requests (asset_id, reference_key(reference)) where status = 'success';

-- What happened to each request: who, when, from where to where, and why. Written with the step, never changed.
create table request_events (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  request_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  step text not null check (step in ('submitted', 'found', 'proposed', 'approved', 'paid', 'credited', 'failed', 'ignored', 'cancelled',
    'lapsed')),
  -- The house: time has passed (010_lapse.sql).
  actor text not null check (actor in ('customer', 'staff', 'house')),
  staff_id bigint,
  from_status text,
  to_status text not null,
  reason text,
  facts jsonb not null default '{}',
  check ((actor = 'staff') = (staff_id is not null)),
  check ((step = 'submitted') = (from_status is null))
);
create index request_events_by_request on request_events (kind, request_id, id);

-- The lifecycles once more: no step but these, and what was asked for never changes.
create function deposit_requests_guard() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (('review', 'review'), ('review', 'success'), ('review', 'failure'), ('review', 'ignored')) then
    raise exception 'a deposit does not go from % to %', old.status, new.status using errcode = 'FT030';
  end if;
  if (new.id, new.line, new.customer_id, new.key_hash, new.channel_id, new.channel_version, new.asset_id, new.amount, new.fee,
      new.proof_id, new.submitted_at)
    is distinct from (old.id, old.line, old.customer_id, old.key_hash, old.channel_id, old.channel_version, old.asset_id,
      old.amount, old.fee, old.proof_id, old.submitted_at) then
    raise exception 'what the customer asked for stays as it is' using errcode = 'FT030';
  end if;
  return new;
end $$;
create trigger deposit_requests_guard before update on deposit_requests for each row execute function deposit_requests_guard();

create function withdrawal_requests_guard() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (('review', 'review'), ('review', 'approved'), ('review', 'failure'), ('review', 'ignored'),
      ('approved', 'approved'), ('approved', 'review'), ('approved', 'success'), ('approved', 'failure')) then
    raise exception 'a withdrawal does not go from % to %', old.status, new.status using errcode = 'FT030';
  end if;
  if (new.id, new.customer_id, new.key_hash, new.asset_id, new.amount, new.fee, new.destination_id,
      new.destination_label, new.submitted_at, new.hold_transfer_id)
    is distinct from (old.id, old.customer_id, old.key_hash, old.asset_id, old.amount, old.fee, old.destination_id,
      old.destination_label, old.submitted_at, old.hold_transfer_id) then
    raise exception 'what the customer asked for stays as it is' using errcode = 'FT030';
  end if;
  return new;
end $$;
create trigger withdrawal_requests_guard before update on withdrawal_requests
  for each row execute function withdrawal_requests_guard();

create function requests_keep() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % stay', tg_table_name using errcode = 'FT030';
end $$;
create trigger deposit_requests_keep before delete or truncate on deposit_requests execute function requests_keep();
create trigger withdrawal_requests_keep before delete or truncate on withdrawal_requests execute function requests_keep();
create trigger request_events_keep before update or delete or truncate on request_events execute function requests_keep();
create trigger deposit_channels_keep before update or delete or truncate on deposit_channels execute function requests_keep();

-- The customer's permanent inbox. Words are made when it is read, in the reader's language (notices/messages.ts).
create table notices (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind ~ '^[a-z]+\.[a-zA-Z]+$'),
  parameters jsonb not null,
  read_at timestamptz
);
create index notices_by_customer on notices (customer_id, id);

-- For functions of the database that decide something: the notice stands or falls with the decision.
create function notice_add(_customer bigint, _kind text, _parameters jsonb) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _id bigint;
begin
  insert into notices (customer_id, kind, parameters) values (_customer, _kind, _parameters) returning id into _id;
  perform pg_notify('notices', _customer || ':' || _id);
end $$;

-- A verification was decided: its customer hears of it, whatever decided.
create function verifications_tell() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(new.customer_id, 'verification.' || new.state,
    jsonb_strip_nulls(jsonb_build_object('reason', new.reason, 'text', new.note)));
  return null;
end $$;
create trigger verifications_tell after update of state on verifications
  for each row when (old.state = 'pending' and new.state <> 'pending') execute function verifications_tell();

-- Whose session this is, if it lives; `_fresh`: and its password was given lately.
create function session_customer(_token_hash bytea, _fresh boolean) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select customer_id from sessions
  where token_hash = _token_hash and last_used_at > now() - interval '30 days' and (not _fresh or fresh_until > now());
$$;

-- What a deposit over a channel has to pay and reach at least: of all versions that held within the last day the best for the
-- customer, who may have sent the money under the one before.
create function channel_best(_channel bigint, out fee bigint, out min bigint)
language sql stable set search_path = public, pg_temp as $$
  select min(v.fee), min(v.min) from (
    select c.fee, c.min, lead(c.created_at) over (order by c.version) as until from deposit_channels c where c.id = _channel
  ) v where v.until is null or v.until > now() - interval '24 hours'
$$;

-- The channels as they stand, those that are not open any more too.
create function current_channels() returns setof deposit_channels
language sql stable set search_path = public, pg_temp as $$
  select distinct on (id) * from deposit_channels order by id, version desc;
$$;

-- A deposit is announced. Nothing moves: a proof never credits by itself.
create function deposit_submit(
  _token_hash bytea, _key_hash bytea, _channel bigint, _amount bigint, _proof bigint, out request_id bigint, out refused text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, true);
  _terms deposit_channels;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  select * into _terms from current_channels() c where c.id = _channel and c.is_enabled;
  if not found then refused := 'CHANNEL_NOT_FOUND'; return; end if;
  select b.fee, b.min into _terms.fee, _terms.min from channel_best(_channel) b;
  if _amount < _terms.min then refused := 'DEPOSIT_TOO_SMALL'; return; end if;
  if _amount > _terms.max then refused := 'DEPOSIT_TOO_LARGE'; return; end if;
  -- Whoever has so many under review waits for answers first. One customer's are counted one after the other.
  perform ledger.lock_balances(array[_customer], array[_terms.asset_id]);
  if (select count(*) from deposit_requests where customer_id = _customer and status = 'review') >= 20 then
    refused := 'TOO_MANY_PENDING';
    return;
  end if;
  if not exists (select from uploads u where u.id = _proof and u.customer_id = _customer and u.purpose = 'proof' and u.file is not null) then
    raise exception 'upload % is no proof of customer %', _proof, _customer using errcode = 'FT031';
  end if;
  insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
  values (_customer, _key_hash, _terms.id, _terms.version, _terms.asset_id, _amount, _terms.fee, _proof)
  returning id into request_id;
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('deposit', request_id, 'submitted', 'customer', 'review');
end $$;

-- Taken back by the customer, while nobody has decided.
create function deposit_cancel(_token_hash bytea, _id bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _request deposit_requests;
begin
  select * into _request from deposit_requests where id = _id and customer_id = _customer for update;
  if not found then refused := 'REQUEST_NOT_FOUND'; return; end if;
  -- Again is the same as once.
  if _request.reason = 'taken_back' then return; end if;
  if _request.status <> 'review' then refused := 'REQUEST_DECIDED'; return; end if;
  update deposit_requests set status = 'ignored', reason = 'taken_back', decided_at = clock_timestamp() where id = _id;
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values ('deposit', _id, 'cancelled', 'customer', 'review', 'ignored', 'taken_back');
end $$;

-- A withdrawal is asked for: its money is held at once. The word was checked by the caller, who says which one it was, and which
-- fee the customer saw: another one is not charged unseen.
create function withdrawal_submit(
  _token_hash bytea, _key_hash bytea, _destination bigint, _label text, _asset smallint, _amount bigint, _word_version int,
  _seen_fee bigint default null, out request_id bigint, out refused text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, true);
  _terms withdrawal_terms;
  _code text := (select code from ledger.assets where id = _asset);
  _level text;
  _hold bigint;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  select * into _terms from withdrawal_terms where asset_id = _asset;
  if not found then refused := 'ASSET_NOT_ACCEPTED'; return; end if;
  if _seen_fee <> _terms.fee then refused := 'TERMS_CHANGED'; return; end if;
  -- Whoever removes the destination or the word waits for us, or we see that it is gone.
  perform from pay_words where customer_id = _customer and version = _word_version for share;
  if not found then refused := 'PAY_WORD_NOT_SET'; return; end if;
  select level into _level from customers where id = _customer and real_status = 'verified';
  if not found then refused := 'NAME_NOT_VERIFIED'; return; end if;
  if not exists (select from destinations d where d.id = _destination and d.customer_id = _customer and d.asset = _code and d.removed_at is null) then
    refused := 'DESTINATION_NOT_FOUND';
    return;
  end if;
  if _amount < _terms.min then refused := 'WITHDRAWAL_TOO_SMALL'; return; end if;
  if _amount > withdrawal_max(_terms, _level) then refused := 'WITHDRAWAL_TOO_LARGE'; return; end if;
  if (select available from ledger.lock_balances(array[_customer], array[_asset])) < _amount then
    refused := 'INSUFFICIENT_BALANCE';
    return;
  end if;
  request_id := nextval(pg_get_serial_sequence('withdrawal_requests', 'id'));
  _hold := ledger.hold('withdrawal:' || request_id, withdrawal_hash(request_id, 'hold'), _customer, _asset, _amount, request_id);
  insert into withdrawal_requests (id, customer_id, key_hash, asset_id, amount, fee, destination_id, destination_label, hold_transfer_id)
  overriding system value values (request_id, _customer, _key_hash, _asset, _amount, _terms.fee, _destination, _label, _hold);
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('withdrawal', request_id, 'submitted', 'customer', 'review');
  perform pg_notify('orders', _customer || ':0');
end $$;

-- The most at once: double for gold, unlimited (null) for platinum.
create function withdrawal_max(_terms withdrawal_terms, _level text) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _level when 'platinum' then null when 'gold' then _terms.max * 2 else _terms.max end;
$$;

-- What a transfer of a withdrawal is made of: one of each name, whatever happens.
create function withdrawal_hash(_id bigint, _step text) returns bytea
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select sha256(convert_to('withdrawal ' || _id || ' ' || _step, 'UTF8'));
$$;

-- Taken back by the customer, while it is under review: the money is free again.
create function withdrawal_cancel(_token_hash bytea, _id bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _request withdrawal_requests;
begin
  select * into _request from withdrawal_requests where id = _id and customer_id = _customer for update;
  if not found then refused := 'REQUEST_NOT_FOUND'; return; end if;
  if _request.reason = 'taken_back' then return; end if;
  if _request.status <> 'review' then refused := 'REQUEST_DECIDED'; return; end if;
  perform withdrawal_end(_request, 'ignored', 'taken_back', null);
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values ('withdrawal', _id, 'cancelled', 'customer', 'review', 'ignored', 'taken_back');
end $$;

-- Ends a withdrawal that came to nothing: what was held is available again. For the functions that may; each locked the row.
create function withdrawal_end(_request withdrawal_requests, _status text, _reason text, _text text) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _back bigint := ledger.release('withdrawal:' || _request.id || ':end', withdrawal_hash(_request.id, 'release'),
    _request.customer_id, _request.asset_id, _request.amount, _request.id);
begin
  if _back is null then raise exception 'withdrawal % has ended before', _request.id using errcode = 'FT030'; end if;
  update withdrawal_requests set status = _status, reason = _reason, reason_text = _text, decided_at = clock_timestamp(),
    transfer_id = _back where id = _request.id;
  perform pg_notify('orders', _request.customer_id || ':0');
end $$;

grant select on deposit_channels, withdrawal_terms, deposit_requests, withdrawal_requests, request_events, notices
  to fairtick_server;
grant update (read_at) on notices to fairtick_server;
grant execute on function current_channels, channel_best, withdrawal_min_cap, withdrawal_max, deposit_submit, deposit_cancel, withdrawal_submit, withdrawal_cancel
  to fairtick_server;
