-- The server's role proves whom it acts for. Sessions are written by functions alone, their hashes can't be read, whoever acts as
-- staff shows the hash of a living session of theirs, and each decision keeps which session it was.
--   FT032 an account that may not log in        FT111 no living session of this member of staff
--   FT112 the session has shown no password or factor lately
--
-- The hash comes as a setting of the connection (fairtick.staff_session), which db/acting-staff.ts sets for each request of the
-- office. It proves something because nobody but who was given the token knows it: the table does not tell the server's role.

-- The database's owner may act without a session; the audit finds what was done so (audit-session-checks.ts).
create function acts_as_server() returns boolean
stable language sql set search_path = public, pg_temp as $$
  select session_user = 'fairtick_server' or current_setting('role') = 'fairtick_server'
$$;

-- From when on every decision has its session.
create table sessions_known_since (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null default now()
);
insert into sessions_known_since default values;

-- The two logs keep each session of customers and staff after its end, without its token's hash, browser or address.
create table session_log (
  id bigint primary key,
  customer_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);
create table staff_session_log (
  id bigint primary key,
  staff_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);
insert into session_log (id, customer_id, began_at) select id, customer_id, created_at from sessions;
insert into staff_session_log (id, staff_id, began_at) select id, staff_id, created_at from staff_sessions;

create function session_log_keep() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into session_log (id, customer_id, began_at) values (new.id, new.customer_id, new.created_at);
  else
    update session_log set ended_at = clock_timestamp() where id = old.id;
  end if;
  return null;
end $$;
create trigger session_log_keep after insert or delete on sessions for each row execute function session_log_keep();

create function staff_session_log_keep() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into staff_session_log (id, staff_id, began_at) values (new.id, new.staff_id, new.created_at);
  else
    update staff_session_log set ended_at = clock_timestamp() where id = old.id;
  end if;
  return null;
end $$;
create trigger staff_session_log_keep after insert or delete on staff_sessions for each row execute function staff_session_log_keep();

-- The living session under which the transaction acts as this member of staff. Null where the owner acts; else FT101 for an account
-- that is off, as ever, and FT111.
create function acting_session(_staff bigint) returns staff_sessions
stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _session staff_sessions;
begin
  select s.* into _session from staff_sessions s join staff f on f.id = s.staff_id
  where s.token_hash = decode(nullif(current_setting('fairtick.staff_session', true), ''), 'hex')
    and s.staff_id = _staff and f.is_active
    and s.last_used_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours';
  if not found and acts_as_server() then
    if not exists (select from staff where id = _staff and is_active) then
      raise exception 'the account of staff % is off', _staff using errcode = 'FT101';
    end if;
    raise exception 'no session of staff %', _staff using errcode = 'FT111';
  end if;
  return _session;
end $$;

-- Raises while a role waits: whoever has just been given somebody's account has none of its powers yet. Whoever asks acts.
create or replace function demand_usable(_staff bigint, _role text) returns void
stable language plpgsql set search_path = public, pg_temp as $$
begin
  if (select usable_from > now() from staff_roles where staff_id = _staff and role = _role) then
    raise exception 'role % of staff % is held', _role, _staff using errcode = 'FT102';
  end if;
  perform acting_session(_staff);
end $$;

-- Triggers add the staff session to each approval and edit, whichever function writes it.
alter table approvals add column session_id bigint;
alter table content_edits add column session_id bigint;
alter table request_events add column session_id bigint;
alter table audit_pending add column session_id bigint;

create function note_acting_session() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _session staff_sessions;
begin
  if new.staff_id is null then return new; end if;
  _session := acting_session(new.staff_id);
  -- The server asks for the step-up; an approval is not taken without.
  if tg_table_name = 'approvals' and _session.fresh_until <= now() then
    raise exception 'staff % has shown neither password nor factor lately', new.staff_id using errcode = 'FT112';
  end if;
  new.session_id := _session.id;
  return new;
