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

-- ## Functions

-- As before, up to that id. The watermark never goes back: what stands below it is counted.
create or replace function ledger.roll_up_house() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  _from xid8;
  _to xid8;
begin
  select xid into _from from ledger.house_watermark for update skip locked;
  if not found then return false; end if;
  -- In a statement of its own: what is below has committed when the next one looks.
  _to := greatest(_from, ledger.settled_before());
  insert into ledger.house_balances as h (account, asset_id, balance)
  select account, asset_id, sum(amount)::bigint from ledger.house_movements
  where xid >= _from and xid < _to group by account, asset_id
  on conflict (account, asset_id) do update set balance = h.balance + excluded.balance;
  update ledger.house_watermark set xid = _to where xid <> _to;
  return true;
end $$;

-- Transaction ids are the PostgreSQL server's, not the database's: a transaction that is open in another database of the same
-- server holds `pg_snapshot_xmin` back for as long as it is open, though it can not write here (decision 116).

-- The id below which every transaction that can write to this database has ended. The caller reads what stands below it in a
-- later statement, under read committed: the snapshot of that statement sees all of it.
--
-- A transaction under way is left out only if the process that holds its id works in another database. Everything else counts as
-- this database's: the caller's own transaction, one that is prepared (it has no process), one that has its id but not yet the
-- lock on it.
create or replace function ledger.settled_before() returns xid8
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  _seen pg_snapshot;
  _now pg_snapshot;
  _open xid8[];
  _xids xid8[];
  _pids int[];
  _elsewhere xid8[];
  _least xid8;
begin
  -- Each statement takes a snapshot of its own. This is the first: a transaction that is not in it as open has ended, or its id
  -- is not below the snapshot's end.
  _seen := pg_current_snapshot();
  _open := array(select x from pg_snapshot_xip(_seen) x);
  if cardinality(_open) > 0 then
    -- Which process has which transaction. The view shows 32 bits of an id, and ids that are open at once differ in these.
    select array_agg(o.xid), array_agg(l.pid) into _xids, _pids
    from unnest(_open) o (xid) join pg_locks l on l.transactionid = o.xid::xid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.pid is not null;
    -- Then where the process works: a process keeps its database for life. If it ends in between and another one gets its number,
    -- its transaction has ended too, and the caller's next statement sees what it wrote. The other way round, the number could
    -- pass from another database to this one, and a transaction of this one would be left out. For the same reason what this
    -- transaction has read of the processes before is forgotten first.
    perform pg_stat_clear_snapshot();
    _elsewhere := array(
      select h.xid from unnest(_xids, _pids) h (xid, pid) join pg_stat_activity a on a.pid = h.pid
      where a.datid <> (select d.oid from pg_database d where d.datname = current_database()));
    -- A transaction that has ended since is not shown as held by anybody. A second snapshot says so: the caller's next statement
    -- sees what this one sees.
    _now := pg_current_snapshot();
    select o.xid into _least from unnest(_open) o (xid)
    where o.xid <> all (_elsewhere) and not pg_visible_in_snapshot(o.xid, _now) order by o.xid limit 1;
  end if;
  -- A snapshot does not show the caller's own transaction as open. `least` passes over what is null.
  return least(coalesce(_least, pg_snapshot_xmax(_seen)), pg_current_xact_id_if_assigned());
end $$;

-- Adds up what the house has: its balances, and the promises that were settled, both up to the same transaction, so that no
-- settlement is counted by half.
create or replace function roll_up_house() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
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
