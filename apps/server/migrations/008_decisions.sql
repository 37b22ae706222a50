-- What staff decide on deposits and withdrawals, and corrections.
--
-- None of these functions makes a request: that takes a customer's session (007). Who may do what and how many have to
-- agree stands in four_eyes_rules (005). Each function locks the request, then its balance, then (by approve and the like)
-- staff, and appends to the audit log last. Refusals beside those of 005:
--   FT120 no such request            FT123 not what is shown: the content has changed    FT126 the destination is gone
--   FT121 decided already            FT124 nothing is proposed yet                       FT127 that evidence or reference stands elsewhere
--   FT122 somebody else has it       FT125 the hold has not passed                       FT128 the customer may not be paid

-- Takes a case up, or again; the claim lapses by itself.
create function request_claim(_staff bigint, _kind text, _id bigint) returns timestamptz
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _until timestamptz := clock_timestamp() + interval '15 minutes';
begin
  if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
    raise exception 'staff % decides no requests', _staff using errcode = 'FT101';
  end if;
  execute format('select from %I where id = $1 for update', request_table(_kind)) using _id;
  perform demand_claimable(_staff, _kind, _id);
  execute format('update %I set claimed_by = $1, claimed_until = $2 where id = $3', request_table(_kind)) using _staff, _until, _id;
  perform audit_append(_staff, 'request.claim', _kind || ':' || _id, '{}');
  return _until;
end $$;

