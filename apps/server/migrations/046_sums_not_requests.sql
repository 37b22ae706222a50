-- The bounds of four eyes count sums, not requests: what a customer was credited (paid, corrected) within 24 hours, and what a
-- member of staff found (proposed) of it, counts beside the amount at hand. Twelve deposits of 5 000 take as many people as one of
-- 60 000 (decision 123).

-- What was decided before this counts by the rule of its time.
alter table house_settings add column sums_from timestamptz not null default clock_timestamp();

create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';
create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';
create index withdrawal_requests_approved_to on withdrawal_requests (customer_id, approved_at) where status in ('approved', 'success');
create index withdrawal_requests_approved_by on withdrawal_requests (edited_by, approved_at) where status in ('approved', 'success');
create index corrections_done_to on corrections (customer_id, decided_at) where status = 'done';
create index corrections_done_by on corrections (proposed_by, decided_at) where status = 'done';

-- How much counts beside a request (`_id`) of a customer's that a member of staff prepares or prepared: the larger of what this
-- customer and what this person had decided in the 24 hours before `_at`; null: before now. A person is one, by whichever
-- account. Deposits count when they are credited, withdrawals when they are approved, corrections, up or down, when they are made.
create function amount_before(_kind text, _asset smallint, _customer bigint, _staff bigint, _id bigint, _at timestamptz) returns numeric
stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _since timestamptz := coalesce(_at, clock_timestamp()) - interval '24 hours';
  _until timestamptz := coalesce(_at, 'infinity');
  _accounts bigint[] := array(select o.id from staff s join staff o on o.person = s.person where s.id = _staff);
begin
  if _at < (select sums_from from house_settings) then return 0; end if;
  return (
    select greatest(coalesce(sum(d.amount) filter (where d.customer_id = _customer), 0),
      coalesce(sum(d.amount) filter (where d.editor = any (_accounts)), 0))
    from (
      select r.customer_id, r.edited_by as editor, r.found_amount as amount from deposit_requests r
      where _kind = 'deposit' and r.status = 'success' and r.asset_id = _asset and r.id <> _id
        and r.decided_at > _since and r.decided_at <= _until and (r.customer_id = _customer or r.edited_by = any (_accounts))
      union all
      select r.customer_id, r.edited_by, r.amount from withdrawal_requests r
      where _kind = 'withdrawal' and r.status in ('approved', 'success') and r.asset_id = _asset and r.id <> _id
        and r.approved_at > _since and r.approved_at <= _until and (r.customer_id = _customer or r.edited_by = any (_accounts))
      union all
      select r.customer_id, r.proposed_by, abs(r.amount) from corrections r
      where _kind = 'correction' and r.status = 'done' and r.asset_id = _asset and r.id <> _id
        and r.decided_at > _since and r.decided_at <= _until and (r.customer_id = _customer or r.proposed_by = any (_accounts))
    ) d
  );
end $$;

-- What is held against the bounds of a request: its own amount and what counts beside it. Once decided, as it was then.
create function amount_counted(_own bigint, _before numeric) returns bigint
immutable language sql set search_path = public, pg_temp as $$ select least(_own + _before, 9223372036854775807)::bigint $$;
create function deposit_counted(_r deposit_requests) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(greatest(_r.found_amount, _r.amount),
    amount_before('deposit', _r.asset_id, _r.customer_id, _r.edited_by, _r.id, _r.decided_at))
$$;
create function withdrawal_counted(_r withdrawal_requests) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(_r.amount, amount_before('withdrawal', _r.asset_id, _r.customer_id, _r.edited_by, _r.id, _r.approved_at))
$$;
create function correction_counted(_c corrections) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(abs(_c.amount), amount_before('correction', _c.asset_id, _c.customer_id, _c.proposed_by, _c.id, _c.decided_at))
$$;

