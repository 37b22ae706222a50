-- Requests: the parts that deposits and withdrawals share. These are their history, the claims of staff and the lapse.
-- request_events is append-only: the transaction of a step writes its event. The history and the requests are never deleted.
-- Staff decide on requests but can't make one, because that needs a customer's session. four_eyes_rules says which roles act and
-- how many people have to approve.
-- Lock order: the request -> its balance -> staff (by approve and the like) -> the audit log, appended last.

create table request_events (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  request_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  step text not null,
  -- `house`: the request lapsed.
  actor text not null check (actor in ('customer', 'staff', 'house')),
  staff_id bigint,
  from_status text,
  to_status text not null,
  reason text,
  facts jsonb not null default '{}',
  -- The session of the customer or of the member of staff; a trigger sets it (office/acting.sql).
  session_id bigint,
  check ((actor = 'staff') = (staff_id is not null)),
  check (case when from_status is null then step = 'submitted' and to_status = 'review'
    else has_step(kind, from_status, step, to_status) end)
);

create index request_events_by_request on request_events (kind, request_id, id);

-- ## Functions

-- Trigger: refuses changes to records that have to stay.
create or replace function requests_keep() returns trigger language plpgsql as $$
begin
  perform refuse('INVALID_REASON', format('rows of %s stay', tg_table_name));
end $$;

create or replace trigger deposit_requests_keep before delete or truncate on deposit_requests execute function requests_keep();

create or replace trigger withdrawal_requests_keep before delete or truncate on withdrawal_requests
  execute function requests_keep();

-- The customer's terms never change. Compared as JSON, because PostgreSQL dumps a comparison of rows in other words.
create or replace trigger deposit_requests_guard before update on deposit_requests for each row when (
  jsonb_build_array(new.id, new.line, new.customer_id, new.key_hash, new.channel_id, new.channel_version, new.asset_id,
    new.amount, new.fee, new.proof_id, new.submitted_at)
  <> jsonb_build_array(old.id, old.line, old.customer_id, old.key_hash, old.channel_id, old.channel_version, old.asset_id,
    old.amount, old.fee, old.proof_id, old.submitted_at)) execute function requests_keep();

create or replace trigger withdrawal_requests_guard before update on withdrawal_requests for each row when (
  jsonb_build_array(new.id, new.customer_id, new.key_hash, new.asset_id, new.amount, new.fee, new.destination_id,
    new.destination_label, new.submitted_at, new.hold_transfer_id)
  <> jsonb_build_array(old.id, old.customer_id, old.key_hash, old.asset_id, old.amount, old.fee, old.destination_id,
    old.destination_label, old.submitted_at, old.hold_transfer_id)) execute function requests_keep();

create or replace trigger request_events_keep before update or delete or truncate on request_events
  execute function requests_keep();

create or replace trigger deposit_channels_keep before update or delete or truncate on deposit_channels
  execute function requests_keep();

create or replace trigger bank_file_payments_keep before update or delete or truncate on bank_file_payments
  execute function requests_keep();

create or replace trigger chain_customers_keep before update or delete or truncate on chain_customers
  execute function requests_keep();
create or replace trigger chain_addresses_keep before update or delete or truncate on chain_addresses
  execute function requests_keep();
create or replace trigger chain_deposits_keep before delete or truncate on chain_deposits execute function requests_keep();

create or replace trigger payouts_keep before delete or truncate on payouts execute function requests_keep();
create or replace trigger payouts_guard before update on payouts for each row when (
  jsonb_build_array(new.id, new.chain, new.address, new.nonce, new.withdrawal_id, new.recipient, new.contract, new.value)
  <> jsonb_build_array(old.id, old.chain, old.address, old.nonce, old.withdrawal_id, old.recipient, old.contract, old.value))
  execute function requests_keep();
create or replace trigger payout_batches_keep before delete or truncate on payout_batches execute function requests_keep();
create or replace trigger payout_batches_guard before update on payout_batches for each row when (
  old.expired_at is not null
  or jsonb_build_array(new.id, new.chain, new.content, new.replaces)
    <> jsonb_build_array(old.id, old.chain, old.content, old.replaces)
  or (old.signed_at is not null
    and jsonb_build_array(new.signed_by, new.signed_at) <> jsonb_build_array(old.signed_by, old.signed_at)))
  execute function requests_keep();
create or replace trigger payout_signatures_keep before update or delete or truncate on payout_signatures
  execute function requests_keep();
create or replace trigger payout_transactions_keep before update or delete or truncate on payout_transactions
  execute function requests_keep();

-- Claims a request for 15 minutes, or renews the claim. Returns the end of the claim.
create or replace function request_claim(_staff bigint, _kind text, _id bigint) returns timestamptz
language plpgsql security definer as $$
declare
  _until timestamptz := clock_timestamp() + interval '15 minutes';
begin
  perform demand_role(_staff, 'cashier', 'approver');
  execute format('select from %I where id = $1 for update', request_table(_kind)) using _id;
  perform demand_claimable(_staff, _kind, _id);
  execute format('update %I set claimed_by = $1, claimed_until = $2 where id = $3', request_table(_kind))
    using _staff, _until, _id;
  perform audit_append(_staff, 'request.claim', _kind || ':' || _id, '{}');
  return _until;
end $$;

