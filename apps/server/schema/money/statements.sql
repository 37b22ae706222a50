-- Bank statements: the payments that the bank lists, imported by cashiers.
-- The server only reads the table. A line is identified by its hash, so that a repeated import adds nothing.
-- The reconciliation compares the lines with deposits and withdrawals (statement_findings).

create table statement_lines (
  id bigint generated always as identity primary key,
  -- SHA-256 over the line's content and its index (from 0) among identical lines of the same import: equal payments are both kept.
  line_hash bytea not null unique check (octet_length(line_hash) = 32),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  -- In the smallest unit. Above zero: money that came in. Below zero: money that went out.
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  counterparty text not null check (length(counterparty) <= 200),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp()
);

create index statement_lines_by_amount on statement_lines (asset_id, amount);

-- ## Functions

-- Imports lines; the arrays hold one element per line. Returns the number of new lines.
create or replace function statement_import(
  _staff bigint, _asset smallint, _hashes bytea[], _days date[], _amounts bigint[], _references text[], _counterparties text[]
) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _new int;
begin
  if not staff_may(_staff, 'cashier') then perform refuse('ROLE_MISSING', format('staff %s is no cashier', _staff)); end if;
  -- The replacement character stands for text that a wrong reading has lost.
  if array_to_string(_references || _counterparties, '') like '%' || chr(65533) || '%' then
    perform refuse('STATEMENT_NO_TEXT', 'a line has a replacement character');
  end if;
  insert into statement_lines (line_hash, asset_id, booked_on, amount, reference, counterparty, imported_by)
  select l.hash, _asset, l.day, l.amount, l.reference, l.counterparty, _staff
  from unnest(_hashes, _days, _amounts, _references, _counterparties) as l (hash, day, amount, reference, counterparty)
  on conflict do nothing;
  get diagnostics _new = row_count;
  perform audit_append(_staff, 'statement.import', 'asset:' || _asset,
    jsonb_build_object('lines', cardinality(_hashes), 'new', _new));
  return _new;
end $$;

-- The reconciliation's rules about statements. A line matches a deposit by asset, reference and found amount, and a withdrawal by
-- asset, reference and amount - fee. References are equal if their keys are (reference_key), as for the requests.
create or replace function statement_findings() returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  -- This rule applies to assets that have statement lines, from the date of the first line.
  select 'a credited deposit stands on the statement', format('deposit %s: %s by %s', d.id, d.found_amount, d.evidence)
  from deposit_requests d
  where d.status = 'success' and exists (select from statement_lines s where s.asset_id = d.asset_id)
    and d.decided_at >= (select min(s.booked_on) from statement_lines s where s.asset_id = d.asset_id)
    and not exists (select from statement_lines s where s.asset_id = d.asset_id and reference_key(s.reference) = reference_key(d.evidence) and s.amount = d.found_amount)
  union all
  select 'what came in on the statement is credited', format('line %s of %s: %s from %s', s.id, s.booked_on, s.amount, s.reference)
  from statement_lines s
  where s.amount > 0 and not exists (
    select from deposit_requests d where d.asset_id = s.asset_id and reference_key(d.evidence) = reference_key(s.reference) and d.found_amount = s.amount
      and d.status = 'success')
  union all
  -- This also finds a withdrawal that was paid and then reported as failed.
  select 'what went out on the statement is a paid withdrawal', format('line %s of %s: %s by %s', s.id, s.booked_on, s.amount, s.reference)
  from statement_lines s
  where s.amount < 0 and not exists (
    select from withdrawal_requests w where w.asset_id = s.asset_id and reference_key(w.reference) = reference_key(s.reference) and w.amount - w.fee = -s.amount
      and w.status = 'success')
$$;
