-- Customers' sessions. Functions alone write them, and the server's role can't read token hashes. A session lives until 30 days
-- after its last use, and 90 days at most. A customer has at most 20. Requests that move money or change credentials need more
-- than a live session:
--   fresh   no pause between two uses since the last proof lasted an hour: orders, deposits, earnings
--   proved  fresh, and the last proof (the password, with the second factor if one is on) is at most five minutes old; use does
--           not renew it: credentials, destinations, the export, closing, withdrawals

create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id bigint not null references customers,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- The session is fresh before this time.
  fresh_until timestamptz not null,
  user_agent text not null,
  address inet,
  -- Number of the session on its customer's list. It gives no access.
  id bigint generated always as identity,
  -- Time of the last proof: a login, a registration or user/reauth.
  proved_at timestamptz default now()
);

create index sessions_by_customer on sessions (customer_id);
create unique index sessions_by_id on sessions (id);

-- The audit demands a recorded session for each act of customers and staff since this time.
create table sessions_known_since (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null default now()
);

-- Keeps each session after its end, without the token's hash, browser and address, so that the audit can check past acts.
-- staff_session_log does the same for staff.
create table session_log (
  id bigint primary key,
  customer_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);

insert into sessions_known_since default values;

-- ## Functions

-- Whether a session is live; with `_fresh` also fresh.
create or replace function session_lives(_session sessions, _fresh boolean) returns boolean
stable language sql as $$
  select _session.last_used_at > now() - interval '30 days' and _session.created_at > now() - interval '90 days'
    and (not _fresh or _session.fresh_until > now())
$$;

-- Returns the customer of a live session, or null; with `_fresh` the session must also be fresh. For the rest of the transaction,
-- the setting fairtick.customer_session names the session, and rows of request_events take it from there.
create or replace function session_customer(_token_hash bytea, _fresh boolean) returns bigint language plpgsql stable as $$
declare
  _session sessions;
begin
  select * into _session from sessions s
  where s.token_hash = _token_hash and session_lives(s, _fresh);
  perform set_config('fairtick.customer_session', coalesce(_session.id::text, ''), true);
  return _session.customer_id;
end $$;

create or replace function session_log_keep() returns trigger language plpgsql security definer as $$
begin
  if tg_op = 'INSERT' then
    insert into session_log (id, customer_id, began_at) values (new.id, new.customer_id, new.created_at);
  else
    update session_log set ended_at = clock_timestamp() where id = old.id;
  end if;
  return null;
end $$;

create or replace trigger session_log_keep after insert or delete on sessions for each row execute function session_log_keep();

-- Tells all processes that one session of a customer has ended, or all of them (null).
create or replace function sessions_tell(_customer bigint, _token_hash bytea default null) returns void
language sql set search_path = public, pg_temp as $$
  select tell('sessions', jsonb_build_object('customerId', _customer::text, 'tokenHash', encode(_token_hash, 'hex'),
    'exceptHash', null)::text)
$$;

-- Begins a session, fresh and proved, and records the login in the history that the customer sees. It also deletes the customer's
-- expired sessions and, so that 20 remain, those that were unused for longest; the customer is told of these. Raises
-- CUSTOMER_INACTIVE for a closed or erased account, and LOGIN_FROZEN with the end in ms and the reason. The customer is also told
-- of a login from a new place or device: neither does the device have their mark (`_is_known`), nor did such a browser log in
-- from this network within 90 days. The first login, at the registration, is silent.
create or replace function session_begin(_token_hash bytea, _customer bigint, _user_agent text, _address inet, _is_known boolean)
returns void language plpgsql security definer as $$
declare
  _ended bytea;
  _frozen timestamptz;
