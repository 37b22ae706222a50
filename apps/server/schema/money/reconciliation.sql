-- Reconciliation: runs that compare ledger, requests and statements and record every difference.
-- The house makes one run a day (reconcile_daily_step), and staff make others on request (reconcile). Both apply the same rules.
-- The daily run reads every movement. As one statement it would hold a snapshot for minutes, so that old versions of balances and
-- heads could not be vacuumed and orders would slow down. It therefore goes in steps, each a short transaction over one range:
-- customers, transfers, requests, then the rest (decision 113). All rows that a range compares are written in one transaction, so
-- that the range's own snapshot is enough. If a process stops, another one makes the next step.

-- Finished runs: at most 1 000 findings as {rule, detail}, and the trial balance.
create table reconciliations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null for a run of the house.
  staff_id bigint references staff,
  findings jsonb not null,
  balances jsonb not null
);

-- The state of the daily run; the row exists only while a run is unfinished.
create table reconciliation_progress (
  only_row boolean primary key default true check (only_row),
  day date not null,
  phase text not null check (phase in ('customers', 'transfers', 'requests', 'rest')),
  -- The first id of the next range, and the number of rows that the range shall have.
  next_id bigint not null,
  width bigint not null default 64 check (width between 1 and 100000),
  -- The house's balances at the beginning of the run, less their movements below the watermark that were read since. The result
  -- has to be zero.
  watermark xid8 not null,
  house jsonb not null,
  findings jsonb not null default '[]'
);

-- ## Functions

-- Applies all rules in one snapshot, which suits a small ledger.
create or replace function reconciliation_findings() returns table (rule text, detail text)
language sql stable security definer as $$
  select r.* from (values (-9223372036854775808, 9223372036854775807)) w (least, most)
  cross join lateral (
    select * from reconcile_customers(w.least, w.most)
    union all select * from reconcile_transfers(w.least, w.most)
    union all select * from reconcile_requests(w.least, w.most)
    union all select * from reconcile_rest(
      ledger.house_less(ledger.house_standing(), (select xid from ledger.house_watermark), w.least, w.most))
  ) r
$$;

-- Makes a whole run in one snapshot and returns its id. `_staff` null: a run of the house.
create or replace function reconcile(_staff bigint) returns bigint language plpgsql security definer as $$
declare
  _id bigint;
begin
  if _staff is not null then perform demand_role(_staff, 'cashier', 'approver', 'auditor'); end if;
  insert into reconciliations (staff_id, findings, balances)
  select _staff, (select coalesce(jsonb_agg(f), '[]') from (select * from reconciliation_findings() limit 1000) f),
    (select jsonb_agg(b) from trial_balance() b)
  returning id into _id;
  perform audit_append(_staff, 'reconcile', 'reconciliation:' || _id, '{}');
  return _id;
end $$;

-- Returns the balances of customers, by kind, and of the house's accounts, in smallest units. A balance of the house is the
-- rolled-up sum plus the movements since, so that no movement is read twice.
create or replace function trial_balance() returns table (asset_id smallint, account text, balance numeric)
language sql stable security definer as $$
  select b.asset_id, v.name, sum(v.amount)
  from ledger.balances b
  cross join lateral (values ('customers available', b.available), ('customers held', b.held),
    ('customers earning', b.earning)) v (name, amount)
  group by 1, 2
  union all
  select m.asset_id, case m.account when ledger.external_account() then 'external' when ledger.trading_account() then 'trading'
    when ledger.fees_account() then 'fees' when ledger.earnings_account() then 'earnings' else 'account ' || m.account end,
    sum(m.amount)
  from (
    select h.asset_id, h.account, h.balance as amount from ledger.house_balances h
    union all
    select o.asset_id, o.account, o.amount from ledger.house_movements o
    where o.xid >= (select w.xid from ledger.house_watermark w)
  ) m group by m.asset_id, m.account
  order by 1, 2
$$;

