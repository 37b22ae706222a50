-- Vendors of screening and identity: what is asked, and what their interface answers. A vendor judges submitted names and
-- addresses on chains. The server asks, fetches and records (customers/screening). The rule is here: a clear answer opens
-- `demand_screened` for that thing, any other is a match (screening_hits) for two people, and so is none for too long. An event
-- decides nothing: it makes the server fetch. Events are sealed, because a vendor may write names into them.
-- Lock order: the inquiry -> the vendor -> the match -> the audit log.

-- As VENDOR_FILE has them; the owner writes them at a start.
create table vendors (
  name text primary key check (name ~ '^[a-z0-9-]{1,30}$'),
  -- Empty: nothing waits for it any more.
  judges text[] not null check (judges <@ '{identity,address}'),
  -- Without an answer for this long, two people decide.
  late interval not null check (late between interval '5 minutes' and interval '7 days'),
  -- Since when all requests fail; null while one is answered.
  failing_since timestamptz
);

create table vendor_inquiries (
  id bigint generated always as identity (start with 1000) primary key,
  vendor text not null references vendors,
  -- A row of verifications, crypto_addresses or chain_deposits.
  kind text not null check (kind in ('name', 'destination', 'sender')),
  subject_id bigint not null,
  customer_id bigint not null references customers,
  -- The inquiry's name at the vendor.
  reference uuid not null unique default gen_random_uuid(),
  -- The last answer; `new`: the vendor does not know it.
  state text not null default 'new' check (state in ('new', 'pending', 'clear', 'match', 'reject', 'error')),
  -- The vendor's word for the reason and its own number of the case.
  code text check (code ~ '^[A-Za-z0-9_.-]{1,60}$'),
  vendor_case text check (vendor_case ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  created_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  -- The next request; null: none before an event comes.
  due_at timestamptz default clock_timestamp(),
  attempts int not null default 0,
  -- Counts the requests, so that only the last one's answer is recorded; and whether an event came since.
  takes int not null default 0,
  is_told boolean not null default false,
  unique (vendor, kind, subject_id),
  check ((state = 'new') or answered_at is not null),
  check (state in ('pending', 'clear', 'match', 'reject', 'error') or (code is null and vendor_case is null))
);

create index vendor_inquiries_due on vendor_inquiries (vendor, due_at) where due_at is not null;
create index vendor_inquiries_open on vendor_inquiries (vendor) where state in ('new', 'pending');
create index vendor_inquiries_by_customer on vendor_inquiries (customer_id, id);

-- Raw events, for 30 days.
create table vendor_events (
  id bigint primary key,
  vendor text not null references vendors,
  webhook_id text not null check (length(webhook_id) between 1 and 200),
  received_at timestamptz not null default clock_timestamp(),
  -- Null: it names no inquiry of this vendor.
  inquiry_id bigint references vendor_inquiries,
  -- Null once its customer is erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  unique (vendor, webhook_id)
);

create index vendor_events_by_time on vendor_events (vendor, received_at);
create index vendor_events_by_inquiry on vendor_events (inquiry_id);
create index vendor_events_by_key on vendor_events (key_id);

-- ## Functions

-- Records what VENDOR_FILE has: {name, judges, late}. Nothing waits for a vendor that it lacks.
create or replace function vendors_set(_vendors jsonb) returns void language plpgsql as $$
declare
  _changed vendors;
begin
  for _changed in with given as (
    select name, judges, make_interval(mins => late) as late
    from jsonb_to_recordset(_vendors) v (name text, judges text[], late int)
    union all select v.name, '{}', v.late from vendors v
      where not _vendors @> jsonb_build_array(jsonb_build_object('name', v.name))
  )
  insert into vendors as old (name, judges, late) select name, judges, late from given
  on conflict (name) do update set judges = excluded.judges, late = excluded.late
  where (old.judges, old.late) is distinct from (excluded.judges, excluded.late) returning old.*
  loop
    perform audit_append(null, 'vendor.set', 'vendor:' || _changed.name,
      jsonb_build_object('judges', array_to_string(_changed.judges, ' ')));
  end loop;
end $$;

-- Whether a vendor judges this thing, and neither it nor two people have said anything of it.
create or replace function vendor_waits(_kind text, _subject bigint) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select exists (select from vendors v
    where _subject is not null and case _kind when 'name' then 'identity' else 'address' end = any (v.judges)
      and (_kind <> 'destination' or exists (select from crypto_addresses a where a.id = _subject))
      and not exists (select from vendor_inquiries i where (i.vendor, i.kind, i.subject_id) = (v.name, _kind, _subject)
        and (i.state = 'clear' or exists (select from screening_hits h
          where h.inquiry_id = i.id and (h.state = 'open' or h.proposal_id is not null)))))
$$;

-- Whether the thing is still there to be judged.
create or replace function vendor_is_wanted(_i vendor_inquiries) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select case _i.kind
    when 'name' then exists (select from verifications v
      where v.id = _i.subject_id and v.state <> 'failed' and v.sealed is not null)
    when 'destination' then exists (select from crypto_addresses a where a.id = _i.subject_id and a.removed_at is null)
    else exists (select from chain_deposits d where d.id = _i.subject_id and d.state not in ('reverted', 'unmatched')) end
$$;

-- Makes inquiries of what is new, matches of those that wait too long, and returns those that are due, `_most` at most. One that
-- is not answered is due again after 15 s, doubled each time up to ten minutes.
create or replace function vendor_take(_vendor text, _most int)
returns table (id bigint, take int, reference uuid, kind text, subject_id bigint, customer_id bigint, is_known boolean)
language plpgsql security definer as $$
#variable_conflict use_column
declare
  _v vendors;
  _late vendor_inquiries;
begin
  select * into _v from vendors v where v.name = _vendor;
  insert into vendor_inquiries (vendor, kind, subject_id, customer_id)
  select _vendor, s.kind, s.id, s.customer from (
    select 'name', v.id, v.customer_id, 'identity' from verifications v where v.state = 'pending' and v.sealed is not null
    union all select 'destination', a.id, a.customer_id, 'address' from crypto_addresses a where a.removed_at is null
    union all select 'sender', d.id, chain_customer(d.chain, d.address), 'address' from chain_deposits d
      where d.state in ('seen', 'confirming', 'held') and d.sender is not null and d.amount is not null
  ) s (kind, id, customer, judged)
  where s.judged = any (_v.judges) and not exists (select from vendor_inquiries i
    where (i.vendor, i.kind, i.subject_id) = (_vendor, s.kind, s.id))
  limit _most on conflict do nothing;
  update vendor_inquiries i set due_at = case when i.due_at is null then clock_timestamp() end
  where i.vendor = _vendor and i.state in ('new', 'pending') and (i.due_at is not null) <> vendor_is_wanted(i);
  for _late in select i.* from vendor_inquiries i where i.vendor = _vendor and i.state in ('new', 'pending')
    and i.due_at is not null and i.created_at < clock_timestamp() - _v.late
    and not exists (select from screening_hits h where h.inquiry_id = i.id) limit _most
  loop
    perform vendor_hit(_late, 'late');
  end loop;
  delete from vendor_events e where e.vendor = _vendor and e.received_at < now() - interval '30 days';
  return query update vendor_inquiries i set takes = i.takes + 1, is_told = false, attempts = i.attempts + 1,
    due_at = clock_timestamp() + least(interval '10 minutes', interval '15 seconds' * power(2, least(i.attempts, 10)))
  from (select o.id from vendor_inquiries o where o.vendor = _vendor and o.due_at <= clock_timestamp()
    order by o.due_at limit _most for update skip locked) due
  where i.id = due.id
  returning i.id, i.takes, i.reference, i.kind, i.subject_id, i.customer_id, i.state <> 'new';
end $$;

-- Records a match for two people: the vendor's finding, or `late`. An equal one that was decided stays decided.
create or replace function vendor_hit(_i vendor_inquiries, _finding text) returns void language plpgsql as $$
begin
  insert into screening_hits (customer_id, kind, subject_id, list, reference, listed, score, inquiry_id)
  values (_i.customer_id, _i.kind, _i.subject_id, _i.vendor, _i.reference::text, _finding, 100, _i.id)
  on conflict do nothing;
  if found then
    perform audit_append(null, 'screening.hit', 'customer:' || _i.customer_id, jsonb_build_object('count', 1));
  end if;
end $$;

-- Records what the vendor's interface answered to the request `_take`; an older request's answer is left out.
create or replace function vendor_answer(_inquiry bigint, _take int, _state text, _code text, _case text) returns void
language plpgsql security definer as $$
declare
  _i vendor_inquiries;
begin
  update vendor_inquiries i set state = _state, code = _code, vendor_case = _case, answered_at = clock_timestamp(),
    due_at = case when _state = 'pending' or i.is_told then i.due_at end
  where i.id = _inquiry and i.takes = _take returning * into _i;
  if not found then return; end if;
  update vendors set failing_since = null where name = _i.vendor and failing_since is not null;
  if _state = 'clear' then
    update screening_hits set state = 'cleared' where inquiry_id = _inquiry and listed = 'late' and state = 'open';
  elsif _state <> 'pending' then
    perform vendor_hit(_i, concat_ws(' ', _state, _code));
  end if;
end $$;

-- A request had no answer, or (`_is_unknown`) the vendor does not know the inquiry, which is then made again.
create or replace function vendor_failed(_inquiry bigint, _take int, _is_unknown boolean) returns void
language plpgsql security definer as $$
begin
  if _is_unknown then
    update vendor_inquiries set state = 'new', code = null, vendor_case = null
    where id = _inquiry and takes = _take and state = 'pending';
  else
    update vendors v set failing_since = clock_timestamp() from vendor_inquiries i
    where i.id = _inquiry and v.name = i.vendor and v.failing_since is null;
  end if;
end $$;

-- Stores an event once, and makes its inquiry due. Returns `again` for a known one, and `full` where the vendor has sent 20 000
-- within a day.
create or replace function vendor_event(_id bigint, _vendor text, _webhook text, _reference uuid, _sealed bytea) returns text
language plpgsql security definer as $$
declare
  _inquiry bigint;
begin
  if (select count(*) from (select from vendor_events e where e.vendor = _vendor and e.received_at > now() - interval '1 day'
      limit 20000) recent) >= 20000 then
    return 'full';
  end if;
  select i.id into _inquiry from vendor_inquiries i where i.reference = _reference and i.vendor = _vendor;
  insert into vendor_events (id, vendor, webhook_id, inquiry_id, sealed) values (_id, _vendor, _webhook, _inquiry, _sealed)
  on conflict (vendor, webhook_id) do nothing;
  if not found then return 'again'; end if;
  update vendor_inquiries set due_at = clock_timestamp(), is_told = true, attempts = 0 where id = _inquiry;
  return 'taken';
end $$;
