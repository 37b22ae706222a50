-- Fixes: the prices that open and settle orders, as the log has them, and the times in which a source is left out of them.
-- log_append writes all rows with the entries.
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
  -- Kept by settlement: all orders that settle at this time are settled, and all that its close makes better are corrected.
  is_settled boolean not null default false,
  is_corrected boolean not null default false,
  primary key (product_id, fix_ms),
  unique (product_id, n),
  check (num_nulls(close_index, close_price) in (0, 2) and (is_open or close_index is null))
);

create index logged_fixes_to_settle on logged_fixes (fix_ms, product_id) where not is_settled;
create index logged_fixes_to_correct on logged_fixes (close_index) where close_price <> price and not is_corrected;
create index logged_fixes_to_close on logged_fixes (fix_ms) where is_open and close_index is null;

-- Seconds at which an order opens or settles and that have no fix yet. Placement adds them, log_append removes them. No fix is
-- written more than 24 hours after its time; settlement removes what is left then.
create table fixes_due (
  product_id smallint not null,
  fix_ms bigint not null check (fix_ms % 1000 = 0),
  primary key (product_id, fix_ms)
) with (fillfactor = 50);

-- Times in which a source is left out of all fixes, by the numbers of the `away` entries that begin and end each.
create table source_aways (
  n bigint primary key check (n > 0),
  source text not null,
  from_ms bigint not null,
  until_n bigint unique check (until_n > n),
  until_ms bigint,
  check (num_nulls(until_n, until_ms) in (0, 2))
);

create unique index source_aways_present on source_aways (source) where until_n is null;

-- ## Functions

-- Adds the fixes and closes of entries that log_append has just inserted. Raises LOG_MOVED unless the numbers of a product's
-- fixes rise by one and their times rise, each is written less than a day after its time, and a close restates an open fix. A
-- second that is written is not due any more.
create or replace function log_fixes_add(_entries bigint[], _fixes bigint[], _are_thin boolean[], _are_open boolean[])
returns void language plpgsql as $$
declare
  _one record;
  _last logged_fixes;
begin
  for _one in
    select l.index, l.kind, l.product_id, l.n, l.time_ms, l.price, l.body, f.fix_ms, f.is_thin, f.is_open, p.symbol
    from unnest(_entries, _fixes, _are_thin, _are_open) as f (index, fix_ms, is_thin, is_open)
    join log_entries l on l.index = f.index join products p on p.id = l.product_id order by l.index
  loop
    if not starts_with(_one.body, format('%s|4|%s|%s|%s|%s|', case when _one.kind = log_kind('fix') then 'fix' else 'close' end,
        _one.symbol, _one.n, _one.time_ms, _one.fix_ms)) or _one.time_ms not between _one.fix_ms and _one.fix_ms + 86399999 then
      perform refuse('LOG_MOVED', format('a fix states another time or number: %s', left(_one.body, 80)));
    end if;
    if _one.kind = log_kind('fix') then
      select * into _last from logged_fixes where product_id = _one.product_id order by n desc limit 1;
      if _one.n <> coalesce(_last.n, 0) + 1 or _one.fix_ms <= coalesce(_last.fix_ms, 0) then
        perform refuse('LOG_MOVED', format('fix %s of %s does not follow %s', _one.n, _one.symbol, _last.n));
      end if;
      insert into logged_fixes (product_id, fix_ms, n, index, price, is_thin, is_open)
      values (_one.product_id, _one.fix_ms, _one.n, _one.index, _one.price, _one.is_thin, _one.is_open);
      delete from fixes_due where product_id = _one.product_id and fix_ms = _one.fix_ms;
    else
      update logged_fixes set close_index = _one.index, close_price = _one.price
      where product_id = _one.product_id and fix_ms = _one.fix_ms and n = _one.n and is_open and close_index is null;
      if not found then
        perform refuse('LOG_MOVED', format('no fix of %s at %s waits for a close', _one.symbol, _one.fix_ms));
      end if;
    end if;
  end loop;
end $$;

-- Adds the `away` entries among those from `_from` on, which log_append has just inserted. Raises LOG_MOVED unless their numbers
-- rise by one and each changes whether its source is left out.
create or replace function log_aways_add(_from bigint) returns void language plpgsql as $$
declare
  _one record;
  _n bigint := (select coalesce(greatest(max(n), max(until_n)), 0) from source_aways);
begin
  for _one in
    select body, time_ms, split_part(body, '|', 5) as source, split_part(body, '|', 6) = 'on' as is_on from log_entries
    where index >= _from and kind = log_kind('text') and starts_with(body, 'away|') order by index
  loop
    _n := _n + 1;
    if _one.is_on then
      insert into source_aways (n, source, from_ms) values (_n, _one.source, _one.time_ms) on conflict do nothing;
    else
      update source_aways set until_n = _n, until_ms = _one.time_ms where source = _one.source and until_n is null;
    end if;
    if not found or not starts_with(_one.body, format('away|4|%s|%s|', _n, _one.time_ms)) then
      perform refuse('LOG_MOVED', format('away %s does not follow: %s', _n, left(_one.body, 80)));
    end if;
  end loop;
end $$;
