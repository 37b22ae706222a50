-- Recovery codes, and calls for help from customers who can't log in.
-- Setting a new password is a proposal, `account_recovery` (lifecycle of a call: packages/protocol/src/lifecycles.ts).
-- A claim is a call whose caller has proved former credentials (taking-back.sql). It holds withdrawals for a week, and another
-- week whenever staff keep it or propose its decision; a decided one holds them for two holds more. Its refusal is a proposal as
-- well.
-- Lock order: the proposal -> the call -> staff -> the audit log.
-- Two members of staff review a call, one of support and one of verification. Each gets one half of a code that sets a new
-- password. A half alone does nothing and no one sees both halves, so no member of staff can take an account over alone.
-- The server's role inserts customers' own codes and the text of calls. Functions alone write reviews and their codes.

create table recovery_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  -- Null: one of the customer's own codes, which do not expire. Set: the code of an approved call.
  expires_at timestamptz,
  -- Whether using the code removes the second factors. The server's role can't set it.
  takes_factor boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (customer_id, code_hash)
);

create table recovery_requests (
  id bigint primary key default nextval('personal_data_ids'),
  account text not null,
  -- How to reach the caller, and the story. The seal is bound to `id` alone: the caller is no known customer.
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  at timestamptz not null default now(),
  address inet,
  -- The newest proposal, and the owner of `account` at its time. A recovery is always for the account that the call names.
  proposal_id bigint references proposals,
  customer_id bigint references customers,
  decided_by bigint references staff,
  decided_at timestamptz,
  -- Why the call was refused; null if it was not.
  reason text check (reason in ('unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn')),
  -- A claim (see taking-back.sql): the first loss of a credential that the caller wants undone. Null: a call without proof.
  lost_at timestamptz,
  -- Time at which the holder of the claimed account said in a proved session that the changes were theirs.
  objected_at timestamptz,
  -- Hash of the code with which the claimant reads the claim's state.
  status_hash bytea,
  -- Time at which staff last kept an open claim's hold on withdrawals.
  kept_at timestamptz,
  -- The caller's network, or `device` for a known device of the account. Null: a claim.
  place text,
  constraint recovery_decided check ((decided_by is null) = (decided_at is null)),
  constraint recovery_refused check (reason is null or decided_at is not null),
  constraint recovery_approved check (decided_at is null or reason is not null or proposal_id is not null),
  constraint recovery_proposed check ((proposal_id is null) = (customer_id is null))
);

-- The order of the list that staff see: claims first.
create index recovery_requests_open on recovery_requests ((lost_at is null), id) where decided_at is null;
create index recovery_requests_key on recovery_requests (key_id);

-- An account name has one open call for each place: repeated calls can't hide the others.
create unique index recovery_requests_one on recovery_requests (lower(account), place) where decided_at is null;
create unique index recovery_requests_status on recovery_requests (status_hash);
create index recovery_requests_claims on recovery_requests (lower(account)) where lost_at is not null;

-- ## Functions

create or replace function recovery_state(_row recovery_requests) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case when _row.reason is not null then 'refused' when _row.decided_at is not null then 'approved'
    when _row.proposal_id is not null then 'proposed' else 'open' end
$$;

create or replace trigger recovery_requests_lifecycle after update on recovery_requests
  for each row when (recovery_state(old) <> recovery_state(new)) execute function keep_lifecycle('recovery', 'recovery_state');

-- Locks and returns a call that is not decided yet; raises RECOVERY_CLOSED if there is none of this number.
create or replace function recovery_open(_id bigint) returns recovery_requests language plpgsql as $$
declare
  _row recovery_requests;
begin
  select * into _row from recovery_requests r where r.id = _id and r.decided_at is null for update;
  if not found then perform refuse('RECOVERY_CLOSED', format('nothing to decide: %s', _id)); end if;
  return _row;
end $$;

