-- Recovery codes, and calls for help from customers who can't log in.
-- State of a call: open -> proposed -> approved; open or proposed -> refused; proposed -> proposed by a new proposal.
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
  id bigint generated always as identity primary key,
  account text not null,
  contact text not null,
  text text not null,
  at timestamptz not null default now(),
  address inet,
  state text not null default 'open' check (state in ('open', 'proposed', 'approved', 'refused')),
  -- Owner of `account` at the time of the proposal. A recovery is always for the account that the call names.
  customer_id bigint references customers,
  -- Support's description of how it confirmed the caller's identity.
  how text check (length(how) between 20 and 1000),
  proposed_by bigint references staff,
  proposed_at timestamptz,
  -- Hash of the half that support was given. Neither the halves nor the code are stored.
  half_hash bytea check (octet_length(half_hash) = 32),
  -- Whether the code also removes the second factors.
  takes_factor boolean not null default false,
  decided_by bigint references staff,
  decided_at timestamptz,
  reason text check (reason in ('unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn')),
  constraint recovery_decided check ((state in ('approved', 'refused')) = (decided_by is not null) and (decided_by is null) = (decided_at is null)),
  constraint recovery_refused check ((state = 'refused') = (reason is not null)),
  constraint recovery_proposed check (state not in ('proposed', 'approved') or num_nulls(customer_id, how, proposed_by, proposed_at, half_hash) = 0),
  constraint recovery_two_people check (state <> 'approved' or decided_by <> proposed_by)
);

create index recovery_requests_open on recovery_requests (id) where state in ('open', 'proposed');

-- ## Functions

-- SHA-256 of a proposal's content, to which the approval applies.
create or replace function recovery_content(_row recovery_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('request', _row.id, 'customer', _row.customer_id, 'how', _row.how,
    'half', encode(_row.half_hash, 'hex'), 'takesFactor', _row.takes_factor)::text, 'UTF8'))
$$;

-- Locks and returns a call that is not decided yet; raises RECOVERY_CLOSED if there is none of this number.
create or replace function recovery_open(_id bigint) returns recovery_requests
language plpgsql set search_path = public, pg_temp as $$
declare
  _row recovery_requests;
begin
  select * into _row from recovery_requests r where r.id = _id and r.state in ('open', 'proposed') for update;
  if not found then perform refuse('RECOVERY_CLOSED', format('nothing to decide: %s', _id)); end if;
  return _row;
end $$;

-- Proposes a recovery after support has confirmed the caller's identity in the way that `_how` describes. `_half_hash` is the hash
-- of support's half. A new proposal replaces an earlier one, whose content can't be approved afterwards.
create or replace function recovery_propose(_staff bigint, _id bigint, _how text, _half_hash bytea, _takes_factor boolean) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row recovery_requests := recovery_open(_id);
begin
  -- A customer without a second factor has none to remove.
  select c.id, c.has_second_factor and _takes_factor into _row.customer_id, _row.takes_factor
    from customers c where lower(c.account) = lower(_row.account) and c.erased_at is null and c.closed_at is null;
  if _row.customer_id is null then perform refuse('CUSTOMER_NOT_FOUND', 'no account of that name'); end if;
  update recovery_requests set state = 'proposed', customer_id = _row.customer_id, how = _how, half_hash = _half_hash,
    takes_factor = _row.takes_factor, proposed_by = _staff, proposed_at = now() where id = _id returning * into _row;
  perform record_edit(_staff, 'account_recovery', _id, recovery_content(_row));
  perform audit_append(_staff, 'recovery.propose', 'recovery:' || _id,
    jsonb_build_object('customer', _row.customer_id, 'takesFactor', _row.takes_factor));
end $$;

-- Approves exactly the proposed content and creates the code with the hash `_code_hash`, valid for 24 hours. Raises REVIEW_UNSEEN
-- unless the approver has viewed the call since the proposal, and the identity as well if the customer's name is verified.
create or replace function recovery_approve(_staff bigint, _id bigint, _content bytea, _code_hash bytea) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row recovery_requests := recovery_open(_id);
begin
  if _row.state <> 'proposed' then perform refuse('NOTHING_PROPOSED', format('nothing is proposed: %s', _id)); end if;
  if recovery_content(_row) <> _content then perform refuse('CONTENT_CHANGED', format('request %s has changed', _id)); end if;
  if not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _row.customer_id
        and v.what = 'recovery' and v.subject_id = _id and v.at >= _row.proposed_at)
    or exists (select from customers c where c.id = _row.customer_id and c.real_status = 'verified')
      and not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _row.customer_id
        and v.what = 'identity' and v.at >= _row.proposed_at) then
    perform refuse('REVIEW_UNSEEN', format('staff %s has not looked at all of %s', _staff, _id));
  end if;
  if not exists (select from customers c where c.id = _row.customer_id and c.erased_at is null and c.closed_at is null) then
    perform refuse('CUSTOMER_NOT_FOUND', format('the account of request %s is closed', _id));
  end if;
  perform approve(_staff, 'account_recovery', _id, _content);
  perform demand_approvals('account_recovery', _id, _content);
  insert into recovery_codes (customer_id, code_hash, expires_at, takes_factor)
  values (_row.customer_id, _code_hash, now() + interval '24 hours', _row.takes_factor);
  update recovery_requests set state = 'approved', decided_by = _staff, decided_at = now() where id = _id;
  perform notice_add(_row.customer_id, case when _row.takes_factor then 'security.recoveryFactor' else 'security.recovery' end, '{}');
  perform audit_append(_staff, 'recovery.approve', 'recovery:' || _id,
    jsonb_build_object('customer', _row.customer_id, 'proposedBy', _row.proposed_by, 'takesFactor', _row.takes_factor));
end $$;

-- Refuses a call. Support or verification may do it alone, because a refusal changes nothing on the account.
create or replace function recovery_refuse(_staff bigint, _id bigint, _reason text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row recovery_requests;
begin
  if not staff_may(_staff, 'support') and not staff_may(_staff, 'verification') then
    perform refuse('ROLE_MISSING', format('staff %s may not decide this', _staff));
  end if;
  _row := recovery_open(_id);
  perform demand_not_own(_staff, (select c.id from customers c where lower(c.account) = lower(_row.account)));
  update recovery_requests set state = 'refused', reason = _reason, decided_by = _staff, decided_at = now() where id = _id;
  perform audit_append(_staff, 'recovery.refuse', 'recovery:' || _id, jsonb_build_object('reason', _reason));
end $$;
