-- Bank statements: the payments that the bank lists, imported by cashiers, and what staff say of those that are no customer's.
-- The server only reads the tables. The reconciliation compares the lines with deposits and withdrawals (statement_findings).

-- Each import has a row, which stays when the import is undone and its lines are deleted.
create table statement_imports (
  id bigint generated always as identity primary key,
  asset_id smallint not null references ledger.assets,
  -- SHA-256 of the file.
  file_hash bytea not null check (octet_length(file_hash) = 32),
  -- How many lines it added.
  lines int not null check (lines >= 0),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp(),
  undone_by bigint references staff,
  undone_at timestamptz,
  check ((undone_by is null) = (undone_at is null))
);

create table statement_lines (
  id bigint generated always as identity primary key,
  import_id bigint not null references statement_imports,
  -- SHA-256 of the line's content. Payments of one content are told apart by their marks, or by staff (statement_states).
  line_hash bytea not null check (octet_length(line_hash) = 32),
  -- The bank's own number of the payment, or the running balance after it. Null: the file has neither.
  mark text check (length(mark) between 1 and 200),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  -- In the smallest unit. Above zero: money that came in. Below zero: money that went out.
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  -- From 1, among the lines of the asset with an equal reference (reference_key).
  number int not null check (number > 0),
  -- Names the line among all of the asset, so that two payments with one reference pay two requests. Requests name it as their
  -- evidence.
  evidence text not null generated always as (
    case number when 1 then reference else left(reference, 180) || ' no. ' || number::text end) stored,
  counterparty text not null check (length(counterparty) <= 200),
  -- The end-to-end id of the payment, in camt.053 alone: that of a file of ours (bank-files.sql) names the withdrawal.
  payment_id text check (length(payment_id) between 1 and 35),
  -- The number of the creditor reference (deposit_references): creditor_number.
  creditor_number bigint generated always as (creditor_number(reference)) stored
);

create index statement_lines_by_hash on statement_lines (line_hash);
create index statement_lines_by_import on statement_lines (import_id);
create index statement_lines_by_amount on statement_lines (asset_id, amount);
create index statement_lines_by_reference on statement_lines (asset_id, reference_key(reference), number);
create index statement_lines_by_creditor_number on statement_lines (creditor_number, id) where creditor_number > 0;
create index statement_lines_by_payment on statement_lines (payment_id) where payment_id is not null;
create index statement_lines_by_evidence on statement_lines (asset_id, reference_key(evidence));

-- An explanation says why a line is no customer's payment; one of the kind `none` withdraws the one before it. The newest of a
-- line counts, and all stay, also when the line's import is undone. Those of amounts above the bound of four_eyes_amounts are
-- proposals.
create table statement_explanations (
  id bigint generated always as identity primary key,
  line_id bigint not null,
  kind text not null check (kind in ('interest', 'charge', 'own_transfer', 'returned', 'other', 'none')),
  note text not null check (length(note) between 5 and 500),
  staff_id bigint not null references staff,
  explained_at timestamptz not null default clock_timestamp(),
  -- Null: one person was enough.
  proposal_id bigint references proposals
);

create index statement_explanations_by_line on statement_explanations (line_id, id);

-- ## Functions

-- Says of each line of a file what an import makes of it: `known`, it is there from this file or under its mark; `repeat`,
-- another file has a line of the same content and no mark tells whether it is the same payment, so that staff decide; `new`.
create or replace function statement_states(_file bytea, _hashes bytea[], _marks text[]) returns table (number bigint, state text)
language sql stable set search_path = public, pg_temp as $$
  select l.number, case
    when l.place <= h.own then 'known'
    when l.mark is not null and h.marked > 0 and l.place = 1 then 'known'
    when l.mark is not null and l.place > 1 then 'repeat'
    when l.place - h.own <= h.doubtful then 'repeat'
    else 'new' end
  from (
    select u.hash, u.mark, u.number, row_number() over (partition by u.hash, u.mark order by u.number) as place
    from unnest(_hashes, _marks) with ordinality as u (hash, mark, number)
  ) l
  cross join lateral (
    select count(*) filter (where i.file_hash = _file and s.mark is not distinct from l.mark) as own,
      count(*) filter (where s.mark = l.mark) as marked,
      count(*) filter (where i.file_hash <> _file and (s.mark is null or l.mark is null)) as doubtful
    from statement_lines s join statement_imports i on i.id = s.import_id where s.line_hash = l.hash
  ) h
$$;

-- Imports lines; the arrays hold one element per line. Lines in question are added where `_takes` says so. Returns the number of
-- new lines. Imports of one asset wait for each other.
create or replace function statement_import(
  _staff bigint, _asset smallint, _file bytea, _hashes bytea[], _marks text[], _takes boolean[], _days date[], _amounts bigint[],
  _references text[], _counterparties text[], _payments text[] default null
) returns int language plpgsql security definer as $$
declare
  _import bigint;
  _new int;
