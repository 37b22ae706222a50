-- The current state of each product as the log shows it. Only log_append changes a row, in the transaction that appends the
-- entries. Prices are in points. Times named _ms are Unix milliseconds of the log's clock.

create table product_states (
  product_id smallint primary key references products,
  -- The number and the time of the product's last tick or gap in the log.
  last_n bigint not null default 0,
  last_ms bigint not null default 0,
  -- The last tick: its number, time, price and log index; null before the first.
  tick_n bigint,
  tick_ms bigint,
  tick_price bigint check (tick_price > 0),
  tick_index bigint,
  -- Set while prices have stopped: why and since when. Further gaps of the same stop change neither.
  gap_reason text check (gap_reason in ('quorum', 'clock', 'restart', 'session', 'halt', 'end')),
  gap_ms bigint,
  -- The log time from which orders are accepted; null while there is no price.
  orders_from_ms bigint,
  rules_id bigint references rules
) with (fillfactor = 40);
