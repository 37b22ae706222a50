-- What must always hold, one row per violation; empty is well. Reads everything: for the audit, not for a request.
create function ledger.violations() returns table (rule text, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with leg as (
    select transfer_id, debit as account, asset_id, -amount::numeric as amount from ledger.postings
    union all
    select transfer_id, credit, asset_id, amount::numeric from ledger.postings
  ), by_account as (
    select account, asset_id, sum(amount) as balance from leg group by 1, 2
  ), standing as (
    select owner_id * 4 as account, asset_id, available::numeric as balance from ledger.balances
    union all select owner_id * 4 + 1, asset_id, held from ledger.balances
    union all select owner_id * 4 + 2, asset_id, earning from ledger.balances
    union all select account, asset_id, sum(amount) from ledger.house_movements group by 1, 2
  ), house_leg as (
    select transfer_id, account, asset_id, sum(amount) as amount from leg where account < 4000 group by 1, 2, 3
  ), rolled_up as (
    select account, asset_id, sum(amount) as balance from ledger.house_movements
    where xid < (select xid from ledger.house_watermark) group by 1, 2
  )
  select 'balance = sum of postings', format('account %s asset %s: stands at %s, postings say %s',
    coalesce(s.account, p.account), coalesce(s.asset_id, p.asset_id), coalesce(s.balance, 0), coalesce(p.balance, 0))
  from standing s full join by_account p on p.account = s.account and p.asset_id = s.asset_id
  where coalesce(s.balance, 0) <> coalesce(p.balance, 0)
  union all
  select 'sum over an asset = 0', format('asset %s: %s', asset_id, sum(balance))
  from standing group by asset_id having sum(balance) <> 0
  union all
  select 'every posting has its transfer', format('%s postings of transfer %s', count(*), p.transfer_id)
  from ledger.postings p left join ledger.transfers t on t.id = p.transfer_id where t.id is null group by p.transfer_id
  union all
  select 'a posting is its owner''s', format('posting %s of owner %s: from %s to %s', p.id, p.owner_id, p.debit, p.credit)
  from ledger.postings p where p.owner_id not in (p.debit / 4, p.credit / 4)
  union all
  select 'a transfer moves the house as its postings say', format('transfer %s account %s asset %s: moved %s, postings say %s',
    coalesce(m.transfer_id, l.transfer_id), coalesce(m.account, l.account), coalesce(m.asset_id, l.asset_id),
    coalesce(m.amount, 0), coalesce(l.amount, 0))
  from ledger.house_movements m full join house_leg l using (transfer_id, account, asset_id)
  where coalesce(m.amount, 0) <> coalesce(l.amount, 0)
  union all
  select 'house balances = movements below the watermark', format('account %s asset %s: stands at %s, movements say %s',
    coalesce(b.account, r.account), coalesce(b.asset_id, r.asset_id), coalesce(b.balance, 0), coalesce(r.balance, 0))
  from ledger.house_balances b full join rolled_up r using (account, asset_id)
  where coalesce(b.balance, 0) <> coalesce(r.balance, 0)
  union all
  select 'a customer''s postings follow one another', format('owner %s asset %s posting %s', x.owner_id, x.asset_id, x.id)
  from (
    select p.owner_id, p.asset_id, p.id, p.available_after,
      p.owner_id * 4 in (p.debit, p.credit) as moves_available,
      sum(case when p.credit = p.owner_id * 4 then p.amount when p.debit = p.owner_id * 4 then -p.amount else 0 end)
        over (partition by p.owner_id, p.asset_id order by p.id) as running
    from ledger.postings p where p.owner_id >= 1000
  ) x
  where x.available_after is distinct from case when x.moves_available then x.running end;
$$;