begin
  perform demand_role(_staff, 'cashier');
  -- The replacement character stands for text that a wrong reading has lost.
  if array_to_string(_references || _counterparties, '') like '%' || chr(65533) || '%' then
    perform refuse('STATEMENT_NO_TEXT', 'a line has a replacement character');
  end if;
  perform pg_advisory_xact_lock(7051, _asset);
  insert into statement_imports (asset_id, file_hash, lines, imported_by) values (_asset, _file, 0, _staff)
  returning id into _import;
  insert into statement_lines (import_id, line_hash, mark, asset_id, booked_on, amount, reference, number, counterparty,
    payment_id)
  select _import, l.hash, l.mark, _asset, l.day, l.amount, l.reference,
    coalesce((select max(s.number) from statement_lines s
      where s.asset_id = _asset and reference_key(s.reference) = reference_key(l.reference)), 0)
    + row_number() over (partition by reference_key(l.reference) order by l.number), l.counterparty, l.payment
  from unnest(_hashes, _marks, _takes, _days, _amounts, _references, _counterparties, _payments) with ordinality
    as l (hash, mark, is_taken, day, amount, reference, counterparty, payment, number)
  join statement_states(_file, _hashes, _marks) f on f.number = l.number
  where f.state = 'new' or (f.state = 'repeat' and l.is_taken)
  order by l.number;
  get diagnostics _new = row_count;
  if _new = 0 then
    delete from statement_imports where id = _import;
  else
    update statement_imports set lines = _new where id = _import;
  end if;
  perform audit_append(_staff, 'statement.import', 'asset:' || _asset,
    jsonb_build_object('lines', cardinality(_hashes), 'new', _new));
  return _new;
end $$;

-- Reads the references of a line, for staff to confirm. `match`: the line pays a deposit under review. `paid` and `returned`: a
-- payment of a payment file went out or came back. Any other sign is the reason why the line waits. The case is the deposit or
-- the withdrawal.
create or replace function statement_sign(_l statement_lines, out sign text, out case_id bigint, out customer_id bigint)
language plpgsql stable set search_path = public, pg_temp as $$
declare
  _n deposit_references;
  _d deposit_requests;
  _p bank_file_payments;
  _asset smallint;
begin
  select p.* into _p from bank_file_payments p where p.end_to_end = _l.payment_id;
  if found then
    select w.asset_id, w.id, w.customer_id into _asset, case_id, customer_id from withdrawal_requests w
    where w.id = _p.withdrawal_id;
    sign := case when _asset <> _l.asset_id then 'other_currency' when _l.amount > 0 then 'returned'
      when _l.amount <> -_p.amount then 'other_amount' else 'paid' end;
    return;
  end if;
  if _l.amount < 0 then return; end if;
  if _l.creditor_number is null then sign := 'no_reference'; return; end if;
  select r.* into _n from deposit_references r where r.number = _l.creditor_number;
  if not found then sign := 'unknown_reference'; return; end if;
  customer_id := _n.customer_id;
  select d.* into _d from deposit_requests d where d.id = _n.request_id;
  if not found then sign := 'not_submitted'; return; end if;
  case_id := _d.id;
  sign := case when _d.asset_id <> _l.asset_id then 'other_currency'
    when _d.status = 'success' or _d.revision > 0 or exists (select from statement_lines o
      where o.creditor_number = _l.creditor_number and o.amount > 0 and o.id < _l.id) then 'already_matched'
    when _d.status <> 'review' then 'closed'
    when _d.amount <> _l.amount then 'other_amount' else 'match' end;
end $$;

-- Whether staff have explained the line and not withdrawn it.
create or replace function statement_explained(_line bigint) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce((
    select e.kind <> 'none' from statement_explanations e where e.line_id = _line order by e.id desc limit 1), false)
$$;

create or replace function statement_proposed(_line bigint) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from proposals p where p.kind = 'statement_line' and p.subject = _line::text and p.state = 'proposed')
$$;

-- Whether a request names the line, or staff explained it or propose to.
create or replace function statement_used(_l statement_lines) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from deposit_requests d where d.asset_id = _l.asset_id and d.status in ('review', 'success')
      and reference_key(d.evidence) = reference_key(_l.evidence))
    or exists (select from withdrawal_requests w where w.asset_id = _l.asset_id and w.status = 'success'
      and reference_key(w.reference) = reference_key(_l.evidence))
    or statement_explained(_l.id) or statement_proposed(_l.id)
$$;

-- Removes an import's lines as a whole. Raises REQUEST_NOT_FOUND for one that is undone or never was, and STATEMENT_USED if a
-- line is used.
create or replace function statement_undo(_staff bigint, _import bigint) returns int language plpgsql security definer as $$
declare
  _asset smallint;
  _lines int;
