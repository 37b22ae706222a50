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

create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';

create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';

-- ## Functions

-- The lifecycles once more: no step but these, and what was asked for never changes.
create or replace function deposit_requests_guard() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (('review', 'review'), ('review', 'success'), ('review', 'failure'), ('review', 'ignored')) then
    perform refuse('INVALID_REASON', format('a deposit does not go from %s to %s', old.status, new.status));
  end if;
  if (new.id, new.line, new.customer_id, new.key_hash, new.channel_id, new.channel_version, new.asset_id, new.amount, new.fee,
      new.proof_id, new.submitted_at)
    is distinct from (old.id, old.line, old.customer_id, old.key_hash, old.channel_id, old.channel_version, old.asset_id,
      old.amount, old.fee, old.proof_id, old.submitted_at) then
    perform refuse('INVALID_REASON', 'what the customer asked for stays as it is');
  end if;
  return new;
end $$;

create or replace trigger deposit_requests_guard before update on deposit_requests for each row execute function deposit_requests_guard();

-- A deposit is announced. Nothing moves: a proof never credits by itself.
create or replace function deposit_submit(
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
    perform refuse('INVALID_UPLOAD', format('upload %s is no proof of customer %s', _proof, _customer));
  end if;
  insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
  values (_customer, _key_hash, _terms.id, _terms.version, _terms.asset_id, _amount, _terms.fee, _proof)
  returning id into request_id;
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('deposit', request_id, 'submitted', 'customer', 'review');
end $$;

-- Taken back by the customer, while nobody has decided.
create or replace function deposit_cancel(_token_hash bytea, _id bigint, out refused text)
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

-- Exactly what is approved of a deposit, and by which rule: one that differs from its claim has a stricter one.
create or replace function deposit_content(_r deposit_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('deposit', _r.id, 'customer', _r.customer_id, 'asset', _r.asset_id, 'claimed', _r.amount,
    'found', _r.found_amount, 'fee', _r.fee, 'channel', _r.channel_id, 'version', _r.channel_version, 'proof', _r.proof_id,
    'evidence', _r.evidence, 'revision', _r.revision)::text, 'UTF8'))
$$;

create or replace function deposit_rule(_r deposit_requests) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case when _r.found_amount = _r.amount then 'deposit' else 'deposit_differing' end
$$;

-- As in migration 008, by sums.
create or replace function deposit_find(_staff bigint, _id bigint, _found bigint, _evidence text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  perform lock_sums(_r.customer_id, _r.asset_id, _staff);
  update deposit_requests set found_amount = _found, evidence = _evidence, edited_by = _staff, revision = revision + 1
  where id = _id returning * into _r;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('deposit', _id, 'found', 'staff', _staff, 'review', 'review',
    jsonb_build_object('found', _found::text, 'claimed', _r.amount::text, 'evidence', _evidence, 'revision', _r.revision));
  -- By both rules: whoever wrote once what was found approves nothing of it, however it is written later.
  perform record_edit(_staff, 'deposit', _id, deposit_content(_r));
  perform record_edit(_staff, 'deposit_differing', _id, deposit_content(_r));
  perform audit_append(_staff, 'deposit.find', 'deposit:' || _id,
    jsonb_build_object('found', _found::text, 'claimed', _r.amount::text, 'evidence', _evidence));
  if approvals_needed(deposit_rule(_r), _r.asset_id, deposit_counted(_r)) = 0 then
    perform deposit_credit(_staff, _r);
  end if;
  return (select status from deposit_requests where id = _id);
end $$;

create or replace function deposit_approve(_staff bigint, _id bigint, _content bytea) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_r.claimed_by, 'deposit', _id);
  if _r.revision = 0 then perform refuse('NOTHING_PROPOSED', format('nothing is proposed for deposit %s', _id)); end if;
  if deposit_content(_r) <> _content then perform refuse('CONTENT_CHANGED', format('deposit %s has changed', _id)); end if;
  perform lock_sums(_r.customer_id, _r.asset_id, _r.edited_by);
  perform approve(_staff, deposit_rule(_r), _id, _content);
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('deposit', _id, 'approved', 'staff', _staff, 'review', 'review', jsonb_build_object('revision', _r.revision));
  if (select count(*) from approvals_of(deposit_rule(_r), _id, _content) a where a.counts)
    >= approvals_needed(deposit_rule(_r), _r.asset_id, deposit_counted(_r)) then
    perform deposit_credit(_staff, _r);
  end if;
  return (select status from deposit_requests where id = _id);
end $$;

create or replace function deposit_credit(_staff bigint, _r deposit_requests) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _content bytea := deposit_content(_r);
  _transfer bigint;
begin
  perform demand_approvals(deposit_rule(_r), _r.id, _content, _r.asset_id, deposit_counted(_r));
  if _r.found_amount <= _r.fee then perform refuse('INVALID_AMOUNT', format('deposit %s would bring nothing', _r.id)); end if;
  if exists (select from deposit_requests d where d.asset_id = _r.asset_id and reference_key(d.evidence) = reference_key(_r.evidence) and d.status = 'success') then
    perform refuse('EVIDENCE_USED', format('evidence %s was credited before', _r.evidence));
  end if;
  _transfer := ledger.deposit('deposit:' || _r.id, _content, _r.customer_id, _r.asset_id, _r.found_amount, _r.fee, _r.id);
  if _transfer is null then perform refuse('REQUEST_CLOSED', format('deposit %s was credited before', _r.id)); end if;
  update deposit_requests set status = 'success', decided_at = clock_timestamp(), transfer_id = _transfer where id = _r.id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status)
  values ('deposit', _r.id, 'credited', 'staff', _staff, 'review', 'success');
  perform notice_add(_r.customer_id, 'deposit.success', jsonb_build_object('id', _r.id::text, 'asset', _r.asset_id,
    'amount', (_r.found_amount - _r.fee)::text, 'claimed', _r.amount::text));
  perform pg_notify('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'deposit.credit', 'deposit:' || _r.id, jsonb_build_object('transfer', _transfer));
end $$;

-- A cashier refuses a deposit (failure), or sets it aside (ignored), with a reason that the customer reads.
create or replace function deposit_refuse(_staff bigint, _id bigint, _status text, _reason text, _text text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  if not staff_may(_staff, 'cashier') then perform refuse('ROLE_MISSING', format('staff %s is no cashier', _staff)); end if;
  if _status not in ('failure', 'ignored') or _reason in ('taken_back', 'lapsed') then
    perform refuse('INVALID_REASON', 'a deposit is not refused like that');
  end if;
  update deposit_requests set status = _status, reason = _reason, reason_text = _text, decided_at = clock_timestamp() where id = _id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, reason, facts)
  values ('deposit', _id, case _status when 'failure' then 'failed' else 'ignored' end, 'staff', _staff, 'review', _status, _reason,
    jsonb_strip_nulls(jsonb_build_object('text', _text)));
  perform notice_add(_r.customer_id, 'deposit.' || _status, jsonb_strip_nulls(jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
    'amount', _r.amount::text, 'reason', _reason, 'text', _text)));
  perform audit_append(_staff, 'deposit.' || _status, 'deposit:' || _id, jsonb_build_object('reason', _reason));
end $$;

-- What is to be approved now, and how far it is; for the office's screens and the audit.
create or replace function deposit_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select deposit_content(r), approvals_needed(deposit_rule(r), r.asset_id, deposit_counted(r)),
    (select count(*) from approvals_of(deposit_rule(r), r.id, deposit_content(r)) a where a.counts)
  from deposit_requests r where r.id = _id and r.revision > 0
$$;
