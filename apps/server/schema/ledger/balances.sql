-- The ledger: double entry in whole smallest units of each asset, append-only. Only the ledger's functions write these tables; no
-- role but their owner may insert, update or delete. An owner is a customer (ids from 1000) or a part of the house (ids below).
-- An account's number is owner * 4 + bucket: 0 available, 1 held (open stakes, pending withdrawals, sums that an authority has
-- ordered to hold), 2 earning. House owners have bucket 0 only. A balance is credits less debits, so the sum over all accounts of
-- an asset is zero. House accounts have no row in ledger.balances: ledger/house.sql keeps their movements.

create table ledger.assets (
  id smallint primary key,
  code text not null unique check (code ~ '^[A-Z]{2,8}$'),
  scale smallint not null check (scale between 0 and 18),
  -- Practice money: credited at registration and on request, never deposited, withdrawn or earning.
  is_practice boolean not null
);

-- A transfer is one movement of money. A second call with the same key and input makes no second transfer.
create table ledger.transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  kind text not null check (kind in ('resolve', 'reserve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout',
    'correction', 'earn_in', 'earn_out', 'interest', 'amend', 'legal_hold', 'legal_release', 'revert')),
  created_at timestamptz not null default clock_timestamp(),
  -- The database transaction that wrote it. ledger.digest selects transfers by it.
  xid xid8 not null default pg_current_xact_id()
);

create index transfers_by_xid on ledger.transfers (xid);

-- A posting moves `amount` from the debit account to the credit account. The postings of a transfer share its id.
create table ledger.postings (
  id bigint generated always as identity,
  transfer_id bigint not null,
  -- The customer on either side, else the house owner on the credit side.
  owner_id bigint not null,
  asset_id smallint not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null check (amount > 0),
  -- The customer's available balance after this posting; null if the posting does not move it.
  available_after bigint check (available_after >= 0),
  -- The cause, as the caller names it: the id of an order, request or correction, or a day of earnings as YYYYMMDD. 0: none.
  ref bigint not null,
  primary key (owner_id, id),
  check (debit <> credit)
) partition by range (id);

create index postings_by_transfer on ledger.postings using brin (transfer_id);

