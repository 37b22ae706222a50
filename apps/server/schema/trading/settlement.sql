-- Settlement: gives each order its outcome by the log's ticks, once its product has an entry at or after its settlement time, and
-- moves its money.
-- Only orders_settle writes outcomes. TypeScript decides them per group: one batch, product and settlement time (decision 013).
-- orders_settle checks them against the log.
-- Lock order: orders -> balances (owner, asset, ascending). Times `_ms` are Unix milliseconds of the log's clock.

-- The promised income of settled orders, one row per settlement chunk and asset. roll_up_house adds the rows up behind a watermark.
create table settled_promises (
  id bigint generated always as identity primary key,
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id()
);

create index settled_promises_by_xid on settled_promises (xid);

-- The sum of settled_promises that transactions below `xid` wrote.
create table settled_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  xid xid8 not null default '0'
);

-- The progress of settlement. The engine moves it forward.
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  -- All orders that settle before this time are settled, including those of batches that committed late.
  settled_before_ms bigint not null default 0,
  -- `noted_turn` was the next batch, by placement_head.turns, when the log's time was `noted_ms`. Once it has committed, no batch
  -- accepted before `noted_ms` can follow.
  noted_ms bigint not null default 0,
  noted_turn bigint not null default 0,
  -- All orders of batches up to this number have opened or are void, or are left to their settlement.
  opened_batch bigint not null default 0
) with (fillfactor = 10);

insert into settlement_head default values;

-- ## Functions

-- Notifies listeners of changed orders as `customer:order` pairs, when the transaction commits. A notification holds less than
-- 8 000 bytes, so each one has at most 150 pairs.
create or replace function orders_tell(_customers bigint[], _ids bigint[]) returns void
language sql as $$
  select pg_notify('orders', notice.pairs) from (
    select string_agg(o.customer_id || ':' || o.id, ',' order by o.ord) as pairs
    from unnest(_customers, _ids) with ordinality as o (customer_id, id, ord) group by (o.ord - 1) / 150
  ) notice;
$$;

