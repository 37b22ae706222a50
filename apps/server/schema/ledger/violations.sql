-- Checks of the ledger's invariants, for the audit and the reconciliation. Each function returns one row per violation, and no
-- row if all is well. `ledger.violations` checks everything at once. The other functions check ranges of owners or transfers, so
-- that a large ledger can be checked in steps, each with its own snapshot.

-- ## Functions

-- Checks all ranges in one snapshot. It reads the whole ledger, which is too slow for an ordinary request.
create or replace function ledger.violations() returns table (rule text, detail text) language sql stable security definer as $$
  select v.* from (values (-9223372036854775808, 9223372036854775807)) w (least, most)
  cross join lateral (
    select * from ledger.owner_violations(w.least, w.most)
    union all select * from ledger.transfer_violations(w.least, w.most)
    union all select * from ledger.sum_violations(
      ledger.house_less(ledger.house_standing(), (select xid from ledger.house_watermark), w.least, w.most))
  ) v
$$;

-- Checks owners [_from, _to): balances equal the sums of postings, each posting belongs to its owner, and `available_after`
-- follows from the postings before. transfer_violations checks the house's accounts.
create or replace function ledger.owner_violations(_from bigint, _to bigint) returns table (rule text, detail text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with posting as materialized (
    select p.*, p.owner_id * 4 in (p.debit, p.credit) as moves_available,
      sum(case when p.credit = p.owner_id * 4 then p.amount when p.debit = p.owner_id * 4 then -p.amount else 0 end)
        over (partition by p.owner_id, p.asset_id order by p.id) as running
    from ledger.postings p where p.owner_id >= _from and p.owner_id < _to
  ), posted as (
    select account, asset_id, sum(amount) as balance from (
      select owner_id, debit as account, asset_id, -amount::numeric as amount from posting
      union all select owner_id, credit, asset_id, amount from posting
    ) leg where account >= 4000 and account / 4 = owner_id group by 1, 2
  ), standing as (
    select b.owner_id * 4 + v.bucket as account, b.asset_id, v.amount::numeric as balance
    from ledger.balances b cross join lateral (values (0, b.available), (1, b.held), (2, b.earning)) v (bucket, amount)
    where b.owner_id >= _from and b.owner_id < _to
  )
  select 'balance = sum of postings', format('account %s asset %s: stands at %s, postings say %s',
    account, asset_id, coalesce(s.balance, 0), coalesce(p.balance, 0))
  from standing s full join posted p using (account, asset_id) where coalesce(s.balance, 0) <> coalesce(p.balance, 0)
  union all
  -- This also finds a posting that moves money from one customer to another.
  select 'a posting is its owner''s', format('posting %s of owner %s: from %s to %s', p.id, p.owner_id, p.debit, p.credit)
  from posting p where p.owner_id not in (p.debit / 4, p.credit / 4)
    or least(p.debit, p.credit) >= 4000 and p.debit / 4 <> p.credit / 4
  union all
  select 'a customer''s postings follow one another', format('owner %s asset %s posting %s', p.owner_id, p.asset_id, p.id)
  from posting p where p.owner_id >= 1000 and p.available_after is distinct from case when p.moves_available then p.running end
$$;

-- Checks transfers [_from, _to): every posting has a transfer, and house_movements equal the postings.
create or replace function ledger.transfer_violations(_from bigint, _to bigint) returns table (rule text, detail text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with posting as materialized (
    select * from ledger.postings where transfer_id >= _from and transfer_id < _to
  ), leg as (
    select transfer_id, account, asset_id, sum(amount) as amount from (
      select transfer_id, debit as account, asset_id, -amount::numeric as amount from posting
      union all select transfer_id, credit, asset_id, amount from posting
    ) l where account < 4000 group by 1, 2, 3
  )
  select 'every posting has its transfer', format('%s postings of transfer %s', count(*), p.transfer_id)
  from posting p left join ledger.transfers t on t.id = p.transfer_id where t.id is null group by p.transfer_id
  union all
  select 'a transfer moves the house as its postings say', format('transfer %s account %s asset %s: moved %s, postings say %s',
    transfer_id, account, asset_id, coalesce(m.amount, 0), coalesce(l.amount, 0))
  from (select * from ledger.house_movements where transfer_id >= _from and transfer_id < _to) m
  full join leg l using (transfer_id, account, asset_id) where coalesce(m.amount, 0) <> coalesce(l.amount, 0)
$$;

-- The house's balances as an object by account and asset: the start value for house_less.
create or replace function ledger.house_standing() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(account || ' ' || asset_id, balance), '{}') from ledger.house_balances
$$;

-- Subtracts from `_house` the movements of transfers [_from, _to) below the watermark, which are those that the balances contain.
-- All values are zero after all ranges.
create or replace function ledger.house_less(_house jsonb, _watermark xid8, _from bigint, _to bigint) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(key, amount), '{}') from (
    select key, sum(amount) as amount from (
      select key, value::numeric as amount from jsonb_each_text(_house)
      union all
      select account || ' ' || asset_id, -amount::numeric from ledger.house_movements
      where transfer_id >= _from and transfer_id < _to and xid < _watermark
    ) m group by key
  ) s
$$;

-- Checks what no range shows: each asset sums to zero, and `_house` is zero after house_less has subtracted all movements.
create or replace function ledger.sum_violations(_house jsonb) returns table (rule text, detail text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select 'sum over an asset = 0', format('asset %s: %s', asset_id, sum(amount)) from (
    select asset_id, available::numeric + held + earning as amount from ledger.balances
    union all select asset_id, balance from ledger.house_balances
    union all select asset_id, amount from ledger.house_movements where xid >= (select xid from ledger.house_watermark)
  ) a group by asset_id having sum(amount) <> 0
  union all
  select 'house balances = movements below the watermark', format('account and asset %s: %s apart', key, value)
  from jsonb_each_text(_house) where value::numeric <> 0
$$;
