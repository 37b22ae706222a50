-- Withdrawals: requests to be paid out. The money is held until it is paid or released (lifecycle:
-- packages/protocol/src/lifecycles.ts). The server only reads the table. Submitting and cancelling need the customer's session;
-- staff propose, approve, take for paying, pay or refuse. How a payment is sent once: payouts.sql.
-- An approval covers exactly one content (withdrawal_content). The customer's terms never change (requests.sql).
-- Amounts are in smallest units.
-- Lock order: the request -> the balance -> the sums of the proposer (lock_sums) -> staff -> the audit log, appended last.

create table withdrawal_requests (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  asset_id smallint not null references ledger.assets,
  -- The amount that leaves the balance. The fee is part of it, so amount - fee arrives.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee < amount),
  -- A row of the view `destinations`. Its content never changes: an edited card or address is a new row.
  destination_id bigint not null,
  -- The destination as the customer reads it: the last digits of a card, or the ends of an address.
  destination_label text not null check (length(destination_label) between 1 and 80),
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (lifecycles() -> 'withdrawal' ? status),
  -- The cashier's instructions for the payment (part of the approved content), the last proposer and the number of proposals.
  instructions text check (length(instructions) <= 500),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  -- The bank's or chain's reference of the payment.
  reference text check (length(reference) between 1 and 200),
  approved_at timestamptz,
  -- The cashier who took it for paying or prepared its batch, the time, the way and the key under which a provider pays once.
  -- Null: nobody has it.
  sending_by bigint,
  sending_at timestamptz,
  sending_way text check (sending_way in ('hand', 'provider', 'file', 'batch')),
  sending_key uuid,
  decided_at timestamptz,
  hold_transfer_id bigint not null,
  -- The transfer of the payout or of the release.
  transfer_id bigint,
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  check ((status in ('review', 'approved', 'sending')) = (decided_at is null)),
  check (num_nulls(sending_by, sending_at, sending_way, sending_key)
    = case when status in ('sending', 'success') then 0 else 4 end),
  check ((decided_at is null) = (transfer_id is null)),
  check (case when status = 'review' then approved_at is null when status in ('approved', 'sending', 'success') then
    approved_at is not null else true end),
  check ((status = 'success') = (reference is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (num_nulls(instructions, edited_by) = case revision when 0 then 2 else 0 end),
  check (status not in ('approved', 'sending', 'success') or revision > 0),
  check ((claimed_by is null) = (claimed_until is null))
);

create index withdrawal_requests_by_customer on withdrawal_requests (customer_id, id);
create index withdrawal_requests_open on withdrawal_requests (id) where decided_at is null;
create index withdrawal_requests_by_destination on withdrawal_requests (destination_id);
create unique index withdrawal_requests_by_reference on withdrawal_requests (asset_id, reference_key(reference))
  where status = 'success';
create index withdrawal_requests_approved_to on withdrawal_requests (customer_id, approved_at)
  where status in ('approved', 'sending', 'success');
create index withdrawal_requests_approved_by on withdrawal_requests (edited_by, approved_at)
  where status in ('approved', 'sending', 'success');

-- ## Functions

create or replace trigger withdrawal_requests_lifecycle before update on withdrawal_requests
  for each row execute function keep_lifecycle('withdrawal', 'status');

-- Submits a withdrawal and holds its money at once. The session must be proved. The caller has checked the withdrawal
-- password and passes its version. `_seen_fee` is the fee that the customer saw (null: unknown). If the fee differs, the
-- withdrawal is refused (TERMS_CHANGED). `refused` is the name of the refusal, or null.
create or replace function withdrawal_submit(
  _token_hash bytea, _key_hash bytea, _destination bigint, _label text, _asset smallint, _amount bigint, _word_version int,
  _seen_fee bigint default null, out request_id bigint, out refused text ) language plpgsql security definer as $$
declare
  _customer bigint := session_proved(_token_hash);
  _terms withdrawal_terms;
  _code text := (select code from ledger.assets where id = _asset);
  _level text;
  _hold bigint;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  select * into _terms from withdrawal_terms where asset_id = _asset;
  if not found then refused := 'ASSET_NOT_ACCEPTED'; return; end if;
  if _seen_fee <> _terms.fee then refused := 'TERMS_CHANGED'; return; end if;
  -- The lock makes a concurrent change of the withdrawal password wait. A change that came first leaves no row of this version.
  perform from withdrawal_passwords where customer_id = _customer and version = _word_version for share;
  if not found then refused := 'PAY_WORD_NOT_SET'; return; end if;
  select level into _level from customers where id = _customer and real_status = 'verified';
  if not found then refused := 'NAME_NOT_VERIFIED'; return; end if;
  if exists (
    select from house_settings s, customers c where s.withdrawals_need_factor and c.id = _customer and not c.has_second_factor
  ) then
    refused := 'FACTOR_NEEDED';
    return;
  end if;
  if not exists (
    select from destinations d
    where d.id = _destination and d.customer_id = _customer and d.asset = _code and d.removed_at is null
  ) then
    refused := 'DESTINATION_NOT_FOUND';
    return;
  end if;
  if _amount < _terms.min then refused := 'WITHDRAWAL_TOO_SMALL'; return; end if;
  if _amount > withdrawal_max(_terms, _level) then refused := 'WITHDRAWAL_TOO_LARGE'; return; end if;
  -- A freeze locks the balances, too.
  if (select available from ledger.lock_balances(array[_customer], array[_asset])) < _amount then
    refused := 'INSUFFICIENT_BALANCE';
    return;
  end if;
  if (select available from ledger.balances where owner_id = _customer and asset_id = _asset)
      - chain_unsettled(_customer, _asset) < _amount then
    refused := 'DEPOSIT_NOT_FINAL';
    return;
  end if;
  if frozen_until(_customer, 'withdrawals') is not null then refused := 'WITHDRAWALS_FROZEN'; return; end if;
  request_id := nextval(pg_get_serial_sequence('withdrawal_requests', 'id'));
  _hold := ledger.hold('withdrawal:' || request_id, withdrawal_hash(request_id, 'hold'), _customer, _asset, _amount, request_id);
  insert into withdrawal_requests (id, customer_id, key_hash, asset_id, amount, fee, destination_id, destination_label,
    hold_transfer_id)
  overriding system value values (request_id, _customer, _key_hash, _asset, _amount, _terms.fee, _destination, _label, _hold);
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('withdrawal', request_id, 'submitted', 'customer', 'review');
  perform tell('orders', _customer || ':0');
end $$;

-- The largest withdrawal of a customer level: twice the maximum for gold, no bound (null) for platinum.
create or replace function withdrawal_max(_terms withdrawal_terms, _level text) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _level when 'platinum' then null when 'gold' then _terms.max * 2 else _terms.max end;
$$;

-- The input hash of a withdrawal's transfer. Payout and release have the same key and different hashes, so that the ledger
-- accepts only one of them.
create or replace function withdrawal_hash(_id bigint, _step text) returns bytea
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select sha256(convert_to('withdrawal ' || _id || ' ' || _step, 'UTF8'));
$$;

-- The customer cancels a withdrawal under review, and the held money is available again. A repeated cancellation succeeds.
create or replace function withdrawal_cancel(_token_hash bytea, _id bigint, out refused text)
language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _request withdrawal_requests;
begin
  select * into _request from withdrawal_requests where id = _id and customer_id = _customer for update;
  if not found then refused := 'REQUEST_NOT_FOUND'; return; end if;
  if _request.reason = 'taken_back' then return; end if;
  if not has_step('withdrawal', _request.status, 'cancelled') then refused := 'REQUEST_DECIDED'; return; end if;
  perform withdrawal_end(_request, 'ignored', 'taken_back', null);
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values ('withdrawal', _id, 'cancelled', 'customer', 'review', 'ignored', 'taken_back');
end $$;

-- Ends a withdrawal without a payout and releases the held money. The caller has checked that this step is allowed and holds the
-- lock on the row.
create or replace function withdrawal_end(_request withdrawal_requests, _status text, _reason text, _text text) returns void
language plpgsql as $$
declare
  _back bigint := ledger.release('withdrawal:' || _request.id || ':end', withdrawal_hash(_request.id, 'release'),
    _request.customer_id, _request.asset_id, _request.amount, _request.id);
begin
  if _back is null then perform refuse('INVALID_REASON', format('withdrawal %s has ended before', _request.id)); end if;
  update withdrawal_requests set status = _status, reason = _reason, reason_text = _text, decided_at = clock_timestamp(),
    transfer_id = _back where id = _request.id;
  perform tell('orders', _request.customer_id || ':0');
end $$;

-- The hash that approvals of a withdrawal refer to.
create or replace function withdrawal_content(_r withdrawal_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('withdrawal', _r.id, 'customer', _r.customer_id, 'asset', _r.asset_id,
    'amount', _r.amount, 'fee', _r.fee, 'destination', _r.destination_id, 'instructions', _r.instructions,
    'revision', _r.revision)::text, 'UTF8'))
