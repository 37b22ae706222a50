-- The products that customers trade, and those that they are looking at. The feed, the apps and the office read products here
-- alone. Every start adds those that the program ships and keeps them as it has them; others are added in the office by two
-- people (`product_new`), and any is closed for good so (`product_end`). Only the owner and its functions write. `decimals` is
-- the number of decimals of a price: prices are in points, units of the last decimal.

-- Numbers of versions of rows: processes read all products again when the sum of these changes.
create sequence products_revisions;

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
  day_from text not null default '00:00' check (day_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  -- The part that feeds read: names of its trading hours, its market at each source, and how a simulated price moves (the type
  -- Listing in market/catalogue/listing.ts).
  listing jsonb not null default '{"model": null, "guards": {}, "sources": {}}',
  -- Payouts and limits of its first rules; null: those of the program.
  payouts jsonb,
  -- Other names that people search for; only of products that the program does not ship.
  aliases text[] not null default '{}' check (cardinality(aliases) <= 20),
  -- The proposal that added it; null: the program ships it.
  proposal_id bigint references proposals,
  -- The last date on which it trades, in the zone of its hours; null: it is not closed. Set once, with the log's entry that says
  -- so.
  closes_on date,
  revision bigint not null default nextval('products_revisions')
);

-- Products that customers are looking at. A row counts up to the time `until`, and the feed ticks its product faster. The server
-- writes the table. It is unlogged, because its loss only makes prices less frequent for some seconds.
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);

-- ## Functions

-- Returns the name of the first part of a product to be added that is out of bounds; null: none is. The server makes `listing`
-- and `day` from names that it knows, and asks the sources first (office/catalogue/new-product.ts).
create or replace function product_fault(_p jsonb) returns text stable language plpgsql as $$
declare
  _settling jsonb := _p #> '{listing,sources}';
  _guards jsonb := _p #> '{listing,guards}';
  _is_live boolean := (select mode = 'live' from house_settings);
begin
  if not has_keys(_p, 'symbol', 'names', 'assetClass', 'decimals', 'group', 'day', 'aliases', 'listing', 'payouts') then
    return 'rules';
  end if;
  if _p ->> 'symbol' !~ '^[A-Z0-9]{1,12}(/[A-Z0-9]{1,7})?$' is not false or jsonb_typeof(_p -> 'symbol') <> 'string' then
    return 'symbols';
  end if;
  if not has_keys(_p -> 'names', variadic languages()) or not is_localised(_p -> 'names', 60) then return 'names'; end if;
  if not is_whole(_p -> 'decimals', 0, 8) then return 'decimals'; end if;
  if not exists (select from products p where p.exposure_group = _p ->> 'group') then return 'group'; end if;
  if not exists (select from pg_timezone_names z where z.name = _p #>> '{day,zone}') then return 'zone'; end if;
  if jsonb_typeof(_settling) is distinct from 'object' or jsonb_typeof(_guards) is distinct from 'object' then
    return 'sources';
  end if;
  -- As live rules demand (LEAST_SOURCES in market/feeds/live/live-products.ts). Simulated prices are for practice alone.
  if _settling = '{}' and (_is_live or jsonb_typeof(_p #> '{listing,model}') is distinct from 'object') then
    return 'sources';
  end if;
  if _is_live and (select count(*) from jsonb_object_keys(_settling || _guards)) < 2 then return 'sources'; end if;
  return payout_fault(_p -> 'payouts');
end $$;

-- Proposes another product. Raises RULES_OUT_OF_BOUNDS with the part at fault as its detail, and NOTHING_NEW for a symbol that is
-- taken. @param _found the price that each source gave for it
create or replace function product_propose(_by bigint, _note text, _product jsonb, _found jsonb, out id bigint, out content bytea)
language plpgsql security definer as $$
declare
  _fault text := product_fault(_product);
  _p proposals;
begin
  perform demand_role(_by, (select f.edit_role from four_eyes_rules f where f.kind = 'product_new'));
  if _fault is not null then perform refuse('RULES_OUT_OF_BOUNDS', format('%s is out of bounds', _fault), _fault); end if;
  perform demand_new_symbol(_product ->> 'symbol');
  _p := propose(_by, 'product_new', _product ->> 'symbol',
    jsonb_build_object('note', _note, 'product', _product, 'found', _found),
    jsonb_build_object('kind', 'product_new', 'symbol', _product ->> 'symbol'));
  id := _p.id;
  content := _p.content_hash;
end $$;

-- Raises NOTHING_NEW for a symbol that some product has, closed ones too. Lists stay short enough to be read whole.
create or replace function demand_new_symbol(_symbol text) returns void language plpgsql as $$
begin
  if exists (select from products where symbol = _symbol) or (select count(*) >= 1000 from products) then
    perform refuse('NOTHING_NEW', format('there is a product %s, or there are 1000', _symbol));
  end if;
end $$;

-- Adds the product. The feed logs its first rules within a second or two, and it takes orders from their effective time on. Its
-- chart begins with the log's prices.
create or replace function carry_out_product_new(_p proposals) returns jsonb language plpgsql as $$
declare
  _new jsonb := _p.content -> 'product';
  _id smallint;
begin
  perform pg_advisory_xact_lock(7051);
  perform demand_new_symbol(_new ->> 'symbol');
  insert into products (id, symbol, names, asset_class, decimals, exposure_group, position, day_zone, day_from, listing, payouts,
    aliases, proposal_id)
    select max(p.id) + 1, _new ->> 'symbol', _new -> 'names', _new ->> 'assetClass', (_new ->> 'decimals')::smallint,
      _new ->> 'group', max(p.position) + 1, _new #>> '{day,zone}', _new #>> '{day,from}', _new -> 'listing', _new -> 'payouts',
      array(select jsonb_array_elements_text(_new -> 'aliases')), _p.id
    from products p returning id into _id;
  insert into product_states (product_id) values (_id);
  insert into candle_histories (product_id) values (_id);
  return jsonb_build_object('content', encode(_p.content_hash, 'hex'), 'symbol', _new ->> 'symbol', 'proposedBy', _p.proposed_by);
end $$;