-- Checks owners [_from, _to): the ledger's rules, and that held money equals open stakes, pending withdrawals and holds of
-- authorities.
create or replace function reconcile_customers(_from bigint, _to bigint) returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  select 'the ledger adds up', v.rule || ': ' || v.detail from ledger.owner_violations(_from, _to) v
  union all
  select 'what is held is open stakes and pending withdrawals', format('customer:%s · %s ≠ %s',
    b.owner_id, money_text(b.held, b.asset_id), money_text(coalesce(h.amount, 0), b.asset_id))
  from ledger.balances b
  left join (
    select customer_id, asset_id, sum(amount) as amount from (
      select customer_id, asset_id, stake as amount from orders_and_results
      where customer_id >= _from and customer_id < _to and settled_at_ms is null
      union all
      select customer_id, asset_id, amount from withdrawal_requests
      where customer_id >= _from and customer_id < _to and decided_at is null
      union all
      select customer_id, asset_id, amount from legal_holds
      where customer_id >= _from and customer_id < _to and lift_id is null
    ) open group by 1, 2
  ) h on h.customer_id = b.owner_id and h.asset_id = b.asset_id
  where b.owner_id >= _from and b.owner_id < _to and b.held <> coalesce(h.amount, 0)
$$;

-- Checks transfers [_from, _to): the ledger's rules, and that each deposit, payout and correction matches its request.
create or replace function reconcile_transfers(_from bigint, _to bigint) returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  with asked as (
    select t.id, t.kind, p.ref, p.owner_id, p.asset_id, min(p.debit) as debit, sum(p.amount) as amount
    from ledger.transfers t join ledger.postings p on p.transfer_id = t.id
    where t.id >= _from and t.id < _to and p.transfer_id >= _from and p.transfer_id < _to
      and t.kind in ('deposit', 'payout', 'correction')
      and (t.kind <> 'deposit' or p.debit = ledger.external_account())
    group by 1, 2, 3, 4, 5
  )
  select 'the ledger adds up', v.rule || ': ' || v.detail from ledger.transfer_violations(_from, _to) v
  union all
  select 'a credited deposit has its transfer, and the other way round',
    format('transfer:%s · %s', a.id, money_text(a.amount, a.asset_id))
  from asked a where a.kind = 'deposit' and not exists (select from deposit_requests d
    where d.id = a.ref and d.status = 'success' and (d.transfer_id, d.customer_id, d.asset_id, d.found_amount)
      = (a.id, a.owner_id, a.asset_id, a.amount))
  union all
  select 'a paid withdrawal has its transfer, and the other way round',
    format('transfer:%s · %s', a.id, money_text(a.amount, a.asset_id))
  from asked a where a.kind = 'payout' and not exists (select from withdrawal_requests w
    where w.id = a.ref and w.status = 'success' and (w.transfer_id, w.customer_id, w.asset_id, w.amount) = (a.id, a.owner_id,
      a.asset_id, a.amount))
  union all
  select 'a correction has its transfer, and the other way round',
    format('transfer:%s · %s', a.id, money_text(a.amount, a.asset_id))
  from asked a where a.kind = 'correction' and not exists (select from corrections c where c.id = a.ref
    and (c.transfer_id, c.customer_id, c.asset_id, c.amount)
      = (a.id, a.owner_id, a.asset_id, case when a.debit = ledger.external_account() then a.amount else -a.amount end))
$$;

-- Checks requests [_from, _to) of each kind: a completed one has a transfer of its kind. reconcile_transfers checks that the
-- transfer belongs to it.
create or replace function reconcile_requests(_from bigint, _to bigint) returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  select r.rule, format('%s:%s · %s', r.noun, r.id, money_text(r.amount, r.asset_id))
  from (
    select 'a credited deposit has its transfer, and the other way round' as rule, id, transfer_id, asset_id,
      found_amount as amount, 'deposit' as kind, 'deposit' as noun
    from deposit_requests where id >= _from and id < _to and status = 'success'
    union all
    select 'a paid withdrawal has its transfer, and the other way round', id, transfer_id, asset_id, amount, 'payout',
      'withdrawal'
    from withdrawal_requests where id >= _from and id < _to and status = 'success'
    union all
    select 'a correction has its transfer, and the other way round', id, transfer_id, asset_id, amount, 'correction', 'correction'
    from corrections where id >= _from and id < _to and transfer_id is not null
  ) r
  where not exists (select from ledger.transfers t where t.id = r.transfer_id and t.kind = r.kind)
$$;

-- Checks the rest: the sum over each asset, the house's balances and the statements. `_house` is the remainder of the house's
-- balances (reconciliation_progress.house).
create or replace function reconcile_rest(_house jsonb) returns table (rule text, detail text)
language sql stable set search_path = public, pg_temp as $$
  select 'the ledger adds up', v.rule || ': ' || v.detail from ledger.sum_violations(_house) v
  union all
  select * from statement_findings()