$$;

-- Raises unless the customer may be paid at this destination. HOLD_LASTS: a credential or the destination changed recently.
-- DESTINATION_GONE: the destination was removed. CUSTOMER_UNVERIFIED: the name is not verified. CUSTOMER_FROZEN: staff have
-- closed the customer's withdrawals. CUSTOMER_OWES: a chain dropped a deposit whose money is spent.
-- SCREENING_OPEN and SCREENING_DUE: customers/screening.sql.
create or replace function demand_payable(_r withdrawal_requests) returns void language plpgsql as $$
declare
  _until timestamptz := hold_until(_r.customer_id, _r.destination_id);
begin
  if _until is null then perform refuse('DESTINATION_GONE', format('the destination of withdrawal %s is gone', _r.id)); end if;
  if _until > now() then perform refuse('HOLD_LASTS', format('withdrawal %s is held until %s', _r.id, _until)); end if;
  if not exists (select from customers where id = _r.customer_id and real_status = 'verified') then
    perform refuse('CUSTOMER_UNVERIFIED', format('the customer of withdrawal %s is not verified', _r.id));
  end if;
  if frozen_until(_r.customer_id, 'withdrawals') is not null then
    perform refuse('CUSTOMER_FROZEN', format('withdrawals of the customer of withdrawal %s are frozen', _r.id));
  end if;
  if exists (select from chain_customers c join chain_addresses a using (number)
      join chain_deposits d on d.chain = a.chain and d.address = a.address
      where c.customer_id = _r.customer_id and d.state = 'reverted' and d.request_id is not null and d.taken < d.amount) then
    perform refuse('CUSTOMER_OWES', format('the customer of withdrawal %s owes a deposit that was taken back', _r.id));
  end if;
  perform demand_screened(_r.customer_id, _r.destination_id, null);
