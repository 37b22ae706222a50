-- Where each product stands, as the log says: moved only together with the log.
create table product_states (
  product_id smallint primary key references products,
  last_n bigint not null default 0,
  -- Of the last tick; null before the first.
  tick_n bigint,
  tick_ms bigint,
  tick_price bigint check (tick_price > 0),
  tick_index bigint,
  -- Set while prices have stopped.
  gap_reason text check (gap_reason in ('quorum', 'clock', 'restart', 'session', 'halt', 'end')),
  gap_ms bigint,
  -- From when orders are taken; null while there is no price.
  orders_from_ms bigint,
  rules_id bigint references rules
) with (fillfactor = 40);
