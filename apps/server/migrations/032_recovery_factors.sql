-- Who has lost the second factor with the password: the review by two may take the factor off, too (decision 092). It is
-- part of what both agree to; it happens when the code is used and not before; and from then on no withdrawal is approved
-- for twice the hold (48 hours in live mode), the time in which an owner who never asked can still stop it.

alter table recovery_requests add column takes_factor boolean not null default false;
alter table recovery_codes add column takes_factor boolean not null default false;
-- When a code of that kind took the factors off.
alter table customers add column factor_taken_at timestamptz;

create or replace function recovery_content(_row recovery_requests) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('request', _row.id, 'customer', _row.customer_id, 'how', _row.how,
    'half', encode(_row.half_hash, 'hex'), 'takesFactor', _row.takes_factor)::text, 'UTF8'))
$$;

drop function recovery_propose(bigint, bigint, text, bytea);
create function recovery_propose(_staff bigint, _id bigint, _how text, _half_hash bytea, _takes_factor boolean) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row recovery_requests := recovery_open(_id);
begin
  -- Where there is none, none is taken.
  select c.id, c.has_second_factor and _takes_factor into _row.customer_id, _row.takes_factor
    from customers c where lower(c.account) = lower(_row.account) and c.erased_at is null;
  if _row.customer_id is null then raise exception 'no account of that name' using errcode = 'FT197'; end if;
  update recovery_requests set state = 'proposed', customer_id = _row.customer_id, how = _how, half_hash = _half_hash,
    takes_factor = _row.takes_factor, proposed_by = _staff, proposed_at = now() where id = _id returning * into _row;
  perform record_edit(_staff, 'account_recovery', _id, recovery_content(_row));
  perform audit_append(_staff, 'recovery.propose', 'recovery:' || _id,
    jsonb_build_object('customer', _row.customer_id, 'takesFactor', _row.takes_factor));
end $$;

create or replace function recovery_approve(_staff bigint, _id bigint, _content bytea, _code_hash bytea) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _row recovery_requests := recovery_open(_id);
begin
  if _row.state <> 'proposed' then raise exception 'nothing is proposed: %', _id using errcode = 'FT124'; end if;
  if recovery_content(_row) <> _content then raise exception 'request % has changed', _id using errcode = 'FT123'; end if;
  if not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _row.customer_id
        and v.what = 'recovery' and v.subject_id = _id and v.at >= _row.proposed_at)
    or exists (select from customers c where c.id = _row.customer_id and c.real_status = 'verified')
      and not exists (select from personal_data_views v where v.staff_id = _staff and v.customer_id = _row.customer_id
        and v.what = 'identity' and v.at >= _row.proposed_at) then
    raise exception 'staff % has not looked at all of %', _staff, _id using errcode = 'FT142';
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

-- Whoever marks such a code as used takes the factors off and starts the longer hold, in the same transaction: there is no
-- way to have one without the other.
create function recovery_codes_take_factor() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update customers set factor_taken_at = now() where id = new.customer_id;
  delete from customer_second_factors where customer_id = new.customer_id;
  delete from customer_challenges where customer_id = new.customer_id;
  return null;
end $$;
create trigger recovery_codes_take_factor after update of used_at on recovery_codes
  for each row when (new.takes_factor and old.used_at is null and new.used_at is not null) execute function recovery_codes_take_factor();

create or replace function hold_until(_customer bigint, _destination bigint) returns timestamptz
stable language sql set search_path = pg_catalog, pg_temp as $$
  select greatest(
    greatest(d.changed_at, c.password_changed_at, c.second_factor_changed_at, w.changed_at) + make_interval(secs => s.hold_seconds),
    c.factor_taken_at + make_interval(secs => 2 * s.hold_seconds))
  from public.destinations d
  join public.customers c on c.id = d.customer_id
  left join public.pay_words w on w.customer_id = d.customer_id
  cross join public.house_settings s
  where d.id = _destination and d.customer_id = _customer and d.removed_at is null
$$;

-- A code of the staff's stands beside the customer's own ones, which all stay good: what is said of it is said above.
create or replace function recovery_codes_tell_new() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(t.customer_id, 'security.codes', '{}')
    from (select distinct customer_id from added where expires_at is null) t
    join customers c on c.id = t.customer_id and c.created_at < now();
  return null;
end $$;

-- The server makes codes for customers, and none that takes a factor.
revoke insert on recovery_codes from fairtick_server;
grant insert (customer_id, code_hash) on recovery_codes to fairtick_server;
grant execute on function recovery_propose to fairtick_server;