-- A customer's balances in an asset, one column per bucket. Registration creates a row for each asset.
create table ledger.balances (
  owner_id bigint not null check (owner_id >= 1000),
  asset_id smallint not null references ledger.assets,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  earning bigint not null default 0 check (earning >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- Number of resets of a customer's practice money on `day`, the last UTC day that had one.
create table ledger.practice_resets (
  owner_id bigint not null,
  asset_id smallint not null references ledger.assets,
  day date not null,
  resets int not null check (resets >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- ## Functions

-- The account of the outside world (owner 1): the counterpart of everything that comes in or goes out.
create or replace function ledger.external_account() returns bigint immutable language sql as 'select 4::bigint';

-- The house's account that takes lost stakes and pays wins (owner 2). The house's capital is on it.
create or replace function ledger.trading_account() returns bigint immutable language sql as 'select 8::bigint';

-- Inserts a transfer without its postings and returns its id. Returns null if a transfer with this key and the same input exists.
-- Raises TRANSFER_DIFFERS if the key exists with another input.
create or replace function ledger.begin_transfer(_key text, _hash bytea, _kind text) returns bigint
language plpgsql as $$
declare
  _id bigint;
  _known bytea;
begin
  insert into ledger.transfers (idempotency_key, input_hash, kind) values (_key, _hash, _kind)
    on conflict (idempotency_key) do nothing returning id into _id;
  if _id is null then
    select input_hash into strict _known from ledger.transfers where idempotency_key = _key;
    if _known <> _hash then
      perform public.refuse('TRANSFER_DIFFERS', format('transfer %s was made with another input', _key));
    end if;
  end if;
  return _id;
end $$;

-- Locks the balances of the given pairs in ascending order (owner, then asset), so that callers do not deadlock.
create or replace function ledger.lock_balances(_owners bigint[], _assets smallint[])
returns table (owner_id bigint, asset_id smallint, available bigint)
language plpgsql security definer set plan_cache_mode = force_generic_plan set enable_seqscan = off rows 100 as $$
begin
  return query
    select b.owner_id, b.asset_id, b.available
    from ledger.balances b
    where (b.owner_id, b.asset_id) in (select * from unnest(_owners, _assets))
    order by b.owner_id, b.asset_id
    for no key update;
end $$;

create or replace function ledger.open_balances(_owner bigint) returns void language sql security definer as $$
  insert into ledger.balances (owner_id, asset_id) select _owner, id from ledger.assets
  on conflict do nothing;
$$;

-- Holds an amount for a withdrawal, or by order of an authority (`legal_hold`). Raises TOO_LITTLE_AVAILABLE if less is available.
create or replace function ledger.hold(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint,
  _kind text default 'hold') returns bigint language plpgsql as $$
begin
  if (_amount > 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'what is to be held must be above zero');
  end if;
  return ledger.move(_key, _hash, _kind, _owner, _asset, array[_owner * 4], array[_owner * 4 + 1], array[_amount], _ref);
end $$;

-- Sets a customer's practice money to 10 000 units. This is the only credit that needs no review.
-- The 10 000 include held stakes, because repeated resets could otherwise add up any amount of stakes. If more is held, nothing
-- stays available. A reset that moves money counts towards the daily bound; the credit at registration does not. A key is an
-- owner's own: the transfer's key is built here, so that a caller can't take the key of another movement.
create or replace function ledger.reset_practice(_key text, _hash bytea, _owner bigint, _asset smallint) returns bigint
language plpgsql security definer as $$
declare
  _transfer bigint;
  _available bigint;
  _target bigint;
  _resets int;
  _external bigint := ledger.external_account();
begin
  select (10000 * 10::numeric ^ scale)::bigint into _target from ledger.assets where id = _asset and is_practice;
  if not found then
    perform public.refuse('PRACTICE_MONEY', format('asset %s is not practice money', _asset));
  end if;
  select l.available into strict _available from ledger.lock_balances(array[_owner], array[_asset]) l;
  -- The lock is held, so this statement and the one above read the same balance.
  select greatest(_target - b.held, 0) into strict _target from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset;
  _transfer := ledger.begin_transfer(format('practice:%s:%s', _owner, _key), _hash, 'practice');
  if _transfer is null or _available = _target then return _transfer; end if;
  insert into ledger.practice_resets as r (owner_id, asset_id, day, resets)
  values (_owner, _asset, (now() at time zone 'utc')::date, 0)
  on conflict (owner_id, asset_id) do update set
    day = greatest(r.day, excluded.day), resets = case when excluded.day > r.day then 1 else r.resets + 1 end
  returning resets into _resets;
  if _resets > ledger.practice_resets_a_day() then
    perform public.refuse('TOO_MANY_RESETS', format('practice money was set back %s times today',
      ledger.practice_resets_a_day()));
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

-- Posts capital to the house's trading account. The server has no right to call it: in demo the first start seeds the capital,
-- else two people post it (house_capital).
create or replace function ledger.post_capital(_key text, _hash bytea, _asset smallint, _amount bigint) returns bigint
language plpgsql as $$
declare
  _transfer bigint := ledger.begin_transfer(_key, _hash, 'capital');
begin
  if _transfer is null then return null; end if;
  insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, ref)
  values (_transfer, ledger.trading_account() / 4, _asset, ledger.external_account(), ledger.trading_account(), _amount, 0);
  insert into ledger.house_movements (transfer_id, account, asset_id, amount)
  values (_transfer, ledger.external_account(), _asset, -_amount), (_transfer, ledger.trading_account(), _asset, _amount);
  return _transfer;
end $$;

-- The house's account of fees on deposits and withdrawals (owner 3). Its money does not back orders.
create or replace function ledger.fees_account() returns bigint immutable language sql as 'select 12::bigint';

-- Makes one transfer of one customer in an asset. Each leg moves an amount from a debit to a credit account; legs of 0 are left
-- out. Handles available, held and house accounts, but not earning. Returns the transfer's id, or null if the key has already
-- made the same transfer. Raises TOO_LITTLE_AVAILABLE or TOO_LITTLE_HELD.
create or replace function ledger.move(
  _key text, _hash bytea, _kind text, _owner bigint, _asset smallint,
  _debits bigint[], _credits bigint[], _amounts bigint[], _ref bigint
) returns bigint language plpgsql as $$
declare
  _transfer bigint;
  _available bigint;
  _held bigint;
begin
  if exists (select from ledger.assets where id = _asset and is_practice) then
    perform public.refuse('PRACTICE_MONEY', 'practice money neither comes nor goes');
  end if;
  -- The lock precedes the transfer's id, so that an owner's transfers are numbered in the order in which they take effect.
  select b.available, b.held into _available, _held from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset for no key update;
  if not found then
    perform public.refuse('TOO_LITTLE_AVAILABLE', format('owner %s has no balance of asset %s', _owner, _asset));
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, _kind);
  if _transfer is null then return null; end if;
  for _leg in 1 .. cardinality(_amounts) loop
    continue when _amounts[_leg] = 0;
    _available := _available + case _owner * 4 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg]
      else 0 end;
    _held := _held + case _owner * 4 + 1 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg]
      else 0 end;
    if _available < 0 then
      perform public.refuse('TOO_LITTLE_AVAILABLE', 'the balance is smaller than what is to leave it');
    elsif _held < 0 then
      perform public.refuse('TOO_LITTLE_HELD', 'less is held than what is to leave it');
    end if;
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
    values (_transfer, _owner, _asset, _debits[_leg], _credits[_leg], _amounts[_leg],
      case when _owner * 4 in (_debits[_leg], _credits[_leg]) then _available end, _ref);
  end loop;
  update ledger.balances set available = _available, held = _held where owner_id = _owner and asset_id = _asset;
  insert into ledger.house_movements (transfer_id, account, asset_id, amount)
  select _transfer, l.account, _asset, sum(l.amount)::bigint
  from (
    select debit as account, -amount as amount from unnest(_debits, _amounts) as d (debit, amount)
    union all select credit, amount from unnest(_credits, _amounts) as c (credit, amount)
  ) l where l.account < 4000 group by l.account having sum(l.amount) <> 0;
  return _transfer;
