-- The house's accounts (numbers below 4000). Each transfer inserts its net effect on them into house_movements. So no transfer
-- updates a row of the house, which would make concurrent transfers wait for one another.
-- roll_up_house adds the movements up in house_balances behind a watermark of transaction ids. A balance is its row there plus
-- the movements at or above the watermark. Only the ledger's functions write these tables.

-- `amount` is credits less debits of one transfer on one account.
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

-- house_balances contains the movements of transactions below `xid` and no others.
create table ledger.house_watermark (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null
);

insert into ledger.house_watermark (xid) values ('0'::xid8);

-- ## Functions

-- Adds the movements of ended transactions to house_balances, up to ledger.settled_before(). The watermark never falls, because
-- everything below it is already counted. Returns false if another transaction has the watermark locked.
create or replace function ledger.roll_up_house() returns boolean language plpgsql security definer as $$
declare
  _from xid8;
  _to xid8;
begin
  select xid into _from from ledger.house_watermark for update skip locked;
  if not found then return false; end if;
  -- This is a statement of its own, so that the next statement's snapshot sees all movements below `_to`.
  _to := greatest(_from, ledger.settled_before());
  insert into ledger.house_balances as h (account, asset_id, balance)
  select account, asset_id, sum(amount)::bigint from ledger.house_movements
  where xid >= _from and xid < _to group by account, asset_id
  on conflict (account, asset_id) do update set balance = h.balance + excluded.balance;
  update ledger.house_watermark set xid = _to where xid <> _to;
  return true;
end $$;

-- Returns the transaction id below which every transaction that can write to this database has ended. The caller reads the rows
-- below it in a later statement, under read committed, because the snapshot of that statement sees all of them.
--
-- Transaction ids belong to the PostgreSQL server, not to a database. A transaction that is open in another database of the
-- server holds `pg_snapshot_xmin` back, although it can't write here (decision 116). So an open transaction is left out if the
-- process that holds its id works in another database. All others count as this database's: the caller's own transaction, a
-- prepared one (it has no process), and one that has its id but not yet the lock on it.
create or replace function ledger.settled_before() returns xid8 language plpgsql as $$
declare
  _seen pg_snapshot;
  _now pg_snapshot;
  _open xid8[];
  _xids xid8[];
  _pids int[];
  _elsewhere xid8[];
  _least xid8;
begin
  -- Each statement takes its own snapshot. This is the first one. A transaction that it does not list as open has ended, or its
  -- id is not below the snapshot's end.
  _seen := pg_current_snapshot();
  _open := array(select x from pg_snapshot_xip(_seen) x);
  if cardinality(_open) > 0 then
    -- Read the process of each transaction. pg_locks shows 32 bits of an id. Ids of transactions that are open at the same time
    -- differ in these bits.
    select array_agg(o.xid), array_agg(l.pid) into _xids, _pids
    from unnest(_open) o (xid) join pg_locks l on l.transactionid = o.xid::xid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.pid is not null;
    -- Then read the database of each process, which never changes. If a process ends in between and another process gets its
    -- number, its transaction has ended too, and the caller's next statement sees what it wrote. In the reverse order, a number
    -- could pass from a process of another database to one of this database, and its transaction would be left out by mistake.
    -- For the same reason, the list of processes that this transaction has cached is cleared first.
    perform pg_stat_clear_snapshot();
    _elsewhere := array(
      select h.xid from unnest(_xids, _pids) h (xid, pid) join pg_stat_activity a on a.pid = h.pid
      where a.datid <> (select d.oid from pg_database d where d.datname = current_database()));
    -- A transaction that has ended since the first snapshot holds no lock. The second snapshot shows that it has ended, and the
    -- caller's next statement sees everything that this snapshot sees.
    _now := pg_current_snapshot();
    select o.xid into _least from unnest(_open) o (xid)
    where o.xid <> all (_elsewhere) and not pg_visible_in_snapshot(o.xid, _now) order by o.xid limit 1;
  end if;
  -- A snapshot does not list the caller's own transaction as open. `least` ignores nulls.
  return least(coalesce(_least, pg_snapshot_xmax(_seen)), pg_current_xact_id_if_assigned());
end $$;

-- Rolls up the house's balances and the promised income of settled orders, both to the same watermark, so that each settlement
-- counts in both or in neither. Does nothing if another transaction is rolling up (advisory lock 7021).
create or replace function roll_up_house() returns void language plpgsql security definer as $$
declare
  _to xid8;
begin
  if not pg_try_advisory_xact_lock(7021) then return; end if;
  perform ledger.roll_up_house();
  select xid into strict _to from ledger.house_watermark;
  update settled_income i set xid = _to,
    amount = i.amount + coalesce((select sum(s.amount) from settled_promises s
      where s.asset_id = i.asset_id and s.xid >= i.xid and s.xid < _to), 0)
  where i.xid < _to;
end $$;
