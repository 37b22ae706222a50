-- Fixes: the prices that open and settle orders, as the log has them. log_append writes all rows with the entries.
-- Times named _ms are Unix milliseconds; prices are in points.

-- The fixes of a product, at most one for each whole second.
create table logged_fixes (
  product_id smallint not null references products,
  -- T, the time of the price.
  fix_ms bigint not null check (fix_ms % 1000 = 0),
  -- Counts the product's fixes, in the order of their times.
  n bigint not null check (n > 0),
  index bigint not null,
  price bigint not null check (price > 0),
  -- Fewer sources than the quorum count: no order opens at this price.
  is_thin boolean not null,
  -- A record is open: a `close` follows.
  is_open boolean not null,
  -- The `close` of the fix, and its price.
  close_index bigint,
  close_price bigint check (close_price > 0),
  primary key (product_id, fix_ms),
  unique (product_id, n),
  check (num_nulls(close_index, close_price) in (0, 2) and (is_open or close_index is null))
);

create index logged_fixes_to_close on logged_fixes (fix_ms) where is_open and close_index is null;

-- Seconds at which an order opens or settles and that have no fix yet. Placement adds them, log_append removes them.
create table fixes_due (
  product_id smallint not null,
  fix_ms bigint not null check (fix_ms % 1000 = 0),
  primary key (product_id, fix_ms)
) with (fillfactor = 50);