create function request_release(_staff bigint, _kind text, _id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('select from %I where id = $1 for update', request_table(_kind)) using _id;
  perform demand_claimable(_staff, _kind, _id);
  execute format('update %I set claimed_by = null, claimed_until = null where id = $1', request_table(_kind)) using _id;
  perform audit_append(_staff, 'request.release', _kind || ':' || _id, '{}');
end $$;

create function request_table(_kind text) returns text
language plpgsql immutable set search_path = public, pg_temp as $$
begin
  if _kind in ('deposit', 'withdrawal') then return _kind || '_requests'; end if;
  raise exception 'there are no requests of kind %', _kind using errcode = 'FT120';
end $$;

-- Raises unless the request is there, undecided, in nobody else's hands, and not one's own. The caller has locked it.
create function demand_claimable(_staff bigint, _kind text, _id bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _status text;
  _by bigint;
  _until timestamptz;
  _customer bigint;
begin
  execute format('select status, claimed_by, claimed_until, customer_id from %I where id = $1', request_table(_kind))
    into _status, _by, _until, _customer using _id;
  if _status is null then raise exception 'no % %', _kind, _id using errcode = 'FT120'; end if;
  if _status not in ('review', 'approved') then raise exception '% % is decided', _kind, _id using errcode = 'FT121'; end if;
  if _by <> _staff and _until > clock_timestamp() then
    raise exception '% % is in the hands of staff %', _kind, _id, _by using errcode = 'FT122';
  end if;
  perform demand_not_own(_staff, _customer);
end $$;

-- Exactly what is approved of a deposit, and by which rule: one that differs from its claim has a stricter one.
create function deposit_content(_r deposit_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('deposit', _r.id, 'customer', _r.customer_id, 'asset', _r.asset_id, 'claimed', _r.amount,
    'found', _r.found_amount, 'fee', _r.fee, 'channel', _r.channel_id, 'version', _r.channel_version, 'proof', _r.proof_id,
    'evidence', _r.evidence, 'revision', _r.revision)::text, 'UTF8'))
$$;
create function deposit_rule(_r deposit_requests) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case when _r.found_amount = _r.amount then 'deposit' else 'deposit_differing' end
$$;

-- A cashier has found what came in. Where one person is enough it is credited at once; else it waits for approval.
-- Returns the request's status.
create function deposit_find(_staff bigint, _id bigint, _found bigint, _evidence text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  perform ledger.lock_balances(array[_r.customer_id], array[_r.asset_id]);
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
  if approvals_needed(deposit_rule(_r), _r.asset_id, greatest(_found, _r.amount)) = 0 then
    perform deposit_credit(_staff, _r);
  end if;
  return (select status from deposit_requests where id = _id);
end $$;

-- An approver agrees to exactly what was found. With the last approval that is needed it is credited.
create function deposit_approve(_staff bigint, _id bigint, _content bytea) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_r.claimed_by, 'deposit', _id);
  if _r.revision = 0 then raise exception 'nothing is proposed for deposit %', _id using errcode = 'FT124'; end if;
  if deposit_content(_r) <> _content then raise exception 'deposit % has changed', _id using errcode = 'FT123'; end if;
  perform ledger.lock_balances(array[_r.customer_id], array[_r.asset_id]);
  perform approve(_staff, deposit_rule(_r), _id, _content);
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('deposit', _id, 'approved', 'staff', _staff, 'review', 'review', jsonb_build_object('revision', _r.revision));
  if (select count(*) from approvals_of(deposit_rule(_r), _id, _content) a where a.counts)
    >= approvals_needed(deposit_rule(_r), _r.asset_id, greatest(_r.found_amount, _r.amount)) then
    perform deposit_credit(_staff, _r);
  end if;
  return (select status from deposit_requests where id = _id);
end $$;

-- Credits what was found. For the two functions above, which hold the row: nothing else reaches it.
create function deposit_credit(_staff bigint, _r deposit_requests) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _content bytea := deposit_content(_r);
  _transfer bigint;
begin
  perform demand_approvals(deposit_rule(_r), _r.id, _content, _r.asset_id, greatest(_r.found_amount, _r.amount));
  if _r.found_amount <= _r.fee then raise exception 'deposit % would bring nothing', _r.id using errcode = 'FT005'; end if;
  if exists (select from deposit_requests d where d.asset_id = _r.asset_id and reference_key(d.evidence) = reference_key(_r.evidence) and d.status = 'success') then
    raise exception 'evidence % was credited before', _r.evidence using errcode = 'FT127';
  end if;
  _transfer := ledger.deposit('deposit:' || _r.id, _content, _r.customer_id, _r.asset_id, _r.found_amount, _r.fee, _r.id);
  if _transfer is null then raise exception 'deposit % was credited before', _r.id using errcode = 'FT121'; end if;
  update deposit_requests set status = 'success', decided_at = clock_timestamp(), transfer_id = _transfer where id = _r.id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status)
  values ('deposit', _r.id, 'credited', 'staff', _staff, 'review', 'success');
  perform notice_add(_r.customer_id, 'deposit.success', jsonb_build_object('id', _r.id::text, 'asset', _r.asset_id,
    'amount', (_r.found_amount - _r.fee)::text, 'claimed', _r.amount::text));
  perform pg_notify('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'deposit.credit', 'deposit:' || _r.id, jsonb_build_object('transfer', _transfer));
end $$;

-- A cashier refuses a deposit (failure), or sets it aside (ignored), with a reason that the customer reads.
create function deposit_refuse(_staff bigint, _id bigint, _status text, _reason text, _text text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r deposit_requests;
begin
  select * into _r from deposit_requests where id = _id for update;
  perform demand_claimable(_staff, 'deposit', _id);
  if not staff_may(_staff, 'cashier') then raise exception 'staff % is no cashier', _staff using errcode = 'FT101'; end if;
  if _status not in ('failure', 'ignored') or _reason in ('taken_back', 'lapsed') then
    raise exception 'a deposit is not refused like that' using errcode = 'FT030';
  end if;
  update deposit_requests set status = _status, reason = _reason, reason_text = _text, decided_at = clock_timestamp() where id = _id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, reason, facts)
  values ('deposit', _id, case _status when 'failure' then 'failed' else 'ignored' end, 'staff', _staff, 'review', _status, _reason,
    jsonb_strip_nulls(jsonb_build_object('text', _text)));
  perform notice_add(_r.customer_id, 'deposit.' || _status, jsonb_strip_nulls(jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
    'amount', _r.amount::text, 'reason', _reason, 'text', _text)));
  perform audit_append(_staff, 'deposit.' || _status, 'deposit:' || _id, jsonb_build_object('reason', _reason));
