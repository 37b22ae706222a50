-- Payouts: how an approved withdrawal is paid once. A cashier takes it first (`sending`), and this is committed before any money
-- leaves. It says who took it, when, by which way, and the key under which a payment provider makes one payment, however often it
-- is asked. By `hand`, or by a `file` for the bank (bank-files.sql), that cashier alone pays and enters the reference. By
-- `provider` the provider's answer is booked. By `batch` it is paid on a chain (payout-batches.sql). `sending` never lapses. If
-- its end is unknown (a crash, a timeout, an answer that can't be booked), two people say whether the money went out: the
-- proposal `payout_end`. The columns are those of withdrawal_requests.
-- Lock order: the proposal -> the request -> the balance -> staff -> the audit log, appended last.

-- ## Functions

-- Takes an approved withdrawal for paying by `_way`, and returns the provider's key. All that permits the payment is checked
-- here, because later the money may have left. For a payment that a provider has been asked for, a repeated call returns the same
-- key: the provider may be asked again for the same payment. Raises PAYOUT_TAKEN if somebody else took it.
create or replace function withdrawal_send(_staff bigint, _id bigint, _way text) returns uuid
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_usable(_staff, 'cashier');
  if _r.status = 'sending' and _r.sending_way = 'provider' and _way = 'provider' then
    perform demand_not_own(_staff, _r.customer_id);
    perform audit_append(_staff, 'withdrawal.send_again', 'withdrawal:' || _id, '{}');
    return _r.sending_key;
  end if;
  if _way = 'batch' then perform refuse('INVALID_VALUE', 'batches are prepared'); end if;
  perform demand_sendable(_staff, _r);
  return take_payout(_staff, _staff, _id, _way, '{}');
end $$;

-- Raises unless this withdrawal may be paid now.
create or replace function demand_sendable(_staff bigint, _r withdrawal_requests) returns void language plpgsql as $$
begin
  perform demand_claimable(_staff, 'withdrawal', _r.id);
  if _r.status <> 'approved' then perform refuse('APPROVALS_MISSING', format('withdrawal %s is not approved', _r.id)); end if;
  perform demand_payable(_r);
  perform demand_approvals('withdrawal', _r.id, withdrawal_content(_r), _r.asset_id, withdrawal_counted(_r));
end $$;

-- Takes a withdrawal for paying by `_by`; `_staff` acts. The caller has locked it and checked that it may be paid.
create or replace function take_payout(_staff bigint, _by bigint, _id bigint, _way text, _facts jsonb) returns uuid
language plpgsql as $$
declare
  _r withdrawal_requests;
begin
  update withdrawal_requests set status = 'sending', sending_by = _by, sending_at = clock_timestamp(), sending_way = _way,
    sending_key = gen_random_uuid(), claimed_by = null, claimed_until = null where id = _id returning * into _r;
  _facts := jsonb_build_object('way', _way, 'key', _r.sending_key) || _facts;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'taken', 'staff', _staff, 'approved', 'sending', _facts);
  perform tell('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'withdrawal.send', 'withdrawal:' || _id, _facts);
  return _r.sending_key;
end $$;

-- The cashier who took a withdrawal for paying records that the payment was sent, with its reference.
create or replace function withdrawal_paid(_staff bigint, _id bigint, _reference text) returns void
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_usable(_staff, 'cashier');
  if _r.status = 'sending' and _r.sending_way in ('hand', 'file') and _r.sending_by = _staff then
    perform demand_not_own(_staff, _r.customer_id);
    perform book_payout(_staff, _r, _reference);
    return;
  end if;
  perform demand_claimable(_staff, 'withdrawal', _id);
  if _r.status = 'approved' then perform refuse('PAYOUT_NOT_TAKEN', format('nobody took withdrawal %s for paying', _id)); end if;
  perform refuse('APPROVALS_MISSING', format('withdrawal %s is not approved', _id));
end $$;

-- Books the provider's answer to the payment with this key, for the cashier who asked, and returns the status after the call. An
-- answer that can't be booked is kept as an event, for two people to decide: the reference belongs to another payment, the
-- cashier's session has ended, or two people have said meanwhile that the money did not go out. Keeping it needs no session,
-- because it moves no money: an approved withdrawal is `sending` again, so that nobody pays it a second time. After the end the
-- audit log keeps it.
create or replace function payout_answered(_staff bigint, _id bigint, _key uuid, _reference text) returns text
language plpgsql security definer as $$
declare
  _r withdrawal_requests;
  _taken request_events;
  _refused text;
  _facts jsonb;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  select * into _taken from request_events where kind = 'withdrawal' and request_id = _id and step = 'taken'
    and facts @> jsonb_build_object('way', 'provider', 'key', _key);
  if not found then perform refuse('REQUEST_NOT_FOUND', format('withdrawal %s has no payment %s', _id, _key)); end if;
  if _r.status = 'success' and _r.reference = _reference then return _r.status; end if;
  if _r.status = 'sending' and _r.sending_key = _key then
    begin
      perform demand_usable(_staff, 'cashier');
      perform book_payout(_staff, _r, _reference);
      return 'success';
    exception when sqlstate 'FT000' then
      get stacked diagnostics _refused = constraint_name;
    end;
  end if;
  _facts := jsonb_strip_nulls(jsonb_build_object('key', _key, 'reference', left(_reference, 200), 'refused', _refused));
  perform audit_append(null, 'withdrawal.answered', 'withdrawal:' || _id, _facts);
  if not has_step('withdrawal', _r.status, 'answered') then return _r.status; end if;
  update withdrawal_requests set status = 'sending', approved_at = coalesce(approved_at, clock_timestamp()),
    sending_by = coalesce(sending_by, _taken.staff_id), sending_at = coalesce(sending_at, _taken.at),
    sending_way = coalesce(sending_way, 'provider'), sending_key = coalesce(sending_key, _key), claimed_by = null,
    claimed_until = null
  where id = _id;
  insert into request_events (kind, request_id, step, actor, from_status, to_status, facts)
  values ('withdrawal', _id, 'answered', 'house', _r.status, 'sending', _facts);
  return 'sending';
end $$;

-- The held money leaves the ledger. The caller holds the lock on the request, which is `sending`. Without `_staff` a chain paid
-- it.
create or replace function book_payout(_staff bigint, _r withdrawal_requests, _reference text) returns void language plpgsql as $$
declare
  _transfer bigint;
begin
  perform demand_new_reference(_r, _reference);
  perform ledger.lock_balances(array[_r.customer_id], array[_r.asset_id]);
  _transfer := ledger.pay_out('withdrawal:' || _r.id || ':end', withdrawal_hash(_r.id, 'payout'), _r.customer_id, _r.asset_id,
    _r.amount, _r.fee, _r.id);
  if _transfer is null then perform refuse('REQUEST_CLOSED', format('withdrawal %s was paid before', _r.id)); end if;
  update withdrawal_requests set status = 'success', reference = _reference, decided_at = clock_timestamp(),
    transfer_id = _transfer
  where id = _r.id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _r.id, 'paid', case when _staff is null then 'house' else 'staff' end, _staff, 'sending', 'success',
    jsonb_build_object('reference', _reference));
  perform notice_add(_r.customer_id, 'withdrawal.success', jsonb_build_object('id', _r.id::text, 'asset', _r.asset_id,
    'amount', (_r.amount - _r.fee)::text, 'reference', _reference));
  perform tell('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'withdrawal.paid', 'withdrawal:' || _r.id,
    jsonb_build_object('transfer', _transfer, 'reference', _reference));
