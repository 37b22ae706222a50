-- The ledger's part of earnings: money moves between a customer's available and earning balances, and the house's earnings
-- account pays interest. Only the functions of money/interest.sql call these functions; the server may not. Practice money earns
-- nothing.

-- ## Functions

-- The house's account that pays interest (owner 4).
create or replace function ledger.earnings_account() returns bigint immutable language sql as 'select 16::bigint';

-- Moves a customer's money from available to earning (`_amount` above zero) or back (below zero). Returns the transfer's id, or
-- null if the key has already made the same transfer. Raises TOO_LITTLE_AVAILABLE or TOO_LITTLE_HELD (too little is earning).
create or replace function ledger.earn(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql as $$
declare
  _transfer bigint;
  _available bigint;
  _earning bigint;
begin
  if (_amount <> 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'what is moved must not be zero');
  end if;
  if exists (select from ledger.assets where id = _asset and is_practice) then
    perform public.refuse('PRACTICE_MONEY', 'practice money earns nothing');
  end if;
  -- The lock precedes the transfer's id, so that an owner's transfers are numbered in the order in which they take effect.
  select b.available, b.earning into _available, _earning from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset for no key update;
  if not found then
    perform public.refuse('TOO_LITTLE_AVAILABLE', format('owner %s has no balance of asset %s', _owner, _asset));
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, case when _amount > 0 then 'earn_in' else 'earn_out' end);
  if _transfer is null then return null; end if;
  if _available < _amount then
    perform public.refuse('TOO_LITTLE_AVAILABLE', 'the balance is smaller than what is to leave it');
  elsif _earning < -_amount then
    perform public.refuse('TOO_LITTLE_HELD', 'less is earning than what is to leave it');
  end if;
  insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
  values (_transfer, _owner, _asset, _owner * 4 + case when _amount > 0 then 0 else 2 end,
    _owner * 4 + case when _amount > 0 then 2 else 0 end, abs(_amount), _available - _amount, _ref);
  update ledger.balances set available = _available - _amount, earning = _earning + _amount
  where owner_id = _owner and asset_id = _asset;
  return _transfer;
end $$;

-- Pays interest on many balances in one transfer. The arrays name each balance at most once. The interest is added to the earning
-- balance, so it earns interest itself. The caller has locked the balances in ascending order.
-- Returns the transfer's id, or null if the key has already made the same transfer.
create or replace function ledger.pay_interest(_key text, _hash bytea, _owners bigint[], _assets smallint[], _amounts bigint[],
  _ref bigint) returns bigint language plpgsql set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  _transfer bigint;
  _done bigint;
begin
  if exists (
    select from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
    where num_nulls(l.owner_id, l.asset_id, l.amount) > 0 or l.amount <= 0
  ) then
    perform public.refuse('INVALID_AMOUNT', 'interest is above zero');
  end if;
  if exists (select from ledger.assets where id = any (_assets) and is_practice) then
    perform public.refuse('PRACTICE_MONEY', 'practice money earns nothing');
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, 'interest');
  if _transfer is null then return null; end if;
  with line as materialized (
    select * from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
  ), moved as (
    update ledger.balances b set earning = b.earning + l.amount from line l
    where b.owner_id = l.owner_id and b.asset_id = l.asset_id returning 1
  ), posted as (
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, ref)
    select _transfer, l.owner_id, l.asset_id, ledger.earnings_account(), l.owner_id * 4 + 2, l.amount, _ref
    from line l order by l.owner_id, l.asset_id
  ), house as (
    insert into ledger.house_movements (transfer_id, account, asset_id, amount)
    select _transfer, ledger.earnings_account(), l.asset_id, -sum(l.amount)::bigint from line l group by l.asset_id
  )
  select count(*) into _done from moved;
  -- A balance that is named twice is updated once, so the counts differ then, too.
  if _done <> cardinality(_owners) then
    perform public.refuse('TOO_LITTLE_AVAILABLE', 'there is no such balance, or it is named twice');
  end if;
  return _transfer;
end $$;
