-- Halts as the public log states them: an entry when one begins, and an entry when it ends. One of all products is
-- halt|4|n|timeMs|on or off|reason, one of a single product suspend|4|n|timeMs|SYMBOL|on or off|reason; n counts both.
-- The log's writer reads which are owed at every step, and records them in the transaction of the append.

create table log_halts (
  n bigint primary key check (n > 0),
  halt_id bigint not null references trading_halts,
  is_on boolean not null,
  time_ms bigint not null,
  entry_index bigint not null unique,
  unique (halt_id, is_on)
);

-- ## Functions

-- The beginnings and ends of halts that are not logged yet, in order, each with its number. The reason that staff gave is public;
-- its control characters and `|` become spaces.
create or replace function halts_owed() returns table (n bigint, halt_id bigint, is_on boolean, reason text, symbol text)
stable language sql security definer as $$
  select (select coalesce(max(l.n), 0) from log_halts l) + row_number() over (order by o.id, not o.is_on), o.id, o.is_on,
    o.reason, (select p.symbol from products p where p.id = o.product_id)
  from (
    select h.id, h.product_id, true as is_on, regexp_replace(h.reason, '[\x01-\x1f|]', ' ', 'g') as reason from trading_halts h
    union all
    select h.id, h.product_id, false, '' from trading_halts h where h.lifted_at is not null
  ) o
  where not exists (select from log_halts l where l.halt_id = o.id and l.is_on = o.is_on)
  order by 1
$$;

-- How the entry of a halt begins.
create or replace function halt_begins(_n bigint, _time_ms bigint, _symbol text, _is_on boolean) returns text
immutable language sql as $$
  select concat_ws('|', case when _symbol is null then 'halt' else 'suspend' end, '4', _n, _time_ms, _symbol,
    case when _is_on then 'on' else 'off' end, '')
$$;

-- Records that a halt's beginning or end is logged at `_index`; from its end on, orders are taken again. Raises LOG_MOVED if the
-- entry there is another.
create or replace function halts_logged(_n bigint, _halt bigint, _is_on boolean, _index bigint) returns void
language plpgsql security definer as $$
begin
  insert into log_halts (n, halt_id, is_on, time_ms, entry_index)
  select o.n, o.halt_id, o.is_on, l.time_ms, l.index from halts_owed() o join log_entries l on l.index = _index
  where o.n = _n and o.halt_id = _halt and o.is_on = _is_on and l.kind = log_kind('text')
    and starts_with(l.body, halt_begins(o.n, l.time_ms, o.symbol, o.is_on));
  if not found then perform refuse('LOG_MOVED', format('halt %s does not stand at %s', _n, _index)); end if;
  if not _is_on then
    update placement_head set (is_halted, halted_products) = (
      select coalesce(bool_or(h.product_id is null), false), array_remove(coalesce(array_agg(h.product_id), '{}'), null)
      from trading_halts h
      where h.lifted_at is null or not exists (select from log_halts l where l.halt_id = h.id and not l.is_on));
  end if;
end $$;
