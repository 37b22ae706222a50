-- ## Functions

-- The server's role proves whom it acts for. Sessions are written by functions alone, their hashes can't be read, whoever acts as
-- staff shows the hash of a living session of theirs, and each decision keeps which session it was.
--   CUSTOMER_INACTIVE an account that may not log in        SESSION_EXPIRED no living session of this member of staff
--   REAUTH_REQUIRED the session has shown no password or factor lately
--
-- The hash comes as a setting of the connection (fairtick.staff_session), which db/acting-staff.ts sets for each request of the
-- office. It proves something because nobody but who was given the token knows it: the table does not tell the server's role.

-- The database's owner may act without a session; the audit finds what was done so (audit-session-checks.ts).
create or replace function acts_as_server() returns boolean
stable language sql set search_path = public, pg_temp as $$
  select session_user = 'fairtick_server' or current_setting('role') = 'fairtick_server'
$$;

-- The living session under which the transaction acts as this member of staff. Null where the owner acts; else ROLE_MISSING for an account
-- that is off, as ever, and SESSION_EXPIRED.
create or replace function acting_session(_staff bigint) returns staff_sessions
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
      perform refuse('ROLE_MISSING', format('the account of staff %s is off', _staff));
    end if;
    perform refuse('SESSION_EXPIRED', format('no session of staff %s', _staff));
  end if;
  return _session;
end $$;

create or replace function note_acting_session() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _session staff_sessions;
begin
  if new.staff_id is null then return new; end if;
  _session := acting_session(new.staff_id);
  -- The server asks for the step-up; an approval is not taken without.
  if tg_table_name = 'approvals' and _session.fresh_until <= now() then
    perform refuse('REAUTH_REQUIRED', format('staff %s has shown neither password nor factor lately', new.staff_id));
  end if;
  new.session_id := _session.id;
  return new;
end $$;

create or replace trigger approvals_session before insert on approvals for each row execute function note_acting_session();

create or replace trigger content_edits_session before insert on content_edits for each row execute function note_acting_session();

create or replace trigger audit_pending_session before insert on audit_pending for each row execute function note_acting_session();

-- A request's history also has the customer's session, as session_customer found it in this transaction.
create or replace function note_request_session() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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

create or replace trigger request_events_session before insert on request_events for each row execute function note_request_session();
