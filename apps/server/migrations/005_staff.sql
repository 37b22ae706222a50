-- Staff: accounts, roles, sessions, second factors, the audit log, and four eyes as rules of the database. How staff and
-- their roles change is in 005_two_people.sql, who of them is which customer in 005_two_sides.sql.
--
-- The server says who acts (it has checked a session), the functions below say what that person may do. They run with
-- their owner's rights and are the only writers of roles, approvals and the audit log. Refusals have a code of their own:
--   FT101 role missing or account off      FT104 about oneself               FT107 no such change, or decided already
--   FT102 granted or reset too lately      FT105 too few approvals           FT108 would leave nobody to decide
--   FT103 approves what one edited         FT106 no rule for this kind       FT109 says nothing new
--   FT110 roles that do not go together
--
-- Lock order: whatever the business locks (the request, then balances) → staff, by id → the audit log's head, which is
-- locked when the transaction commits and by nothing else.

-- What the house was started with, as far as rules of the database depend on it. The owner writes it at every start.
create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  -- How long a new approver, destination or credential waits.
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  check (mode = 'demo' or hold_seconds >= 86400)
);
insert into house_settings default values;

create function hold_interval() returns interval
stable language sql security definer set search_path = public, pg_temp as $$
  select make_interval(secs => hold_seconds) from house_settings
$$;

create table staff (
  id bigint generated always as identity (start with 101) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  display_name text not null check (length(display_name) between 1 and 40),
  -- By what the operator tells people apart. Two accounts of one person are one pair of eyes.
  person text not null check (person ~ '^[a-z0-9][a-z0-9._-]{0,39}$'),
  password_hash text not null,
  -- The first password was given by somebody else: nothing else may be done before it is changed.
  must_change_password boolean not null default true,
  is_active boolean not null default false,
  is_demo boolean not null default false,
  language text not null default 'zh' check (language in ('zh', 'tw', 'en')),
  -- Administrators have no other role, and auditors none with which anything changes; set with the first role.
  side text check (side in ('administration', 'audit', 'work')),
  created_at timestamptz not null default now(),
  -- Null: by the command for the first administrators, or seeded.
  created_by bigint references staff,
  unique (id, side)
);
create unique index staff_by_account on staff (lower(account));

create domain staff_role as text check (
  value in ('support', 'verification', 'cashier', 'approver', 'content', 'catalogue', 'auditor', 'administrator'));

create function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;

create table staff_roles (
  staff_id bigint not null,
  role staff_role not null,
  side text not null generated always as (side_of(role)) stored,
  granted_at timestamptz not null default now(),
  granted_by bigint references staff,
  -- From when on this role may propose, approve and move money: later than its grant, and put off when the account is
  -- reset or turned on again.
  usable_from timestamptz not null,
  primary key (staff_id, role),
  foreign key (staff_id, side) references staff (id, side)
);

create table staff_sessions (
  id bigint generated always as identity unique,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  staff_id bigint not null references staff,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- Until when money may move and rights change without another step-up.
  fresh_until timestamptz not null,
  -- Whether a second factor was given.
  is_strong boolean not null,
  user_agent text not null,
  address inet
);
create index staff_sessions_by_staff on staff_sessions (staff_id);

create table staff_second_factors (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  -- TOTP: the secret, sealed, and the last time step that was used, so that no code works twice.
  sealed_secret bytea,
  last_step bigint,
  -- Passkey: as the authenticator gave it.
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- A factor counts once it was shown to work.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);
create index staff_second_factors_by_staff on staff_second_factors (staff_id);

-- What an authenticator is asked to sign; each is used once.
create table staff_challenges (
  challenge text primary key,
  staff_id bigint not null references staff,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);

create table staff_login_events (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);
create index staff_login_events_by_staff on staff_login_events (staff_id, id);

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
insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));

-- What transactions under way will append. Empty in between: see audit_chain.
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null
);

