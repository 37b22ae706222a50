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
create schema ledger;

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
  kind text not null check (kind in ('reserve', 'resolve', 'practice', 'capital')),
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

create table ledger.house_movements (
  transfer_id bigint not null,
  account bigint not null check (account < 4000),
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (transfer_id, account, asset_id)
);
create index house_movements_by_xid on ledger.house_movements (xid);

create table ledger.house_balances (
  account bigint not null,
  asset_id smallint not null,
  balance bigint not null,
  primary key (account, asset_id)
);
-- Movements of transactions below this id are in house_balances, all others are not.
create table ledger.house_watermark (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null
);
insert into ledger.house_watermark (xid) values ('0'::xid8);

create function ledger.external_account() returns bigint immutable language sql as 'select 4::bigint';
create function ledger.trading_account() returns bigint immutable language sql as 'select 8::bigint';

-- Writes the head of a movement.
-- Returns its id, or null when a transfer of this key stands already with the same input; another input is an error.
create function ledger.begin_transfer(_key text, _hash bytea, _kind text) returns bigint
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
      raise exception 'transfer % was made with another input', _key using errcode = 'FT001';
    end if;
  end if;
  return _id;
end $$;

-- Locks the balances of the given pairs in ascending order, so that two callers never wait for each other in a circle.
create function ledger.lock_balances(_owners bigint[], _assets smallint[])
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
create function ledger.open_balances(_owner bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.balances (owner_id, asset_id) select _owner, id from ledger.assets
  on conflict do nothing;
$$;

-- Holds amounts: available -> held. All or nothing; an owner who has less is an error, for the caller has looked.
create function ledger.reserve(
  _key text, _hash bytea, _owners bigint[], _assets smallint[], _amounts bigint[], _refs bigint[]
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  _transfer bigint;
  _wanted bigint;
  _done bigint;
begin
  -- Arrays of different lengths are padded with nulls here.
  if exists (
    select from unnest(_owners, _assets, _amounts, _refs) as l (owner_id, asset_id, amount, ref)
    where num_nulls(l.owner_id, l.asset_id, l.amount, l.ref) > 0 or l.amount <= 0
  ) then
    raise exception 'what is to be held must be above zero' using errcode = 'FT005';
  end if;
  -- Locks first: an owner's transfers are then numbered in the order in which they took effect.
  perform ledger.lock_balances(_owners, _assets);
  _transfer := ledger.begin_transfer(_key, _hash, 'reserve');
  if _transfer is null then return null; end if;
  select wanted, done into _wanted, _done from ledger.hold(_transfer, _owners, _assets, _amounts, _refs);
  if _wanted <> _done then
    raise exception 'a balance is smaller than what is to be held' using errcode = 'FT002';
  end if;
  return _transfer;
end $$;

-- The balances and postings of a reserve. Returns how many balances were to move and how many did.
create function ledger.hold(
  _transfer bigint, _owners bigint[], _assets smallint[], _amounts bigint[], _refs bigint[], out wanted bigint, out done bigint
) language sql as $$
  with line as (
    select * from unnest(_owners, _assets, _amounts, _refs) with ordinality as l (owner_id, asset_id, amount, ref, ord)
  ), total as (
    select l.owner_id, l.asset_id, sum(l.amount)::bigint as amount from line l group by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available - t.amount, held = b.held + t.amount
    from total t
    where b.owner_id = t.owner_id and b.asset_id = t.asset_id and b.available >= t.amount
    returning b.owner_id, b.asset_id, b.available + t.amount as before
  ), posted as (
    insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
    select _transfer, l.owner_id, l.asset_id, l.owner_id * 4, l.owner_id * 4 + 1, l.amount,
      m.before - sum(l.amount) over (partition by l.owner_id, l.asset_id order by l.ord), l.ref
    from line l join moved m using (owner_id, asset_id)
    order by l.ord
  )
  select (select count(*) from total), (select count(*) from moved);
$$;

-- The same for a batch whose acceptance is decided while its amounts are held: `take` holds what each owner has, without a
-- posting, and locks the balances by it in ascending order; what is accepted is posted by `post_taken`, and the rest let go by
-- `let_go`, in the same transaction. The caller sees to it that the three agree, by what `take` says of it: these functions
-- are for the door of placement only, and granted to nobody.
create function ledger.hold_hash(_owner bigint, _asset smallint, _amount bigint) returns bigint
immutable language sql as 'select hash_record_extended(row(_owner, _asset, _amount), 0)';

-- Names each balance once. Answers `owner:asset:available` of each as it was before, with commas between, and how many
-- amounts were held, with the sum of their hashes. Who had too little when it was tried is told as having less than that, also
-- if more has come since.
create function ledger.take(
  _owners bigint[], _assets smallint[], _amounts bigint[], out balances text, out holds int, out hash numeric
) language plpgsql set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _held_owners bigint[]; _held_assets smallint[];
begin
  if exists (
    select from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
    where num_nulls(l.owner_id, l.asset_id, l.amount) > 0 or l.amount <= 0
  ) then
    raise exception 'what is to be held must be above zero' using errcode = 'FT005';
  end if;
  with wanted as materialized (
    select * from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount) order by 1, 2
  ), moved as (
    update ledger.balances b set available = b.available - w.amount, held = b.held + w.amount
    from wanted w
    where b.owner_id = w.owner_id and b.asset_id = w.asset_id and b.available >= w.amount
    returning b.owner_id, b.asset_id, b.available, w.amount
  )
  select string_agg(owner_id || ':' || asset_id || ':' || available + amount, ','), count(*),
    coalesce(sum(ledger.hold_hash(owner_id, asset_id, amount)), 0), array_agg(owner_id), array_agg(asset_id)
  into balances, holds, hash, _held_owners, _held_assets from moved;
  if holds < cardinality(_owners) then
    select concat_ws(',', balances, string_agg(b.owner_id || ':' || b.asset_id || ':' || least(b.available, l.amount - 1), ','))
    into balances
    from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
    join ledger.balances b on b.owner_id = l.owner_id and b.asset_id = l.asset_id
    where (l.owner_id, l.asset_id) not in (select * from unnest(_held_owners, _held_assets));
  end if;
end $$;

-- Posts what was taken. `_left` is what each owner has available after it.
create function ledger.post_taken(
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

-- Gives back what was taken. The balances are this transaction's already.
create function ledger.let_go(_owners bigint[], _assets smallint[], _amounts bigint[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update ledger.balances b set available = b.available + l.amount, held = b.held - l.amount
  from unnest(_owners, _assets, _amounts) as l (owner_id, asset_id, amount)
  where b.owner_id = l.owner_id and b.asset_id = l.asset_id;
$$;

-- Ends reservations. Of each reserved amount, `returned` goes to available:
--   returned = reserved   void: all of it goes back
--   returned = 0          post: the house keeps it
--   returned > reserved   it goes back, and the house pays the rest
-- The house's side is its trading account. Balances are moved, and so locked, in ascending order, as lock_balances does it.
-- Planned anew for each call: a chunk of thousands wants other joins than a single line.
create function ledger.resolve(
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
  -- Below zero an amount would move the balances without a posting.
  if exists (
    select from unnest(_owners, _assets, _reserved, _returned, _refs) as l (owner_id, asset_id, reserved, returned, ref)
    where num_nulls(l.owner_id, l.asset_id, l.reserved, l.returned, l.ref) > 0 or l.reserved <= 0 or l.returned < 0
  ) then
    raise exception 'what was held must be above zero, and what goes back not below' using errcode = 'FT005';
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
    raise exception 'less is held than what is to be resolved' using errcode = 'FT003';
  end if;
  return _transfer;
end $$;

-- Sets a customer's practice money back to 10 000: the only credit that needs no review, and only of practice assets.
create function ledger.reset_practice(_key text, _hash bytea, _owner bigint, _asset smallint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  _transfer bigint;
  _available bigint;
  _target bigint;
  _external bigint := ledger.external_account();
begin
  select (10000 * 10::numeric ^ scale)::bigint into _target from ledger.assets where id = _asset and is_practice;
  if not found then
    raise exception 'asset % is not practice money', _asset using errcode = 'FT004';
  end if;
  select l.available into strict _available from ledger.lock_balances(array[_owner], array[_asset]) l;
  _transfer := ledger.begin_transfer(_key, _hash, 'practice');
  if _transfer is null or _available = _target then return _transfer; end if;
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
create function ledger.post_capital(_key text, _hash bytea, _asset smallint, _amount bigint) returns bigint
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

-- Brings house_balances up to all transactions that have ended. A transaction still under way holds the watermark back,
-- so a movement that commits late, after younger ones, is never skipped. Returns false when another caller is at it.
create function ledger.roll_up_house() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  _from xid8;
  _to xid8;
begin
  select xid into _from from ledger.house_watermark for update skip locked;
  if not found then return false; end if;
  _to := pg_snapshot_xmin(pg_current_snapshot());
  insert into ledger.house_balances as h (account, asset_id, balance)
  select account, asset_id, sum(amount)::bigint from ledger.house_movements
  where xid >= _from and xid < _to group by account, asset_id
  on conflict (account, asset_id) do update set balance = h.balance + excluded.balance;
  update ledger.house_watermark set xid = _to where xid <> _to;
  return true;
end $$;
