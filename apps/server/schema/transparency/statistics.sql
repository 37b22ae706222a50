-- Statistics: the figures that the house publishes about itself (/transparency, decision 108).
-- statistics_advance alone writes them. It counts each order, log entry and batch once, a limited number at a time.
-- The roll-up counts only final facts: all orders that settle before the mark of settlement_head are settled.
-- Days are UTC. Amounts are in smallest units.

-- Orders by the day of their settlement. `minutes` is the cycle.
create table order_statistics (
  date date not null,
  product_id smallint not null,
  minutes smallint not null,
  asset_id smallint not null,
  won bigint not null default 0,
  -- Orders won because a fix was missing, and orders that a `close` made better.
  unpriced bigint not null default 0,
  corrected bigint not null default 0,
  lost bigint not null default 0,
  tied bigint not null default 0,
  void bigint not null default 0,
  -- The results that void orders would have had by the fixes of their times (void_would_be).
  void_won bigint not null default 0,
  void_lost bigint not null default 0,
  void_tied bigint not null default 0,
  -- Sums over orders that were won or lost: the stakes, the amounts paid back, and the house's expected share of the stakes at
  -- even odds, stake * (1 - payout rate) / 2.
  staked numeric(40) not null default 0,
  paid numeric(40) not null default 0,
  stated numeric(40, 4) not null default 0,
  primary key (date, product_id, minutes, asset_id)
);

-- Void orders by reason and the day of their settlement, and what they would have come to by the fixes of their times
-- (void_would_be).
create table void_statistics (
  date date not null,
  asset_id smallint not null,
  reason text not null,
  count bigint not null,
  won bigint not null,
  lost bigint not null,
  tied bigint not null,
  -- The stakes that went back, and what would have been paid instead, where there are both fixes.
  returned numeric(40) not null,
  would_pay numeric(40) not null,
  primary key (date, asset_id, reason)
);

-- Each customer's profit (above zero) or loss by month.
create table customer_results (
  customer_id bigint not null,
  month date not null,
  asset_id smallint not null,
  result numeric(40) not null,
  primary key (customer_id, month, asset_id)
);

create index customer_results_by_month on customer_results (month);

-- Delays in buckets of 50 ms of the log's time. `fix`: from the time of a fix to its entry. `settle`: from the settlement time of
-- an order that opened to its settlement. The last bucket has all delays of 10 minutes and more.
create table delay_statistics (
  date date not null,
  kind text not null check (kind in ('fix', 'settle')),
  bucket int not null check (bucket between 0 and 12000),
  count bigint not null,
  primary key (date, kind, bucket)
);

-- How often prices stopped, by reason. Further gaps before prices are back do not count.
create table gap_statistics (
  date date not null,
  product_id smallint not null,
  reason text not null,
  count bigint not null,
  primary key (date, product_id, reason)
);

-- Fixes by the day of their entries: all, those with an open record, and those in which fewer sources than the quorum count.
create table fix_statistics (
  date date not null,
  product_id smallint not null,
  fixes bigint not null,
  open bigint not null,
  thin bigint not null,
  primary key (date, product_id)
);

-- Refused orders by refusal and by the customer's earlier result in the asset (result_before): 1: won, -1: lost, 0: neither.
-- These counts would show a house that refuses winners.
create table refusal_statistics (
  date date not null,
  code text not null,
  result smallint not null check (result between -1 and 1),
  count bigint not null,
  primary key (date, code, result)
);

-- The end of the part that is counted.
create table statistics_mark (
  only_row boolean primary key default true check (only_row),
  -- Orders that settle before `settles_ms` and log entries below `entry_index` are counted.
  settles_ms bigint not null default 0,
  entry_index bigint not null default 0
);

insert into statistics_mark default values;

-- ## Functions

-- Returns the result that a void order would have had by the fixes of its times, whatever they lack: 1 won, -1 lost, 0 tied; null
-- if one is missing.
create or replace function void_would_be(_product smallint, _opens_ms bigint, _settles_ms bigint, _direction smallint) returns int
stable language sql set search_path = public, pg_temp as $$
  select sign(s.price - f.price)::int * _direction from logged_fixes f join logged_fixes s using (product_id)
  where f.product_id = _product and f.fix_ms = _opens_ms and s.fix_ms = _settles_ms
$$;

-- Returns the sign of a customer's profit in an asset over the 30 days before: 1 won, -1 lost, 0 neither or no orders. Only
-- orders that were settled by `_time_ms` count.
create or replace function result_before(_customer bigint, _asset smallint, _time_ms bigint) returns smallint
stable language sql set search_path = public, pg_temp as $$
  select coalesce(sign(sum(credited - stake)), 0)::smallint from orders_and_results
  where customer_id = _customer and asset_id = _asset and accepted_at_ms >= _time_ms - 30 * 86400000::bigint
    and settled_at_ms <= _time_ms