end $$;

-- Raises EVIDENCE_UNCLEAR or EVIDENCE_USED unless the reference is one, and of no other withdrawal.
create or replace function demand_new_reference(_r withdrawal_requests, _reference text) returns void language plpgsql as $$
begin
  if coalesce(length(_reference), 0) not between 1 and 200 then
    perform refuse('EVIDENCE_UNCLEAR', 'a reference has 1 to 200 characters');
  end if;
  perform demand_reference(_reference);
  if exists (select from withdrawal_requests w where w.asset_id = _r.asset_id
    and reference_key(w.reference) = reference_key(_reference))
    or exists (select from payout_signatures s join payouts p on p.id = s.payout_id
      where s.txid = lower(_reference) and p.withdrawal_id <> _r.id) then
    perform refuse('EVIDENCE_USED', format('reference %s paid another withdrawal', _reference));
  end if;
end $$;

-- A cashier says what became of a payment whose end is unknown: it went out, with its reference, or it did not. Returns the
-- proposal. A new one replaces an open one, so that its approval does not count.
create or replace function payout_end_propose(_staff bigint, _id bigint, _went_out boolean, _reference text, _note text)
returns bigint language plpgsql security definer as $$
declare
  _r withdrawal_requests;
begin
  select * into _r from withdrawal_requests where id = _id;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no withdrawal %s', _id)); end if;
  perform demand_usable(_staff, 'cashier');
  if _r.status <> 'sending' then perform refuse('PAYOUT_NOT_TAKEN', format('withdrawal %s is not being paid', _id)); end if;
  perform demand_off_chain(_id, _went_out);
  if _went_out then perform demand_new_reference(_r, _reference); end if;
  return (propose(_staff, 'payout_end', _id::text, jsonb_strip_nulls(jsonb_build_object('withdrawal', _id, 'key', _r.sending_key,
    'wentOut', _went_out, 'reference', case when _went_out then _reference end, 'note', _note)),
    jsonb_build_object('wentOut', _went_out), _customer => _r.customer_id, _replaces => true)).id;