begin
  perform from customers where id = _customer and closed_at is null and erased_at is null for share;
  if not found then perform refuse('CUSTOMER_INACTIVE', format('customer %s may not log in', _customer)); end if;
  _frozen := frozen_until(_customer, 'login');
  if _frozen is not null then
    perform refuse('LOGIN_FROZEN', format('logins of customer %s are frozen', _customer),
      ms_of(_frozen) || ' ' || (select f.reason from account_freezes f
        where f.customer_id = _customer and f.what = 'login' order by f.id desc limit 1));
  end if;
  delete from sessions s where s.customer_id = _customer and not session_lives(s, false);
  insert into sessions (token_hash, customer_id, fresh_until, user_agent, address)
    values (_token_hash, _customer, now() + interval '1 hour', _user_agent, _address);
  if not _is_known and exists (select from login_events e where e.customer_id = _customer and e.is_success)
    and not exists (
      select from login_events e
      where e.customer_id = _customer and e.is_success and e.at > now() - interval '90 days' and e.user_agent = _user_agent
        and (e.address <<= network(set_masklen(_address, case family(_address) when 4 then 32 else 64 end))
          or num_nulls(e.address, _address) = 2)) then
    perform notice_add(_customer, 'security.newDevice', jsonb_strip_nulls(jsonb_build_object('device', _user_agent,
      'address', host(_address), 'time', ms_of(clock_timestamp())::text)));
  end if;
  insert into login_events (customer_id, is_success, user_agent, address) values (_customer, true, _user_agent, _address);
  for _ended in
    delete from sessions where token_hash in (select s.token_hash from sessions s where s.customer_id = _customer
      order by s.token_hash = _token_hash desc, s.last_used_at desc, s.id desc offset 20)
    returning token_hash
  loop
    perform sessions_tell(_customer, _ended);
    perform notice_add_daily(_customer, 'security.sessionEnded');
  end loop;
end $$;

-- Reads the live sessions among these token hashes. `is_stale`: the last recorded use is over a minute ago, so the server calls
-- session_touch. `ends_ms`: the end unless it is used again, in Unix milliseconds.
create or replace function sessions_look(_hashes bytea[])
returns table (token text, id bigint, customer_id bigint, is_fresh boolean, is_proved boolean, is_stale boolean, ends_ms bigint)
stable language sql security definer as $$
  select encode(s.token_hash, 'hex'), s.id, s.customer_id, s.fresh_until > now(),
    coalesce(proof_holds(s.fresh_until, s.proved_at), false), s.last_used_at < now() - interval '1 minute',
    ms_of(least(s.last_used_at + interval '30 days', s.created_at + interval '90 days'))
  from sessions s where s.token_hash = any (_hashes) and session_lives(s, false)
$$;

-- Records a use of the session. If the session is still fresh, it stays fresh for another hour.
create or replace function session_touch(_token_hash bytea) returns void language sql security definer as $$
  update sessions set last_used_at = now(),
    fresh_until = case when fresh_until > now() then now() + interval '1 hour' else fresh_until end
  where token_hash = _token_hash
$$;

-- Ends the session `_id` of a customer; with `_id` null, all sessions except the one with `_except_hash` (null: no exception).
-- Returns the token's hash of the session `_id` in hex, or null.
create or replace function session_end(_customer bigint, _id bigint, _except_hash bytea) returns text
language sql security definer as $$
  with ended as (
    delete from sessions where customer_id = _customer
      and case when _id is null then _except_hash is null or token_hash <> _except_hash else id = _id end
    returning encode(token_hash, 'hex') as token
  )
  select case when _id is not null then max(token) end from ended
$$;

create or replace function proof_holds(_fresh_until timestamptz, _proved_at timestamptz) returns boolean
language sql stable as $$ select _fresh_until > now() and _proved_at > now() - interval '5 minutes' $$;

-- Returns the customer of a live and proved session, or null.
create or replace function session_proved(_token_hash bytea) returns bigint language plpgsql stable as $$
declare
  _customer bigint := session_customer(_token_hash, true);
begin
  perform from sessions where token_hash = _token_hash and proof_holds(fresh_until, proved_at);
  return case when found then _customer end;
end $$;

-- Records a proof: the server has checked the password, and the second factor if one is on.
create or replace function session_prove(_token_hash bytea) returns void language sql security definer as $$
  update sessions set fresh_until = now() + interval '1 hour', proved_at = now() where token_hash = _token_hash
$$;