end $$;

-- Credits an amount that came in from outside, less the fee, which the house keeps.
create or replace function ledger.deposit(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint,
  _ref bigint) returns bigint language plpgsql as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a deposit brings something, and its fee is less');
  end if;
  return ledger.move(_key, _hash, 'deposit', _owner, _asset, array[ledger.external_account(), _owner * 4],
    array[_owner * 4, ledger.fees_account()], array[_amount, _fee], _ref);
end $$;

create or replace function ledger.release(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint,
  _kind text default 'release') returns bigint language plpgsql as $$
begin
  if (_amount > 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'what is given back must be above zero');
  end if;
  return ledger.move(_key, _hash, _kind, _owner, _asset, array[_owner * 4 + 1], array[_owner * 4], array[_amount], _ref);
end $$;

-- Books the payment of a held amount. The house keeps the fee, which is part of the amount; the rest goes outside.
create or replace function ledger.pay_out(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint,
  _ref bigint) returns bigint language plpgsql as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a payout sends something, and its fee is less');
  end if;
  return ledger.move(_key, _hash, 'payout', _owner, _asset, array[_owner * 4 + 1, _owner * 4 + 1],
    array[ledger.external_account(), ledger.fees_account()], array[_amount - _fee, _fee], _ref);
end $$;

-- Corrects a balance. `revert`: takes back a deposit that its chain has dropped (an amount below zero), or books it again.
create or replace function ledger.correct(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint,
  _kind text default 'correction') returns bigint language plpgsql as $$
declare
  _own bigint := _owner * 4;
  _external bigint := ledger.external_account();
begin
  if (_amount <> 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a correction changes something');
  end if;
  return ledger.move(_key, _hash, _kind, _owner, _asset,
    array[case when _amount > 0 then _external else _own end], array[case when _amount > 0 then _own else _external end],
    array[abs(_amount)], _ref);
end $$;

-- Hashes all transfers with ids of transactions in [_from, _to), and their postings, with every field. The transactions must have
-- ended; otherwise a later call with the same bounds returns another hash.
create or replace function ledger.digest(_from xid8, _to xid8) returns bytea language sql stable security definer as $$
  with transfers as (
    select t.id, concat_ws('|', t.id, t.idempotency_key, encode(t.input_hash, 'hex'), t.kind,
      (extract(epoch from t.created_at) * 1000000)::bigint) as text
    from ledger.transfers t where t.xid >= _from and t.xid < _to
  ), postings as (
    select p.transfer_id, string_agg(concat_ws('|', p.id, p.owner_id, p.asset_id, p.debit, p.credit, p.amount,
      coalesce(p.available_after::text, '-'), p.ref), E'\n' order by p.id) as text
    from ledger.postings p
    where p.transfer_id between (select min(id) from transfers) and (select max(id) from transfers) group by p.transfer_id
  )
  select sha256(coalesce(string_agg(sha256(convert_to(concat_ws(E'\n', t.text, p.text), 'UTF8')), ''::bytea order by t.id), ''))
  from transfers t left join postings p on p.transfer_id = t.id
$$;

create or replace function ledger.practice_resets_a_day() returns int immutable language sql as 'select 20';