$$;

-- Counts facts that have become final: at most the orders of an hour of settlement times, 200 000 log entries and
-- some 2 000 refusals, which it removes. Returns true if much more is left. Advisory lock 7044 lets one process count at a time.
create or replace function statistics_advance() returns boolean language plpgsql security definer as $$
declare
  _mark statistics_mark;
  _from bigint; _until bigint; _entries bigint; _refusals bigint; _settled bigint; _size bigint; _now bigint;
begin
  if not pg_try_advisory_xact_lock(7044) then return false; end if;
  select * into strict _mark from statistics_mark for update;
  select settled_before_ms into strict _settled from settlement_head;
  select size, time_ms into strict _size, _now from log_head;
  -- The count waits a minute, so that the log has the fix of a void order's settlement time.
  _until := least(_settled, _now - 60000);
  _from := greatest(_mark.settles_ms,
    coalesce((select settles_at_ms from orders where settles_at_ms >= _mark.settles_ms order by settles_at_ms limit 1), _until));
  _until := greatest(least(_until, _from + 3600000), _mark.settles_ms);
  with counted as materialized (
    select o.*, (to_timestamp(o.settles_at_ms / 1000) at time zone 'utc')::date as day,
      case when o.void_reason is not null then void_would_be(o.product_id, o.opens_at_ms, o.settles_at_ms, o.direction)
        end as would_be
    from orders_and_results o where o.settles_at_ms >= _from and o.settles_at_ms < _until
  ), sums as (
    insert into order_statistics as s (date, product_id, minutes, asset_id, won, unpriced, lost, tied, void, void_won, void_lost,
      void_tied, staked, paid, stated)
    select day, product_id, minutes, asset_id, count(*) filter (where result = 1),
      count(*) filter (where result = 1 and open_index is null), count(*) filter (where result = -1),
      count(*) filter (where result = 0 and void_reason is null), count(*) filter (where void_reason is not null),
      count(*) filter (where would_be = 1), count(*) filter (where would_be = -1), count(*) filter (where would_be = 0),
      coalesce(sum(stake) filter (where result <> 0), 0), coalesce(sum(credited) filter (where result <> 0), 0),
      coalesce(sum(stake::numeric * (10000 - payout_rate_bps) / 20000) filter (where result <> 0), 0)
    from counted group by 1, 2, 3, 4
    on conflict (date, product_id, minutes, asset_id) do update set won = s.won + excluded.won,
      unpriced = s.unpriced + excluded.unpriced, lost = s.lost + excluded.lost,
      tied = s.tied + excluded.tied, void = s.void + excluded.void, void_won = s.void_won + excluded.void_won,
      void_lost = s.void_lost + excluded.void_lost, void_tied = s.void_tied + excluded.void_tied,
      staked = s.staked + excluded.staked, paid = s.paid + excluded.paid, stated = s.stated + excluded.stated
  ), voids as (
    insert into void_statistics as v (date, asset_id, reason, count, won, lost, tied, returned, would_pay)
    select day, asset_id, void_reason, count(*), count(*) filter (where would_be = 1), count(*) filter (where would_be = -1),
      count(*) filter (where would_be = 0), coalesce(sum(stake) filter (where would_be is not null), 0),
      coalesce(sum(case would_be when 1 then stake + income when 0 then stake else 0 end), 0)
    from counted where void_reason is not null group by 1, 2, 3
    on conflict (date, asset_id, reason) do update set count = v.count + excluded.count, won = v.won + excluded.won,
      lost = v.lost + excluded.lost, tied = v.tied + excluded.tied, returned = v.returned + excluded.returned,
      would_pay = v.would_pay + excluded.would_pay
  ), people as (
    insert into customer_results as c (customer_id, month, asset_id, result)
    select customer_id, date_trunc('month', day)::date, asset_id, sum(credited - stake) from counted group by 1, 2, 3
    on conflict (customer_id, month, asset_id) do update set result = c.result + excluded.result
  )
  insert into delay_statistics as d (date, kind, bucket, count)
  select day, 'settle', least(greatest(settled_at_ms - settles_at_ms, 0) / 50, 12000)::int, count(*) from counted
  where open_index is not null group by 1, 2, 3
  on conflict (date, kind, bucket) do update set count = d.count + excluded.count;

  _entries := least(_size, _mark.entry_index + 200000);
  insert into gap_statistics as g (date, product_id, reason, count)
  select (to_timestamp(time_ms / 1000) at time zone 'utc')::date, product_id, body, count(*)
  from log_entries e where index >= _mark.entry_index and index < _entries and kind = log_kind('gap')
    and log_kind('gap') is distinct from (select kind from log_entries b where b.product_id = e.product_id
      and b.kind <= log_kind('gap') and b.time_ms < e.time_ms
      order by b.time_ms desc limit 1)
  group by 1, 2, 3
  on conflict (date, product_id, reason) do update set count = g.count + excluded.count;

  with fixed as materialized (
    select (to_timestamp(e.time_ms / 1000) at time zone 'utc')::date as date, e.product_id, e.time_ms - f.fix_ms as ms, f.is_open,
      f.is_thin
    from log_entries e join logged_fixes f on f.product_id = e.product_id and f.n = e.n
    where e.index >= _mark.entry_index and e.index < _entries and e.kind = log_kind('fix')
  ), delays as (
    insert into delay_statistics as d (date, kind, bucket, count)
    select date, 'fix', least(ms / 50, 12000)::int, count(*) from fixed group by 1, 2, 3
    on conflict (date, kind, bucket) do update set count = d.count + excluded.count
  )
  insert into fix_statistics as s (date, product_id, fixes, open, thin)
  select date, product_id, count(*), count(*) filter (where is_open), count(*) filter (where is_thin) from fixed group by 1, 2
  on conflict (date, product_id) do update set fixes = s.fixes + excluded.fixes, open = s.open + excluded.open,
    thin = s.thin + excluded.thin;

  select max(r.id) into _refusals from (
    select id, sum(refused) over (order by id) - refused as before from (select * from order_refusals order by id limit 2000) n
  ) r where r.before < 2000;
  with taken as (delete from order_refusals where id <= _refusals returning *)
  insert into refusal_statistics as r (date, code, result, count)
  select (to_timestamp(b.at_ms / 1000) at time zone 'utc')::date, e.code,
    result_before((e.who->>0)::bigint, (e.who->>1)::smallint, b.at_ms), count(*)
  from taken b cross join lateral (
    select key as code, jsonb_array_elements(value) as who from jsonb_each(b.refusals)
  ) e
  group by 1, 2, 3
  on conflict (date, code, result) do update set count = r.count + excluded.count;

  update statistics_mark set settles_ms = _until, entry_index = _entries;
  return _entries < _size - 10000 or exists (select from order_refusals where id > _refusals + 1000)
    or _until < least(_settled, _now - 60000) - 60000;
