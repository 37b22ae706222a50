-- Deposits: money that a customer reports as sent, with proof. It is credited when staff have found it
-- (lifecycle: packages/protocol/src/lifecycles.ts).
-- The server only reads the table. Submitting and cancelling need the customer's session; staff record the payment that they
-- found, approve it or refuse the deposit (four_eyes_rules, `deposit` and `deposit_differing`).
-- The customer's terms never change (requests.sql), and each payment is credited once. Amounts are in smallest units.
-- Lock order: the customer (deposit_submit) or the request -> the balance -> the sums of the finder (lock_sums) -> staff -> the
-- audit log, appended last.

create table deposit_requests (
  id bigint generated always as identity (start with 1000) primary key,
  -- The place of the request among the lines of the fund log while it has no posting.
  line bigint not null unique default ledger.next_line(),
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  channel_id bigint not null,
  channel_version int not null,
  asset_id smallint not null references ledger.assets,
  -- The amount that the customer reports as paid, and the fee: the lowest of the last 24 hours (channel_best).
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  -- Null for a payment that the watcher of its chain saw (chains.sql): it is credited at once, and staff have no part in it.
  proof_id bigint unique,
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (lifecycles() -> 'deposit' ? status),
  -- The amount that staff found, the reference of the payment, the last person to record them, and the number of recordings.
  found_amount bigint check (found_amount > 0),
  evidence text check (length(evidence) between 1 and 200),
  edited_by bigint,
  revision int not null default 0,
  -- A name of reasons.ts, and an additional text for the customer.
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  decided_at timestamptz,
  transfer_id bigint,
  -- The member of staff who works on the request, and the end of this claim.
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  foreign key (channel_id, channel_version) references deposit_channels (id, version),
  check ((status = 'review') = (decided_at is null)),
  check ((status = 'success') = (transfer_id is not null)),
  check (status <> 'success' or (found_amount > fee and evidence is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (proof_id is not null or (status = 'success' and revision = 0)),
  check (proof_id is null or num_nulls(found_amount, evidence, edited_by) = case revision when 0 then 3 else 0 end),
  check ((claimed_by is null) = (claimed_until is null))
);

create index deposit_requests_by_customer on deposit_requests (customer_id, id);
create index deposit_requests_in_review on deposit_requests (id) where status = 'review';

-- Each payment is credited at most once.
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';
create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';
create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';

-- The creditor references of bank transfers (creditor_reference). A customer has one for the next deposit by each bank channel.
-- The deposit that is submitted takes it, and the next one has another, so that a payment is found by its deposit.
create table deposit_references (
  number bigint generated always as identity (start with 10000000 maxvalue 99999999) primary key,
  customer_id bigint not null references customers,
  channel_id bigint not null,
  -- Null: no deposit has been submitted.
  request_id bigint unique references deposit_requests
);

create unique index deposit_references_next on deposit_references (customer_id, channel_id) where request_id is null;

-- ## Functions

-- Returns the creditor reference of a customer's next deposit by a bank channel.
create or replace function deposit_reference(_customer bigint, _channel bigint) returns text
language plpgsql security definer as $$
declare
  _number bigint;
begin
  -- Most calls find it: an insert that does nothing would use up a number.
  select number into _number from deposit_references
  where customer_id = _customer and channel_id = _channel and request_id is null;
  if not found then
    insert into deposit_references (customer_id, channel_id)
    select _customer, c.id from current_channels() c where c.id = _channel and c.is_enabled and c.bank is not null
    on conflict (customer_id, channel_id) where request_id is null do nothing;
    select number into _number from deposit_references
    where customer_id = _customer and channel_id = _channel and request_id is null;
  end if;
  return creditor_reference(_number);
end $$;

create or replace trigger deposit_requests_lifecycle before update on deposit_requests
  for each row execute function keep_lifecycle('deposit', 'status');

-- Submits a deposit for review; `_proof` is an upload of the customer. No money moves, because a proof alone credits nothing.
-- Needs a fresh session. `refused` is the name of the refusal, or null.
create or replace function deposit_submit(
  _token_hash bytea, _key_hash bytea, _channel bigint, _amount bigint, _proof bigint, out request_id bigint, out refused text
) language plpgsql security definer as $$
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
  -- A customer has at most 20 deposits under review. The lock of the customer makes concurrent submissions wait for each other;
  -- the lock of the balance makes them wait for changes of the customer's limits.
  perform from customers where id = _customer for no key update;
  perform ledger.lock_balances(array[_customer], array[_terms.asset_id]);
  if (select count(*) from deposit_requests where customer_id = _customer and status = 'review') >= 20 then
    refused := 'TOO_MANY_PENDING';
    return;
  end if;
  if not exists (
    select from uploads u where u.id = _proof and u.customer_id = _customer and u.purpose = 'proof' and u.file is not null
  ) then
    perform refuse('INVALID_UPLOAD', format('upload %s is no proof of customer %s', _proof, _customer));
  end if;
  insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
  values (_customer, _key_hash, _terms.id, _terms.version, _terms.asset_id, _amount, _terms.fee, _proof)
  returning id into request_id;
  update deposit_references d set request_id = deposit_submit.request_id
  where d.customer_id = _customer and d.channel_id = _channel and d.request_id is null;
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('deposit', request_id, 'submitted', 'customer', 'review');
end $$;

create or replace function deposit_cancel(_token_hash bytea, _id bigint, out refused text) language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _request deposit_requests;
begin
  select * into _request from deposit_requests where id = _id and customer_id = _customer for update;
  if not found then refused := 'REQUEST_NOT_FOUND'; return; end if;
  -- A repeated cancellation succeeds.
  if _request.reason = 'taken_back' then return; end if;
  if _request.status <> 'review' then refused := 'REQUEST_DECIDED'; return; end if;
  update deposit_requests set status = 'ignored', reason = 'taken_back', decided_at = clock_timestamp() where id = _id;
  -- The proof stays if staff have found a payment by it.
  if _request.revision = 0 then perform upload_forget(_request.proof_id); end if;
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values ('deposit', _id, 'cancelled', 'customer', 'review', 'ignored', 'taken_back');
end $$;

-- The hash that approvals of a deposit refer to.
create or replace function deposit_content(_r deposit_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('deposit', _r.id, 'customer', _r.customer_id, 'asset', _r.asset_id,
    'claimed', _r.amount, 'found', _r.found_amount, 'fee', _r.fee, 'channel', _r.channel_id, 'version', _r.channel_version,
    'proof', _r.proof_id, 'evidence', _r.evidence, 'revision', _r.revision)::text, 'UTF8'))
$$;

-- The rule of four eyes that applies. It is stricter if the found amount differs from the reported one.
create or replace function deposit_rule(_r deposit_requests) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case when _r.found_amount = _r.amount then 'deposit' else 'deposit_differing' end
$$;

-- A cashier records the amount that was found and its evidence. The deposit is credited at once if its amount and the sums of the
-- last 24 hours need no approval; otherwise it waits for approvals. Returns the status after the call.
create or replace function deposit_find(_staff bigint, _id bigint, _found bigint, _evidence text) returns text
language plpgsql security definer as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  perform lock_sums(_r.customer_id, _r.asset_id, _staff);
  perform demand_reference(_evidence);
  update deposit_requests set found_amount = _found, evidence = _evidence, edited_by = _staff, revision = revision + 1,
    claimed_by = null, claimed_until = null where id = _id returning * into _r;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('deposit', _id, 'found', 'staff', _staff, 'review', 'review',
    jsonb_build_object('found', _found::text, 'claimed', _r.amount::text, 'evidence', _evidence, 'revision', _r.revision));
  -- Recorded for both rules, so that a person who recorded an amount can't approve this deposit later under the other rule.
  perform record_edit(_staff, 'deposit', _id, deposit_content(_r));
  perform record_edit(_staff, 'deposit_differing', _id, deposit_content(_r));
  perform audit_append(_staff, 'deposit.find', 'deposit:' || _id,
    jsonb_build_object('asset', _r.asset_id, 'found', _found::text, 'claimed', _r.amount::text, 'evidence', _evidence));
  if approvals_needed(deposit_rule(_r), _r.asset_id, deposit_counted(_r)) = 0 then
    perform deposit_credit(_staff, _r);
  end if;
  return (select status from deposit_requests where id = _id);
end $$;

-- Approves exactly this content. The last approval that is needed credits the deposit. Returns the status after the call.
create or replace function deposit_approve(_staff bigint, _id bigint, _content bytea) returns text
language plpgsql security definer as $$
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

-- Credits the found amount less the fee. Only deposit_find and deposit_approve call it; they hold the lock on the row.
create or replace function deposit_credit(_staff bigint, _r deposit_requests) returns void language plpgsql as $$
declare
  _content bytea := deposit_content(_r);
  _transfer bigint;
begin
  perform demand_approvals(deposit_rule(_r), _r.id, _content, _r.asset_id, deposit_counted(_r));
  if _r.found_amount <= _r.fee then perform refuse('INVALID_AMOUNT', format('deposit %s would bring nothing', _r.id)); end if;
  -- The deposit waits, because an account that can't be verified could not withdraw it.
  if exists (select from protected_customers p join customers c on c.id = p.customer_id
      where p.customer_id = _r.customer_id and p.document_until > clock_timestamp() and c.real_status <> 'verified') then
    perform refuse('CUSTOMER_EXCLUDED', format('deposit %s is of a self-excluded person', _r.id));
  end if;
  if exists (select from deposit_requests d where d.asset_id = _r.asset_id
    and reference_key(d.evidence) = reference_key(_r.evidence) and d.status = 'success') then
    perform refuse('EVIDENCE_USED', format('evidence %s was credited before', _r.evidence));
  end if;
  -- The watcher of the chain credits it, or has.
  if exists (select from chain_deposits d where d.asset_id = _r.asset_id and d.state <> 'unmatched'
    and lower(right(d.txid, 64)) = any (array(select substr(key, at, 64)
      from reference_key(_r.evidence) key, generate_series(1, length(key) - 63) at))) then
    perform refuse('EVIDENCE_USED', format('evidence %s is a payment that its chain’s watcher saw', _r.evidence));
  end if;
  _transfer := ledger.deposit('deposit:' || _r.id, _content, _r.customer_id, _r.asset_id, _r.found_amount, _r.fee, _r.id);
  if _transfer is null then perform refuse('REQUEST_CLOSED', format('deposit %s was credited before', _r.id)); end if;
  update deposit_requests set status = 'success', decided_at = clock_timestamp(), transfer_id = _transfer where id = _r.id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status)
  values ('deposit', _r.id, 'credited', 'staff', _staff, 'review', 'success');
  perform notice_add(_r.customer_id, 'deposit.success', jsonb_build_object('id', _r.id::text, 'asset', _r.asset_id,
    'amount', (_r.found_amount - _r.fee)::text, 'claimed', _r.amount::text));
  perform tell('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'deposit.credit', 'deposit:' || _r.id, jsonb_build_object('transfer', _transfer));
end $$;

-- A cashier ends a deposit as `failure` or `ignored`, with a reason that the customer reads. Staff can't give the reasons of
-- cancellation (`taken_back`) and of lapse (`lapsed`).
create or replace function deposit_refuse(_staff bigint, _id bigint, _status text, _reason text, _text text) returns void
language plpgsql security definer as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  perform demand_role(_staff, 'cashier');
  if _status not in ('failure', 'ignored') or _reason in ('taken_back', 'lapsed') then
    perform refuse('INVALID_REASON', 'a deposit is not refused like that');
  end if;
  update deposit_requests set status = _status, reason = _reason, reason_text = _text, decided_at = clock_timestamp()
  where id = _id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, reason, facts)
  values ('deposit', _id, case _status when 'failure' then 'failed' else 'ignored' end, 'staff', _staff, 'review', _status,
    _reason, jsonb_strip_nulls(jsonb_build_object('text', _text)));
  perform notice_add(_r.customer_id, 'deposit.' || _status,
    jsonb_strip_nulls(jsonb_build_object('id', _id::text, 'asset', _r.asset_id, 'amount', _r.amount::text, 'reason', _reason,
    'text', _text)));
  perform audit_append(_staff, 'deposit.' || _status, 'deposit:' || _id, jsonb_build_object('reason', _reason));
end $$;

-- Returns the content to be approved, the number of approvals needed and the number given, for the office and the audit. All are
-- null until an amount is recorded.
create or replace function deposit_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer as $$
  select deposit_content(r), approvals_needed(deposit_rule(r), r.asset_id, deposit_counted(r)),
    (select count(*) from approvals_of(deposit_rule(r), r.id, deposit_content(r)) a where a.counts)
  from deposit_requests r where r.id = _id and r.revision > 0
$$;