-- Makes the content the newest proposal for a call that is not decided yet; a new proposal replaces an earlier one, whose content
-- can't be approved afterwards. `_facts` are the content's parts for the audit log.
create or replace function recovery_put(_staff bigint, _id bigint, _customer bigint, _content jsonb, _facts jsonb) returns void
language plpgsql as $$
declare
  _p proposals := propose(_staff, 'account_recovery', _id::text, _content, _facts, _customer => _customer, _replaces => true);
begin
  update recovery_requests set proposal_id = _p.id, customer_id = _customer, kept_at = now() where id = _id
    and decided_at is null;
  if not found then perform refuse('RECOVERY_CLOSED', format('nothing to decide: %s', _id)); end if;
end $$;

-- Proposes a recovery after support has confirmed the caller's identity in the way that `_how` describes. `_half_hash` is the
-- hash of support's half of the code; neither the halves nor the code are stored. `_takes_factor`: whether the code also removes
-- the second factors.
create or replace function recovery_propose(_staff bigint, _id bigint, _how text, _half_hash bytea, _takes_factor boolean)
returns void language plpgsql security definer as $$
declare
  _customer bigint;
begin
  if not exists (select from recovery_requests where id = _id and decided_at is null) then
    perform refuse('RECOVERY_CLOSED', format('nothing to decide: %s', _id));
  end if;
  if (length(_how) between 20 and 1000 and octet_length(_half_hash) = 32) is not true then
    raise check_violation using message = 'no such proof or half';
  end if;
  -- A customer without a second factor has none to remove. The code of a claim always removes them, also one added until its use.
  select c.id, r.lost_at is not null or c.has_second_factor and _takes_factor into _customer, _takes_factor
    from recovery_requests r join customers c on lower(c.account) = lower(r.account)
    where r.id = _id and c.erased_at is null and c.closed_at is null;
  if _customer is null then perform refuse('CUSTOMER_NOT_FOUND', 'no account of that name'); end if;
  perform recovery_put(_staff, _id, _customer, jsonb_build_object('customer', _customer, 'how', _how,
    'half', encode(_half_hash, 'hex'), 'takesFactor', _takes_factor),
    jsonb_build_object('customer', _customer, 'takesFactor', _takes_factor));
end $$;

-- Keeps the hold of an open claim for another week. Support or verification may do it alone, because it moves nothing.
create or replace function recovery_keep(_staff bigint, _id bigint) returns void language plpgsql security definer as $$
declare
  _row recovery_requests;
begin
  perform demand_role(_staff, 'support', 'verification');
  _row := recovery_open(_id);
  if _row.lost_at is null then perform refuse('RECOVERY_CLOSED', format('no claim: %s', _id)); end if;
  perform demand_not_own(_staff, (select c.id from customers c where lower(c.account) = lower(_row.account)));
  update recovery_requests set kept_at = now() where id = _id;
  perform notice_add_daily(c.id, 'security.claimKept') from customers c where lower(c.account) = lower(_row.account);
  perform audit_append(_staff, 'recovery.keep', 'recovery:' || _id, '{}');
end $$;

-- Returns the id of the proposal for a call that is not decided yet. Raises RECOVERY_CLOSED or NOTHING_PROPOSED.
create or replace function recovery_proposed(_id bigint) returns bigint language plpgsql as $$
declare
  _row recovery_requests;
begin
  select * into _row from recovery_requests where id = _id and decided_at is null;
  if not found then perform refuse('RECOVERY_CLOSED', format('nothing to decide: %s', _id)); end if;
  if _row.proposal_id is null then perform refuse('NOTHING_PROPOSED', format('nothing is proposed: %s', _id)); end if;
  return _row.proposal_id;
end $$;

-- Locks the call. Raises REVIEW_UNSEEN unless the approver has viewed the call since the proposal and since an objection, and the
-- identity as well if the customer's name is verified.
create or replace function check_account_recovery(_staff bigint, _p proposals) returns void language plpgsql as $$
declare
  _row constant recovery_requests := recovery_open(_p.subject::bigint);
  _id constant bigint := _row.id;
  _since constant timestamptz := greatest(_p.proposed_at, _row.objected_at);
