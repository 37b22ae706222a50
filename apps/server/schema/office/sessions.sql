-- Sessions of staff. Functions alone write them, and the server's role can't read token hashes (rights.sql).
-- The server checks the password and the second factor, because the database can check neither. So it can begin a session for
-- anybody, but not unseen: each login appears in the audit log and in the list of logins.
-- A session lives for one hour after its last use and for 12 hours in all.

create table staff_sessions (
  id bigint generated always as identity unique,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  staff_id bigint not null references staff,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- The session is proved before this time: money may move and rights may change. Use does not renew it.
  proved_until timestamptz not null,
  -- Whether the session has shown a second factor.
  is_strong boolean not null,
  user_agent text not null,
  address inet
);

create index staff_sessions_by_staff on staff_sessions (staff_id);

-- Keeps each session after its end, without its token's hash, browser or address. The audit compares acts of staff with it.
create table staff_session_log (
  id bigint primary key,
  staff_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);

-- ## Functions

create or replace function staff_session_log_keep() returns trigger language plpgsql security definer as $$
begin
  if tg_op = 'INSERT' then
    insert into staff_session_log (id, staff_id, began_at) values (new.id, new.staff_id, new.created_at);
  else
    update staff_session_log set ended_at = clock_timestamp() where id = old.id;
  end if;
  return null;
end $$;

create or replace trigger staff_session_log_keep after insert or delete on staff_sessions
  for each row execute function staff_session_log_keep();

-- Begins a session, records the login, and deletes expired sessions of the same account. The transaction acts under the new
-- session from here on, because the setting names it. Raises ONE_TIME_EXPIRED for a one-time password of more than a day.
create or replace function staff_session_begin(_token_hash bytea, _staff bigint, _is_strong boolean, _user_agent text,
  _address inet) returns void language plpgsql security definer as $$
begin
  perform from staff where id = _staff and is_active for share;
  if not found then perform refuse('ROLE_MISSING', format('staff %s may not log in', _staff)); end if;
  if exists (select from staff where id = _staff and must_change_password and one_time_from < now() - interval '24 hours') then
    perform refuse('ONE_TIME_EXPIRED', format('the one-time password of staff %s is over', _staff));
  end if;
  delete from staff_sessions where staff_id = _staff
    and (last_used_at <= now() - interval '1 hour' or created_at <= now() - interval '12 hours');
  insert into staff_sessions (token_hash, staff_id, proved_until, is_strong, user_agent, address)
    values (_token_hash, _staff, now() + interval '15 minutes', _is_strong, _user_agent, _address);
  insert into staff_login_events (staff_id, is_success, user_agent, address) values (_staff, true, _user_agent, _address);
  perform set_config('fairtick.staff_session', encode(_token_hash, 'hex'), true);
  perform audit_append(_staff, 'session.login', 'staff:' || _staff, jsonb_build_object('isStrong', _is_strong));
end $$;

-- Returns the session of a token, if it is alive. Its last use is recorded at most once a minute.
create or replace function staff_session_look(_token_hash bytea, out id bigint, out staff_id bigint, out is_proved boolean,
  out is_strong boolean, out proved_until_ms bigint) returns setof record language plpgsql security definer as $$
begin
  return query select s.id, s.staff_id, s.proved_until > now(), s.is_strong, ms_of(s.proved_until)
  from staff_sessions s join staff f on f.id = s.staff_id
  where s.token_hash = _token_hash and f.is_active
    and s.last_used_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours';
  if found then
    update staff_sessions s set last_used_at = now() where s.token_hash = _token_hash
      and s.last_used_at < now() - interval '1 minute';
  end if;
end $$;

-- Records a step-up (`_is_proved`) or a second factor (`_is_strong`). Returns proved_until in Unix milliseconds.
create or replace function staff_session_show(_token_hash bytea, _is_proved boolean, _is_strong boolean) returns bigint
language sql security definer as $$
  update staff_sessions set is_strong = is_strong or _is_strong,
    proved_until = case when _is_proved then now() + interval '15 minutes' else proved_until end
  where token_hash = _token_hash returning ms_of(proved_until)
$$;

-- Ends sessions of the member of staff to whom the token belongs: session `_id` (null: the token's own), or with `_others` all
-- but the token's own.
create or replace function staff_session_end(_token_hash bytea, _id bigint, _others boolean) returns void
language sql security definer as $$
  delete from staff_sessions s using staff_sessions own
  where own.token_hash = _token_hash and s.staff_id = own.staff_id
    and case when _others then s.id <> own.id else s.id = coalesce(_id, own.id) end
$$;
