-- Four eyes: how many people have to approve a kind of subject, the record of edits, and the approvals. Functions alone write
-- edits and approvals. An approval is for one content, by its hash. A person never approves a subject that they edited or that is
-- about them. Two accounts of one person count as one. An approval counts only while its giver has the role.
-- Lock order of decisions: the subject (a request or a proposal) -> balances -> the person, in lock_sums -> staff, by id -> the
-- audit log's head, at the commit.

create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  -- The role that prepares; null: no staff do.
  edit_role staff_role,
  -- The role that approves, and the number of people of that role who have to approve.
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);

-- Bounds of amounts above which more people have to approve.
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  -- In the asset's smallest unit.
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);

-- Edits of subjects that need approval. A person who has edited a subject once never approves any content of it.
create table content_edits (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  staff_id bigint not null references staff,
  person text not null,
  -- The member of staff whom the subject is about; null: it is not about staff.
  about_staff bigint references staff,
  at timestamptz not null default now(),
  session_id bigint
);

create index content_edits_by_subject on content_edits (kind, subject_id);

create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  -- SHA-256 of exactly the approved content. Another content has none of these approvals.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- The last editor of this content.
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
  -- A cashier alone confirms a deposit found as claimed, up to the bound below. One that differs from its claim is another kind.
  ('deposit', 'cashier', 'approver', 0),
  ('deposit_differing', 'cashier', 'approver', 1),
  ('withdrawal', 'cashier', 'approver', 1),
  ('correction', 'cashier', 'approver', 1),
  ('channel', 'cashier', 'approver', 1),
  ('account_recovery', 'support', 'verification', 1),
  ('payout_table', 'catalogue', 'approver', 1),
  ('feed_rules', 'catalogue', 'approver', 1),
  ('earning_rate', 'catalogue', 'approver', 1),
  -- A cashier alone says what a line of a statement was that is no customer's payment, up to the bound below.
  ('statement_line', 'cashier', 'approver', 0),
  ('withdrawal_terms', 'cashier', 'approver', 1),
  ('house_capital', 'cashier', 'approver', 1),
  ('halt_lift', 'catalogue', 'approver', 1),
  ('payout_end', 'cashier', 'approver', 1),
  ('payout_batch', 'cashier', 'approver', 1),
  ('freeze', 'verification', 'approver', 1),
  ('legal_hold', 'cashier', 'approver', 1),
  ('flag_rule', 'verification', 'approver', 1),
  ('screening', 'verification', 'approver', 1),
  ('product_new', 'catalogue', 'approver', 1),
  ('product_end', 'catalogue', 'approver', 1);

-- Above 5 000, 0.1 BTC or 2 ETH. Assets as seeded: 2 USDT (6 decimals), 3 USD (2), 4 BTC (8), 5 ETH (8).
insert into four_eyes_amounts (kind, asset_id, above, needed)
  select k.kind, a.id, a.above, k.needed
  from (values ('deposit', 1), ('deposit_differing', 2), ('withdrawal', 2), ('correction', 2),
      ('statement_line', 1)) as k (kind, needed)
  cross join (values (asset_number('USDT'), 5000000000), (asset_number('USD'), 500000), (asset_number('BTC'), 10000000),
    (asset_number('ETH'), 200000000)) as a (id, above);

-- ## Functions

-- Records that a member of staff wrote the content of a subject. The caller writes that content in the same transaction.
create or replace function record_edit(_staff bigint, _kind text, _subject bigint, _content bytea,
  _about_staff bigint default null) returns void language plpgsql security definer as $$
declare
  _role text;
begin
  select r.edit_role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  perform demand_usable(_staff, _role);
  perform demand_not_own(_staff, about_customer(_kind, _subject));
  insert into content_edits (kind, subject_id, content_hash, staff_id, person, about_staff)
    select _kind, _subject, _content, s.id, s.person, _about_staff from staff s where s.id = _staff;
end $$;

