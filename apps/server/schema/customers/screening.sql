-- Screening: names and addresses of public sanctions lists, and what of our customers resembles them. Names and destinations are
-- sealed, so the server compares names and destinations and records the result; the database compares senders on chains. A
-- match never takes anything: it holds payouts, the approval of a name and the credit of that payment until two people clear it
-- (the proposal `screening`). A confirmed one stays in force; what follows from it is for people to decide. What a vendor finds
-- is a match, too (vendors.sql). While no list is loaded and no vendor judges, nothing is screened.
-- Lock order: the proposal -> staff -> the hit -> the audit log.

create table screening_lists (
  name text primary key check (name ~ '^[a-z0-9-]{1,40}$'),
  -- Grows with each load of any list, so that a check says what it was made against.
  version bigint not null unique generated always as identity,
  -- SHA-256 of the file.
  file_hash bytea not null check (octet_length(file_hash) = 32),
  loaded_at timestamptz not null default clock_timestamp()
);

create table screening_entries (
  id bigint generated always as identity primary key,
  list text not null references screening_lists,
  kind text not null check (kind in ('name', 'address')),
  -- The list's own number of the person; an alias has the number of its person.
  reference text not null check (length(reference) between 1 and 100),
  text text not null check (length(text) between 1 and 300)
);

create index screening_entries_by_list on screening_entries (list);
create index screening_entries_addresses on screening_entries (address_key(text)) where kind = 'address';

-- The version of the lists against which a submitted name (a row of verifications) or a destination was compared last.
create table screening_checks (
  kind text not null check (kind in ('name', 'destination')),
  subject_id bigint not null,
  version bigint not null,
  primary key (kind, subject_id)
);

create table screening_hits (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  -- A `sender` is a row of chain_deposits.
  kind text not null check (kind in ('name', 'destination', 'sender')),
  subject_id bigint not null,
  -- The entry as it was; of a vendor its name, the inquiry's reference, and the finding with the vendor's code.
  list text not null,
  reference text not null,
  listed text not null,
  -- Percent of similarity; 100 is equal.
  score smallint not null check (score between 1 and 100),
  found_at timestamptz not null default clock_timestamp(),
  state text not null default 'open' check (state in ('open', 'cleared', 'confirmed')),
  proposal_id bigint references proposals,
  -- Null: found on a list.
  inquiry_id bigint references vendor_inquiries,
  -- One for lack of an answer is also cleared by the vendor's.
  check (case state when 'open' then proposal_id is null when 'confirmed' then proposal_id is not null
    else proposal_id is not null or inquiry_id is not null end),
  -- A cleared match is not found again while the list's entry is the same.
  unique (kind, subject_id, list, reference, listed)
);

create index screening_hits_by_inquiry on screening_hits (inquiry_id) where inquiry_id is not null;
create index screening_hits_by_customer on screening_hits (customer_id, id) where state <> 'cleared';

-- ## Functions

-- The version of the lists now; 0 while none is loaded.
create or replace function screening_version() returns bigint
stable language sql set search_path = public, pg_temp as $$ select coalesce(max(version), 0) from screening_lists $$;

-- Raises SCREENING_OPEN while a match of the customer is not cleared, and SCREENING_DUE while this destination, this submission
-- or the verified name has not been compared with the lists as they are, or a vendor has not judged this destination or
-- submission.
create or replace function demand_screened(_customer bigint, _destination bigint, _verification bigint) returns void
language plpgsql as $$
declare
  _version bigint := screening_version();
begin
  if exists (select from screening_hits h where h.customer_id = _customer and h.state <> 'cleared') then
    perform refuse('SCREENING_OPEN', format('a match of customer %s is not cleared', _customer));
  end if;
  if _version > 0 and exists (
    select from (
      select 'destination' as kind, _destination as id where _destination is not null
      union all select 'name', _verification where _verification is not null
      union all select 'name', v.id from verifications v where v.customer_id = _customer and v.state = 'verified'
        and v.sealed is not null
    ) s where not exists (select from screening_checks k
      where k.kind = s.kind and k.subject_id = s.id and k.version >= _version)
  ) then
    perform refuse('SCREENING_DUE', format('customer %s is being compared with the lists', _customer));
  end if;
  if vendor_waits('destination', _destination) or vendor_waits('name', _verification) then
    perform refuse('SCREENING_DUE', format('a vendor has not answered about customer %s', _customer));
  end if;