end $$;

-- Whether this member of staff has opened the request's destination since it was submitted. A destination's row never changes its
-- content, so one view shows what will be paid to.
create or replace function destination_seen(_staff bigint, _r withdrawal_requests) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select exists (select from personal_data_views v where v.customer_id = _r.customer_id and v.staff_id = _staff
    and v.what in ('bank_card', 'address') and v.subject_id = _r.destination_id and v.at >= _r.submitted_at)
$$;

-- A cashier proposes to pay a withdrawal. The claim ends, because others act next. A new proposal changes the content, so that
-- earlier approvals do not count, and takes an approved withdrawal back under review. Returns the content to be approved.
create or replace function withdrawal_propose(_staff bigint, _id bigint, _instructions text) returns bytea
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
  _before text;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_staff, 'withdrawal', _id);
  _before := _r.status;
  update withdrawal_requests set status = 'review', approved_at = null, instructions = _instructions, edited_by = _staff,
    revision = revision + 1, claimed_by = null, claimed_until = null where id = _id returning * into _r;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'proposed', 'staff', _staff, _before, 'review',
    jsonb_build_object('instructions', _instructions, 'revision', _r.revision));
  perform record_edit(_staff, 'withdrawal', _id, withdrawal_content(_r));
  perform audit_append(_staff, 'withdrawal.propose', 'withdrawal:' || _id, jsonb_build_object('revision', _r.revision));
  return withdrawal_content(_r);
