-- Settlement: gives each order its outcome by the fixes of its opening and settlement times, and moves its money.
-- orders_outcomes alone decides what the log gives an order. Callers of orders_settle name orders, never outcomes.
-- Lock order: the lanes of settlement, ascending -> balances (owner, asset, ascending). Times `_ms` are Unix milliseconds of the
-- log's clock.

-- The result of each settled order; an order without a row is open. It is written once; only a `close` with another price may
-- make it better (orders_correct). order_results_follow_orders compares it with its order.
create table order_results (
  order_id bigint primary key,
  settled_at_ms bigint not null,
  credited bigint not null,
  -- The fixes of the opening and the settlement time, or their closes.
  open_index bigint,
  open_price bigint,
  settle_index bigint,
  settle_price bigint,
  -- 1: profit, -1: loss, 0: none (a tie or a void). An order without prices that is not void wins: a fix is missing.
  result smallint not null check (result in (1, -1, 0)),
  void_reason text check (void_reason in ('not_logged', 'no_price')),
  check (num_nulls(open_index, open_price, settle_index, settle_price) in (0, 4)),
  -- "is true" refuses an unknown (null), which a check would otherwise accept.
  check (case
    when void_reason is not null then result = 0 and open_index is null
    when open_index is null then result = 1
    else open_price > 0 and settle_price > 0 and open_index <> settle_index
  end is true)
) partition by range (order_id);

-- The promised income of settled orders, one row per settlement chunk and asset. roll_up_house adds the rows up behind a
-- watermark.
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

-- The progress of settlement. Functions alone move it: orders_advance_settlement and orders_void.
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  -- All orders that settle before this time are settled, including those of batches that committed late.
  settled_before_ms bigint not null default 0,
  -- `noted_turn` was the next batch, by placement_head.turns, when the log's time was `noted_ms`. Once it has committed, no batch
  -- accepted before `noted_ms` can follow.
  noted_ms bigint not null default 0,
  noted_turn bigint not null default 0,
  -- All orders of batches up to this number have opened or are void, or are left to their settlement (orders_void).
  opened_batch bigint not null default 0
) with (fillfactor = 10);

insert into settlement_head default values;

-- ## Functions

-- Orders with their results, which are null while they are open.
create or replace view orders_and_results with (security_invoker = true) as
select r.settled_at_ms, r.result, r.credited, r.void_reason, r.open_index, r.open_price, r.settle_index, r.settle_price, o.*
from orders o left join order_results r on r.order_id = o.id;

-- Tells other processes of changed orders as `customer:order` pairs, at most 150 in a notice.
create or replace function orders_tell(_customers bigint[], _ids bigint[]) returns void
language sql as $$
  insert into outbox (channel, payload)
  select 'orders', string_agg(o.customer_id || ':' || o.id, ',' order by o.ord)
  from unnest(_customers, _ids) with ordinality as o (customer_id, id, ord) group by (o.ord - 1) / 150;
$$;

-- How long a fix may be missing before its orders win.
create or replace function most_fix_wait_ms() returns bigint immutable language sql as 'select 86400000::bigint';

-- Waits until no other transaction settles, and keeps both lanes for this one.
create or replace function settlement_lanes_lock() returns void language sql as
  'select pg_advisory_xact_lock(7057, lane) from generate_series(0, 1) lane';