end $$;

-- Returns names and destinations that have not been compared with the lists as they are, `_most` at most.
create or replace function screening_due(_most int) returns table (kind text, subject_id bigint, customer_id bigint)
stable language sql security definer set search_path = public, pg_temp as $$
  select s.kind, s.id, s.customer_id from (
    select 'name' as kind, v.id, v.customer_id from verifications v where v.state in ('pending', 'verified')
      and v.sealed is not null
    union all select 'destination', d.id, d.customer_id from destinations d where d.removed_at is null
  ) s, screening_version() now (version)
  where now.version > 0 and not exists (select from screening_checks k
    where k.kind = s.kind and k.subject_id = s.id and k.version >= now.version)
  limit _most
$$;

-- Records a comparison with the lists of `_version`, and the matches: {list, reference, listed, score}. Returns how many are new.
create or replace function screening_record(_kind text, _subject bigint, _version bigint, _matches jsonb) returns int
language plpgsql security definer as $$
declare
  _customer bigint;
  _new int;
begin
  if _kind = 'name' then
    select v.customer_id into _customer from verifications v where v.id = _subject;
  else
    select d.customer_id into _customer from destinations d where d.id = _subject;
  end if;
  if _customer is null then return 0; end if;
  insert into screening_hits (customer_id, kind, subject_id, list, reference, listed, score)
  select _customer, _kind, _subject, m.list, m.reference, m.listed, m.score
  from jsonb_to_recordset(_matches) m (list text, reference text, listed text, score smallint)
  on conflict do nothing;
  get diagnostics _new = row_count;
  insert into screening_checks (kind, subject_id, version) values (_kind, _subject, _version)
  on conflict (kind, subject_id) do update set version = greatest(screening_checks.version, excluded.version);
  if _new > 0 then
    perform audit_append(null, 'screening.hit', 'customer:' || _customer, jsonb_build_object('count', _new));
  end if;
  return _new;
end $$;

-- Whether the sender of a payment is on a list and not cleared, or a vendor has not judged it. Records the match.
create or replace function sender_listed(_d chain_deposits, _customer bigint) returns boolean language plpgsql as $$
declare
  _new int;
begin
  if _d.sender is null then return false; end if;
  insert into screening_hits (customer_id, kind, subject_id, list, reference, listed, score)
  select _customer, 'sender', _d.id, e.list, e.reference, e.text, 100 from screening_entries e
  where e.kind = 'address' and address_key(e.text) = address_key(_d.sender)
  on conflict do nothing;
  get diagnostics _new = row_count;
  if _new > 0 then
    perform audit_append(null, 'screening.hit', 'customer:' || _customer, jsonb_build_object('count', _new));
  end if;
  return vendor_waits('sender', _d.id)
    or exists (select from screening_hits h where h.kind = 'sender' and h.subject_id = _d.id and h.state <> 'cleared');
end $$;

-- Proposes to clear or to confirm a match, and returns the proposal. A confirmed one may be cleared later.
create or replace function screening_propose(_staff bigint, _hit bigint, _verdict text, _note text) returns bigint
language plpgsql security definer as $$
declare
  _h screening_hits;
begin
  perform demand_role(_staff, 'verification');
  select * into _h from screening_hits where id = _hit;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no match %s', _hit)); end if;
  if _h.state = 'cleared' or (_h.state, _verdict) = ('confirmed', 'confirm') then
    perform refuse('REQUEST_CLOSED', format('match %s is decided', _hit));
  end if;
  return (propose(_staff, 'screening', _hit::text, jsonb_build_object('hit', _hit, 'verdict', _verdict, 'note', _note),
    jsonb_build_object('customer', _h.customer_id, 'verdict', _verdict), _customer => _h.customer_id)).id;
end $$;

create or replace function carry_out_screening(_p proposals) returns jsonb language plpgsql as $$
begin
  update screening_hits set proposal_id = _p.id,
    state = case _p.content ->> 'verdict' when 'clear' then 'cleared' else 'confirmed' end
  where id = _p.subject::bigint;
  return jsonb_build_object('customer', _p.customer_id, 'verdict', _p.content ->> 'verdict');
end $$;