end $$;
create trigger approvals_session before insert on approvals for each row execute function note_acting_session();
create trigger content_edits_session before insert on content_edits for each row execute function note_acting_session();
create trigger audit_pending_session before insert on audit_pending for each row execute function note_acting_session();

-- A request's history also has the customer's session, as session_customer found it in this transaction.
create function note_request_session() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _actor constant text := new.actor;
  _session staff_sessions;
begin
  if _actor = 'staff' then
    _session := acting_session(new.staff_id);
    new.session_id := _session.id;
  elsif _actor = 'customer' then
    new.session_id := nullif(current_setting('fairtick.customer_session', true), '')::bigint;
  end if;
  return new;
end $$;
create trigger request_events_session before insert on request_events for each row execute function note_request_session();

-- As before (migration 005), with the session.
create or replace function audit_chain() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _head audit_head;
  _entry text;
begin
  select * into strict _head from audit_head for update;
  _entry := (jsonb_build_object('seq', _head.size, 'at', (extract(epoch from clock_timestamp()) * 1000)::bigint,
    'staff', new.staff_id, 'action', new.action, 'subject', new.subject, 'facts', new.facts)
    || case when new.session_id is null then '{}' else jsonb_build_object('session', new.session_id) end)::text;
  _head.hash := sha256(_head.hash || convert_to(_entry, 'UTF8'));
  insert into audit_log (seq, entry, hash) values (_head.size, _entry, _head.hash);
  update audit_head set size = _head.size + 1, hash = _head.hash;
  delete from audit_pending where id = new.id;
  return null;
end $$;

