-- Money in and out: what crosses the border between a customer's balance and the outside world.
--
--   deposit     external -> available, and of it available -> fees
--   hold        available -> held       a withdrawal was asked for
--   release     held -> available       it came to nothing
--   payout      held -> external, held -> fees
--   correction  external <-> available
--
-- None of these is granted to the server: the functions that hold the rules of requests (apps/server) call them with the
-- rights of their owner. Each moves one balance of one customer, and never practice money.
alter table ledger.transfers drop constraint transfers_kind_check;
alter table ledger.transfers add constraint transfers_kind_check
  check (kind in ('reserve', 'resolve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout', 'correction'));

-- What customers paid for deposits and withdrawals: the house's, and apart from what stands behind orders.
create function ledger.fees_account() returns bigint immutable language sql as 'select 12::bigint';

-- A place in the order of postings for something that moves nothing, so that a statement can show both in one order.
create function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;

-- One customer's movement in several legs; those of amount 0 are left out. Null when the key has done the same before.
create function ledger.move(
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
    raise exception 'practice money neither comes nor goes' using errcode = 'FT004';
  end if;
  -- The lock first: an owner's transfers are then numbered in the order in which they took effect.
  select b.available, b.held into _available, _held from ledger.balances b
  where b.owner_id = _owner and b.asset_id = _asset for no key update;
  if not found then
    raise exception 'owner % has no balance of asset %', _owner, _asset using errcode = 'FT002';
  end if;
  _transfer := ledger.begin_transfer(_key, _hash, _kind);
  if _transfer is null then return null; end if;
  for _leg in 1 .. cardinality(_amounts) loop
    continue when _amounts[_leg] = 0;
    _available := _available + case _owner * 4 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg] else 0 end;
    _held := _held + case _owner * 4 + 1 when _credits[_leg] then _amounts[_leg] when _debits[_leg] then -_amounts[_leg] else 0 end;
    if _available < 0 then
      raise exception 'the balance is smaller than what is to leave it' using errcode = 'FT002';
    elsif _held < 0 then
      raise exception 'less is held than what is to leave it' using errcode = 'FT003';
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
create function ledger.deposit(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    raise exception 'a deposit brings something, and its fee is less' using errcode = 'FT005';
  end if;
  return ledger.move(_key, _hash, 'deposit', _owner, _asset, array[ledger.external_account(), _owner * 4],
    array[_owner * 4, ledger.fees_account()], array[_amount, _fee], _ref);
end $$;

-- Holds an amount for a withdrawal. An owner who has less is an error (FT002).
create function ledger.hold(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0) is not true then
    raise exception 'what is to be held must be above zero' using errcode = 'FT005';
  end if;
  return ledger.move(_key, _hash, 'hold', _owner, _asset, array[_owner * 4], array[_owner * 4 + 1], array[_amount], _ref);
end $$;

-- Gives a held amount back.
create function ledger.release(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0) is not true then
    raise exception 'what is given back must be above zero' using errcode = 'FT005';
  end if;
  return ledger.move(_key, _hash, 'release', _owner, _asset, array[_owner * 4 + 1], array[_owner * 4], array[_amount], _ref);
end $$;

-- A held amount has left for the outside; the fee is part of it and stays with the house.
create function ledger.pay_out(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _fee bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (_amount > 0 and _fee >= 0 and _fee < _amount) is not true then
    raise exception 'a payout sends something, and its fee is less' using errcode = 'FT005';
  end if;
  return ledger.move(_key, _hash, 'payout', _owner, _asset, array[_owner * 4 + 1, _owner * 4 + 1],
    array[ledger.external_account(), ledger.fees_account()], array[_amount - _fee, _fee], _ref);
end $$;

-- Puts right what was wrong: up with an amount above zero, down with one below.
create function ledger.correct(_key text, _hash bytea, _owner bigint, _asset smallint, _amount bigint, _ref bigint)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  _own bigint := _owner * 4;
  _external bigint := ledger.external_account();
begin
  if (_amount <> 0) is not true then
    raise exception 'a correction changes something' using errcode = 'FT005';
  end if;
  return ledger.move(_key, _hash, 'correction', _owner, _asset,
    array[case when _amount > 0 then _external else _own end], array[case when _amount > 0 then _own else _external end],
    array[abs(_amount)], _ref);
end $$;

-- What the transactions from `_from` on and below `_to` have moved, as one hash: of every transfer all that it says, and of its
-- postings. Only of transactions that have ended, or the same question has another answer later.
create function ledger.digest(_from xid8, _to xid8) returns bytea
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
