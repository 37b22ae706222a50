-- Candles of products. `period` is in minutes. Prices are in points; `volume` is the number of ticks, at most one in each 3 s, and
-- `turnover` the sum of their prices. `time_ms` is the candle's start in Unix milliseconds.
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

-- Products whose whole simulated past, from before the installation, is stored.
create table candle_histories (
  product_id smallint primary key references products,
  made_at timestamptz not null default now()
);

-- ## Functions

-- Adds to the candles of minutes, then adds minutes that have ended to the candles of longer periods. A minute ends once, in the
-- transaction that begins a later minute, so the longer periods count it once.
create or replace function candles_add(
  _products smallint[], _times bigint[], _opens bigint[], _highs bigint[], _lows bigint[], _closes bigint[],
  _volumes bigint[], _turnovers bigint[], _ended_products smallint[], _ended_times bigint[]
) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into candles as c (product_id, period, time_ms, open, high, low, close, volume, turnover)
  select m.product_id, 1, m.time_ms, m.open, m.high, m.low, m.close, m.volume, m.turnover
  from unnest(_products, _times, _opens, _highs, _lows, _closes, _volumes, _turnovers)
    as m (product_id, time_ms, open, high, low, close, volume, turnover)
  on conflict (product_id, period, time_ms) do update set
    high = greatest(c.high, excluded.high), low = least(c.low, excluded.low), close = excluded.close,
    volume = c.volume + excluded.volume, turnover = c.turnover + excluded.turnover;
  insert into candles as c (product_id, period, time_ms, open, high, low, close, volume, turnover)
  select m.product_id, p.period, m.time_ms - m.time_ms % (p.period * 60000::bigint) as start_ms,
    (array_agg(m.open order by m.time_ms))[1], max(m.high), min(m.low), (array_agg(m.close order by m.time_ms desc))[1],
    sum(m.volume)::bigint, sum(m.turnover)::bigint
  from unnest(_ended_products, _ended_times) as e (product_id, time_ms)
  join candles m on m.product_id = e.product_id and m.period = 1 and m.time_ms = e.time_ms
  cross join (values (5::smallint), (30::smallint), (1440::smallint)) as p (period)
  group by m.product_id, p.period, start_ms
  on conflict (product_id, period, time_ms) do update set
    high = greatest(c.high, excluded.high), low = least(c.low, excluded.low), close = excluded.close,
    volume = c.volume + excluded.volume, turnover = c.turnover + excluded.turnover;
$$;
