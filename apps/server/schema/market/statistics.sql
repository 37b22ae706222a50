-- Counts of prices per UTC day: ticks, holes, and what each source delivered. The log's writer adds to them every few seconds,
-- through price_statistics_add. Whoever reads the log can count the same, except holes and lags of quotes that no entry lists.

create table tick_statistics (
  date date not null,
  product_id smallint not null references products,
  ticks bigint not null,
  -- Grid times of a watched or traded product that have neither a tick nor a gap.
  holes bigint not null,
  primary key (date, product_id)
) with (fillfactor = 50);

create table source_statistics (
  date date not null,
  product_id smallint not null references products,
  source text not null,
  -- The ticks in which the source had sent nothing yet, had a stale quote, or had an outlier.
  absent bigint not null,
  stale bigint not null,
  outliers bigint not null,
  -- How many of its quotes had each lag (receive time - source time): one count per bound of lag_bounds(), and one for longer
  -- lags.
  lags bigint[] not null,
  primary key (date, product_id, source)
) with (fillfactor = 50);

-- ## Functions

-- The upper bounds of the lags that are counted, ms; as in market/writer/price-counts.ts.
create or replace function lag_bounds() returns int[]
immutable language sql as $$ select array[0, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000] $$;

-- The lag that a share of the quotes does not exceed, ms, rounded up to a bound. 5001 stands for longer ones; null: no quotes.
create or replace function lag_quantile(_lags bigint[], _share numeric) returns int
immutable language sql set search_path = public, pg_temp as $$
  select min(coalesce((lag_bounds())[c.place], 5001)) from (
    select place, sum(count) over (order by place) as upto, sum(count) over () as total
    from unnest(_lags) with ordinality as l (count, place)
  ) c where c.total > 0 and c.upto >= _share * c.total
$$;

-- Adds counts of one day. `_ticks`: [[product, ticks, holes], ...]; `_sources`: [[product, source, absent, stale, outliers,
-- lags], ...].
create or replace function price_statistics_add(_date date, _ticks jsonb, _sources jsonb) returns void
language plpgsql security definer as $$
begin
  -- Each row holds its counts after the names; the last of a source's is the list of lags.
  if jsonb_path_exists(_ticks, '$[*][1 to last] ? (@ < 0)')
    or jsonb_path_exists(_sources, '$[*][2 to last][*] ? (@ < 0)') then
    perform refuse('COUNT_NEGATIVE', 'a count of prices is below zero');
  end if;
  insert into tick_statistics as s (date, product_id, ticks, holes)
  select _date, (t ->> 0)::smallint, (t ->> 1)::bigint, (t ->> 2)::bigint from jsonb_array_elements(_ticks) t order by 2
  on conflict (date, product_id) do update set ticks = s.ticks + excluded.ticks, holes = s.holes + excluded.holes;
  insert into source_statistics as s (date, product_id, source, absent, stale, outliers, lags)
  select _date, (t ->> 0)::smallint, t ->> 1, (t ->> 2)::bigint, (t ->> 3)::bigint, (t ->> 4)::bigint,
    (select array_agg(l::bigint order by place) from jsonb_array_elements_text(t -> 5) with ordinality as e (l, place))
  from jsonb_array_elements(_sources) t order by 2, 3
  on conflict (date, product_id, source) do update set absent = s.absent + excluded.absent, stale = s.stale + excluded.stale,
    outliers = s.outliers + excluded.outliers,
    lags = (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by place)
    from unnest(s.lags, excluded.lags) with ordinality as l (a, b, place));
end $$;
