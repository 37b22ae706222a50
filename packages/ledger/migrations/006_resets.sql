-- How often a customer's practice money was set back on the last day (UTC) on which it was.
create table ledger.practice_resets (
  owner_id bigint not null,
  asset_id smallint not null references ledger.assets,
  day date not null,
  resets int not null check (resets >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- Who has practice money already has had the first of it.
insert into ledger.practice_resets (owner_id, asset_id, day, resets)
select b.owner_id, b.asset_id, '2026-01-01', 0 from ledger.balances b join ledger.assets a on a.id = b.asset_id where a.is_practice;

create function ledger.practice_resets_a_day() returns int immutable language sql as 'select 20';

-- Sets a customer's practice money back to 10 000: the only credit that needs no review, and only of practice assets. Held
-- stakes are a part of the 10 000: otherwise resets could pile them up, order upon order. Where more than that is held, nothing
-- stays available. A reset that moves money counts against the day's; the first credit of all is none.
create or replace function ledger.reset_practice(_key text, _hash bytea, _owner bigint, _asset smallint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  _transfer bigint;
  _available bigint;
  _target bigint;
  _resets int;
  _external bigint := ledger.external_account();
begin
  select (10000 * 10::numeric ^ scale)::bigint into _target from ledger.assets where id = _asset and is_practice;
  if not found then
    raise exception 'asset % is not practice money', _asset using errcode = 'FT004';
  end if;
  select l.available into strict _available from ledger.lock_balances(array[_owner], array[_asset]) l;
  -- Nobody moves the balance while its lock is held.
  select greatest(_target - b.held, 0) into strict _target from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset;
  _transfer := ledger.begin_transfer(_key, _hash, 'practice');
  if _transfer is null or _available = _target then return _transfer; end if;
  insert into ledger.practice_resets as r (owner_id, asset_id, day, resets)
  values (_owner, _asset, (now() at time zone 'utc')::date, 0)
  on conflict (owner_id, asset_id) do update set
    day = greatest(r.day, excluded.day), resets = case when excluded.day > r.day then 1 else r.resets + 1 end
  returning resets into _resets;
  if _resets > ledger.practice_resets_a_day() then
    raise exception 'practice money was set back % times today', ledger.practice_resets_a_day() using errcode = 'FT006';
  end if;
  update ledger.balances set available = _target where owner_id = _owner and asset_id = _asset;
  insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
  values (_transfer, _owner, _asset,
    case when _target > _available then _external else _owner * 4 end,
    case when _target > _available then _owner * 4 else _external end,
    abs(_target - _available), _target, 0);
  insert into ledger.house_movements (transfer_id, account, asset_id, amount)
  values (_transfer, _external, _asset, _available - _target);
  return _transfer;
end $$;
