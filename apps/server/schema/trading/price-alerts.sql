-- Price alerts: a customer gets one notice when a product's price reaches a mark. Prices are in units of the product's last
-- decimal. Customers add and remove alerts through their own session.
-- The engine decides all alerts in one statement, from logged ticks only (alerts_fire, decision 086).

create table price_alerts (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  product_id smallint not null references products,
  -- 1: the price rises to the mark or above; -1: it falls to the mark or below.
  direction smallint not null check (direction in (1, -1)),
  mark bigint not null check (mark > 0),
  created_at timestamptz not null default clock_timestamp(),
  -- Ticks from this index of the log on count.
  from_index bigint not null,
  -- The first tick that reached the mark; all null while the alert waits.
  fired_at timestamptz,
  fired_index bigint check (fired_index >= from_index),
  fired_ms bigint,
  fired_price bigint,
  removed_at timestamptz,
  check (num_nulls(fired_at, fired_index, fired_ms, fired_price) in (0, 4)),
  -- A removed alert does not fire, and an alert that has fired can't be removed.
  check (fired_at is null or removed_at is null),
  check ((fired_price - mark) * direction >= 0)
);

create index price_alerts_waiting on price_alerts (product_id, direction, mark) where fired_at is null and removed_at is null;
create index price_alerts_by_customer on price_alerts (customer_id, id);

-- The log's index up to which alerts are decided. It does not move while no alert waits.
create table alert_head (
  only_row boolean primary key default true check (only_row),
  next_index bigint not null default 0
);

insert into alert_head default values;

-- ## Functions

-- The most alerts that one customer can have waiting.
create or replace function alerts_at_most() returns int immutable language sql as $$ select 20 $$;

-- Adds an alert; its direction follows from the last logged price. The lock on the head keeps the engine from passing the alert's
-- first entries before the alert is committed. `refused` is the name of the refusal, or null.
create or replace function alert_add(_token_hash bytea, _product smallint, _mark bigint, out alert_id bigint, out refused text)
language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _price bigint;
  _from bigint;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  perform from alert_head for update;
  if (select count(*) from price_alerts where customer_id = _customer and fired_at is null and removed_at is null)
    >= alerts_at_most() then
    refused := 'TOO_MANY_ALERTS';
    return;
  end if;
  select h.size, s.tick_price into strict _from, _price from log_head h, product_states s where s.product_id = _product;
  if _price is null then refused := 'PRICE_UNAVAILABLE'; return; end if;
  if _price = _mark then refused := 'ALERT_REACHED'; return; end if;
  if not exists (select from price_alerts where fired_at is null and removed_at is null) then
    update alert_head set next_index = _from;
  end if;
  insert into price_alerts (customer_id, product_id, direction, mark, from_index)
  values (_customer, _product, sign(_mark - _price), _mark, _from) returning id into alert_id;
end $$;

create or replace function alert_remove(_token_hash bytea, _id bigint, out refused text) language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  update price_alerts set removed_at = clock_timestamp()
  where id = _id and customer_id = _customer and fired_at is null and removed_at is null;
  if not found then refused := 'ALERT_NOT_FOUND'; end if;
end $$;

-- Reads the log's next `_limit` entries and fires each alert whose mark a tick reached. Alert and notice are written in one
-- transaction, so that each customer is told once, whichever engine runs this. The highest and lowest price of each product find
-- the alerts by their index; the tick is searched only for these. Returns the number of alerts fired and whether entries are
-- left.
create or replace function alerts_fire(_limit int, out told int, out is_more boolean)
language plpgsql security definer set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _from bigint; _size bigint; _row record;
begin
  told := 0;
  is_more := false;
  if not exists (select from price_alerts where fired_at is null and removed_at is null) then return; end if;
  select next_index into _from from alert_head for update skip locked;
  if not found then return; end if;
  select size into strict _size from log_head;
  if _size <= _from then return; end if;
  is_more := _size > _from + _limit;
  _size := least(_size, _from + _limit);
  for _row in with stretch as materialized (
    select product_id, max(price) as high, min(price) as low from log_entries
    where index >= _from and index < _size and kind = log_kind('tick') group by product_id
  ), reached as (
    select a.id, a.customer_id, a.product_id, a.direction, a.mark, a.from_index from stretch s
    join price_alerts a on a.product_id = s.product_id and a.direction = 1 and a.mark <= s.high
      and a.fired_at is null and a.removed_at is null
    union all
    select a.id, a.customer_id, a.product_id, a.direction, a.mark, a.from_index from stretch s
    join price_alerts a on a.product_id = s.product_id and a.direction = -1 and a.mark >= s.low
      and a.fired_at is null and a.removed_at is null
  ), fired as (
    update price_alerts a set fired_at = clock_timestamp(), fired_index = t.index, fired_ms = t.time_ms, fired_price = t.price
    from reached r cross join lateral (
      select l.index, l.time_ms, l.price from log_entries l
      where l.index >= greatest(_from, r.from_index) and l.index < _size and l.product_id = r.product_id
        and l.kind = log_kind('tick')
        and (l.price - r.mark) * r.direction >= 0
      order by l.index limit 1
    ) t
    where a.id = r.id and a.fired_at is null and a.removed_at is null
    returning a.id, a.customer_id, a.product_id, a.direction, a.mark, a.fired_price, a.fired_ms
  )
  select * from fired
  loop
    perform notice_add(_row.customer_id, case _row.direction when 1 then 'alert.rose' else 'alert.fell' end, jsonb_build_object(
      'id', _row.id::text, 'product', _row.product_id, 'mark', _row.mark::text, 'price', _row.fired_price::text,
      'time', _row.fired_ms::text));
    told := told + 1;
  end loop;
  update alert_head set next_index = _size;
end $$;
