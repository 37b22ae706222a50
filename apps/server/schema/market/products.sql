-- Products, the tick log and what follows from it.
--
-- Times named _ms are Unix milliseconds of the log's clock. The log is written by one fenced writer through log_append,
-- the only way into it; everybody else reads.
create table products (
  id smallint primary key,
  symbol text not null unique check (symbol ~ '^[A-Z0-9]+(/[A-Z0-9]+)?$'),
  name_zh text not null,
  name_tw text not null,
  name_en text not null,
  asset_class text not null check (asset_class in ('forex', 'energy', 'metal', 'index', 'stock', 'crypto')),
  decimals smallint not null check (decimals between 0 and 8),
  exposure_group text not null,
  position smallint not null
);

-- Products that somebody looks at, so that the feed ticks faster. Losing it costs nothing.
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);