end $$;

-- Counts orders that a `close` made better, by their results before and what was paid on top. Those that are counted already are
-- counted again.
create or replace function statistics_correct(_ids bigint[], _before smallint[], _more bigint[]) returns void
language plpgsql as $$
begin
  with changed as materialized (
    select (to_timestamp(o.settles_at_ms / 1000) at time zone 'utc')::date as day, o.product_id, o.minutes, o.asset_id,
      o.customer_id, o.result, l.before, l.more, o.settles_at_ms < m.settles_ms as is_counted,
      (10000 - o.payout_rate_bps) / 20000::numeric as edge,
      -- Ties are not among the stakes.
      case when l.before = 0 then o.stake when o.result = 0 then -o.stake else 0 end as staked,
      case when o.result = 1 then o.credited else 0 end as paid
    from unnest(_ids, _before, _more) as l (id, before, more) join orders_and_results o using (id) cross join statistics_mark m
  ), people as (
    insert into customer_results as c (customer_id, month, asset_id, result)
    select customer_id, date_trunc('month', day)::date, asset_id, sum(more) from changed where is_counted group by 1, 2, 3
    on conflict (customer_id, month, asset_id) do update set result = c.result + excluded.result
  )
  insert into order_statistics as s (date, product_id, minutes, asset_id, corrected, won, lost, tied, staked, paid, stated)
  select day, product_id, minutes, asset_id, count(*), count(*) filter (where is_counted and result = 1),
    -count(*) filter (where is_counted and before = -1),
    count(*) filter (where is_counted and result = 0) - count(*) filter (where is_counted and before = 0),
    coalesce(sum(staked) filter (where is_counted), 0), coalesce(sum(paid) filter (where is_counted), 0),
    coalesce(sum(staked * edge) filter (where is_counted), 0)
  from changed group by 1, 2, 3, 4
  on conflict (date, product_id, minutes, asset_id) do update set corrected = s.corrected + excluded.corrected,
    won = s.won + excluded.won, lost = s.lost + excluded.lost, tied = s.tied + excluded.tied, staked = s.staked + excluded.staked,
    paid = s.paid + excluded.paid, stated = s.stated + excluded.stated;
end $$;
