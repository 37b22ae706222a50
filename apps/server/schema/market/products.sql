-- The products that customers trade, and those that they are looking at. The owner writes products at every start, from the
-- catalogue in the code. `decimals` is the number of decimals of a price: prices are in points, units of the last decimal.

create table products (
  id smallint primary key,
  symbol text not null unique check (symbol ~ '^[A-Z0-9]+(/[A-Z0-9]+)?$'),
  names jsonb not null check (is_localised(names, 60)),
  asset_class text not null check (asset_class in ('forex', 'energy', 'metal', 'index', 'stock', 'crypto')),
  decimals smallint not null check (decimals between 0 and 8),
  exposure_group text not null,
  position smallint not null,
  -- The wall clock at which the product's trading days, and so its candles of days, begin.
  day_zone text not null default 'UTC',
  day_from text not null default '00:00' check (day_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')
);

-- Products that customers are looking at. A row counts up to the time `until`, and the feed ticks its product faster. The server
-- writes the table. It is unlogged, because its loss only makes prices less frequent for some seconds.
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);
