-- Verifications: submissions of a real name (lifecycles: packages/protocol/src/lifecycles.ts).
-- Functions alone write them, besides the erasure of a customer and the rotation of keys, which run as the owner. The server
-- passes the acting member of staff; the functions check the role, the session and that the customer is not this person.
-- customers.real_status has the state of the last submission.
-- Lock order: the customer, then the verification.

create table verifications (
  id bigint primary key,
  customer_id bigint not null references customers,
  state text not null default 'pending' check (lifecycles() -> 'verification' ? state),
  -- Name, country, document and addresses; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Blind indices: one of the document's kind, country and number, one of the name.
  document_index bytea check (octet_length(document_index) = 32),
  name_index bytea check (octet_length(name_index) = 32),
  is_restricted_country boolean not null,
  front_id bigint not null references uploads,
  -- Null: a passport, whose page with the photo has all.
  back_id bigint references uploads,
  submitted_at timestamptz not null default now(),
  -- The member of staff who reviews it now. A claim lapses: see verification_claim_time.
  claimed_by bigint references staff,
  claimed_at timestamptz,
  decided_at timestamptz,
  decided_by bigint references staff,
  reason text check (reason in ('unreadable', 'mismatch', 'expired', 'incomplete', 'duplicate', 'restricted', 'suspicious',
    'other')),
  -- Text that staff add to the reason, for the customer to read.
  note text check (length(note) between 1 and 500),
  check ((claimed_by is null) = (claimed_at is null)),
  check ((state = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((state = 'failed') = (reason is not null)),
  check (reason <> 'other' or note is not null),
  check (state = 'pending' or claimed_by is null),
  -- The erasure of a customer keeps the document's index while an exclusion runs, which covers further accounts.
  check (sealed is not null or name_index is null)
);

create unique index verifications_one_pending on verifications (customer_id) where state = 'pending';
create index verifications_by_customer on verifications (customer_id, id);
create index verifications_queue on verifications (submitted_at, id) where state = 'pending';
create index verifications_by_document on verifications (document_index);
create index verifications_by_name on verifications (name_index);
create index verifications_by_key on verifications (key_id);

-- Each step of a verification. `staff_id` null: the customer submitted it, or the operator erased it.
create table verification_events (
  id bigint generated always as identity primary key,
  verification_id bigint not null references verifications,
  customer_id bigint not null,
  step text not null check (step in ('submitted', 'claimed', 'released', 'verified', 'failed', 'erased')),
  staff_id bigint references staff,
  reason text,
  note text,
  at timestamptz not null default clock_timestamp()
);

create index verification_events_of on verification_events (verification_id, id);

-- ## Functions

-- Submits a real name for review; `_back` is null for a document of one page. Returns false if one is pending or verified
-- already, or if the customer was erased. Raises UPLOAD_NOT_OWN unless the pictures are the customer's and of the right purpose,
-- and DOCUMENT_EXCLUDED while an exclusion of another account with this document runs.
create or replace function verification_submit(_id bigint, _customer bigint, _sealed bytea, _document_index bytea,
  _name_index bytea, _restricted boolean, _front bigint, _back bigint) returns boolean language plpgsql security definer as $$
begin
  perform from public.customers where id = _customer and public.has_step('realName', real_status, 'submitted')
    and erased_at is null for no key update;
  if not found then return false; end if;
  perform from public.uploads where id = _front and customer_id = _customer and purpose = 'id_front' and file is not null;
  if not found then perform public.refuse('UPLOAD_NOT_OWN', 'not a front of this customer''s'); end if;
  perform from public.uploads where id = _back and customer_id = _customer and purpose = 'id_back' and file is not null;
  if not found and _back is not null then perform public.refuse('UPLOAD_NOT_OWN', 'not a back of this customer''s'); end if;
  if public.document_refused(_customer, array[_document_index]) then
    perform public.refuse('DOCUMENT_EXCLUDED', format('the document of customer %s is of a self-excluded person', _customer));
  end if;
  insert into public.verifications
    (id, customer_id, sealed, document_index, name_index, is_restricted_country, front_id, back_id)
    values (_id, _customer, _sealed, _document_index, _name_index, _restricted, _front, _back);
  insert into public.verification_events (verification_id, customer_id, step) values (_id, _customer, 'submitted');
  update public.customers set real_status = 'pending' where id = _customer;
  return true;
end $$;

create or replace function verification_claim_time() returns interval
immutable language sql as $$ select interval '15 minutes' $$;

-- Returns a pending verification that this member of staff may act on, after locking the customer and then the verification, as
-- verification_submit does. Raises REVIEW_CLAIMED while another member of staff has a claim that has not lapsed.
create or replace function verification_for_staff(_staff bigint, _id bigint) returns verifications language plpgsql as $$
declare
  _row verifications;
begin
  perform demand_usable(_staff, 'verification');
  perform from customers c where c.id = (select v.customer_id from verifications v where v.id = _id) for update;
  select * into _row from verifications v where v.id = _id and v.state = 'pending' for update;
  if not found then perform refuse('REVIEW_NOT_FOUND', format('nothing under review: %s', _id)); end if;
  if _row.claimed_by <> _staff and _row.claimed_at > now() - verification_claim_time() then
    perform refuse('REVIEW_CLAIMED', format('verification %s is claimed', _id));
  end if;
  perform demand_not_own(_staff, _row.customer_id);
  return _row;
end $$;

-- Claims a verification for its reviewer. A repeated call renews the claim without another event.
create or replace function verification_claim(_staff bigint, _id bigint) returns void language plpgsql security definer as $$
declare
  _row verifications := verification_for_staff(_staff, _id);
begin
  update verifications set claimed_by = _staff, claimed_at = now() where id = _id;
  if _row.claimed_by is distinct from _staff then
    insert into verification_events (verification_id, customer_id, step, staff_id)
      values (_id, _row.customer_id, 'claimed', _staff);
  end if;
end $$;

create or replace function verification_release(_staff bigint, _id bigint) returns void language plpgsql security definer as $$
declare
  _row verifications := verification_for_staff(_staff, _id);
begin
  if _row.claimed_by is distinct from _staff then return; end if;
  update verifications set claimed_by = null, claimed_at = null where id = _id;
  insert into verification_events (verification_id, customer_id, step, staff_id)
    values (_id, _row.customer_id, 'released', _staff);
end $$;

-- Decides a submission for good: verified (`_reason` null) or failed. Raises REVIEW_UNSEEN unless this member of staff has viewed
-- the fields and all pictures since the submission; the record of views, which the customer reads, is the proof. In live mode a
-- customer of a restricted region can't be verified (REGION_RESTRICTED). An account that holds no money can't be verified while
-- an exclusion of another account with this document runs (CUSTOMER_EXCLUDED).
create or replace function verification_decide(_staff bigint, _id bigint, _reason text, _note text) returns void
language plpgsql security definer as $$
declare
  _row verifications;
  _state text := case when _reason is null then 'verified' else 'failed' end;
  _documents bytea[];
begin
  perform exclusions_lock();
  _row := verification_for_staff(_staff, _id);
  _documents := array[_row.document_index];
  if (select count(distinct w.what) from personal_data_views w
      where w.staff_id = _staff and w.customer_id = _row.customer_id and w.at >= _row.submitted_at
        and (w.what, w.subject_id) in (('identity', _id), ('id_front', _row.front_id), ('id_back', _row.back_id)))
      < 2 + (_row.back_id is not null)::int then
    perform refuse('REVIEW_UNSEEN', format('staff %s has not looked at all of %s', _staff, _id));
  end if;
  if _state = 'verified' and _row.is_restricted_country and (select s.mode from house_settings s) = 'live' then
    perform refuse('REGION_RESTRICTED', format('verification %s is of a restricted region', _id));
  end if;
  if _state = 'verified' and document_refused(_row.customer_id, _documents) then
    perform refuse('CUSTOMER_EXCLUDED', format('verification %s is of a self-excluded person', _id));
  end if;
  if _state = 'verified' then perform demand_screened(_row.customer_id, null, _id); end if;
  update verifications set state = _state, decided_at = now(), decided_by = _staff, reason = _reason, note = _note,
    claimed_by = null, claimed_at = null where id = _id;
  insert into verification_events (verification_id, customer_id, step, staff_id, reason, note)
    values (_id, _row.customer_id, _state, _staff, _reason, _note);
  update customers set real_status = _state,
    level = case when _state = 'verified' and level = 'bronze' then 'silver' else level end where id = _row.customer_id;
  if _state = 'verified' then
    perform document_bind(_row.customer_id, document_excluded_until(_row.customer_id, _documents));
    perform document_bind_others(_row.customer_id, p.closed_until) from protected_customers p
    where p.customer_id = _row.customer_id and p.closed_kind = 'exclusion' and p.closed_until > clock_timestamp();
  end if;
  perform audit_append(_staff, 'verification.' || _state, 'verification:' || _id,
    jsonb_strip_nulls(jsonb_build_object('customer', _row.customer_id, 'reason', _reason)));
end $$;

-- A decided verification changes further by the erasure of its customer and the rotation of keys.
create or replace trigger verifications_lifecycle before update on verifications
  for each row when (old.state <> new.state) execute function keep_lifecycle('verification', 'state');

create or replace function verifications_tell() returns trigger language plpgsql security definer as $$
begin
  perform notice_add(new.customer_id, 'verification.' || new.state,
    jsonb_strip_nulls(jsonb_build_object('reason', new.reason, 'text', new.note)));
  return null;
end $$;

create or replace trigger verifications_tell after update of state on verifications
  for each row when (old.state = 'pending' and new.state <> 'pending') execute function verifications_tell();
