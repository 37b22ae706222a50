-- Candles of products. `period` is in minutes; 1440 is a trading day of the product, which can last 23 or 25 hours. Prices are in
-- points; `volume` is the number of ticks, at most one in each 3 s, and `turnover` the sum of their prices. `time_ms` is the
-- candle's start in Unix milliseconds.
-- A candle longer than a minute contains all its minutes except the current one. log_append writes candles of ticks through
-- candles_add. The server inserts the simulated past and deletes old minutes.

create table candles (
  product_id smallint not null,
  period smallint not null check (period in (1, 5, 30, 1440)),
  time_ms bigint not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  volume bigint not null,
  turnover bigint not null,
  primary key (product_id, period, time_ms),
  check (low <= open and low <= close and high >= open and high >= close and low > 0)
) with (fillfactor = 50);

-- Products whose whole past, from before the installation, is stored: the simulated one in `candles`, or a venue's in
-- `venue_candles`.
create table candle_histories (
  product_id smallint primary key references products,
  made_at timestamptz not null default now()
);

-- Candles of a venue's own history, from before the log, for charts only. A candle here ends before the log begins; nothing adds
-- one to a candle of the log. A venue counts another volume than the log, so there is none.
create table venue_candles (
  product_id smallint not null references products,
  period smallint not null check (period in (1, 5, 30, 1440)),
  time_ms bigint not null,
  -- The venue's name among the live sources.
  source text not null check (source ~ '^[a-z]{1,20}$'),
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  primary key (product_id, period, time_ms),
  check (low <= open and low <= close and high >= open and high >= close and low > 0)
);

-- ## Functions

-- Start of the product's trading day that contains a time, both in Unix ms.
create or replace function day_start(_product smallint, _ms bigint) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select ms_of(
    (date_trunc('day', to_timestamp(_ms / 1000.0) at time zone day_zone - day_from::interval) + day_from::interval)
      at time zone day_zone
  ) from products where id = _product
$$;

-- Computes a product's candles of days again from its half-hours, as far as these reach. The start calls it when the trading day
-- of a product has changed; earlier candles stay as they are.
create or replace function candles_make_days(_product smallint) returns void language plpgsql as $$
declare _from bigint;
begin
  select day_start(_product, min(time_ms) + 86400000) into _from from candles where product_id = _product and period = 30;
  if _from is null then return; end if;
  delete from candles where product_id = _product and period = 1440 and time_ms >= _from;
  insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
  select product_id, 1440, day_start(_product, time_ms) as start_ms, (array_agg(open order by time_ms))[1], max(high), min(low),
    (array_agg(close order by time_ms desc))[1], sum(volume)::bigint, sum(turnover)::bigint
  from candles where product_id = _product and period = 30 and time_ms >= _from
  group by product_id, start_ms;
end $$;

-- Adds to the candles of minutes, then adds minutes that have ended to the candles of longer periods. A minute ends once, in the
-- transaction that begins a later minute, so the longer periods count it once.
create or replace function candles_add(
  _products smallint[], _times bigint[], _opens bigint[], _highs bigint[], _lows bigint[], _closes bigint[],
  _volumes bigint[], _turnovers bigint[], _ended_products smallint[], _ended_times bigint[]
) returns void language plpgsql security definer as $$
declare
  _known int;
begin
  -- An update, because `on conflict do update` first locks each row, with a WAL record of its own.
  update candles c set high = greatest(c.high, m.high), low = least(c.low, m.low), close = m.close,
    volume = c.volume + m.volume, turnover = c.turnover + m.turnover
  from unnest(_products, _times, _highs, _lows, _closes, _volumes, _turnovers)
    as m (product_id, time_ms, high, low, close, volume, turnover)
  where c.product_id = m.product_id and c.period = 1 and c.time_ms = m.time_ms;
  get diagnostics _known = row_count;
  if _known < cardinality(_products) then
    insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
    select m.product_id, 1, m.time_ms, m.open, m.high, m.low, m.close, m.volume, m.turnover
    from unnest(_products, _times, _opens, _highs, _lows, _closes, _volumes, _turnovers)
      as m (product_id, time_ms, open, high, low, close, volume, turnover)
    on conflict do nothing;
  end if;
  if cardinality(_ended_products) = 0 then return; end if;
  insert into candles as c (product_id, period, time_ms, open, high, low, close, volume, turnover)
  select m.product_id, p.period,
    case p.period when 1440 then day_start(m.product_id, m.time_ms)
      else m.time_ms - m.time_ms % (p.period * 60000::bigint) end as start_ms,
    (array_agg(m.open order by m.time_ms))[1], max(m.high), min(m.low), (array_agg(m.close order by m.time_ms desc))[1],
    sum(m.volume)::bigint, sum(m.turnover)::bigint
  from unnest(_ended_products, _ended_times) as e (product_id, time_ms)
  join candles m on m.product_id = e.product_id and m.period = 1 and m.time_ms = e.time_ms
  cross join (values (5::smallint), (30::smallint), (1440::smallint)) as p (period)
  group by m.product_id, p.period, start_ms
  on conflict (product_id, period, time_ms) do update set
    high = greatest(c.high, excluded.high), low = least(c.low, excluded.low), close = excluded.close,
    volume = c.volume + excluded.volume, turnover = c.turnover + excluded.turnover;
end $$;