end $$;

-- Approves exactly this content. Raises REVIEW_UNSEEN unless the approver has opened the destination. After the last approval
-- that is needed, the withdrawal may be paid. Returns the status after the call.
create or replace function withdrawal_approve(_staff bigint, _id bigint, _content bytea) returns text
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
  _is_last boolean;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_r.claimed_by, 'withdrawal', _id);
  if _r.revision = 0 then perform refuse('NOTHING_PROPOSED', format('nothing is proposed for withdrawal %s', _id)); end if;
  if withdrawal_content(_r) <> _content then perform refuse('CONTENT_CHANGED', format('withdrawal %s has changed', _id)); end if;
  if _r.status = 'approved' then perform refuse('REQUEST_CLOSED', format('withdrawal %s is approved', _id)); end if;
  perform demand_payable(_r);
  perform lock_sums(_r.customer_id, _r.asset_id, _r.edited_by);
  perform approve(_staff, 'withdrawal', _id, _content);
  if not destination_seen(_staff, _r) then
    perform refuse('REVIEW_UNSEEN', format('staff %s has not opened the destination of withdrawal %s', _staff, _id));
  end if;
  _is_last := (select count(*) from approvals_of('withdrawal', _id, _content) a where a.counts)
    >= approvals_needed('withdrawal', _r.asset_id, withdrawal_counted(_r));
  if _is_last then
    perform demand_approvals('withdrawal', _id, _content, _r.asset_id, withdrawal_counted(_r));
    update withdrawal_requests set status = 'approved', approved_at = clock_timestamp() where id = _id;
    perform notice_add(_r.customer_id, 'withdrawal.approved', jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
      'amount', _r.amount::text));
  end if;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'approved', 'staff', _staff, 'review', case when _is_last then 'approved' else 'review' end,
    jsonb_build_object('revision', _r.revision));
  return case when _is_last then 'approved' else 'review' end;
end $$;

-- A cashier refuses a withdrawal that nobody has taken for paying. The held money is available again.
create or replace function withdrawal_refuse(_staff bigint, _id bigint, _reason text, _text text) returns void
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_staff, 'withdrawal', _id);
  perform demand_role(_staff, 'cashier');
  if _reason in ('taken_back', 'lapsed') then perform refuse('INVALID_REASON', 'no staff takes it back'); end if;
  perform withdrawal_end(_r, 'failure', _reason, _text);
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, reason, facts)
  values ('withdrawal', _id, 'failed', 'staff', _staff, _r.status, 'failure', _reason,
    jsonb_strip_nulls(jsonb_build_object('text', _text)));
  perform notice_add(_r.customer_id, 'withdrawal.failure',
    jsonb_strip_nulls(jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
    'amount', _r.amount::text, 'reason', _reason, 'text', _text)));
  perform audit_append(_staff, 'withdrawal.failure', 'withdrawal:' || _id, jsonb_build_object('reason', _reason));
end $$;

-- Returns the content to be approved, the number of approvals needed and the number given, for the office and the audit. All are
-- null until a payment is proposed.
create or replace function withdrawal_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer as $$
  select withdrawal_content(r), approvals_needed('withdrawal', r.asset_id, withdrawal_counted(r)),
    (select count(*) from approvals_of('withdrawal', r.id, withdrawal_content(r)) a where a.counts)
  from withdrawal_requests r where r.id = _id and r.revision > 0
$$;