-- Appends to the audit log when the caller's transaction commits, and not at all if it does not.
-- `_staff` null: the system itself. `_subject` is `kind:id` (`withdrawal:17`). Facts hold no secrets and no personal data.
create function audit_append(_staff bigint, _action text, _subject text, _facts jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into audit_pending (staff_id, action, subject, facts) values (_staff, _action, _subject, coalesce(_facts, '{}'))
$$;

-- Runs at the commit, so that the head's lock is everybody's last and no two wait for each other in a circle. Whoever
-- appends waits for all who did before: the chain has no fork, and its times never fall.
create function audit_chain() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _head audit_head;
  _entry text;
begin
  select * into strict _head from audit_head for update;
  _entry := jsonb_build_object('seq', _head.size, 'at', (extract(epoch from clock_timestamp()) * 1000)::bigint,
    'staff', new.staff_id, 'action', new.action, 'subject', new.subject, 'facts', new.facts)::text;
  _head.hash := sha256(_head.hash || convert_to(_entry, 'UTF8'));
  insert into audit_log (seq, entry, hash) values (_head.size, _entry, _head.hash);
  update audit_head set size = _head.size + 1, hash = _head.hash;
  delete from audit_pending where id = new.id;
  return null;
end $$;
create constraint trigger audit_chain after insert on audit_pending deferrable initially deferred
  for each row execute function audit_chain();

-- What is wrong with the chain; no row is well. The page verifies the same by itself, from the entries' texts.
create function audit_verify() returns table (seq bigint, problem text)
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

-- Whether somebody may act in a role now.
create function staff_may(_staff bigint, _role text) returns boolean
stable language sql security definer set search_path = public, pg_temp as $$
  select exists (select from staff s join staff_roles r on r.staff_id = s.id
    where s.id = _staff and s.is_active and r.role = _role)
$$;

-- Raises while a role waits: whoever has just been given somebody's account has none of its powers yet.
create function demand_usable(_staff bigint, _role text) returns void
stable language plpgsql set search_path = public, pg_temp as $$
begin
  if (select usable_from > now() from staff_roles where staff_id = _staff and role = _role) then
    raise exception 'role % of staff % is held', _role, _staff using errcode = 'FT102';
  end if;
end $$;

-- Who has to agree to what.
create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  -- Who prepares it (null: no staff does), who approves it, and how many of them.
  edit_role staff_role,
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);
insert into four_eyes_rules (kind, edit_role, role, needed) values
  ('staff_change', 'administrator', 'administrator', 1),
  -- A deposit found as claimed is the cashier's to confirm; one that differs from its claim is another kind.
  ('deposit', 'cashier', 'approver', 0),
  ('deposit_differing', 'cashier', 'approver', 1),
  ('withdrawal', 'cashier', 'approver', 1),
  ('correction', 'cashier', 'approver', 1),
  ('channel', 'cashier', 'approver', 1),
  ('account_recovery', 'support', 'verification', 1),
  ('payout_table', 'catalogue', 'approver', 1),
  ('feed_rules', 'catalogue', 'approver', 1),
  ('earning_rate', 'catalogue', 'approver', 1);

-- More people for larger amounts: above this, in the asset's smallest unit.
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);
-- Above 5 000, 0.1 BTC or 2 ETH. Assets as seeded: 2 USDT (6 decimals), 3 USD (2), 4 BTC (8), 5 ETH (8).
insert into four_eyes_amounts (kind, asset_id, above, needed)
  select k.kind, a.id, a.above, k.needed
  from (values ('deposit', 1), ('deposit_differing', 2), ('withdrawal', 2), ('correction', 2)) as k (kind, needed)
  cross join (values (2, 5000000000), (3, 500000), (4, 10000000), (5, 200000000)) as a (id, above);

-- Who wrote what is to be approved. Whoever once edited a subject never approves it, whatever it says now.
create table content_edits (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  staff_id bigint not null references staff,
  person text not null,
  -- Whom it is about, if it is about staff.
  about_staff bigint references staff,
  at timestamptz not null default now()
);
create index content_edits_by_subject on content_edits (kind, subject_id);

create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  -- SHA-256 of exactly what is approved: another content has none of these approvals.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- Who edited this content last.
  edited_by bigint references staff,
  staff_id bigint not null references staff,
  person text not null,
  at timestamptz not null default now(),
  unique (kind, subject_id, content_hash, person),
  check (edited_by <> staff_id)
);

-- Notes that staff wrote the content of a subject. To be called in the transaction that writes it.
create function record_edit(_staff bigint, _kind text, _subject bigint, _content bytea, _about_staff bigint default null) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _role text;
begin
  select r.edit_role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then raise exception 'no rule for %', _kind using errcode = 'FT106'; end if;
  if _role is null or not staff_may(_staff, _role) then
    raise exception 'staff % may not edit %', _staff, _kind using errcode = 'FT101';
  end if;
  perform demand_usable(_staff, _role);
  perform demand_not_own(_staff, about_customer(_kind, _subject));
  insert into content_edits (kind, subject_id, content_hash, staff_id, person, about_staff)
    select _kind, _subject, _content, s.id, s.person, _about_staff from staff s where s.id = _staff;
end $$;