-- The server appends what staff do to their own account, and nothing in the name of the system.
revoke execute on function audit_append from fairtick_server;
create function audit_own(_staff bigint, _action text, _facts jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if _staff is null or _action not in ('session.logout', 'session.password', 'factor.add', 'factor.remove') then
    raise exception 'staff % do not note %', _staff, _action using errcode = 'FT111';
  end if;
  perform audit_append(_staff, _action, 'staff:' || _staff, _facts);
end $$;

-- Sessions of staff. The server says that a password and a factor were right, for the database can check neither; that a session
-- began stands in the audit log and in the list of logins, whoever began it.
create function staff_session_begin(_token_hash bytea, _staff bigint, _is_strong boolean, _user_agent text, _address inet) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from staff where id = _staff and is_active for share;
  if not found then raise exception 'staff % may not log in', _staff using errcode = 'FT101'; end if;
  delete from staff_sessions where staff_id = _staff
    and (last_used_at <= now() - interval '1 hour' or created_at <= now() - interval '12 hours');
  insert into staff_sessions (token_hash, staff_id, fresh_until, is_strong, user_agent, address)
    values (_token_hash, _staff, now() + interval '15 minutes', _is_strong, _user_agent, _address);
  insert into staff_login_events (staff_id, is_success, user_agent, address) values (_staff, true, _user_agent, _address);
  perform set_config('fairtick.staff_session', encode(_token_hash, 'hex'), true);
  perform audit_append(_staff, 'session.login', 'staff:' || _staff, jsonb_build_object('isStrong', _is_strong));
end $$;

-- The session of a token, if it lives; its last use is noted once a minute.
create function staff_session_look(_token_hash bytea, out id bigint, out staff_id bigint, out is_fresh boolean, out is_strong boolean,
  out fresh_until_ms bigint) returns setof record
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query select s.id, s.staff_id, s.fresh_until > now(), s.is_strong, (extract(epoch from s.fresh_until) * 1000)::bigint
  from staff_sessions s join staff f on f.id = s.staff_id
  where s.token_hash = _token_hash and f.is_active
    and s.last_used_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours';
  if found then
    update staff_sessions s set last_used_at = now() where s.token_hash = _token_hash and s.last_used_at < now() - interval '1 minute';
  end if;
end $$;

-- A step-up (`_is_fresh`), or a factor that was shown: until when it is fresh, in Unix milliseconds.
create function staff_session_show(_token_hash bytea, _is_fresh boolean, _is_strong boolean) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  update staff_sessions set is_strong = is_strong or _is_strong,
    fresh_until = case when _is_fresh then now() + interval '15 minutes' else fresh_until end
  where token_hash = _token_hash returning (extract(epoch from fresh_until) * 1000)::bigint
$$;

-- Ends sessions of whoever shows one of theirs: that one (`_id` null: itself), or with `_others` all but itself.
create function staff_session_end(_token_hash bytea, _id bigint, _others boolean) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from staff_sessions s using staff_sessions own
  where own.token_hash = _token_hash and s.staff_id = own.staff_id
    and case when _others then s.id <> own.id else s.id = coalesce(_id, own.id) end
$$;

-- Sessions of customers, likewise: one begins with the login that its customer sees in their history.
create function session_begin(_token_hash bytea, _customer bigint, _user_agent text, _address inet) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from customers where id = _customer and closed_at is null and erased_at is null for share;
  if not found then raise exception 'customer % may not log in', _customer using errcode = 'FT032'; end if;
  delete from sessions where customer_id = _customer and last_used_at < now() - interval '30 days';
  insert into sessions (token_hash, customer_id, fresh_until, user_agent, address)
    values (_token_hash, _customer, now() + interval '1 hour', _user_agent, _address);
  insert into login_events (customer_id, is_success, user_agent, address) values (_customer, true, _user_agent, _address);
end $$;

-- The living sessions of these hashes.
create function sessions_look(_hashes bytea[])
returns table (token text, id bigint, customer_id bigint, is_fresh boolean, is_stale boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select encode(s.token_hash, 'hex'), s.id, s.customer_id, s.fresh_until > now(), s.last_used_at < now() - interval '1 minute'
  from sessions s where s.token_hash = any (_hashes) and s.last_used_at > now() - interval '30 days'
$$;

-- An hour "of use": freshness moves on while the session is used before it runs out.
create function session_touch(_token_hash bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set last_used_at = now(), fresh_until = case when fresh_until > now() then now() + interval '1 hour' else fresh_until end
  where token_hash = _token_hash
$$;

-- The password was given again.
create function session_refresh(_token_hash bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set fresh_until = now() + interval '1 hour' where token_hash = _token_hash
$$;

-- Ends sessions of a customer: that one (`_id`), or all but the one of this hash. Answers the hash of the one that ended, in hex.
create function session_end(_customer bigint, _id bigint, _except_hash bytea) returns text
language sql security definer set search_path = public, pg_temp as $$
  with ended as (
    delete from sessions where customer_id = _customer
      and case when _id is null then _except_hash is null or token_hash <> _except_hash else id = _id end
    returning encode(token_hash, 'hex') as token
  )
  select case when _id is not null then max(token) end from ended
$$;

-- Whose session this is, if it lives; `_fresh`: and its password was given lately. What the transaction writes of a request names it.
create or replace function session_customer(_token_hash bytea, _fresh boolean) returns bigint
language plpgsql stable set search_path = public, pg_temp as $$
declare
  _session sessions;
begin
  select * into _session from sessions s
  where s.token_hash = _token_hash and s.last_used_at > now() - interval '30 days' and (not _fresh or s.fresh_until > now());
  perform set_config('fairtick.customer_session', coalesce(_session.id::text, ''), true);
  return _session.customer_id;
end $$;

revoke insert, update, delete, select on sessions, staff_sessions from fairtick_server;
revoke update (last_used_at, fresh_until, user_agent, address) on sessions from fairtick_server;
revoke update (last_used_at, fresh_until, is_strong) on staff_sessions from fairtick_server;
grant select (id, customer_id, created_at, last_used_at, fresh_until, user_agent, address) on sessions to fairtick_server;
grant select (id, staff_id, created_at, last_used_at, fresh_until, is_strong, user_agent, address) on staff_sessions to fairtick_server;
grant select on sessions_known_since, session_log, staff_session_log to fairtick_server;
grant execute on function audit_own, staff_session_begin, staff_session_look, staff_session_show, staff_session_end,
  session_begin, sessions_look, session_touch, session_refresh, session_end
  to fairtick_server;