end $$;

-- Exactly what is approved of a withdrawal.
create function withdrawal_content(_r withdrawal_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('withdrawal', _r.id, 'customer', _r.customer_id, 'asset', _r.asset_id,
    'amount', _r.amount, 'fee', _r.fee, 'destination', _r.destination_id, 'instructions', _r.instructions,
    'revision', _r.revision)::text, 'UTF8'))
$$;

-- Raises while the customer may not be paid there: something that proves who they are is too new, or is gone.
create function demand_payable(_r withdrawal_requests) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _until timestamptz := hold_until(_r.customer_id, _r.destination_id);
begin
  if _until is null then raise exception 'the destination of withdrawal % is gone', _r.id using errcode = 'FT126'; end if;
  if _until > now() then raise exception 'withdrawal % is held until %', _r.id, _until using errcode = 'FT125'; end if;
  if not exists (select from customers where id = _r.customer_id and real_status = 'verified') then
    raise exception 'the customer of withdrawal % is not verified', _r.id using errcode = 'FT128';
  end if;
end $$;

-- A cashier has looked at it and proposes to pay it. Proposing anew voids what was approved.
create function withdrawal_propose(_staff bigint, _id bigint, _instructions text) returns bytea
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r withdrawal_requests;
  _before text;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_staff, 'withdrawal', _id);
  _before := _r.status;
  update withdrawal_requests set status = 'review', approved_at = null, instructions = _instructions, edited_by = _staff,
    revision = revision + 1 where id = _id returning * into _r;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'proposed', 'staff', _staff, _before, 'review',
    jsonb_build_object('instructions', _instructions, 'revision', _r.revision));
  perform record_edit(_staff, 'withdrawal', _id, withdrawal_content(_r));
  perform audit_append(_staff, 'withdrawal.propose', 'withdrawal:' || _id, jsonb_build_object('revision', _r.revision));
  return withdrawal_content(_r);
end $$;

-- An approver agrees to exactly this. With the last approval that is needed it may be paid.
create function withdrawal_approve(_staff bigint, _id bigint, _content bytea) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r withdrawal_requests;
  _is_last boolean;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_r.claimed_by, 'withdrawal', _id);
  if _r.revision = 0 then raise exception 'nothing is proposed for withdrawal %', _id using errcode = 'FT124'; end if;
  if withdrawal_content(_r) <> _content then raise exception 'withdrawal % has changed', _id using errcode = 'FT123'; end if;
  if _r.status = 'approved' then raise exception 'withdrawal % is approved', _id using errcode = 'FT121'; end if;
  perform demand_payable(_r);
  perform approve(_staff, 'withdrawal', _id, _content);
  _is_last := (select count(*) from approvals_of('withdrawal', _id, _content) a where a.counts)
    >= approvals_needed('withdrawal', _r.asset_id, _r.amount);
  if _is_last then
    perform demand_approvals('withdrawal', _id, _content, _r.asset_id, _r.amount);
    update withdrawal_requests set status = 'approved', approved_at = clock_timestamp() where id = _id;
    perform notice_add(_r.customer_id, 'withdrawal.approved', jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
      'amount', _r.amount::text));
  end if;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'approved', 'staff', _staff, 'review', case when _is_last then 'approved' else 'review' end,
    jsonb_build_object('revision', _r.revision));
  return case when _is_last then 'approved' else 'review' end;
end $$;

