-- Changes of staff: accounts, roles, resets and links to customers. One administrator proposes a change, another carries it out.
-- A person never proposes, carries out or refuses a change about themselves, by any of their accounts. No change leaves fewer
-- than two people who are active administrators.
-- Exceptions: one administrator turns off an account that is no administrator's (staff_disable), and the database's owner
-- installs accounts (staff_install).

-- ## Functions

-- Proposes to enable or turn_off an account, to grant or revoke a role, to reset the password and the factors, or to link or
-- unlink a customer account. Returns the id of the proposal. `_role` is for grant and revoke, `_customer` for link and unlink;
-- else both are null. The password of a reset is not part of the content, because it is made when the reset is carried out.
create or replace function staff_propose(_by bigint, _kind text, _staff bigint, _role text, _customer bigint default null)
returns bigint language plpgsql security definer as $$
declare
  _content jsonb := jsonb_build_object('change', _kind, 'staff', _staff, 'role', _role::staff_role, 'customer', _customer);
  _holds boolean := exists (select from staff_roles r where r.staff_id = _staff and r.role = _role);
begin
  perform demand_role(_by, 'administrator');
  if (select count(distinct person) from staff where id in (_by, _staff)) < 2 then
    perform refuse('ABOUT_ONESELF', 'nobody changes their own rights');
  end if;
  if _kind <> all ('{enable,turn_off,grant,revoke,reset,link,unlink}') or (_kind in ('grant', 'revoke')) <> (_role is not null)
    or (_kind in ('link', 'unlink')) <> (_customer is not null) then
    raise check_violation using message = format('no such change: %s %s %s', _kind, _role, _customer);
  end if;
  if (_kind = 'grant' and _holds) or (_kind = 'revoke' and not _holds)
    or (_kind in ('enable', 'turn_off') and (select is_active from staff where id = _staff) = (_kind = 'enable'))
    or (_kind in ('link', 'unlink') and is_own_customer(_staff, _customer) = (_kind = 'link')) then
    perform refuse('NOTHING_NEW', 'that is so already');
  end if;
  if _kind = 'grant' and exists (select from staff_roles r where r.staff_id = _staff and r.side <> side_of(_role)) then
    perform refuse('ROLES_CONFLICT', format('staff %s has roles that do not go with %s', _staff, _role));
  end if;
  return (propose(_by, 'staff_change', concat_ws(' ', _kind, _staff, _role, _customer), _content,
    jsonb_strip_nulls(jsonb_build_object('kind', _kind, 'role', _role, 'customer', _customer)), _about_staff => _staff)).id;
end $$;

-- Creates an account and returns its id. It is off and has no roles. The function also proposes to turn it on.
create or replace function staff_create(_by bigint, _account text, _display_name text, _person text, _password_hash text)
returns bigint language plpgsql security definer as $$
declare
  _id bigint;
begin
  perform demand_role(_by, 'administrator');
  insert into staff (account, display_name, person, password_hash, created_by)
    values (_account, _display_name, _person, _password_hash, _by) returning id into _id;
  perform audit_append(_by, 'staff.create', 'staff:' || _id,
    jsonb_build_object('account', _account, 'name', _display_name, 'person', _person));
  perform staff_propose(_by, 'enable', _id, null);
  return _id;
end $$;

-- Ends all sessions of an account, on every process, because no process caches sessions.
create or replace function staff_end_sessions(_staff bigint) returns void language sql security definer as $$
  delete from staff_sessions where staff_id = _staff
$$;

-- Holds the roles of an account that was reset or turned on, as new roles are held. The person who reset it has seen its
-- password, so somebody else may use the account. The hold gives its owner time to notice.
create or replace function staff_hold_roles(_staff bigint) returns void
language sql set search_path = public, pg_temp as $$
  update staff_roles set usable_from = greatest(usable_from, now() + hold_interval()) where staff_id = _staff
$$;

-- Refuses when fewer than two people are active administrators. The caller has locked the rows of all administrators.
create or replace function demand_administrators() returns void language plpgsql as $$
begin
  if (select count(distinct s.person) from staff s join staff_roles r on r.staff_id = s.id
      where r.role = 'administrator' and s.is_active) < 2 then
    perform refuse('TOO_FEW_ADMINISTRATORS', 'two administrators have to remain');
  end if;
end $$;