$$;

-- Returns the exclusive end of the next range: the id that comes `width` rows after its beginning, or the highest bigint if fewer
-- rows follow. A range has at least one id.
create or replace function reconcile_end(_p reconciliation_progress) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select greatest(_p.next_id + 1, coalesce(case _p.phase
    when 'customers' then (
      select owner_id from ledger.balances where owner_id >= _p.next_id order by owner_id, asset_id offset _p.width limit 1)
    when 'transfers' then (select id from ledger.transfers where id >= _p.next_id order by id offset _p.width limit 1)
    when 'requests' then (
      select id from (
        (select id from deposit_requests where id >= _p.next_id order by id limit _p.width + 1)
        union all (select id from withdrawal_requests where id >= _p.next_id order by id limit _p.width + 1)
        union all (select id from corrections where id >= _p.next_id order by id limit _p.width + 1)
      ) r order by id offset _p.width limit 1)
    end, 9223372036854775807))
$$;

-- Makes one step of today's run and returns whether more steps are left. The first call of a day (UTC) begins the run. Advisory
-- lock 7040 keeps two processes from making steps at once; the calling process holds it for all its steps.
create or replace function reconcile_daily_step() returns boolean
language plpgsql security definer set max_parallel_workers_per_gather = 0 set enable_seqscan = off as $$
declare
  _today date := (clock_timestamp() at time zone 'UTC')::date;
  _began timestamptz := clock_timestamp();
  _p reconciliation_progress;
  _to bigint;
  _found jsonb;
  _id bigint;
begin
  perform pg_advisory_xact_lock(7040);
  if exists (select from reconciliations where staff_id is null and (at at time zone 'UTC')::date = _today) then
    return false;
  end if;
  select * into _p from reconciliation_progress;
  if _p.day is distinct from _today then
    delete from reconciliation_progress;
    insert into reconciliation_progress (day, phase, next_id, watermark, house)
    select _today, 'customers', -9223372036854775808, xid, ledger.house_standing() from ledger.house_watermark;
    return true;
  end if;
  _to := reconcile_end(_p);
  if _p.phase = 'customers' then
    select coalesce(jsonb_agg(f), '[]') into _found from (select * from reconcile_customers(_p.next_id, _to) limit 1000) f;
  elsif _p.phase = 'transfers' then
    -- The BRIN indexes on postings know only summarized pages, so new pages are summarized before the first range.
    if _p.next_id < 0 then
      perform brin_summarize_new_values(t.relid) from pg_partition_tree('ledger.postings_by_transfer') t where t.isleaf;
    end if;
    select coalesce(jsonb_agg(f), '[]') into _found from (select * from reconcile_transfers(_p.next_id, _to) limit 1000) f;
    _p.house := ledger.house_less(_p.house, _p.watermark, _p.next_id, _to);
  elsif _p.phase = 'requests' then
    select coalesce(jsonb_agg(f), '[]') into _found from (select * from reconcile_requests(_p.next_id, _to) limit 1000) f;
  else
    select coalesce(jsonb_agg(f), '[]') into _found from (select * from reconcile_rest(_p.house) limit 1000) f;
  end if;
  _p.findings := jsonb_path_query_array(_p.findings || _found, '$[0 to 999]');
  if _p.phase = 'rest' then
    insert into reconciliations (findings, balances)
    values (_p.findings, (select jsonb_agg(b) from trial_balance() b)) returning id into _id;
    perform audit_append(null, 'reconcile', 'reconciliation:' || _id, '{}');
    delete from reconciliation_progress;
    return false;
  end if;
  -- The width aims at 50 to 200 ms a step, so that no snapshot is held for long.
  _p.width := case when clock_timestamp() - _began < interval '50 ms' then least(_p.width * 2, 100000)
    when clock_timestamp() - _began > interval '200 ms' then greatest(_p.width / 2, 16) else _p.width end;
  _p.next_id := _to;
  if _to = 9223372036854775807 then
    _p.phase := case _p.phase when 'customers' then 'transfers' when 'transfers' then 'requests' else 'rest' end;
    _p.next_id := -9223372036854775808;
    _p.width := 64;
  end if;
  update reconciliation_progress
  set (phase, next_id, width, house, findings) = (_p.phase, _p.next_id, _p.width, _p.house, _p.findings);
  return true;
end $$;