create or replace function request_release(_staff bigint, _kind text, _id bigint) returns void
language plpgsql security definer as $$
begin
  execute format('select from %I where id = $1 for update', request_table(_kind)) using _id;
  perform demand_claimable(_staff, _kind, _id);
  execute format('update %I set claimed_by = null, claimed_until = null where id = $1', request_table(_kind)) using _id;
  perform audit_append(_staff, 'request.release', _kind || ':' || _id, '{}');
end $$;

create or replace function request_table(_kind text) returns text language plpgsql immutable as $$
begin
  if _kind in ('deposit', 'withdrawal') then return _kind || '_requests'; end if;
  perform refuse('REQUEST_NOT_FOUND', format('there are no requests of kind %s', _kind));
end $$;

-- Raises unless the request exists, is undecided, is not claimed by another member of staff, is not taken for paying and is not
-- `_staff`'s own as a customer. The caller has locked the request.
create or replace function demand_claimable(_staff bigint, _kind text, _id bigint) returns void language plpgsql as $$
declare
  _status text;
  _by bigint;
  _until timestamptz;
  _customer bigint;
begin
  execute format('select status, claimed_by, claimed_until, customer_id from %I where id = $1', request_table(_kind))
    into _status, _by, _until, _customer using _id;
  if _status is null then perform refuse('REQUEST_NOT_FOUND', format('no %s %s', _kind, _id)); end if;
  if not has_step(_kind, _status) then perform refuse('REQUEST_CLOSED', format('%s %s is decided', _kind, _id)); end if;
  if _status = 'sending' then perform refuse('PAYOUT_TAKEN', format('%s %s is taken for paying', _kind, _id)); end if;
  if _by <> _staff and _until > clock_timestamp() then
    perform refuse('REQUEST_CLAIMED', format('%s %s is in the hands of staff %s', _kind, _id, _by));
  end if;
  perform demand_not_own(_staff, _customer);
end $$;

-- An undecided request lapses this long after its last event: it ends as `ignored`, a withdrawal's held money is available again,
-- and the customer gets a notice. A deposit whose money was found does not lapse. Neither does a withdrawal that was approved
-- once: it may have been paid already, whatever its status is now.
create or replace function request_lapse_time() returns interval immutable language sql as $$ select interval '14 days' $$;

-- Returns the time at which a request lapses if no further event follows; null if it does not lapse.
create or replace function request_lapses_at(_kind text, _id bigint) returns timestamptz
stable language sql security definer as $$
  select max(e.at) + request_lapse_time() from request_events e
  where e.kind = _kind and e.request_id = _id and case _kind
    when 'deposit' then exists (select from deposit_requests d where d.id = _id and d.status = 'review' and d.revision = 0)
    else exists (select from withdrawal_requests w where w.id = _id and w.status = 'review') end
  having bool_and(e.to_status <> 'approved')
$$;

-- Lets one due request lapse and returns it as `kind:id`; null if none is due or another process is at work. Each call ends one
-- request, so a process that stops leaves no partial work and the next call continues.
create or replace function request_lapse_one() returns text language plpgsql security definer as $$
declare
  _deposit deposit_requests;
  _withdrawal withdrawal_requests;
  _before timestamptz := clock_timestamp() - request_lapse_time();
begin
  if not pg_try_advisory_xact_lock(7041) then return null; end if;
  select * into _deposit from deposit_requests
    where status = 'review' and revision = 0 and submitted_at <= _before and coalesce(claimed_until <= clock_timestamp(), true)
    order by id limit 1 for update skip locked;
  if found then
    update deposit_requests set status = 'ignored', reason = 'lapsed', decided_at = clock_timestamp() where id = _deposit.id;
    perform upload_forget(_deposit.proof_id);
    perform request_lapse_tell('deposit', _deposit.id, _deposit.customer_id, _deposit.asset_id, _deposit.amount);
    return 'deposit:' || _deposit.id;
  end if;
  select * into _withdrawal from withdrawal_requests w
    where status = 'review' and submitted_at <= _before and coalesce(claimed_until <= clock_timestamp(), true)
      and request_lapses_at('withdrawal', w.id) <= clock_timestamp()
    order by id limit 1 for update skip locked;
  if not found then return null; end if;
  -- A separate statement has a newer snapshot, so it sees events that committed before the row was locked.
  if (request_lapses_at('withdrawal', _withdrawal.id) <= clock_timestamp()) is not true then return null; end if;
  perform withdrawal_end(_withdrawal, 'ignored', 'lapsed', null);
  perform request_lapse_tell('withdrawal', _withdrawal.id, _withdrawal.customer_id, _withdrawal.asset_id, _withdrawal.amount);
  return 'withdrawal:' || _withdrawal.id;
end $$;

-- Records the lapse: an event, a notice to the customer and an entry of the audit log.
create or replace function request_lapse_tell(_kind text, _id bigint, _customer bigint, _asset smallint, _amount bigint)
returns void language plpgsql as $$
begin
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values (_kind, _id, 'lapsed', 'house', 'review', 'ignored', 'lapsed');
  perform notice_add(_customer, _kind || '.ignored', jsonb_build_object('id', _id::text, 'asset', _asset, 'amount', _amount::text,
    'reason', 'lapsed'));
  perform audit_append(null, _kind || '.lapsed', _kind || ':' || _id, '{}');
end $$;

-- The table is in customers/protection.sql.
create or replace trigger protection_events_keep before update or delete or truncate on protection_events
  execute function requests_keep();
