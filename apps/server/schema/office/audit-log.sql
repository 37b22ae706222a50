-- The audit log. What is hashed is what is shown: `entry` is the text, everything else is read out of it.
-- hash = sha256(the hash before || the entry's UTF-8 bytes); before the first stand 32 zero bytes.
create table audit_log (
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

create table audit_head (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);

-- What transactions under way will append. Empty in between: see audit_chain.
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null,
  session_id bigint
);

-- The table holds the findings of the daily audit (daily-audit.ts). It says what an honest server saw; whoever trusts none runs
-- `npm run audit` from somewhere else.
create table audit_runs (
  -- Whose orders were settled again; all else was looked at as it stood.
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);

insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));

-- ## Functions

-- Appends to the audit log when the caller's transaction commits, and not at all if it does not.
-- `_staff` null: the system itself. `_subject` is `kind:id` (`withdrawal:17`). Facts hold no secrets and no personal data.
create or replace function audit_append(_staff bigint, _action text, _subject text, _facts jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into audit_pending (staff_id, action, subject, facts) values (_staff, _action, _subject, coalesce(_facts, '{}'))
$$;

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

drop trigger if exists audit_chain on audit_pending;
create constraint trigger audit_chain after insert on audit_pending deferrable initially deferred
  for each row execute function audit_chain();

-- What is wrong with the chain; no row is well. The page verifies the same by itself, from the entries' texts.
create or replace function audit_verify() returns table (seq bigint, problem text)
stable language sql security definer set search_path = public, pg_temp as $$
  with chain as (
    select l.seq, l.entry, l.hash, row_number() over w - 1 as place,
      coalesce(lag(l.hash) over w, decode(repeat('00', 32), 'hex')) as before
    from audit_log l window w as (order by l.seq)
  )
  select c.seq, case when c.seq <> c.place then 'an entry before this one is missing'
      when c.hash <> sha256(c.before || convert_to(c.entry, 'UTF8')) then 'the hash is not that of the entry and those before it'
      else 'the entry says another number' end
  from chain c
  where c.seq <> c.place or c.hash <> sha256(c.before || convert_to(c.entry, 'UTF8')) or (c.entry::jsonb ->> 'seq')::bigint <> c.seq
  union all
  select h.size, 'the newest entries are missing, or the head is not theirs'
  from audit_head h
  cross join (select coalesce(max(c.seq) + 1, 0) as size,
    coalesce((array_agg(c.hash order by c.seq desc))[1], decode(repeat('00', 32), 'hex')) as hash from chain c) l
  where (h.size, h.hash) is distinct from (l.size, l.hash)
$$;

-- The day that is to be audited now; null: it has been.
create or replace function audit_due() returns date
stable language sql security definer set search_path = public, pg_temp as $$
  select d.day from (select (now() at time zone 'UTC')::date - 1 as day) d where not exists (select from audit_runs r where r.day = d.day)
$$;

-- Once, and for that day alone: nobody takes back what was found.
create or replace function audit_keep(_day date, _findings jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if _day is distinct from audit_due() then perform refuse('AUDIT_NOT_DUE', format('the audit of %s is not due', _day)); end if;
  insert into audit_runs (day, findings) values (_day, _findings);
end $$;

create or replace function audit_own(_staff bigint, _action text, _facts jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if _staff is null or _action not in ('session.logout', 'session.password', 'factor.add', 'factor.remove') then
    perform refuse('SESSION_EXPIRED', format('staff %s do not note %s', _staff, _action));
  end if;
  perform audit_append(_staff, _action, 'staff:' || _staff, _facts);
end $$;
