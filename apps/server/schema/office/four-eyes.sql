-- Who has to agree to what.
create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  -- Who prepares it (null: no staff does), who approves it, and how many of them.
  edit_role staff_role,
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);

-- More people for larger amounts: above this, in the asset's smallest unit.
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);

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
  at timestamptz not null default now(),
  session_id bigint
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
  session_id bigint,
  unique (kind, subject_id, content_hash, person),
  check (edited_by <> staff_id)
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

-- Above 5 000, 0.1 BTC or 2 ETH. Assets as seeded: 2 USDT (6 decimals), 3 USD (2), 4 BTC (8), 5 ETH (8).
insert into four_eyes_amounts (kind, asset_id, above, needed)
  select k.kind, a.id, a.above, k.needed
  from (values ('deposit', 1), ('deposit_differing', 2), ('withdrawal', 2), ('correction', 2)) as k (kind, needed)
  cross join (values (2, 5000000000), (3, 500000), (4, 10000000), (5, 200000000)) as a (id, above);

-- Bounds of withdrawals are changed by two people.
insert into four_eyes_rules (kind, edit_role, role, needed) values ('withdrawal_terms', 'cashier', 'approver', 1);

insert into four_eyes_rules (kind, edit_role, role, needed) values ('halt_lift', 'catalogue', 'approver', 1);

-- ## Functions

-- Notes that staff wrote the content of a subject. To be called in the transaction that writes it.
create or replace function record_edit(_staff bigint, _kind text, _subject bigint, _content bytea, _about_staff bigint default null) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _role text;
begin
  select r.edit_role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  if _role is null or not staff_may(_staff, _role) then
    perform refuse('ROLE_MISSING', format('staff %s may not edit %s', _staff, _kind));
  end if;
  perform demand_usable(_staff, _role);
  perform demand_not_own(_staff, about_customer(_kind, _subject));
  insert into content_edits (kind, subject_id, content_hash, staff_id, person, about_staff)
    select _kind, _subject, _content, s.id, s.person, _about_staff from staff s where s.id = _staff;
end $$;

-- One person's approval of exactly this content. Returns its id, the same one however often it is given.
create or replace function approve(_staff bigint, _kind text, _subject bigint, _content bytea) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _role text;
  _person text;
  _editor bigint;
  _id bigint;
begin
  select r.role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  -- Whoever takes the role away waits for us, or we see that it is gone.
  select s.person into _person from staff s where s.id = _staff for share;
  if not found or not staff_may(_staff, _role) then
    perform refuse('ROLE_MISSING', format('staff %s may not approve %s', _staff, _kind));
  end if;
  perform demand_usable(_staff, _role);
  if exists (select from content_edits e where e.kind = _kind and e.subject_id = _subject and e.person = _person) then
    perform refuse('OWN_EDIT', format('staff %s edited %s %s', _staff, _kind, _subject));
  end if;
  if exists (select from content_edits e join staff a on a.id = e.about_staff
      where e.kind = _kind and e.subject_id = _subject and a.person = _person) then
    perform refuse('ABOUT_ONESELF', format('%s %s is about staff %s', _kind, _subject, _staff));
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
create or replace function approvals_of(_kind text, _subject bigint, _content bytea)
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
create or replace function approvals_needed(_kind text, _asset smallint default null, _amount bigint default null) returns smallint
stable language sql security definer set search_path = public, pg_temp as $$
  select greatest(r.needed, (select max(a.needed) from four_eyes_amounts a
    where a.kind = r.kind and a.asset_id = _asset and _amount > a.above))
  from four_eyes_rules r where r.kind = _kind
$$;

-- Raises unless enough people approved exactly this content. To be called by what acts on it, in its transaction, with
-- the subject's row locked; those who approved keep their roles until the transaction ends.
create or replace function demand_approvals(_kind text, _subject bigint, _content bytea, _asset smallint default null, _amount bigint default null)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _needed smallint := approvals_needed(_kind, _asset, _amount);
  _given bigint;
