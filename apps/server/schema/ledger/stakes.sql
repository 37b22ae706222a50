-- The ledger's part of orders: holding stakes for a batch and ending the holds at settlement. Arrays make a batch one transfer.
-- Placement calls `reserve` while it has the balances locked.
-- Settlement calls `resolve`, and `amend` where an order came out better later. The server has no right to call any of these
-- functions.

-- ## Functions

-- Holds each amount. The update locks the balances in ascending order. The arrays name each balance at most once. Raises
-- TOO_LITTLE_AVAILABLE unless each owner has the amount available. Returns the transfer's id, or null if the key has already made
-- the same transfer.
create or replace function ledger.reserve(
  _key text, _hash bytea, _owners bigint[], _assets smallint[], _amounts bigint[], _refs bigint[]
) returns bigint
language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _transfer bigint;
  _done bigint;
begin
  if exists (
    select from unnest(_assets, _amounts) as l (asset_id, amount) where num_nulls(l.asset_id, l.amount) > 0 or l.amount <= 0
  ) then
    perform public.refuse('INVALID_AMOUNT', 'what is to be held must be above zero');
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, 'reserve');
  if _transfer is null then return null; end if;
  with wanted as materialized (
    select * from unnest(_owners, _assets, _amounts, _refs) as l (owner_id, asset_id, amount, ref) order by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available - w.amount, held = b.held + w.amount
    from wanted w
    where b.owner_id = w.owner_id and b.asset_id = w.asset_id and b.available >= w.amount
    returning b.owner_id, b.asset_id, w.amount, b.available, w.ref
  ), posted as (
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
    select _transfer, m.owner_id, m.asset_id, m.owner_id * 4, m.owner_id * 4 + 1, m.amount, m.available, m.ref from moved m
  )
  select count(*) into _done from moved;
  if _done <> cardinality(_owners) then
    perform public.refuse('TOO_LITTLE_AVAILABLE', 'less is available than what is to be held');
  end if;
  return _transfer;
end $$;

-- Ends holds of stakes. Of each reserved amount, `returned` goes to available:
--   returned = reserved   void: all of it goes back
--   returned = 0          post: the house keeps it
--   returned > reserved   it goes back, and the house pays the rest
-- The house's side is its trading account. The update locks the balances in ascending order, as lock_balances does. Each call is
-- planned by itself, because a chunk of thousands needs other joins than a single line. Returns the transfer's id, or null if the
-- key has already made the same transfer.
create or replace function ledger.resolve(
  _key text, _hash bytea, _owners bigint[], _assets smallint[], _reserved bigint[], _returned bigint[], _refs bigint[]
) returns bigint language plpgsql security definer set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  _transfer bigint;
  _house bigint := ledger.trading_account();
  _wanted bigint;
  _done bigint;
begin
  -- An amount below zero would move balances without a posting.
  if exists (
    select from unnest(_owners, _assets, _reserved, _returned, _refs) as l (owner_id, asset_id, reserved, returned, ref)
    where num_nulls(l.owner_id, l.asset_id, l.reserved, l.returned, l.ref) > 0 or l.reserved <= 0 or l.returned < 0
  ) then
    perform public.refuse('INVALID_AMOUNT', 'what was held must be above zero, and what goes back not below');
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, 'resolve');
  if _transfer is null then return null; end if;
  with line as materialized (
    select *, sum(l.returned) over (partition by l.owner_id, l.asset_id order by l.ord)::bigint as returned_so_far
    from unnest(_owners, _assets, _reserved, _returned, _refs)
      with ordinality as l (owner_id, asset_id, reserved, returned, ref, ord)
  ), total as materialized (
    select l.owner_id, l.asset_id, sum(l.reserved)::bigint as reserved, sum(l.returned)::bigint as returned
    from line l group by 1, 2 order by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available + t.returned, held = b.held - t.reserved
    from total t
    where b.owner_id = t.owner_id and b.asset_id = t.asset_id and b.held >= t.reserved
    returning b.owner_id, b.asset_id, b.available - t.returned as before
  ), posted as (
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
    select _transfer, l.owner_id, l.asset_id, leg.debit, leg.credit, leg.amount, leg.available_after, l.ref
    from line l join moved m using (owner_id, asset_id)
    cross join unnest(array[1, 2, 3]) as part
    cross join lateral (select
      case part when 3 then _house else l.owner_id * 4 + 1 end as debit,
      case part when 2 then _house else l.owner_id * 4 end as credit,
      case part when 1 then least(l.reserved, l.returned) when 2 then l.reserved - l.returned
      else l.returned - l.reserved end as amount,
      case part when 1 then m.before + l.returned_so_far - greatest(l.returned - l.reserved, 0)
        when 3 then m.before + l.returned_so_far end as available_after
    ) as leg
    where leg.amount > 0
    order by l.ord, part
  ), house as (
    insert into ledger.house_movements (transfer_id, account, asset_id, amount)
    select _transfer, _house, asset_id, sum(reserved - returned)::bigint from total group by asset_id
  )
  select (select count(*) from total), (select count(*) from moved) into _wanted, _done;
  if _wanted <> _done then
    perform public.refuse('TOO_LITTLE_HELD', 'less is held than what is to be resolved');
  end if;
  return _transfer;
end $$;

-- Pays more for lines that `resolve` has ended: the house's trading account pays each amount to its owner's available balance.
-- Returns the transfer's id, or null if the key has already made the same transfer.
create or replace function ledger.amend(_key text, _owners bigint[], _assets smallint[], _amounts bigint[], _refs bigint[])
returns bigint language plpgsql set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  _transfer bigint;
  _house bigint := ledger.trading_account();
begin
  if exists (
    select from unnest(_owners, _assets, _amounts, _refs) as l (owner_id, asset_id, amount, ref)
    where num_nulls(l.owner_id, l.asset_id, l.amount, l.ref) > 0 or l.amount <= 0
  ) then
    perform public.refuse('INVALID_AMOUNT', 'what is paid on top must be above zero');
  end if;
  _transfer := ledger.begin_transfer(_key, sha256(convert_to(concat_ws(' ', _owners, _assets, _amounts, _refs), 'UTF8')),
    'amend');
  if _transfer is null then return null; end if;
  with line as materialized (
    select *, sum(l.amount) over (partition by l.owner_id, l.asset_id order by l.ord)::bigint as so_far
    from unnest(_owners, _assets, _amounts, _refs) with ordinality as l (owner_id, asset_id, amount, ref, ord)
  ), total as materialized (
    select l.owner_id, l.asset_id, sum(l.amount)::bigint as amount from line l group by 1, 2 order by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available + t.amount from total t
    where b.owner_id = t.owner_id and b.asset_id = t.asset_id
    returning b.owner_id, b.asset_id, b.available - t.amount as before
  ), posted as (
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
    select _transfer, l.owner_id, l.asset_id, _house, l.owner_id * 4, l.amount, m.before + l.so_far, l.ref
    from line l join moved m using (owner_id, asset_id) order by l.ord
  )
  insert into ledger.house_movements (transfer_id, account, asset_id, amount)
  select _transfer, _house, asset_id, -sum(amount)::bigint from total group by asset_id;
  return _transfer;
end $$;