-- The money has left, by the reference of the bank or chain: what was held is posted. Whoever approved still has to count.
create function withdrawal_paid(_staff bigint, _id bigint, _reference text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r withdrawal_requests;
  _transfer bigint;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_staff, 'withdrawal', _id);
  if _r.status <> 'approved' then raise exception 'withdrawal % is not approved', _id using errcode = 'FT105'; end if;
  if not staff_may(_staff, 'cashier') then raise exception 'staff % is no cashier', _staff using errcode = 'FT101'; end if;
  perform demand_usable(_staff, 'cashier');
  if exists (select from withdrawal_requests w where w.asset_id = _r.asset_id and reference_key(w.reference) = reference_key(_reference)) then
    raise exception 'reference % paid another withdrawal', _reference using errcode = 'FT127';
  end if;
  perform ledger.lock_balances(array[_r.customer_id], array[_r.asset_id]);
  perform demand_approvals('withdrawal', _id, withdrawal_content(_r), _r.asset_id, _r.amount);
  _transfer := ledger.pay_out('withdrawal:' || _id || ':end', withdrawal_hash(_id, 'payout'), _r.customer_id, _r.asset_id,
    _r.amount, _r.fee, _id);
  if _transfer is null then raise exception 'withdrawal % was paid before', _id using errcode = 'FT121'; end if;
  update withdrawal_requests set status = 'success', reference = _reference, decided_at = clock_timestamp(), transfer_id = _transfer
  where id = _id;
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, facts)
  values ('withdrawal', _id, 'paid', 'staff', _staff, 'approved', 'success', jsonb_build_object('reference', _reference));
  perform notice_add(_r.customer_id, 'withdrawal.success', jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
    'amount', (_r.amount - _r.fee)::text, 'reference', _reference));
  perform pg_notify('orders', _r.customer_id || ':0');
  perform audit_append(_staff, 'withdrawal.paid', 'withdrawal:' || _id,
    jsonb_build_object('transfer', _transfer, 'reference', _reference));
end $$;

-- A cashier refuses a withdrawal, or says that the payout failed: the money is free again.
create function withdrawal_refuse(_staff bigint, _id bigint, _reason text, _text text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _r withdrawal_requests;
begin
  select * into _r from withdrawal_requests where id = _id for update;
  perform demand_claimable(_staff, 'withdrawal', _id);
  if not staff_may(_staff, 'cashier') then raise exception 'staff % is no cashier', _staff using errcode = 'FT101'; end if;
  if _reason in ('taken_back', 'lapsed') then raise exception 'no staff takes it back' using errcode = 'FT030'; end if;
  perform withdrawal_end(_r, 'failure', _reason, _text);
  insert into request_events (kind, request_id, step, actor, staff_id, from_status, to_status, reason, facts)
  values ('withdrawal', _id, 'failed', 'staff', _staff, _r.status, 'failure', _reason,
    jsonb_strip_nulls(jsonb_build_object('text', _text)));
  perform notice_add(_r.customer_id, 'withdrawal.failure', jsonb_strip_nulls(jsonb_build_object('id', _id::text, 'asset', _r.asset_id,
    'amount', _r.amount::text, 'reason', _reason, 'text', _text)));
  perform audit_append(_staff, 'withdrawal.failure', 'withdrawal:' || _id, jsonb_build_object('reason', _reason));
end $$;

-- What is to be approved now, and how far it is; for the office's screens.
create function deposit_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select deposit_content(r), approvals_needed(deposit_rule(r), r.asset_id, greatest(r.found_amount, r.amount)),
    (select count(*) from approvals_of(deposit_rule(r), r.id, deposit_content(r)) a where a.counts)
  from deposit_requests r where r.id = _id and r.revision > 0
$$;
create function withdrawal_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select withdrawal_content(r), approvals_needed('withdrawal', r.asset_id, r.amount),
    (select count(*) from approvals_of('withdrawal', r.id, withdrawal_content(r)) a where a.counts)
  from withdrawal_requests r where r.id = _id and r.revision > 0
$$;

grant execute on function request_claim, request_release, deposit_find, deposit_approve, deposit_refuse, deposit_standing,
  withdrawal_propose, withdrawal_approve, withdrawal_paid, withdrawal_refuse, withdrawal_standing to fairtick_server;