begin
  perform demand_role(_staff, 'cashier');
  select asset_id into _asset from statement_imports where id = _import;
  perform pg_advisory_xact_lock(7051, _asset);
  update statement_imports set undone_by = _staff, undone_at = clock_timestamp() where id = _import and undone_at is null;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no import %s', _import)); end if;
  -- An explanation locks its line, so that none appears meanwhile.
  perform from statement_lines where import_id = _import order by id for update;
  if exists (select from statement_lines l where l.import_id = _import and statement_used(l)) then
    perform refuse('STATEMENT_USED', format('a line of import %s is used', _import));
  end if;
  delete from statement_lines where import_id = _import;
  get diagnostics _lines = row_count;
  perform audit_append(_staff, 'statement.undo', 'asset:' || _asset, jsonb_build_object('lines', _lines));
  return _lines;
end $$;

-- Explains a line that is no customer's payment, or withdraws what explains it (`none`), at once or, above the bound, by a
-- proposal. Returns `done` or `proposed`. Raises REQUEST_NOT_FOUND where there is nothing to withdraw.
create or replace function statement_explain(_staff bigint, _line bigint, _kind text, _note text) returns text
language plpgsql security definer as $$
declare
  _l statement_lines;
begin
  perform demand_role(_staff, 'cashier');
  select * into _l from statement_lines where id = _line for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no line %s', _line)); end if;
  if _kind = 'none' and not statement_explained(_line) then
    perform refuse('REQUEST_NOT_FOUND', format('line %s is not explained', _line));
  end if;
  if (case _kind when 'none' then statement_proposed(_line) else statement_used(_l) end) then
    perform refuse('STATEMENT_USED', format('line %s is used', _line));
  end if;
  if approvals_needed('statement_line', _l.asset_id, abs(_l.amount)) > 0 then
    perform propose(_staff, 'statement_line', _line::text, jsonb_build_object('line', _line, 'asset', _l.asset_id,
      'amount', _l.amount, 'kind', _kind, 'note', _note), jsonb_build_object('line', _line, 'asset', _l.asset_id,
      'amount', _l.amount::text, 'kind', _kind));
    return 'proposed';
  end if;
  insert into statement_explanations (line_id, kind, note, staff_id) values (_line, _kind, _note, _staff);
  perform audit_append(_staff, 'statement.done', 'line:' || _line, jsonb_build_object('asset', _l.asset_id,
    'amount', _l.amount::text, 'kind', _kind));
  return 'done';
end $$;

-- Returns the amount to which the bound applies.
create or replace function check_statement_line(_p proposals, out asset_id smallint, out amount bigint)
language sql stable set search_path = public, pg_temp as $$
  select l.asset_id, abs(l.amount) from statement_lines l where l.id = (_p.content ->> 'line')::bigint
$$;

create or replace function carry_out_statement_line(_p proposals) returns void
language sql set search_path = public, pg_temp as $$
  insert into statement_explanations (line_id, kind, note, staff_id, proposal_id)
  values ((_p.content ->> 'line')::bigint, _p.content ->> 'kind', _p.content ->> 'note', _p.proposed_by, _p.id)
$$;

-- An amount as people read it, for findings: 7500 of USD is `75.00 USD`.
create or replace function money_text(_amount numeric, _asset smallint) returns text
language sql stable set search_path = public, pg_temp as $$
  select round(_amount / 10::numeric ^ a.scale, a.scale) || ' ' || a.code from ledger.assets a where a.id = _asset
$$;

-- The reconciliation's rules about statements. A line matches a deposit by asset, reference and found amount, and a withdrawal by
-- asset, reference and amount - fee. References are equal if their keys are (reference_key), as for the requests. What staff
-- explained is no finding. A deposit on a chain is compared with the chain's own table by the audit. The parts of a detail have
-- no words but the kind of its subject, so that the office shows them in each language.
create or replace function statement_findings() returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  -- This rule applies to assets that have statement lines, from the date of the first line.
  select 'a credited deposit stands on the statement',
    format('deposit:%s · %s · %s', d.id, money_text(d.found_amount, d.asset_id), d.evidence)
  from deposit_requests d
  where d.status = 'success' and d.proof_id is not null
    and exists (select from statement_lines s where s.asset_id = d.asset_id)
    and d.decided_at >= (select min(s.booked_on) from statement_lines s where s.asset_id = d.asset_id)
    and not exists (select from statement_lines s where s.asset_id = d.asset_id
      and reference_key(s.evidence) = reference_key(d.evidence) and s.amount = d.found_amount)
  union all
  select case when s.amount > 0 then 'what came in on the statement is credited'
      else 'what went out on the statement is a paid withdrawal' end,
    format('line:%s · %s · %s · %s', s.id, s.booked_on, money_text(s.amount, s.asset_id), s.evidence)
  from statement_lines s
  where not statement_explained(s.id)
    and not exists (
      select from deposit_requests d where s.amount > 0 and d.asset_id = s.asset_id
        and reference_key(d.evidence) = reference_key(s.evidence)
        and d.found_amount = s.amount and d.status = 'success')
    -- This also finds a withdrawal that was paid and then reported as failed.
    and not exists (
      select from withdrawal_requests w where s.amount < 0 and w.asset_id = s.asset_id
        and reference_key(w.reference) = reference_key(s.evidence)
        and w.amount - w.fee = -s.amount and w.status = 'success')
$$;