-- Approves exactly this content for one person. Returns the approval's id; a repeated call returns the same id.
-- Refuses with OWN_EDIT or ABOUT_ONESELF, by person and not by account.
create or replace function approve(_staff bigint, _kind text, _subject bigint, _content bytea) returns bigint
language plpgsql security definer as $$
declare
  _role text;
  _person text;
  _editor bigint;
  _id bigint;
begin
  select r.role into _role from four_eyes_rules r where r.kind = _kind;
  if not found then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  -- With this lock, a transaction that takes the role away waits for this one, or this one sees that the role is gone.
  select s.person into _person from staff s where s.id = _staff for share;
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

-- Returns the approvals of exactly this content. An approval counts while its giver has the role, has not edited the subject, and
-- is not known to be the customer whom it is about.
create or replace function approvals_of(_kind text, _subject bigint, _content bytea)
returns table (staff_id bigint, at timestamptz, counts boolean) stable language plpgsql security definer as $$
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

-- Returns the number of people who have to approve: the largest that the rule, or a bound that the amount exceeds, asks for.
-- `_amount` is in the asset's smallest unit. Null: the kind has no rule.
create or replace function approvals_needed(_kind text, _asset smallint default null, _amount bigint default null)
returns smallint stable language sql security definer as $$
  select greatest(r.needed, (select max(a.needed) from four_eyes_amounts a
    where a.kind = r.kind and a.asset_id = _asset and _amount > a.above))
  from four_eyes_rules r where r.kind = _kind
$$;

-- Refuses with APPROVALS_MISSING unless enough people approved exactly this content. The caller acts on the content in the same
-- transaction and holds the lock on the subject's row. The approvers keep their roles until the transaction ends.
create or replace function demand_approvals(_kind text, _subject bigint, _content bytea, _asset smallint default null,
  _amount bigint default null) returns void language plpgsql security definer as $$
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

-- Returns the amount that counts in addition to request `_id`, in the asset's smallest unit: the larger of two sums of the 24
-- hours before `_at` (null: now), of this customer's requests and of those that the person of `_staff` prepared, by any account.
-- Deposits count when they are credited, withdrawals when they are approved, corrections, up or down, when they are made.
create or replace function amount_before(_kind text, _asset smallint, _customer bigint, _staff bigint, _id bigint,
  _at timestamptz) returns numeric stable language plpgsql security definer as $$
declare
  _since timestamptz := coalesce(_at, clock_timestamp()) - interval '24 hours';
  _until timestamptz := coalesce(_at, 'infinity');
  _accounts bigint[] := array(select o.id from staff s join staff o on o.person = s.person where s.id = _staff);
begin
  -- A decision is judged by the rules of its time: sums count only from sums_from on.
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
      where _kind = 'withdrawal' and r.status in ('approved', 'sending', 'success') and r.asset_id = _asset and r.id <> _id
        and r.approved_at > _since and r.approved_at <= _until and (r.customer_id = _customer or r.edited_by = any (_accounts))
      union all
      select r.customer_id, p.proposed_by, abs(r.amount) from proposals p join corrections r on r.id = p.id
      where _kind = 'correction' and p.kind = _kind and p.state = 'done' and r.asset_id = _asset and r.id <> _id
        and p.decided_at > _since and p.decided_at <= _until and (r.customer_id = _customer or p.proposed_by = any (_accounts))
    ) d
  );
end $$;

-- Returns the amount to which the bounds of four_eyes_amounts apply: the request's own amount plus amount_before, capped at the
-- largest bigint. The next three functions compute it; for a decided request, as it was at its decision.
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
  select amount_counted(abs(_c.amount),
    amount_before('correction', _c.asset_id, _c.customer_id, p.proposed_by, _c.id, p.decided_at))
  from proposals p where p.id = _c.id
$$;

-- Makes decisions that share a sum wait for each other. It locks the customer's balance, then the person who prepared the
-- request. The caller has locked the request and locks staff afterwards. The isolation level must be read committed: with an
-- older snapshot, a transaction would not see the decision that it waited for.
create or replace function lock_sums(_customer bigint, _asset smallint, _staff bigint) returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sums are counted by what is committed';
  end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  perform pg_advisory_xact_lock(7046, hashtext((select person from staff where id = _staff)));
end $$;