end $$;

-- Raises PAYOUT_ON_CHAIN where the chain says what becomes of a withdrawal: while it has a payout that has not failed, unless it
-- is said not to have gone out, and has expired or its key is lost.
create or replace function demand_off_chain(_id bigint, _went_out boolean) returns void language plpgsql as $$
begin
  if exists (select from payouts p where p.withdrawal_id = _id and p.state <> 'failed'
    and (_went_out or not (payout_is_unsigned(p) or payout_is_expired(p)))) then
    perform refuse('PAYOUT_ON_CHAIN', format('the chain says what becomes of withdrawal %s', _id));
  end if;
end $$;

-- Locks the request and its balance. Raises REQUEST_CLOSED if the payment that the proposal is about has ended. Who took the
-- withdrawal does not approve what became of it.
create or replace function check_payout_end(_staff bigint, _p proposals) returns void language plpgsql as $$
declare
  _r withdrawal_requests;
begin
  select * into strict _r from withdrawal_requests where id = _p.subject::bigint for update;
  if _r.status <> 'sending' or _r.sending_key::text <> _p.content ->> 'key' then
    perform refuse('REQUEST_CLOSED', format('the payment of withdrawal %s has ended', _r.id));
  end if;
  if exists (select from staff a join staff b using (person) where a.id = _staff and b.id = _r.sending_by) then
    perform refuse('OWN_EDIT', format('staff %s took withdrawal %s', _staff, _r.id));
  end if;
  perform from payouts p where p.withdrawal_id = _r.id for update;
  perform demand_off_chain(_r.id, (_p.content ->> 'wentOut')::boolean);
  perform ledger.lock_balances(array[_r.customer_id], array[_r.asset_id]);
end $$;

-- Books the payment, or makes the withdrawal one to be paid again, under another key.
create or replace function carry_out_payout_end(_staff bigint, _p proposals) returns jsonb language plpgsql as $$
declare
  _r withdrawal_requests;
begin
  select * into strict _r from withdrawal_requests where id = _p.subject::bigint;
  if (_p.content ->> 'wentOut')::boolean then
    perform book_payout(_staff, _r, _p.content ->> 'reference');
  else
    update payouts p set state = 'failed', reason = case when payout_is_expired(p) then 'expired' else 'unsigned' end,
      changed_at = clock_timestamp()
    where p.withdrawal_id = _r.id and p.state <> 'failed';
    update withdrawal_requests set status = 'approved', sending_by = null, sending_at = null, sending_way = null,
      sending_key = null
    where id = _r.id;
    insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
    values ('withdrawal', _r.id, 'not_sent', 'staff', _staff, 'sending', 'approved',
      jsonb_build_object('text', _p.content ->> 'note'));
    perform tell('orders', _r.customer_id || ':0');
  end if;
  return jsonb_build_object('wentOut', _p.content -> 'wentOut');
end $$;