-- Lets those follow one another whose sums are one: the same customer's by the balance, then the same person's. After the request,
-- before staff. A transaction that saw the tables before it waited would not see what it waited for.
create function lock_sums(_customer bigint, _asset smallint, _staff bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sums are counted by what is committed';
  end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  perform pg_advisory_xact_lock(7046, hashtext((select person from staff where id = _staff)));
end $$;

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
  if _r.revision = 0 then raise exception 'nothing is proposed for deposit %', _id using errcode = 'FT124'; end if;
  if deposit_content(_r) <> _content then raise exception 'deposit % has changed', _id using errcode = 'FT123'; end if;
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

create or replace function withdrawal_approve(_staff bigint, _id bigint, _content bytea) returns text
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
  perform lock_sums(_r.customer_id, _r.asset_id, _r.edited_by);
  perform approve(_staff, 'withdrawal', _id, _content);
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

-- What was approved as enough stays enough: its sum is that of its approval.
create or replace function withdrawal_paid(_staff bigint, _id bigint, _reference text) returns void
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
  perform demand_approvals('withdrawal', _id, withdrawal_content(_r), _r.asset_id, withdrawal_counted(_r));
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

create or replace function correction_approve(_staff bigint, _id bigint) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
  _transfer bigint;
begin
  select * into _c from corrections where id = _id for update;
  if not found then raise exception 'no correction %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'correction % is decided', _id using errcode = 'FT121'; end if;
  perform lock_sums(_c.customer_id, _c.asset_id, _c.proposed_by);
  perform approve(_staff, 'correction', _id, correction_content(_c));
  if (select count(*) from approvals_of('correction', _id, correction_content(_c)) a where a.counts)
    < approvals_needed('correction', _c.asset_id, correction_counted(_c)) then return 'proposed'; end if;
  perform demand_approvals('correction', _id, correction_content(_c), _c.asset_id, correction_counted(_c));
  if (select available + _c.amount < 0 from ledger.balances where owner_id = _c.customer_id and asset_id = _c.asset_id) then
    raise exception 'the balance is smaller than what correction % takes', _id using errcode = 'FT129';
  end if;
  _transfer := ledger.correct('correction:' || _id, correction_content(_c), _c.customer_id, _c.asset_id, _c.amount, _id);
  if _transfer is null then raise exception 'correction % was made before', _id using errcode = 'FT121'; end if;
  update corrections set status = 'done', decided_by = _staff, decided_at = clock_timestamp(), transfer_id = _transfer where id = _id;
  perform notice_add(_c.customer_id, 'correction.done', jsonb_build_object('id', _id::text, 'asset', _c.asset_id,
    'amount', _c.amount::text, 'text', _c.reason));
  perform pg_notify('orders', _c.customer_id || ':0');
  perform audit_append(_staff, 'correction.done', 'correction:' || _id, jsonb_build_object('transfer', _transfer));
  return 'done';
end $$;

-- What is to be approved now, and how far it is; for the office's screens and the audit.
create or replace function deposit_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select deposit_content(r), approvals_needed(deposit_rule(r), r.asset_id, deposit_counted(r)),
    (select count(*) from approvals_of(deposit_rule(r), r.id, deposit_content(r)) a where a.counts)
  from deposit_requests r where r.id = _id and r.revision > 0
$$;
create or replace function withdrawal_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select withdrawal_content(r), approvals_needed('withdrawal', r.asset_id, withdrawal_counted(r)),
    (select count(*) from approvals_of('withdrawal', r.id, withdrawal_content(r)) a where a.counts)
  from withdrawal_requests r where r.id = _id and r.revision > 0
$$;
create function correction_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select correction_content(c), approvals_needed('correction', c.asset_id, correction_counted(c)),
    (select count(*) from approvals_of('correction', c.id, correction_content(c)) a where a.counts)
  from corrections c where c.id = _id
$$;

grant execute on function amount_before, correction_standing to fairtick_server;
