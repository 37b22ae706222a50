-- The ledger's part of orders: holding stakes for a batch and ending the holds at settlement. Arrays make a batch one transfer.
-- Placement decides while the stakes are held. In one transaction it calls `take`, then `post_taken` for accepted orders and
-- `let_go` for the rest; it must check that both together have the hash that `take` returned (`holds_hash`).
-- Settlement calls `resolve`, and `amend` where an order came out better later. The server has no right to call any of these functions.

-- ## Functions

-- SHA-256 of held amounts, in any order, with what is left available. A mark is a number of the caller's for each amount.
create or replace function ledger.holds_hash(_owners bigint[], _assets smallint[], _amounts bigint[], _left bigint[], _marks bigint[])
returns bytea
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select sha256(convert_to(coalesce(string_agg(concat_ws(':', h.owner, h.asset, h.amount, h.left, h.mark), ','
    order by h.owner, h.asset), ''), 'UTF8'))
  from unnest(_owners, _assets, _amounts, _left, _marks) as h (owner, asset, amount, "left", mark)
$$;

-- Holds each amount whose owner has it available, without a posting; an owner of null has nothing. The update locks the balances in
-- ascending order. The arrays name each balance at most once. `balances` lists `owner:asset:available` of each balance before the
-- hold, separated by commas; `hash` is holds_hash of the held amounts. `heavy` are the owners who hold more now than `_most` of the
-- asset (its place is the asset's id). If an owner had too little, `balances` shows less than the amount, even if more has come in
-- since, so that the caller's decision agrees with the holds.
create or replace function ledger.take(
  _owners bigint[], _assets smallint[], _amounts bigint[], _marks bigint[], _most bigint[],
  out balances text, out heavy bigint[], out hash bytea
) language plpgsql set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _held_owners bigint[]; _held_assets smallint[];
begin
  if exists (
    select from unnest(_assets, _amounts) as l (asset_id, amount) where num_nulls(l.asset_id, l.amount) > 0 or l.amount <= 0
  ) then
    perform public.refuse('INVALID_AMOUNT', 'what is to be held must be above zero');
  end if;
  with wanted as materialized (
    select * from unnest(_owners, _assets, _amounts, _marks) as l (owner_id, asset_id, amount, mark) order by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available - w.amount, held = b.held + w.amount
    from wanted w
    where b.owner_id = w.owner_id and b.asset_id = w.asset_id and b.available >= w.amount
    returning b.owner_id, b.asset_id, b.available, b.held, w.amount, w.mark
  )
  select string_agg(m.owner_id || ':' || m.asset_id || ':' || m.available + m.amount, ','), array_agg(m.owner_id), array_agg(m.asset_id),
    array_agg(m.owner_id) filter (where m.held > _most[m.asset_id]),
    -- As holds_hash.
    sha256(convert_to(coalesce(string_agg(concat_ws(':', m.owner_id, m.asset_id, m.amount, m.available, m.mark), ','
      order by m.owner_id, m.asset_id), ''), 'UTF8'))
  into balances, _held_owners, _held_assets, heavy, hash from moved m;
  if coalesce(cardinality(_held_owners), 0) < cardinality(_owners) then
    select concat_ws(',', balances, string_agg(b.owner_id || ':' || b.asset_id || ':' || least(b.available, l.amount - 1), ','))
    into balances
    from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
    join ledger.balances b on b.owner_id = l.owner_id and b.asset_id = l.asset_id
    where (l.owner_id, l.asset_id) not in (select * from unnest(_held_owners, _held_assets));
  end if;
end $$;

-- Posts amounts that `take` has held. `_left` is each owner's available balance after the hold. Returns the transfer's id, or null
-- if the key has already made the same transfer.
create or replace function ledger.post_taken(
  _key text, _hash bytea, _owners bigint[], _assets smallint[], _amounts bigint[], _left bigint[], _refs bigint[]
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  _transfer bigint;
begin
  _transfer := ledger.begin_transfer(_key, _hash, 'reserve');
  if _transfer is null then return null; end if;
  insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
  select _transfer, l.owner_id, l.asset_id, l.owner_id * 4, l.owner_id * 4 + 1, l.amount, l.available, l.ref
  from unnest(_owners, _assets, _amounts, _left, _refs) as l (owner_id, asset_id, amount, available, ref);
  return _transfer;
end $$;

-- Moves amounts that `take` has held back to available. The transaction has the balances locked already.
create or replace function ledger.let_go(_owners bigint[], _assets smallint[], _amounts bigint[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update ledger.balances b set available = b.available + l.amount, held = b.held - l.amount
  from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
  where b.owner_id = l.owner_id and b.asset_id = l.asset_id;
$$;

-- Ends holds of stakes. Of each reserved amount, `returned` goes to available:
--   returned = reserved   void: all of it goes back
--   returned = 0          post: the house keeps it
--   returned > reserved   it goes back, and the house pays the rest
-- The house's side is its trading account. The update locks the balances in ascending order, as lock_balances does. Each call is
-- planned anew, because a chunk of thousands needs other joins than a single line. Returns the transfer's id, or null if the key
-- has already made the same transfer.
create or replace function ledger.resolve(
  _key text, _hash bytea, _owners bigint[], _assets smallint[], _reserved bigint[], _returned bigint[], _refs bigint[]
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
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
      case part when 1 then least(l.reserved, l.returned) when 2 then l.reserved - l.returned else l.returned - l.reserved end as amount,
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

-- Pays more for lines that `resolve` has ended: the house's trading account pays each amount to its owner's available balance. Returns
-- the transfer's id, or null if the key has already made the same transfer.
create or replace function ledger.amend(_key text, _owners bigint[], _assets smallint[], _amounts bigint[], _refs bigint[]) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
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
  _transfer := ledger.begin_transfer(_key, sha256(convert_to(concat_ws(' ', _owners, _assets, _amounts, _refs), 'UTF8')), 'amend');
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
