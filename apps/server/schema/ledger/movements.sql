-- The ledger: double entry in whole smallest units, append-only, one door.
--
-- Its door is the functions at the end of this file. They take arrays, so that a batch of orders is one movement, and
-- they are the only writers of these tables: nobody but their owner holds INSERT, UPDATE or DELETE here.
--
-- An owner is a customer (ids from 1000) or a part of the house (ids below). A customer has three accounts per asset,
-- an account's number being owner * 4 + bucket:
--   bucket 0 available   what can be spent
--   bucket 1 held        reserved: open stakes and pending withdrawals
--   bucket 2 earning     in the earnings feature
-- A house owner has bucket 0 only. A posting moves `amount` from the debit account to the credit account, so a balance
-- is credits less debits and the sum over all accounts of an asset is always zero. The external world's account (1) is
-- the mirror of everything that came in.
--
-- House accounts have no balance row: each transfer leaves its net effect on the house in house_movements, and
-- roll_up_house adds these up behind a watermark.

create table ledger.assets (
  id smallint primary key,
  code text not null unique check (code ~ '^[A-Z]{2,8}$'),
  scale smallint not null check (scale between 0 and 18),
  -- Practice money: credited at registration and on request, never deposited, withdrawn or earning.
  is_practice boolean not null
);

create table ledger.transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  kind text not null check (kind in ('resolve', 'reserve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout',
    'correction', 'earn_in', 'earn_out', 'interest')),
  created_at timestamptz not null default clock_timestamp(),
  -- Which database transaction wrote it: what the watermark of the roll-up goes by.
  xid xid8 not null default pg_current_xact_id()
);

create index transfers_by_xid on ledger.transfers (xid);

create table ledger.postings (
  id bigint generated always as identity,
  transfer_id bigint not null,
  -- Whose posting it is: the customer on either side, else the house owner on the credit side.
  owner_id bigint not null,
  asset_id smallint not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null check (amount > 0),
  -- The customer's available balance right after this posting; null where no customer's available balance moved.
  available_after bigint check (available_after >= 0),
  -- What caused it, in the words of the caller: an order's id.
  ref bigint not null,
  primary key (owner_id, id),
  check (debit <> credit)
);

create index postings_by_transfer on ledger.postings using brin (transfer_id);

create table ledger.balances (
  owner_id bigint not null check (owner_id >= 1000),
  asset_id smallint not null references ledger.assets,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  earning bigint not null default 0 check (earning >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- How often a customer's practice money was set back on the last day (UTC) on which it was.
create table ledger.practice_resets (
  owner_id bigint not null,
  asset_id smallint not null references ledger.assets,
  day date not null,
  resets int not null check (resets >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- ## Functions

create or replace function ledger.external_account() returns bigint immutable language sql as 'select 4::bigint';

create or replace function ledger.trading_account() returns bigint immutable language sql as 'select 8::bigint';

-- Writes the head of a movement.
-- Returns its id, or null when a transfer of this key stands already with the same input; another input is an error.
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

-- Locks the balances of the given pairs in ascending order, so that two callers never wait for each other in a circle.
create or replace function ledger.lock_balances(_owners bigint[], _assets smallint[])
returns table (owner_id bigint, asset_id smallint, available bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off rows 100 as $$
begin
  return query
    select b.owner_id, b.asset_id, b.available
    from ledger.balances b
    where (b.owner_id, b.asset_id) in (select * from unnest(_owners, _assets))
    order by b.owner_id, b.asset_id
    for no key update;
end $$;

-- Opens the balances of a new customer, all zero.
create or replace function ledger.open_balances(_owner bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.balances (owner_id, asset_id) select _owner, id from ledger.assets
  on conflict do nothing;
$$;

-- Holds an amount for a withdrawal. An owner who has less is an error (TOO_LITTLE_AVAILABLE).
create or replace function ledger.hold(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'what is to be held must be above zero');
  end if;
  return ledger.move(_key, _hash, 'hold', _owner, _asset, array[_owner * 4], array[_owner * 4 + 1], array[_amount], _ref);
end $$;

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
    perform public.refuse('PRACTICE_MONEY', format('asset %s is not practice money', _asset));
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
    perform public.refuse('TOO_MANY_RESETS', format('practice money was set back %s times today', ledger.practice_resets_a_day()));
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

-- Puts up the house's capital. Not granted to the server: seeded at the first start in demo, else posted by two people.
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

-- What customers paid for deposits and withdrawals: the house's, and apart from what stands behind orders.
create or replace function ledger.fees_account() returns bigint immutable language sql as 'select 12::bigint';

-- One customer's movement in several legs; those of amount 0 are left out. Null when the key has done the same before.
create or replace function ledger.move(
  _key text, _hash bytea, _kind text, _owner bigint, _asset smallint,
  _debits bigint[], _credits bigint[], _amounts bigint[], _ref bigint
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  _transfer bigint;
  _available bigint;
  _held bigint;
begin
  if exists (select from ledger.assets where id = _asset and is_practice) then
    perform public.refuse('PRACTICE_MONEY', 'practice money neither comes nor goes');
  end if;
  -- The lock first: an owner's transfers are then numbered in the order in which they took effect.
  select b.available, b.held into _available, _held from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset for no key update;
  if not found then
    perform public.refuse('TOO_LITTLE_AVAILABLE', format('owner %s has no balance of asset %s', _owner, _asset));
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, _kind);
  if _transfer is null then return null; end if;
  for _leg in 1 .. cardinality(_amounts) loop
    continue when _amounts[_leg] = 0;
    _available := _available + case _owner * 4 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg] else 0 end;
    _held := _held + case _owner * 4 + 1 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg] else 0 end;
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

-- An amount has come in from outside; the fee stays with the house.
create or replace function ledger.deposit(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a deposit brings something, and its fee is less');
  end if;
  return ledger.move(_key, _hash, 'deposit', _owner, _asset, array[ledger.external_account(), _owner * 4],
    array[_owner * 4, ledger.fees_account()], array[_amount, _fee], _ref);
end $$;

-- Gives a held amount back.
create or replace function ledger.release(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'what is given back must be above zero');
  end if;
  return ledger.move(_key, _hash, 'release', _owner, _asset, array[_owner * 4 + 1], array[_owner * 4], array[_amount], _ref);
end $$;

-- A held amount has left for the outside; the fee is part of it and stays with the house.
create or replace function ledger.pay_out(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a payout sends something, and its fee is less');
  end if;
  return ledger.move(_key, _hash, 'payout', _owner, _asset, array[_owner * 4 + 1, _owner * 4 + 1],
    array[ledger.external_account(), ledger.fees_account()], array[_amount - _fee, _fee], _ref);
end $$;

-- Puts right what was wrong: up with an amount above zero, down with one below.
create or replace function ledger.correct(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  _own bigint := _owner * 4;
  _external bigint := ledger.external_account();
begin
  if (_amount <> 0) is not true then
    perform public.refuse('INVALID_AMOUNT', 'a correction changes something');
  end if;
  return ledger.move(_key, _hash, 'correction', _owner, _asset,
    array[case when _amount > 0 then _external else _own end], array[case when _amount > 0 then _own else _external end],
    array[abs(_amount)], _ref);
end $$;

-- What the transactions from `_from` on and below `_to` have moved, as one hash: of every transfer all that it says, and of its
-- postings. Only of transactions that have ended, or the same question has another answer later.
create or replace function ledger.digest(_from xid8, _to xid8) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
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