begin
  if _needed is null then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  perform from staff s where s.id in
    (select a.staff_id from approvals a where a.kind = _kind and a.subject_id = _subject and a.content_hash = _content)
    order by s.id for share;
  select count(*) into _given from approvals_of(_kind, _subject, _content) a where a.counts;
  if _given < _needed then
    perform refuse('APPROVALS_MISSING', format('%s %s has %s of %s approvals', _kind, _subject, _given, _needed));
  end if;
end $$;

-- How much counts beside a request (`_id`) of a customer's that a member of staff prepares or prepared: the larger of what this
-- customer and what this person had decided in the 24 hours before `_at`; null: before now. A person is one, by whichever
-- account. Deposits count when they are credited, withdrawals when they are approved, corrections, up or down, when they are made.
create or replace function amount_before(_kind text, _asset smallint, _customer bigint, _staff bigint, _id bigint, _at timestamptz) returns numeric
stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _since timestamptz := coalesce(_at, clock_timestamp()) - interval '24 hours';
  _until timestamptz := coalesce(_at, 'infinity');
  _accounts bigint[] := array(select o.id from staff s join staff o on o.person = s.person where s.id = _staff);
begin
  if _at < (select sums_from from house_settings) then return 0; end if;
  return (
    select greatest(coalesce(sum(d.amount) filter (where d.customer_id = _customer), 0),
      coalesce(sum(d.amount) filter (where d.editor = any (_accounts)), 0))
    from (
      select r.customer_id, r.edited_by as editor, r.found_amount as amount from deposit_requests r
      where _kind = 'deposit' and r.status = 'success' and r.asset_id = _asset and r.id <> _id
        and r.decided_at > _since and r.decided_at <= _until and (r.customer_id = _customer or r.edited_by = any (_accounts))
      union all
      select r.customer_id, r.edited_by, r.amount from withdrawal_requests r
      where _kind = 'withdrawal' and r.status in ('approved', 'success') and r.asset_id = _asset and r.id <> _id
        and r.approved_at > _since and r.approved_at <= _until and (r.customer_id = _customer or r.edited_by = any (_accounts))
      union all
      select r.customer_id, r.proposed_by, abs(r.amount) from corrections r
      where _kind = 'correction' and r.status = 'done' and r.asset_id = _asset and r.id <> _id
        and r.decided_at > _since and r.decided_at <= _until and (r.customer_id = _customer or r.proposed_by = any (_accounts))
    ) d
  );
end $$;

-- What is held against the bounds of a request: its own amount and what counts beside it. Once decided, as it was then.
create or replace function amount_counted(_own bigint, _before numeric) returns bigint
immutable language sql set search_path = public, pg_temp as $$ select least(_own + _before, 9223372036854775807)::bigint $$;

create or replace function deposit_counted(_r deposit_requests) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(greatest(_r.found_amount, _r.amount),
    amount_before('deposit', _r.asset_id, _r.customer_id, _r.edited_by, _r.id, _r.decided_at))
$$;

create or replace function withdrawal_counted(_r withdrawal_requests) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(_r.amount, amount_before('withdrawal', _r.asset_id, _r.customer_id, _r.edited_by, _r.id, _r.approved_at))
$$;

create or replace function correction_counted(_c corrections) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select amount_counted(abs(_c.amount), amount_before('correction', _c.asset_id, _c.customer_id, _c.proposed_by, _c.id, _c.decided_at))
$$;

-- Lets those follow one another whose sums are one: the same customer's by the balance, then the same person's. After the request,
-- before staff. A transaction that saw the tables before it waited would not see what it waited for.
create or replace function lock_sums(_customer bigint, _asset smallint, _staff bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sums are counted by what is committed';
  end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  perform pg_advisory_xact_lock(7046, hashtext((select person from staff where id = _staff)));
end $$;