-- Locks the next due orders of a lane, which has every `_lanes`th customer. An order is due once its product has an entry at or after
-- its settlement time. Orders whose batch is not logged yet are not due: the batch has to come, because batches are logged in order.
-- Orders that are not due hold up no others. It starts at the mark, or at the settlement time and
-- product where the last chunk ended (`next_*`). It skips rows that another engine has locked. `ids` and `places` are arrays of
-- equal length; a place is the index, from 1, of the order's group in `groups`: [batch, product, rules, opens at, settles at].
create or replace function orders_due(
  _limit int, _lane int, _lanes int, _from_ms bigint, _from_product smallint,
  out log_time_ms bigint, out ids text, out places text, out groups json, out next_ms bigint, out next_product smallint
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  _mark bigint;
  _unlogged bigint;
  -- By product: the time of its last entry. An array without nulls, so that PostgreSQL finds an element without a search.
  _last bigint[] := array(
    select coalesce(s.last_ms, 0) from generate_series(1, (select max(product_id) from product_states)) p (id)
    left join product_states s on s.product_id = p.id order by p.id);
begin
  select h.time_ms, s.settled_before_ms, first_order(h.last_batch + 1) into strict log_time_ms, _mark, _unlogged
  from log_head h, settlement_head s;
  if _from_ms < _mark then
    _from_ms := _mark;
    _from_product := 0;
  end if;
  with due as materialized (
    select o.id, o.product_id, o.rules_id, o.opens_at_ms, o.settles_at_ms
    from orders o
    where (o.settles_at_ms, o.product_id) >= (_from_ms, _from_product) and o.settles_at_ms <= orders_due.log_time_ms
      and o.settles_at_ms <= _last[o.product_id] and o.settled_at_ms is null and o.customer_id % _lanes = _lane and o.id < _unlogged
    order by o.settles_at_ms, o.product_id limit _limit for update of o skip locked
  ), last as (
    select settles_at_ms, product_id from due order by settles_at_ms desc, product_id desc limit 1
  ), grouped as (
    select batch_of(id) as batch, product_id, rules_id, opens_at_ms, settles_at_ms,
      string_agg(id::text, ',') as ids, count(*)::int as orders, row_number() over () as place
    from due group by 1, 2, 3, 4, 5
  )
  select '{' || string_agg(g.ids, ',' order by place) || '}',
    '{' || string_agg(repeat(',' || g.place, g.orders), '' order by place) || '}',
    json_agg(json_build_array(batch, product_id, rules_id, opens_at_ms, settles_at_ms) order by place),
    (select settles_at_ms from last), (select product_id from last)
  into ids, places, groups, next_ms, next_product from grouped g;
  -- Each place begins with a comma. This removes the first comma.
  places := '{' || substr(places, 3);
end $$;

-- Settles the orders `_ids` and moves their money, each order once and exactly as decided. It fails as a whole: ORDER_SETTLED if an
-- order is settled already, NOT_BY_THE_RULES if the log does not allow an outcome, STAKES_MOVED if the ledger has the transfer.
-- `_places` has the index of each order's group. `_results` and `_voids` have two elements for each group, down and up: the result
-- (1, -1, 0), and the index of the void reason in `_reasons` (0: not void). `_open_*` and `_settle_*` have the index and time of
-- each group's two ticks, and the prices that each direction gets, down and up (-1: none). No array has a null.
-- The function runs with its owner's rights, because the ledger pays for no other role. Checks of the table bound each payment.
create or replace function orders_settle(
  _hash bytea, _now_ms bigint, _ids bigint[], _places int[], _results smallint[], _voids smallint[],
  _open_indexes bigint[], _open_times bigint[], _open_prices bigint[],
  _settle_indexes bigint[], _settle_times bigint[], _settle_prices bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _reasons constant text[] := '{not_logged,hole,gap,no_open}';
  _owners bigint[]; _assets smallint[]; _stakes bigint[]; _back bigint[]; _refs bigint[]; _samples bigint[];
begin
  if _now_ms > (select time_ms from log_head) then
    perform refuse('NOT_BY_THE_RULES', format('the log has not come to %s', _now_ms));
  end if;
  with settled as (
    update orders o set settled_at_ms = _now_ms, result = _results[l.place * 2 - (1 - o.direction) / 2],
      credited = case _results[l.place * 2 - (1 - o.direction) / 2] when 1 then o.stake + o.income
        when 0 then o.stake + case when _voids[l.place * 2 - (1 - o.direction) / 2] > 0 then o.stake / 10 else 0 end else 0 end,
      void_reason = _reasons[_voids[l.place * 2 - (1 - o.direction) / 2]],
      open_index = nullif(_open_indexes[l.place], -1), open_ms = nullif(_open_times[l.place], -1),
      open_price = nullif(_open_prices[l.place * 2 - (1 - o.direction) / 2], -1), settle_index = nullif(_settle_indexes[l.place], -1),
      settle_ms = nullif(_settle_times[l.place], -1), settle_price = nullif(_settle_prices[l.place * 2 - (1 - o.direction) / 2], -1)
    from unnest(_ids, _places) as l (id, place)
    where o.id = l.id and o.settled_at_ms is null
    returning o.id, o.customer_id, o.asset_id, o.stake, o.income, o.credited, l.place, o.product_id, o.rules_id, o.opens_at_ms,
      o.settles_at_ms, o.direction
  ), promise as (
    insert into settled_promises (asset_id, amount) select asset_id, sum(income) from settled group by asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(stake), array_agg(credited), array_agg(id),
    (select array_agg(g.id) from (select min(d.id) as id from settled d
      group by d.place, batch_of(d.id), d.product_id, d.rules_id, d.opens_at_ms, d.settles_at_ms, d.direction) g)
  into _owners, _assets, _stakes, _back, _refs, _samples from (select * from settled order by id) s;
  if cardinality(_refs) is distinct from cardinality(_ids) then
    perform refuse('ORDER_SETTLED', 'an order of the chunk is settled already');
  end if;
  perform orders_demand_logged(_samples);
  -- The first order identifies the chunk, because each order is settled once.
  if ledger.resolve('settle:' || _refs[1], _hash, _owners, _assets, _stakes, _back, _refs) is null then
    perform refuse('STAKES_MOVED', 'the stakes of the chunk are paid back already');
  end if;
  perform traded_days_settle(_owners, _refs);
  perform orders_tell(_owners, _refs);
end $$;

-- Moves the mark below which all orders are settled. Orders that settle before a time were accepted before it, but their batch may
-- commit late. So the mark passes a time only when no batch accepted before it can still commit. That holds at once if the
-- placement head is not locked. Otherwise it holds when the batch has committed that was the next one when the time was noted.
create or replace function orders_advance_settlement() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _is_idle boolean;
begin
  perform from placement_head for share skip locked;
  _is_idle := found;
  -- A separate statement has a newer snapshot, so it sees all that committed before the head was free.
  update settlement_head s set
    settled_before_ms = greatest(s.settled_before_ms, coalesce((
      select o.settles_at_ms from orders o
      where o.settles_at_ms >= s.settled_before_ms and o.settles_at_ms < b.until_ms and o.settled_at_ms is null
      order by o.settles_at_ms limit 1), b.until_ms)),
    noted_ms = case when p.turns >= s.noted_turn then h.time_ms else s.noted_ms end,
    noted_turn = greatest(p.turns + 1, s.noted_turn)
  from log_head h, placement_head p, settlement_head t
  cross join lateral (
    select case when _is_idle then h.time_ms when p.turns >= t.noted_turn then t.noted_ms else 0 end as until_ms
  ) b;
  delete from minute_incomes where minute_ms < (select settled_before_ms from settlement_head) - 60000;
end $$;

-- Returns what kept an order from opening: `gap`, `hole`, or null if the product's entries show neither yet. The order may open from
-- `_from_ms` to `_until_ms`, and the log had `_size` entries when it was accepted. Looks at the product's last entry before
-- `_from_ms`, and then at the first grid time that has no tick. The product's next entry shows a hole.
create or replace function unopened_by(_product smallint, _size bigint, _from_ms bigint, _until_ms bigint) returns text
stable language sql set search_path = public, pg_temp as $$
  with span as (
    select (_from_ms - 1) / 250 * 250 as grid_ms, coalesce((
      select time_ms from log_entries where product_id = _product and kind <= log_kind('gap') and index >= _size order by time_ms desc limit 1), 0) as last_ms
  )
  select case
    when span.last_ms < _from_ms then null
    when b.kind = log_kind('gap') then 'gap'
    when b.time_ms is distinct from span.grid_ms then 'hole'
    else (
      select case when l.kind = log_kind('gap') then 'gap' when span.last_ms > t then 'hole' end
      from generate_series(span.grid_ms + 250, _until_ms, 250) t
      left join log_entries l on l.product_id = _product and l.kind <= log_kind('gap') and l.time_ms = t and l.index >= _size
      where l.kind is null or l.kind = log_kind('gap') order by t limit 1)
  end
  from span left join lateral (
    select kind, time_ms from log_entries where product_id = _product and kind <= log_kind('gap') and time_ms < _from_ms
    order by time_ms desc limit 1
  ) b on true
$$;

-- Raises NOT_BY_THE_RULES unless the log allows the outcomes of these orders, which were just settled; one order of each group and
-- direction is enough. Everything is exact but one thing: whether quotes of use are at most D older than the opening time, because
-- quotes are packed. So an order that opened has a tick at each grid time from the last one before its opening time to its opening, and one that
-- no tick opened has one up to the end of its window. The audit settles all orders again (replay-orders.ts).
-- `grid_ms` is that last grid time before the opening time, and `until_ms` the last one at which the order may open.
create or replace function orders_demand_logged(_ids bigint[]) returns void
language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _wrong bigint;
begin
  with settled as materialized (
    select o.id, o.product_id, o.direction, o.settles_at_ms, o.void_reason, o.open_index, o.open_ms, o.open_price,
      o.settle_index, o.settle_ms, o.settle_price, o.opens_at_ms as from_ms, o.opens_at_ms - 250 as grid_ms,
      least(o.opens_at_ms + r.open_within_ms, o.settles_at_ms) / 250 * 250 as until_ms, a.log_size, b.time_ms as logged_ms
    from unnest(_ids) as u (id) join orders o on o.id = u.id join rules r on r.id = o.rules_id
    join order_batches a on a.number = batch_of(o.id)
    left join lateral (
      select * from logged_batches where first_batch <= batch_of(o.id) order by first_batch desc limit 1
    ) b on b.last_batch >= batch_of(o.id)
  ), ticks as (
    -- Up opens at the lowest and settles at the highest price that the tick allows, down the other way round.
    select product_id, index, time_ms, price, is_low, min(id) as id from (
      select id, product_id, open_index as index, open_ms as time_ms, open_price as price, direction = 1 as is_low
      from settled where open_index is not null
      union all
      select id, product_id, settle_index, settle_ms, settle_price, direction = -1 from settled where settle_index is not null
    ) t group by 1, 2, 3, 4, 5
  ), silent as (
    -- Won, because there is no current tick of the settlement time.
    select product_id, settles_at_ms, min(open_index) as open_index, min(id) as id
    from settled where open_index is not null and settle_index is null group by 1, 2
  ), runs as (
    -- Entries from `grid_ms` on are later than the acceptance, so the log had fewer of them then.
    select product_id, grid_ms, coalesce(open_ms, until_ms) as to_ms, min(log_size) as log_size, min(id) as id
    from settled where open_index is not null or void_reason = 'no_open' group by 1, 2, 3
  ), unopened as (
    select product_id, from_ms, grid_ms, until_ms, void_reason, min(log_size) as log_size, min(id) as id
    from settled where void_reason in ('hole', 'gap') group by 1, 2, 3, 4, 5
  )
  select id into _wrong from (
    select t.id from ticks t where not exists (
      select from log_entries l where l.index = t.index and l.kind = log_kind('tick') and l.product_id = t.product_id and l.time_ms = t.time_ms
        and l.is_current and t.price = case when t.is_low then coalesce(l.low, l.price) else coalesce(l.high, l.price) end)
    union all
    select s.id from silent s where exists (
        select from log_entries l where l.product_id = s.product_id and l.kind = log_kind('tick') and l.index >= s.open_index
          and l.time_ms = s.settles_at_ms and l.is_current)
      or not exists (
        select from log_entries l where l.product_id = s.product_id and l.kind <= log_kind('gap') and l.index >= s.open_index
          and l.time_ms >= s.settles_at_ms)
    union all
    select r.id from runs r where (r.to_ms - r.grid_ms) / 250 + 1 <> (
      select count(*) from log_entries l where l.product_id = r.product_id and l.kind = log_kind('tick') and l.index >= r.log_size
        and l.time_ms between r.grid_ms and r.to_ms)
    union all
    select u.id from unopened u where u.void_reason is distinct from unopened_by(u.product_id, u.log_size, u.from_ms, u.until_ms)
    union all
    select s.id from settled s where s.logged_ms is null
      or (s.logged_ms > s.from_ms - 1000) <> (coalesce(s.void_reason, '') = 'not_logged')
      or s.open_ms < s.from_ms or s.open_ms > s.until_ms
  ) wrong limit 1;
  if _wrong is not null then
    perform refuse('NOT_BY_THE_RULES', format('order %s is not settled as the log says', _wrong));
  end if;
end $$;
