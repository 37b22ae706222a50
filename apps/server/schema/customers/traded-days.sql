-- Sums of orders by UTC day, so that placement need not add up a month of orders to check a limit on stakes or losses (decision
-- 112). A row exists only for a customer and asset with such a limit and for a day with orders. The first day is the start of the
-- week or of the month in which the first limit was set, whichever is earlier. Every writer holds the lock of the customer's
-- balance of the asset.
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  -- Start of the day.
  day_ms bigint not null check (day_ms % 86400000 = 0),
  -- Stakes of the orders that were accepted on that day, and the amounts paid back for these orders so far. In smallest units.
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);

-- ## Functions

create or replace function day_start_ms(_time_ms bigint) returns bigint
immutable language sql as 'select _time_ms / 86400000 * 86400000';

-- Adds the stakes of new orders to the days. It adds them while a limit on stakes or losses has a row, even one that was taken
-- off, so that no day is incomplete.
create or replace function traded_days_add(_customers bigint[], _assets smallint[], _stakes bigint[], _now_ms bigint) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  if not exists (select from protected_customers p where p.customer_id = any (_customers)) then return; end if;
  insert into traded_days as d (customer_id, asset_id, day_ms, staked)
  select s.customer_id, s.asset_id, day_start_ms(_now_ms), sum(s.stake)
  from unnest(_customers, _assets, _stakes) as s (customer_id, asset_id, stake)
  where exists (
    select from customer_limits c where c.customer_id = s.customer_id and c.asset_id = s.asset_id and c.kind <> 'deposit')
  group by 1, 2
  on conflict (customer_id, asset_id, day_ms) do update set staked = d.staked + excluded.staked;
end $$;

-- Fills the days from the orders, for a customer's first limit on stakes or losses of this asset. It skips old orders by their
-- ids: batches are logged in the order of their clock readings, and an id begins with its batch.
create or replace function traded_days_fill(_customer bigint, _asset smallint, _now_ms bigint) returns void
language plpgsql security definer as $$
declare
  _from_ms bigint := least(period_start_ms('week', _now_ms), period_start_ms('month', _now_ms));
  _from_id bigint := coalesce((select first_order(last_batch + 1) from logged_batches where time_ms < _from_ms
    order by time_ms desc limit 1), 0);
begin
  delete from traded_days where customer_id = _customer and asset_id = _asset;
  insert into traded_days (customer_id, asset_id, day_ms, staked, credited)
  select _customer, _asset, day_start_ms(accepted_at_ms), sum(stake), coalesce(sum(credited), 0)
  from orders_and_results
  where customer_id = _customer and asset_id = _asset and id >= _from_id and accepted_at_ms >= _from_ms
  group by 3;
end $$;

-- Adds amounts just paid for orders to the days on which these orders were accepted.
create or replace function traded_days_settle(_customers bigint[], _ids bigint[], _amounts bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _limited bigint[] := array(
    select distinct customer_id from customer_limits where customer_id = any (_customers) and kind <> 'deposit');
begin
  if cardinality(_limited) = 0 then return; end if;
  update traded_days d set credited = d.credited + s.credited
  from (
    select o.customer_id, o.asset_id, day_start_ms(o.accepted_at_ms) as day_ms, sum(l.amount) as credited
    from unnest(_customers, _ids, _amounts) as l (customer_id, id, amount) join orders o using (id)
    where l.customer_id in (select unnest(_limited))
    group by 1, 2, 3
  ) s
  where (d.customer_id, d.asset_id, d.day_ms) = (s.customer_id, s.asset_id, s.day_ms);
end $$;
