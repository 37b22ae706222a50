-- Acts of staff, tied to sessions. The server's role proves on whose behalf it acts: each decision of staff needs the token hash
-- of a live session of theirs, and keeps that session's id.
-- The hash comes in the connection setting fairtick.staff_session, which acting-staff.ts sets for each request of the office. It
-- is a proof because the server's role can't read token hashes (rights.sql): only the holder of the token knows its hash.
-- The database's owner may act without a session. The audit reports such acts (audit-session-checks.ts).

-- ## Functions

-- Whether a role of the server runs the transaction, by its login or by SET ROLE. Security definer functions change neither.
create or replace function acts_as_server() returns boolean
stable language sql set search_path = public, pg_temp as $$
  select session_user in ('fairtick_server', 'fairtick_chain') or current_setting('role') in ('fairtick_server', 'fairtick_chain')
$$;

-- Returns the live session under which the transaction acts as this member of staff. A session lives for one hour after its last
-- use and for 12 hours in all. Without one, the owner gets null. The server's role is refused: ROLE_MISSING if the account is
-- off, else SESSION_EXPIRED.
create or replace function acting_session(_staff bigint) returns staff_sessions stable language plpgsql security definer as $$
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

-- Writes the acting session into a new row. A row without a member of staff is the system's own and gets no session.
create or replace function note_acting_session() returns trigger language plpgsql security definer as $$
declare
  _session staff_sessions;
begin
  if new.staff_id is null then return new; end if;
  _session := acting_session(new.staff_id);
  -- The server asks for the step-up before each act that needs one. For approvals the database enforces it.
  if tg_table_name = 'approvals' and _session.proved_until <= now() then
    perform refuse('REAUTH_REQUIRED', format('staff %s has shown neither password nor factor lately', new.staff_id));
  end if;
  new.session_id := _session.id;
  return new;
end $$;

-- A view of personal data counts as seen at a decision, so the server's role records it only under a session of who looked.
create or replace function demand_viewing_session() returns trigger language plpgsql security definer as $$
begin
  perform acting_session(new.staff_id);
  return new;
end $$;

create or replace trigger personal_data_views_session before insert on personal_data_views
  for each row execute function demand_viewing_session();

create or replace trigger approvals_session before insert on approvals for each row execute function note_acting_session();

create or replace trigger content_edits_session before insert on content_edits
  for each row execute function note_acting_session();

create or replace trigger audit_pending_session before insert on audit_pending
  for each row execute function note_acting_session();

-- Writes the acting session into a new event of a request. For an event of the customer it is the session that session_customer
-- found in this transaction.
create or replace function note_request_session() returns trigger language plpgsql security definer as $$
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

create or replace trigger request_events_session before insert on request_events
  for each row execute function note_request_session();