-- The next due orders of a lane, which has every `_lanes`th customer. An order is due once the log has the fixes of its opening
-- and its settlement time, or once one of them is missing for good. Orders whose batch is not logged yet are not due: the batch
-- has to come, because batches are logged in order.
-- It goes over the times of fixes at which orders are not settled yet, so that orders that wait hold up no others. It starts at
-- the settlement time and product of the last order before (`next_*`). Ids ascend, so that a chunk reads and writes pages in
-- order.
create or replace function orders_due(
  _limit int, _lane int, _lanes int, _from_ms bigint, _from_product smallint,
  out ids bigint[], out next_ms bigint, out next_product smallint
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _unlogged bigint;
  -- Fixes of earlier times that are missing never come.
  _lost_ms bigint;
begin
  select time_ms - most_fix_wait_ms(), first_order(last_batch + 1) into strict _lost_ms, _unlogged from log_head;
  with seconds as materialized (
    select product_id, fix_ms, is_fixed from (
      select product_id, fix_ms, true as is_fixed from logged_fixes where not is_settled
      union all
      -- An order whose opening is lost does not wait for the fix that would settle it.
      select product_id, fix_ms, false from fixes_due where fix_ms < _lost_ms + longest_cycle_ms()
    ) s where (fix_ms, product_id) >= (_from_ms, _from_product) order by fix_ms, product_id
  ), due as materialized (
    select o.id, o.product_id, o.settles_at_ms
    from seconds s join orders o on o.settles_at_ms = s.fix_ms and o.product_id = s.product_id
    where o.customer_id % _lanes = _lane and o.id < _unlogged
      and not exists (select from order_results r where r.order_id = o.id)
      and case when exists (select from logged_fixes f where f.product_id = o.product_id and f.fix_ms = o.opens_at_ms)
        then s.is_fixed or s.fix_ms < _lost_ms else o.opens_at_ms < _lost_ms end
    order by s.fix_ms, s.product_id limit _limit
  )
  select array_agg(d.id order by d.id), (array_agg(d.settles_at_ms))[count(*)], (array_agg(d.product_id))[count(*)]
  into ids, next_ms, next_product from due d;
end $$;

-- The outcome that the log gives each of these orders, with the order's money; none where it gives none yet. It is the best of
-- the results by the fixes and, for each `close` in the order of the log, by the prices with it in place of its fix; of equal
-- results the first counts. So no later close makes it worse, or gives it other prices. Orders with the same two fixes and
-- direction share one decision, unless their batch was logged too late.
create or replace function orders_outcomes(_ids bigint[]) returns table (
  id bigint, customer_id bigint, asset_id smallint, stake bigint, income bigint,
  result smallint, void_reason text, open_index bigint, open_price bigint, settle_index bigint, settle_price bigint
) language plpgsql stable set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  return query
  with line as materialized (
    select o.*, batch_of(o.id) as batch from (select distinct unnest(_ids) as id) u join orders o on o.id = u.id
  ), logged as materialized (
    select l.batch, b.time_ms from (select distinct l.batch from line l) l cross join lateral (
      select * from logged_batches b where b.first_batch <= l.batch order by b.first_batch desc limit 1
    ) b where b.last_batch >= l.batch
  ), decided as materialized (
    select g.*, c.by, p.open_index, p.open_price, p.settle_index, p.settle_price, p.result
    from (select distinct l.product_id, l.opens_at_ms, l.settles_at_ms, l.direction from line l) g cross join log_head h
    left join logged_fixes f on f.product_id = g.product_id and f.fix_ms = g.opens_at_ms
    left join logged_fixes s on s.product_id = g.product_id and s.fix_ms = g.settles_at_ms
    cross join lateral (select case
        when f.is_thin then 'no_price'
        when f.index is null and h.time_ms > g.opens_at_ms + most_fix_wait_ms() then 'unfixed'
        when s.index is null and h.time_ms > g.settles_at_ms + most_fix_wait_ms() then 'unfixed'
        when f.index is not null and s.index is not null then 'prices'
      end as by) c
    left join lateral (
      select v.*, sign(v.settle_price - v.open_price) * g.direction as result
      from (select coalesce(f.close_index, s.close_index + 1) < coalesce(s.close_index, f.close_index + 1) as is_open_first) c
      cross join lateral (values
        (1, f.index, f.price, s.index, s.price),
        (2, case when c.is_open_first then f.close_index else f.index end,
          case when c.is_open_first then f.close_price else f.price end,
          case when c.is_open_first then s.index else s.close_index end,
          case when c.is_open_first then s.price else s.close_price end),
        (3, coalesce(f.close_index, f.index), coalesce(f.close_price, f.price), coalesce(s.close_index, s.index),
          coalesce(s.close_price, s.price))
      ) as v (place, open_index, open_price, settle_index, settle_price)
      where v.place = 1 or c.is_open_first is not null
      order by 6 desc, 1 limit 1
    ) p on c.by = 'prices'
  )
  select l.id, l.customer_id, l.asset_id, l.stake, l.income,
    case c.by when 'prices' then d.result when 'unfixed' then 1 else 0 end::smallint,
    case when c.by in ('not_logged', 'no_price') then c.by end, d.open_index, d.open_price, d.settle_index, d.settle_price
  from line l join logged b on b.batch = l.batch
  left join decided d on b.time_ms <= l.opens_at_ms - 1000 and d.product_id = l.product_id
    and d.opens_at_ms = l.opens_at_ms and d.settles_at_ms = l.settles_at_ms and d.direction = l.direction
  cross join lateral (select case when b.time_ms > l.opens_at_ms - 1000 then 'not_logged' else d.by end as by) c
  where c.by is not null;
end $$;

-- Settles those of the orders `_ids` that the log decides, each once, and moves their money, in one transaction. Returns how
-- many; null while another transaction settles the lane. Without a lane it waits for both. It fails with STAKES_MOVED if the
-- ledger has the transfer. The function runs with its owner's rights, because the ledger pays for no other role. Checks of the
-- table bound each payment.
create or replace function orders_settle(_ids bigint[], _lane int default null) returns int
language plpgsql security definer set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _owners bigint[]; _assets smallint[]; _stakes bigint[]; _back bigint[]; _refs bigint[];
begin
  if _lane is null then
    perform settlement_lanes_lock();
  elsif not pg_try_advisory_xact_lock(7057, _lane) then
    return null;
  end if;
  -- A correction waits for settlements that began before it; later ones see the close themselves.
  perform pg_advisory_xact_lock_shared(7058);
  with line as materialized (
    select w.*, h.time_ms, case w.result when 1 then w.stake + w.income
      when 0 then w.stake + case w.void_reason when 'not_logged' then w.stake / 10 else 0 end else 0 end as credited
    from orders_outcomes(_ids) w cross join log_head h
  ), added as (
    insert into order_results (order_id, settled_at_ms, credited, open_index, open_price, settle_index, settle_price, result,
      void_reason)
    select id, time_ms, credited, open_index, open_price, settle_index, settle_price, result, void_reason from line order by id
    on conflict do nothing returning order_id
  ), settled as (
    select l.* from line l join added a on a.order_id = l.id
  ), promise as (
    insert into settled_promises (asset_id, amount) select asset_id, sum(income) from settled group by asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(stake), array_agg(credited), array_agg(id)
  into _owners, _assets, _stakes, _back, _refs from (select * from settled order by id) s;
  if _refs is null then return 0; end if;
  -- The first order identifies the chunk, because each order is settled once.
  if ledger.resolve('settle:' || _refs[1], sha256(convert_to(concat_ws(' ', _refs, _back), 'UTF8')), _owners, _assets, _stakes,
    _back, _refs) is null then
    perform refuse('STAKES_MOVED', 'the stakes of the chunk are paid back already');
  end if;
  perform traded_days_settle(_owners, _refs, _back);
  perform orders_tell(_owners, _refs);
  return cardinality(_refs);
end $$;

-- Voids orders that can no longer open, without waiting for their settlement time: goes through the batches in order and stops at
-- the first that has an undecided opening, but waits for no opening longer than 80 s after the acceptance: such an order is left
-- to its settlement. `voided`: how many orders. `is_more`: the batches of one call were all decided, so that more may follow.
create or replace function orders_void(out voided int, out is_more boolean) language plpgsql security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  -- Openings are looked up this long after the acceptance, when most orders have opened.
  _look_after_ms constant bigint := 5000;
  _batches constant int := 16;
  _first bigint; _next bigint; _ends bigint;
  _ids bigint[];
begin
  perform settlement_lanes_lock();
  select min(number), max(number) + 1, count(*) = _batches into _first, _next, is_more from (
    select b.number from order_batches b, settlement_head s, log_head h
    where b.number > s.opened_batch and b.accepted_at_ms + _look_after_ms < h.time_ms order by b.number limit _batches) b;
  voided := 0;
  if _next is null then return; end if;
  with judged as materialized (
    select o.id, batch_of(o.id) as batch, o.accepted_at_ms + 80000 > h.time_ms as may_wait,
      case when b.time_ms > o.opens_at_ms - 1000 then 'void' when b.time_ms is null or f.index is null then 'pending'
        when f.is_thin then 'void' end as opening
    from log_head h cross join orders_and_results o left join lateral (
      select * from logged_batches l where l.first_batch <= batch_of(o.id) order by l.first_batch desc limit 1
    ) b on b.last_batch >= batch_of(o.id)
    left join logged_fixes f on f.product_id = o.product_id and f.fix_ms = o.opens_at_ms
    where o.id >= first_order(_first) and o.id < first_order(_next) and o.settled_at_ms is null
  ), undecided as (
    select coalesce(min(batch), _next) as batch from judged where opening = 'pending' and may_wait
  )
  select u.batch, array_agg(j.id) into _ends, _ids
  from undecided u left join judged j on j.opening = 'void' and j.batch < u.batch group by 1;
  if _ids[1] is not null then voided := orders_settle(_ids); end if;
  is_more := is_more and _ends = _next;
  -- Batches that are not placed yet never count.
  update settlement_head s set opened_batch = greatest(s.opened_batch, least(_ends, p.next_batch) - 1) from placement_head p;
end $$;

-- Corrects orders of a fix whose `close` has another price: those that its price makes better for their customers get what is
-- missing, at most `_limit` of them. Nothing is ever taken back, and no order is corrected twice by one close. Returns how many
-- were corrected; null if no fix is left to look at.
create or replace function orders_correct(_limit int) returns int
language plpgsql security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off as $$
declare
  _fix logged_fixes; _ids bigint[]; _owners bigint[]; _assets smallint[]; _more bigint[]; _before smallint[];
begin
  select * into _fix from logged_fixes where close_price <> price and not is_corrected
    order by close_index limit 1 for update skip locked;
  if not found then return null; end if;
  -- Waits for settlements that began before the close.
  perform settlement_lanes_lock();
  perform pg_advisory_xact_lock(7058);
  _ids := array(
    select o.id from orders o
    where o.product_id = _fix.product_id and _fix.fix_ms in (o.opens_at_ms, o.settles_at_ms) and o.settles_at_ms = any (
      array(select _fix.fix_ms + m * 60000 from generate_series(0, longest_cycle_ms() / 60000) m)));
  with better as (
    select w.*, r.result as result_before, r.credited as credited_before
    from orders_outcomes(_ids) w join order_results r on r.order_id = w.id
    where w.result > r.result order by w.id limit _limit
  ), corrected as (
    update order_results r set result = b.result, credited = case b.result when 1 then b.stake + b.income else b.stake end,
      open_index = b.open_index, open_price = b.open_price, settle_index = b.settle_index, settle_price = b.settle_price
    from better b where r.order_id = b.id
    returning b.id, b.customer_id, b.asset_id, r.credited - b.credited_before as more, b.result_before
  )
  select array_agg(c.id), array_agg(c.customer_id), array_agg(c.asset_id), array_agg(c.more), array_agg(c.result_before)
  into _ids, _owners, _assets, _more, _before from (select * from corrected order by id) c;
  if _ids is null then
    update logged_fixes set is_corrected = true where product_id = _fix.product_id and fix_ms = _fix.fix_ms;
    return 0;
  end if;
  if ledger.amend(format('close:%s:%s', _fix.close_index, _ids[1]), _owners, _assets, _more, _ids) is null then
    perform refuse('STAKES_MOVED', 'the orders are corrected already');
  end if;
  perform traded_days_settle(_owners, _ids, _more);
  perform statistics_correct(_ids, _before, _more);
  perform notice_add(o.customer_id, 'order.corrected', jsonb_build_object('id', o.id::text, 'product', o.product_id,
    'asset', o.asset_id, 'amount', l.more::text)) from unnest(_ids, _more) as l (id, more) join orders o using (id);
  perform orders_tell(_owners, _ids);
  return cardinality(_ids);
end $$;

-- Trigger, in place of a constraint: the outcome follows from its prices and its order alone.
create or replace function order_results_follow_orders() returns trigger language plpgsql security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _wrong bigint;
begin
  select w.order_id into _wrong from written w left join orders o on o.id = w.order_id
  where (w.credited = case w.result when 1 then o.stake + o.income
      -- A void by the house's fault pays a tenth of the stake on top.
      when 0 then o.stake + case w.void_reason when 'not_logged' then o.stake / 10 else 0 end else 0 end
    and case
      when w.void_reason is not null then w.settled_at_ms > o.accepted_at_ms
      -- A fix is missing 24 hours after its time.
      when w.open_index is null then w.settled_at_ms > o.opens_at_ms + most_fix_wait_ms()
      else o.settles_at_ms <= w.settled_at_ms and w.result = sign(w.settle_price - w.open_price) * o.direction
    end) is not true limit 1;
  if _wrong is not null then
    raise check_violation using message = format('the result of order %s does not follow from it', _wrong);
  end if;
  return null;
end $$;

drop trigger if exists order_results_added on order_results;
create trigger order_results_added after insert on order_results referencing new table as written
  for each statement execute function order_results_follow_orders();
drop trigger if exists order_results_changed on order_results;
create trigger order_results_changed after update on order_results referencing new table as written
  for each statement execute function order_results_follow_orders();

-- Moves the mark below which all orders are settled, and marks the fixes at whose times none is left to settle. Orders that
-- settle before a time were accepted before it, but their batch may commit late. So the mark passes a time only when no batch
-- accepted before it can still commit. That holds at once if the placement head is not locked. Otherwise it holds when the batch
-- has committed that was the next one when the time was noted.
create or replace function orders_advance_settlement() returns void language plpgsql security definer as $$
declare
  _is_idle boolean;
  _until bigint;
begin
  perform from placement_head for share skip locked;
  _is_idle := found;
  -- A separate statement has a newer snapshot, so it sees all that committed before the head was free.
  select case when _is_idle then h.time_ms when p.turns >= t.noted_turn then t.noted_ms else 0 end into strict _until
  from log_head h, placement_head p, settlement_head t;
  update settlement_head s set
    settled_before_ms = greatest(s.settled_before_ms, coalesce((
      select o.settles_at_ms from orders o
      where o.settles_at_ms >= s.settled_before_ms and o.settles_at_ms < _until
        and not exists (select from order_results r where r.order_id = o.id)
      order by o.settles_at_ms limit 1), _until)),
    noted_ms = case when p.turns >= s.noted_turn then h.time_ms else s.noted_ms end,
    noted_turn = greatest(p.turns + 1, s.noted_turn)
  from log_head h, placement_head p;
  update logged_fixes f set is_settled = true where not f.is_settled and f.fix_ms < _until and not exists (
    select from orders_and_results o
    where o.settles_at_ms = f.fix_ms and o.product_id = f.product_id and o.settled_at_ms is null);
  delete from fixes_due f where f.fix_ms < _until - most_fix_wait_ms() and not exists (
    select from orders_and_results o
    where o.settles_at_ms = f.fix_ms and o.product_id = f.product_id and o.settled_at_ms is null);
  delete from minute_incomes where minute_ms < (select settled_before_ms from settlement_head) - 60000;
end $$;
