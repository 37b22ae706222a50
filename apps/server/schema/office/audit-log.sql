-- The audit log of what staff did: an append-only chain of hashes. Functions alone write it (audit_append, audit_own).
-- The columns after `hash` are generated from `entry`, so the data that is shown is the data that is hashed.
-- hash = sha256(the previous entry's hash || the entry's UTF-8 bytes). The first entry follows 32 zero bytes.
-- The row of audit_head is the last lock of a transaction: audit_chain alone takes it, at the commit.

create table audit_log (
  -- Counts from 0 without gaps.
  seq bigint primary key,
  entry text not null check (octet_length(entry) <= 16384),
  hash bytea not null unique check (octet_length(hash) = 32),
  at_ms bigint not null generated always as ((entry::jsonb ->> 'at')::bigint) stored,
  staff_id bigint generated always as ((entry::jsonb ->> 'staff')::bigint) stored,
  action text not null generated always as (entry::jsonb ->> 'action') stored,
  subject text not null generated always as (entry::jsonb ->> 'subject') stored
);

create index audit_log_by_staff on audit_log (staff_id, seq);
create index audit_log_by_subject on audit_log (subject, seq);

-- The number of entries, and the newest entry's hash.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);

-- Entries of transactions in progress. audit_chain moves them to the log at the commit, so no committed row stays here.
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null,
  session_id bigint
);

-- The findings of the daily audit (daily-audit.ts). The server writes them itself, so they prove nothing about a dishonest
-- server. For that, run `npm run admin -- audit` from another machine.
create table audit_runs (
  -- The UTC day whose orders the audit replays from the log. All other checks read the state at the time of the run.
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);

insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));

-- ## Functions

-- Appends to the audit log when the caller's transaction commits. `_staff` null: the system itself. `_subject` is `kind:id`
-- (`withdrawal:17`). Facts must hold no secrets and no personal data.
create or replace function audit_append(_staff bigint, _action text, _subject text, _facts jsonb) returns void
language sql security definer as $$
  insert into audit_pending (staff_id, action, subject, facts) values (_staff, _action, _subject, coalesce(_facts, '{}'))
$$;

-- Moves a pending entry to the log. It runs at the commit, so that transactions hold the lock on the head only briefly. That lock
-- gives the entries one order.
create or replace function audit_chain() returns trigger language plpgsql security definer as $$
declare
  _head audit_head;
  _entry text;
begin
  select * into strict _head from audit_head for update;
  _entry := (jsonb_build_object('seq', _head.size, 'at', ms_of(clock_timestamp()),
    'staff', new.staff_id, 'action', new.action, 'subject', new.subject, 'facts', new.facts)
    || case when new.session_id is null then '{}' else jsonb_build_object('session', new.session_id) end)::text;
  _head.hash := sha256(_head.hash || convert_to(_entry, 'UTF8'));
  insert into audit_log (seq, entry, hash) values (_head.size, _entry, _head.hash);
  update audit_head set size = _head.size + 1, hash = _head.hash;
  delete from audit_pending where id = new.id;
  return null;
end $$;

drop trigger if exists audit_chain on audit_pending;
create constraint trigger audit_chain after insert on audit_pending deferrable initially deferred
  for each row execute function audit_chain();

-- Returns the faults of the chain; no row means that there is none. The office's page verifies the same in the browser, from the
-- entries' texts.
create or replace function audit_verify() returns table (seq bigint, problem text) stable language sql security definer as $$
  with chain as (
    select l.seq, l.entry, l.hash, row_number() over w - 1 as place,
      coalesce(lag(l.hash) over w, decode(repeat('00', 32), 'hex')) as before
    from audit_log l window w as (order by l.seq)
  )
  select c.seq, case when c.seq <> c.place then 'an entry before this one is missing'
      when c.hash <> sha256(c.before || convert_to(c.entry, 'UTF8')) then 'the hash is not that of the entry and those before it'
      else 'the entry says another number' end
  from chain c
  where c.seq <> c.place or c.hash <> sha256(c.before || convert_to(c.entry, 'UTF8'))
    or (c.entry::jsonb ->> 'seq')::bigint <> c.seq
  union all
  select h.size, 'the newest entries are missing, or the head is not theirs'
  from audit_head h
  cross join (select coalesce(max(c.seq) + 1, 0) as size,
    coalesce((array_agg(c.hash order by c.seq desc))[1], decode(repeat('00', 32), 'hex')) as hash from chain c) l
  where (h.size, h.hash) is distinct from (l.size, l.hash)
$$;

-- Returns the day that is due for the audit: yesterday (UTC), or null when that day has been audited.
create or replace function audit_due() returns date stable language sql security definer as $$
  select d.day from (select (now() at time zone 'UTC')::date - 1 as day) d
  where not exists (select from audit_runs r where r.day = d.day)
$$;

-- Stores the findings of the day that is due. Each day is stored once, and the server can't change its findings afterwards.
create or replace function audit_keep(_day date, _findings jsonb) returns void language plpgsql security definer as $$
begin
  if _day is distinct from audit_due() then perform refuse('AUDIT_NOT_DUE', format('the audit of %s is not due', _day)); end if;
  insert into audit_runs (day, findings) values (_day, _findings);
end $$;

-- Appends a change that a member of staff makes to their own account. Other actions are refused: they have functions of their
-- own.
create or replace function audit_own(_staff bigint, _action text, _facts jsonb) returns void
language plpgsql security definer as $$
begin
  if _staff is null or _action not in ('session.logout', 'session.password', 'factor.add', 'factor.remove') then
    perform refuse('SESSION_EXPIRED', format('staff %s do not note %s', _staff, _action));
  end if;
  perform audit_append(_staff, _action, 'staff:' || _staff, _facts);
end $$;