begin
  if not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _p.customer_id
        and v.what = 'recovery' and v.subject_id = _id and v.at >= _since)
    or exists (select from customers c where c.id = _p.customer_id and c.real_status = 'verified')
      and not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _p.customer_id
        and v.what = 'identity' and v.at >= _since) then
    perform refuse('REVIEW_UNSEEN', format('staff %s has not looked at all of %s', _staff, _id));
  end if;
  if not exists (select from customers c where c.id = _p.customer_id and c.erased_at is null and c.closed_at is null) then
    perform refuse('CUSTOMER_NOT_FOUND', format('the account of request %s is closed', _id));
  end if;
end $$;

-- Refuses the claim if the content has a reason. Otherwise creates the code, valid for 24 hours; `_code_hash` is its hash, in
-- hexadecimal.
create or replace function carry_out_account_recovery(_staff bigint, _p proposals, _code_hash text) returns jsonb
language plpgsql as $$
declare
  _takes_factor constant boolean := (_p.content ->> 'takesFactor')::boolean;
begin
  if _p.content ? 'reason' then
    update recovery_requests set reason = _p.content ->> 'reason', decided_by = _staff, decided_at = now()
    where proposal_id = _p.id;
    perform notice_add(_p.customer_id, 'security.claimRefused', '{}');
    return jsonb_build_object('customer', _p.customer_id, 'proposedBy', _p.proposed_by, 'reason', _p.content ->> 'reason');
  end if;
  if _code_hash is null then raise exception 'a recovery needs a code'; end if;
  insert into recovery_codes (customer_id, code_hash, expires_at, takes_factor)
  values (_p.customer_id, decode(_code_hash, 'hex'), now() + interval '24 hours', _takes_factor);
  update recovery_requests set decided_by = _staff, decided_at = now() where proposal_id = _p.id;
  perform notice_add(_p.customer_id, case when claim_approved(_p.customer_id) is not null then 'security.claimApproved'
    when _takes_factor then 'security.recoveryFactor' else 'security.recovery' end, '{}');
  return jsonb_build_object('customer', _p.customer_id, 'proposedBy', _p.proposed_by, 'takesFactor', _takes_factor);
end $$;

-- Refuses a call, and its proposal if there is one. Support or verification may do it alone, because a refusal changes nothing on
-- the account. The refusal of a claim ends a dispute about the account, so support proposes it and verification approves it.
create or replace function recovery_refuse(_staff bigint, _id bigint, _reason text) returns void
language plpgsql security definer as $$
declare
  _row recovery_requests;
  _customer bigint;
begin
  perform demand_role(_staff, 'support', 'verification');
  select c.id into _customer from recovery_requests r join customers c on lower(c.account) = lower(r.account)
    where r.id = _id and r.decided_at is null and r.lost_at is not null and c.erased_at is null and c.closed_at is null;
  if found then
    if _reason is null then raise check_violation using message = 'a refusal needs a reason'; end if;
    perform recovery_put(_staff, _id, _customer, jsonb_build_object('customer', _customer, 'reason', _reason),
      jsonb_build_object('customer', _customer, 'reason', _reason));
    return;
  end if;
  perform from proposals where kind = 'account_recovery' and subject = _id::text and state = 'proposed' for update;
  _row := recovery_open(_id);
  perform demand_not_own(_staff, (select c.id from customers c where lower(c.account) = lower(_row.account)));
  update proposals set state = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _row.proposal_id;
  update recovery_requests set reason = _reason, decided_by = _staff, decided_at = now() where id = _id;
  perform notice_add_daily(c.id, 'security.recoveryRefused') from customers c
    where lower(c.account) = lower(_row.account) and c.erased_at is null and c.closed_at is null;
  perform audit_append(_staff, 'recovery.refuse', 'recovery:' || _id, jsonb_build_object('reason', _reason));
end $$;