-- One person's approval of exactly this content. Returns its id, the same one however often it is given.
create function approve(_staff bigint, _kind text, _subject bigint, _content bytea) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _role text;
  _person text;
  _editor bigint;
  _id bigint;
begin
  select r.role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then raise exception 'no rule for %', _kind using errcode = 'FT106'; end if;
  -- Whoever takes the role away waits for us, or we see that it is gone.
  select s.person into _person from staff s where s.id = _staff for share;
  if not found or not staff_may(_staff, _role) then
    raise exception 'staff % may not approve %', _staff, _kind using errcode = 'FT101';
  end if;
  perform demand_usable(_staff, _role);
  if exists (select from content_edits e where e.kind = _kind and e.subject_id = _subject and e.person = _person) then
    raise exception 'staff % edited % %', _staff, _kind, _subject using errcode = 'FT103';
  end if;
  if exists (select from content_edits e join staff a on a.id = e.about_staff
      where e.kind = _kind and e.subject_id = _subject and a.person = _person) then
    raise exception '% % is about staff %', _kind, _subject, _staff using errcode = 'FT104';
  end if;
  perform demand_not_own(_staff, about_customer(_kind, _subject));
  select e.staff_id into _editor from content_edits e
    where e.kind = _kind and e.subject_id = _subject and e.content_hash = _content order by e.id desc limit 1;
  insert into approvals (kind, subject_id, content_hash, edited_by, staff_id, person)
    values (_kind, _subject, _content, _editor, _staff, _person)
    on conflict (kind, subject_id, content_hash, person) do nothing returning id into _id;
  if _id is null then
    select a.id into strict _id from approvals a
      where a.kind = _kind and a.subject_id = _subject and a.content_hash = _content and a.person = _person;
  else
    perform audit_append(_staff, 'approve', _kind || ':' || _subject, jsonb_build_object('content', encode(_content, 'hex')));
  end if;
  return _id;
end $$;

-- The approvals of exactly this content, and whether each counts: its giver still has the role, edited nothing since, and has
-- not turned out to be the customer.
create function approvals_of(_kind text, _subject bigint, _content bytea)
returns table (staff_id bigint, at timestamptz, counts boolean)
stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := about_customer(_kind, _subject);
begin
  return query select a.staff_id, a.at, staff_may(a.staff_id, r.role)
    and not exists (select from content_edits e where e.kind = _kind and e.subject_id = _subject and e.person = a.person)
    and not is_own_customer(a.staff_id, _customer)
  from approvals a join four_eyes_rules r on r.kind = a.kind
  where a.kind = _kind and a.subject_id = _subject and a.content_hash = _content
  order by a.id;
end $$;

-- How many people have to approve: at least so many as the strictest bound says that the amount has passed.
create function approvals_needed(_kind text, _asset smallint default null, _amount bigint default null) returns smallint
stable language sql security definer set search_path = public, pg_temp as $$
  select greatest(r.needed, (select max(a.needed) from four_eyes_amounts a
    where a.kind = r.kind and a.asset_id = _asset and _amount > a.above))
  from four_eyes_rules r where r.kind = _kind
$$;

-- Raises unless enough people approved exactly this content. To be called by what acts on it, in its transaction, with
-- the subject's row locked; those who approved keep their roles until the transaction ends.
create function demand_approvals(_kind text, _subject bigint, _content bytea, _asset smallint default null, _amount bigint default null)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _needed smallint := approvals_needed(_kind, _asset, _amount);
  _given bigint;
begin
  if _needed is null then raise exception 'no rule for %', _kind using errcode = 'FT106'; end if;
  perform from staff s where s.id in
    (select a.staff_id from approvals a where a.kind = _kind and a.subject_id = _subject and a.content_hash = _content)
    order by s.id for share;
  select count(*) into _given from approvals_of(_kind, _subject, _content) a where a.counts;
  if _given < _needed then
    raise exception '% % has % of % approvals', _kind, _subject, _given, _needed using errcode = 'FT105';
  end if;
end $$;

-- One's own password and language; never roles, never whether the account is on.
grant update (password_hash, must_change_password, language) on staff to fairtick_server;
grant insert, delete on staff_sessions to fairtick_server;
grant update (last_used_at, fresh_until, is_strong) on staff_sessions to fairtick_server;
grant insert, update (last_step, counter, confirmed_at, last_used_at), delete on staff_second_factors to fairtick_server;
grant insert, delete on staff_challenges to fairtick_server;
grant execute on function hold_interval, audit_append, audit_verify, staff_may, record_edit, approve, approvals_of, approvals_needed,
  demand_approvals
  to fairtick_server;
