-- Trading hours in the database, for the bounds of orders. They follow from the rules' schedule, as tradingPeriodAt of
-- packages/trading/src/trading-hours.ts has it.

-- The trading period of each product that was looked up last, or the time without one, from `from_ms` to `until_ms` (excluded).
-- Computing it takes wall-clock arithmetic, and each batch of orders asks.
create table trading_periods (
  product_id smallint primary key references products,
  rules_id bigint not null references rules,
  from_ms bigint not null,
  until_ms bigint not null check (until_ms > from_ms),
  is_open boolean not null
) with (fillfactor = 50);

-- ## Functions

-- The trading period of a schedule at a time; if the product is closed then, the time until it opens, at most an hour. A product
-- without windows never closes.
create or replace function trading_period_at(_schedule jsonb, _at_ms bigint, out from_ms bigint, out until_ms bigint,
  out is_open boolean) language plpgsql stable as $$
declare
  _zone text := _schedule ->> 'zone';
  _next bigint;
begin
  if jsonb_array_length(_schedule -> 'windows') = 0 then
    from_ms := 0; until_ms := 9223372036854775807; is_open := true;
    return;
  end if;
  with periods as materialized (
    select d.day, w.place, ms_of((d.day + w.starts) at time zone _zone) as starts_ms,
      ms_of((d.day + w.ends + make_interval(days => (w.ends <= w.starts)::int)) at time zone _zone) as ends_ms
    from (
      select (to_timestamp(_at_ms / 1000.0) at time zone _zone)::date + o as day from generate_series(-1, 1) o
    ) d
    cross join lateral (
      select (v ->> 'from')::time as starts, (v ->> 'to')::time as ends, place
      from jsonb_array_elements(coalesce(
        (select s -> 'windows' from jsonb_array_elements(_schedule -> 'shortDays') s where s ->> 'date' = d.day::text limit 1),
        (select jsonb_agg(r order by n) from jsonb_array_elements(_schedule -> 'windows') with ordinality as r (r, n)
          where r -> 'days' @> to_jsonb(extract(isodow from d.day)::int)))) with ordinality as e (v, place)
    ) w
    where not _schedule -> 'holidays' ? d.day::text and d.day <= coalesce((_schedule ->> 'until')::date, 'infinity')
  )
  select p.starts_ms, p.ends_ms, true, (select min(n.starts_ms) from periods n where n.starts_ms > _at_ms)
  into from_ms, until_ms, is_open, _next
  from (select) one left join lateral (
    select * from periods where starts_ms <= _at_ms and _at_ms < ends_ms order by day, place limit 1
  ) p on true;
  if from_ms is null then
    from_ms := _at_ms; until_ms := least(_next, _at_ms + 3600000); is_open := false;
  end if;
end $$;

-- Makes the table say what holds at a time for products by the rules in force then.
create or replace function trading_periods_keep(_products smallint[], _at_ms bigint) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _missing bigint[] := array(
    select r.id from (
      -- The rules in force: of those whose effective time has come, the ones with the highest number.
      select d.product_id, (
        select n.id from rules n where n.product_id = d.product_id and n.effective_ms <= _at_ms order by n.n desc limit 1) as id
      from (select distinct unnest(_products) as product_id) d offset 0
    ) r
    where r.id is not null and not exists (
      select from trading_periods t where t.product_id = r.product_id and t.rules_id = r.id and _at_ms >= t.from_ms
        and _at_ms < t.until_ms));
begin
  if cardinality(_missing) = 0 then return; end if;
  insert into trading_periods (product_id, rules_id, from_ms, until_ms, is_open)
  select r.product_id, r.id, p.from_ms, p.until_ms, p.is_open
  from rules r cross join lateral trading_period_at(rules_json(r.entry) -> 'schedule', _at_ms) p where r.id = any (_missing)
  on conflict (product_id) do update set rules_id = excluded.rules_id, from_ms = excluded.from_ms, until_ms = excluded.until_ms,
    is_open = excluded.is_open;
end $$;