-- Locks all administrators, so that two who are turned off at the same time are counted one after the other.
create or replace function check_staff_change(_by bigint, _p proposals) returns void language plpgsql as $$
begin
  perform from staff where id in (_by, _p.about_staff) or side = 'administration' order by id for update;
end $$;

-- `_password_hash` is the new password of a reset.
create or replace function carry_out_staff_change(_by bigint, _p proposals, _password_hash text) returns jsonb
language plpgsql as $$
declare
  _staff bigint := _p.about_staff;
  _role text := _p.content ->> 'role';
  _customer bigint := (_p.content ->> 'customer')::bigint;
begin
  case _p.content ->> 'change'
    when 'enable' then
      update staff set is_active = true, one_time_from = now() where id = _staff;
      perform staff_hold_roles(_staff);
    when 'grant' then
      update staff set side = side_of(_role) where id = _staff and not exists (select from staff_roles where staff_id = _staff);
      insert into staff_roles (staff_id, role, granted_by, usable_from) values (_staff, _role, _by,
        now() + case when _role in ('approver', 'administrator') then hold_interval() else interval '0' end);
    when 'revoke' then
      delete from staff_roles where staff_id = _staff and role = _role;
      if _role = 'administrator' then perform demand_administrators(); end if;
      perform staff_end_sessions(_staff);
    when 'reset' then
      if _password_hash is null then raise exception 'a reset needs a password'; end if;
      update staff set password_hash = _password_hash, must_change_password = true, one_time_from = now() where id = _staff;
      delete from staff_second_factors where staff_id = _staff;
      perform staff_hold_roles(_staff);
      perform staff_end_sessions(_staff);
    when 'turn_off' then
      update staff set is_active = false where id = _staff;
      if staff_is_administrator(_staff) then perform demand_administrators(); end if;
      perform staff_end_sessions(_staff);
    when 'link' then
      insert into staff_customers (person, customer_id, declared_by)
        select s.person, _customer, _by from staff s where s.id = _staff on conflict do nothing;
    when 'unlink' then
      delete from staff_customers c using staff s where s.id = _staff and c.person = s.person and c.customer_id = _customer;
  end case;
  return jsonb_strip_nulls(jsonb_build_object('role', _role, 'customer', _customer, 'proposedBy', _p.proposed_by));
end $$;

create or replace function staff_is_administrator(_staff bigint) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select exists (select from staff_roles r where r.staff_id = _staff and r.role = 'administrator')
$$;

-- Turns an account off at once, by one administrator, because it only takes rights away. Turning it on again takes two. Turning
-- off an administrator also takes two (kind turn_off); otherwise one could turn off all others and be left with all rights.
create or replace function staff_disable(_by bigint, _staff bigint, _reason text) returns void
language plpgsql security definer as $$
begin
  perform demand_role(_by, 'administrator');
  if (select count(distinct person) from staff where id in (_by, _staff)) < 2 then
    perform refuse('ABOUT_ONESELF', 'nobody changes their own rights');
  end if;
  perform from staff where id = _staff for update;
  if staff_is_administrator(_staff) then
    perform refuse('APPROVALS_MISSING', format('turning off administrator %s takes two', _staff));
  end if;
  update staff set is_active = false where id = _staff and is_active;
  if not found then perform refuse('NOTHING_NEW', 'that is so already'); end if;
  perform staff_end_sessions(_staff);
  perform audit_append(_by, 'staff.disable', 'staff:' || _staff, jsonb_build_object('reason', left(_reason, 500)));
end $$;

-- Creates an account with a role, without four eyes: for the first administrators and the demo's staff. Only the database's owner
-- may call it.
create or replace function staff_install(_account text, _display_name text, _password_hash text, _role text, _is_demo boolean)
returns bigint language plpgsql as $$
declare
  _id bigint;
begin
  insert into staff (account, display_name, person, password_hash, must_change_password, is_active, is_demo, side)
    values (_account, _display_name, lower(_account), _password_hash, not _is_demo, true, _is_demo,
      side_of(_role)) returning id into _id;
  insert into staff_roles (staff_id, role, usable_from) values (_id, _role, now());
  perform audit_append(null, 'staff.install', 'staff:' || _id,
    jsonb_build_object('account', _account, 'role', _role, 'demo', _is_demo));
  return _id;
end $$;
