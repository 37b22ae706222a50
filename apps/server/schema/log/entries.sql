-- The public log: its entries, hash tree, checkpoints, archive and head. One writer at a time holds the lease in log_head, and
-- log_append is the only way to append. Entries never change. The server reads all tables.
-- Times named _ms are Unix milliseconds of the log's clock, which never falls.

-- log_kind (values.sql) numbers the kinds. `n` numbers the ticks and gaps of a product without holes; rules
-- and fixes have numbers of their own. Prices are in points. Each partition has log_partition_size() entries.
create table log_entries (
  index bigint not null,
  time_ms bigint not null,
  n bigint,
  price bigint check (price > 0),
  rules_id bigint,
  product_id smallint,
  kind smallint not null check (kind between log_kind('tick') and log_kind('close')),
  -- Ticks and gaps: the quotes of the sources, packed (quote-codec.ts).
  quotes bytea,
  -- Gaps: the reason; kinds from 3 on: the whole entry.
  body text,
  primary key (index),
  check ((kind in (log_kind('tick'), log_kind('fix'), log_kind('close'))) = (price is not null)),
  check (kind = log_kind('tick') or body is not null),
  check (kind > log_kind('gap') or (quotes is not null and rules_id is not null and n > 0 and product_id is not null))
) partition by range (index);

create index log_entries_by_product on log_entries (product_id, time_ms) where kind <= log_kind('gap');

-- Roots of complete subtrees of 256 leaves (level 8), 65 536 leaves (level 16) and so on. Tiles and proofs are made from them.
create table log_nodes (
  level smallint not null check (level in (8, 16, 24, 32, 40)),
  index bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
);

-- The archive: 256 entries per row, one line each, which PostgreSQL compresses. In a tick or gap, `#ID#` stands for the hash of
-- its rules, which compresses badly; ID is their log index. A partition is dropped once all its entries are here.
create table log_bundles (
  number bigint primary key,
  body text not null
);

-- The end of the log and the writer's lease. One row.
create table log_head (
  only_row boolean primary key default true check (only_row),
  -- The origin of the signed notes, and the time at which the log began; both are fixed then.
  origin text not null,
  begun_ms bigint not null,
  size bigint not null default 0,
  root bytea not null check (octet_length(root) = 32),
  -- The roots of the complete subtrees on the tree's right edge, largest first.
  peaks bytea not null default '',
  -- The log's last time. No entry is appended with an earlier time.
  time_ms bigint not null default 0,
  -- The database's clock plus this offset is the log's clock.
  offset_ms bigint not null default 0,
  last_batch bigint not null default 0,
  -- The writer's lease: a holder of an older epoch can't append. The beat rises with every append, so that a standby sees that
  -- the holder lives. `lost` counts how often the lease was taken from a holder that had not released it.
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text,
  lost bigint not null default 0
) with (fillfactor = 20);

-- Signed checkpoints, one a second. The first one that covers an `orders` entry is kept for ever, because evidence and receipts
-- of its orders begin with it. Of the others that are old, the last of each hour is kept.
create table log_checkpoints (
  size bigint primary key,
  root bytea not null,
  time_ms bigint not null,
  note text not null,
  is_kept boolean not null default false,
  -- The witnesses' lines, where `is_kept`.
  cosigned text not null default ''
);

create index log_checkpoints_by_time on log_checkpoints (time_ms);
-- log_drop_archived runs twice a minute and finds the few old checkpoints among many others by this index.
create index log_checkpoints_to_drop on log_checkpoints (time_ms) where not is_kept;

-- The `orders` entry that carries the batches of acceptances from `first_batch` to `last_batch`. `time_ms` is the entry's time.
create table logged_batches (
  first_batch bigint primary key,
  last_batch bigint not null check (last_batch >= first_batch),
  entry_index bigint not null,
  time_ms bigint not null
);

-- Finds the first batch whose orders may be open (FIRST_OPEN in order-queries.ts).
create index logged_batches_by_time on logged_batches (time_ms);

-- ## Functions

create or replace function log_partition_size() returns bigint immutable language sql as 'select 1048576::bigint';

-- How far the log's time may lead its clock, ms: small corrections of the database's clock, and the time for which a writer was
-- late.
create or replace function log_tolerance() returns bigint immutable language sql as 'select 3000::bigint';

create or replace function log_ensure_partition(_index bigint) returns void language plpgsql security definer as $$
declare
  _number bigint := _index / log_partition_size();
  _name text := format('log_entries_%s', _number);
begin
  if to_regclass(_name) is null then
    execute format('create table %I (like log_entries including defaults including constraints)', _name);
    execute format('alter table log_entries attach partition %I for values from (%s) to (%s)',
      _name, _number * log_partition_size(), (_number + 1) * log_partition_size());
  end if;
end $$;

-- Begins the log of this installation and returns its origin. A log that has begun keeps its origin.
create or replace function log_begin(_origin text) returns text language sql security definer as $$
  insert into log_head (origin, root, begun_ms)
  values (_origin, sha256(''), ms_of(clock_timestamp())) on conflict do nothing;
  select origin from log_head;
$$;

-- The log's clock in Unix milliseconds: the database's clock plus the offset, and at least the log's last time.
create or replace function log_now() returns bigint language sql volatile security definer as $$
  select greatest(ms_of(clock_timestamp()) + offset_ms, time_ms) from log_head;
$$;

-- Appends entries and everything that follows from them in one transaction: rules, states, candles, batches, fixes, the head.
-- Raises LEASE_LOST unless the caller holds the lease, and LOG_MOVED unless the entries follow the log's end, with numbers, times
-- and batches in order. The arrays of one group have one length. The caller makes those of candles and states from the entries.
-- An append without entries keeps the lease and moves the log's time. `_note` is a signed checkpoint or null. LOG_AHEAD keeps the
-- log's time to the database's clock, within log_tolerance(): the time is at most that clock plus `_offset_ms`, and the offset
-- rises above 0 only after that clock was set back, until the log runs on from its last time. The first rule makes the last time
-- minus the last offset a time that the clock has shown, so a clock before it was set back.
create or replace function log_append(
  _epoch bigint, _size bigint, _root bytea, _peaks bytea, _time_ms bigint, _offset_ms bigint, _note text,
  _kinds smallint[] default '{}', _times bigint[] default '{}', _products smallint[] default '{}', _ns bigint[] default '{}',
  _prices bigint[] default '{}', _rules bigint[] default '{}', _quotes bytea[] default '{}', _bodies text[] default '{}',
  _node_levels smallint[] default '{}', _node_indexes bigint[] default '{}', _nodes bytea[] default '{}',
  _state_products smallint[] default '{}', _state_ns bigint[] default '{}', _state_times bigint[] default '{}',
  _tick_ns bigint[] default '{}', _tick_times bigint[] default '{}', _tick_prices bigint[] default '{}',
  _tick_indexes bigint[] default '{}', _gaps text[] default '{}', _gap_times bigint[] default '{}',
  _orders_from bigint[] default '{}', _state_rules bigint[] default '{}', _candle_products smallint[] default '{}',
  _candle_times bigint[] default '{}', _opens bigint[] default '{}', _highs bigint[] default '{}', _lows bigint[] default '{}',
  _closes bigint[] default '{}', _volumes bigint[] default '{}', _turnovers bigint[] default '{}',
  _ended_products smallint[] default '{}', _ended_times bigint[] default '{}',
  _first_batches bigint[] default '{}', _last_batches bigint[] default '{}', _batch_entries bigint[] default '{}',
  _fix_entries bigint[] default '{}', _fix_times bigint[] default '{}', _are_thin boolean[] default '{}',
  _are_open boolean[] default '{}'
) returns void language plpgsql security definer as $$
declare
  _head log_head;
  _count bigint := coalesce(array_length(_kinds, 1), 0);
  _tolerance constant bigint := log_tolerance();
  _clock_ms bigint;
begin
  select * into strict _head from log_head for update;
  if _head.epoch <> _epoch then
    perform refuse('LEASE_LOST', format('the lease is lost: epoch %s holds it, not %s', _head.epoch, _epoch));
  end if;
  if _head.size <> _size or _time_ms < _head.time_ms then
    perform refuse('LOG_MOVED', format('the log ends at %s (%s), not at %s (%s)', _head.size, _head.time_ms, _size, _time_ms));
  end if;
  -- Read with the head locked. A clock that is read before the wait for the lock would be late.
  _clock_ms := ms_of(clock_timestamp());
  if _time_ms > _clock_ms + _offset_ms + _tolerance or _offset_ms > greatest(_head.offset_ms, _tolerance,
    case when _clock_ms < _head.time_ms - _head.offset_ms - _tolerance then _head.time_ms - _clock_ms + _tolerance end)
  then
    perform refuse('LOG_AHEAD', format('the log can''t lead the clock of the database: time %s, offset %s', _time_ms,
      _offset_ms));
  end if;
  if _size / (log_partition_size() / 2) <> (_size + _count) / (log_partition_size() / 2) then
    perform log_ensure_partition(_size + _count + log_partition_size() / 2);
  end if;

  if _count > 0 then
    if exists (select from unnest(_times) t where t < _head.time_ms or t > _time_ms) then
      perform refuse('LOG_MOVED', 'an entry outside the log''s time');
    end if;
    if exists (
      select from (
        select e.product_id, e.n - row_number() over (partition by e.product_id order by e.ord) as before_n
        from (select unnest(_products) as product_id, unnest(_ns) as n, unnest(_kinds) as kind,
          generate_series(1, _count) as ord) e
        where e.kind <= log_kind('gap')
      ) numbered
      left join product_states s on s.product_id = numbered.product_id
      group by numbered.product_id, numbered.before_n, s.last_n having numbered.before_n is distinct from s.last_n
    ) then
      perform refuse('LOG_MOVED', 'a product''s numbers must rise by one');
    end if;
    -- `unnest` stands in the select list, because in `from` it would store the whole batch once more before the insert.
    insert into log_entries (index, time_ms, n, price, rules_id, product_id, kind, quotes, body)
    select generate_series(_size, _size + _count - 1), unnest(_times), unnest(_ns), unnest(_prices), unnest(_rules),
      unnest(_products), unnest(_kinds), unnest(_quotes), unnest(_bodies);
    if 4 = any (_kinds) then
      insert into rules (id, product_id, n, hash, effective_ms, entry)
      select _size + e.ord - 1, e.product_id, e.n, sha256('\x00'::bytea || convert_to(e.body, 'UTF8')),
        split_part(e.body, '|', 5)::bigint, e.body
      from unnest(_kinds, _products, _ns, _bodies) with ordinality as e (kind, product_id, n, body, ord)
      where e.kind = log_kind('rules') order by e.ord;
    end if;
  end if;
  insert into log_nodes (level, index, hash) select * from unnest(_node_levels, _node_indexes, _nodes);

  if array_length(_first_batches, 1) > 0 then
    if exists (
      select from (
        select first_batch, lag(last_batch, 1, _head.last_batch) over (order by place) as before
        from unnest(_first_batches, _last_batches) with ordinality as b (first_batch, last_batch, place)
      ) b where first_batch <> before + 1
    ) then
      perform refuse('LOG_MOVED', 'batches are logged in order');
    end if;
    insert into logged_batches (first_batch, last_batch, entry_index, time_ms)
    select first_batch, last_batch, entry, _times[entry - _size + 1]
    from unnest(_first_batches, _last_batches, _batch_entries) as b (first_batch, last_batch, entry);
    if exists (
      select from unnest(_first_batches, _last_batches, _batch_entries) as b (first_batch, last_batch, entry)
      left join order_batches f on f.number = b.first_batch left join order_batches l on l.number = b.last_batch
      where not starts_with(_bodies[b.entry - _size + 1], format('orders|4|%s|%s|%s|%s|%s|', _times[b.entry - _size + 1],
        b.first_batch, b.last_batch, f.accepted_at_ms, l.accepted_at_ms))
    ) then
      perform refuse('LOG_MOVED', 'an entry states other times of its batches');
    end if;
  end if;

  if array_length(_fix_entries, 1) > 0 then
    perform log_fixes_add(_entries => _fix_entries, _fixes => _fix_times, _are_thin => _are_thin, _are_open => _are_open);
  end if;

  if log_kind('text') = any (_kinds) then
    perform log_aways_add(_from => _size);
  end if;

  update product_states p set last_n = s.last_n, last_ms = s.last_ms, tick_n = s.tick_n, tick_ms = s.tick_ms,
    tick_price = s.tick_price, tick_index = s.tick_index, gap_reason = s.gap_reason, gap_ms = s.gap_ms,
    orders_from_ms = s.orders_from_ms, rules_id = s.rules_id
  from unnest(_state_products, _state_ns, _state_times, _tick_ns, _tick_times, _tick_prices, _tick_indexes, _gaps, _gap_times,
    _orders_from, _state_rules)
    as s (product_id, last_n, last_ms, tick_n, tick_ms, tick_price, tick_index, gap_reason, gap_ms, orders_from_ms, rules_id)
  where p.product_id = s.product_id;

  perform candles_add(_products => _candle_products, _times => _candle_times, _opens => _opens, _highs => _highs, _lows => _lows,
    _closes => _closes, _volumes => _volumes, _turnovers => _turnovers, _ended_products => _ended_products,
      _ended_times => _ended_times);

  update log_head set size = _size + _count, root = _root, peaks = _peaks, time_ms = _time_ms, offset_ms = _offset_ms,
    beat = beat + 1, last_batch = coalesce(_last_batches[array_upper(_last_batches, 1)], last_batch);
  if _note is not null then
    insert into log_checkpoints (size, root, time_ms, note, is_kept)
    select _size + _count, _root, _time_ms, _note, coalesce(
      (select entry_index from logged_batches order by first_batch desc limit 1)
        >= coalesce((select max(size) from log_checkpoints), 0), false)
    on conflict do nothing;
  end if;
end $$;

-- The texts of the entries of an archived bundle, as they were hashed.
create or replace function bundle_texts(_body text) returns text[]
stable language sql set search_path = public, pg_temp as $$
  select array_agg(case when r.id is null then l.text else split_part(l.text, '#', 1) || encode(r.hash, 'hex')
    || split_part(l.text, '#', 3) end
    order by l.place)
  from string_to_table(_body, E'\n') with ordinality as l (text, place)
  left join rules r on r.id = case when l.text ~ '^(tick|gap)[|][^#]*#[0-9]{1,18}#' then split_part(l.text, '#', 2)::bigint end
$$;

-- The root of the tree over a bundle's entries; null unless it has 256.
create or replace function bundle_root(_body text) returns bytea stable language plpgsql as $$
declare
  _hashes bytea[] := array(select sha256('\x00'::bytea || convert_to(t.text, 'UTF8'))
    from unnest(bundle_texts(_body)) with ordinality as t (text, place) order by t.place);
begin
  if cardinality(_hashes) <> 256 then return null; end if;
  while cardinality(_hashes) > 1 loop
    _hashes := array(select sha256('\x01'::bytea || _hashes[n * 2 - 1] || _hashes[n * 2])
      from generate_series(1, cardinality(_hashes) / 2) n order by n);
  end loop;
  return _hashes[1];
end $$;

-- Archives the next bundle. Raises LOG_MOVED unless its entries give the stored node, so that nothing else takes their place once
-- the rows are dropped. A bundle that is archived already stays.
create or replace function log_archive(_number bigint, _body text) returns void language plpgsql security definer as $$
begin
  if exists (select from log_bundles where number = _number) then return; end if;
  if _number <> (select coalesce(max(number) + 1, 0) from log_bundles)
    or (bundle_root(_body) = (select hash from log_nodes where level = 8 and index = _number)) is not true then
    perform refuse('LOG_MOVED', format('bundle %s is not the next one, or not what the log has', _number));
  end if;
  insert into log_bundles (number, body) values (_number, _body) on conflict do nothing;
end $$;

-- How long rows stay in their partitions after they are written, ms.
create or replace function log_keep_ms() returns bigint immutable language sql as 'select 172800000::bigint';

-- Drops partitions whose entries are all archived and older than log_keep_ms(), and thins out old checkpoints. The partition of
-- the log's end always stays. Returns the number of dropped partitions.
create or replace function log_drop_archived() returns int language plpgsql security definer as $$
declare
  _dropped int := 0;
  _archived bigint := (select coalesce(max(number) + 1, 0) * 256 from log_bundles);
  _part record;
  _newest bigint;
  -- Read once: a condition with log_now() reads the clock for each row.
  _until bigint := log_now() - log_keep_ms();
begin
  for _part in
    select c.relname, substr(c.relname, length('log_entries_') + 1)::bigint as number
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'log_entries'::regclass order by number
  loop
    exit when (_part.number + 1) * log_partition_size() > least(_archived, (select size from log_head));
    select time_ms into _newest from log_entries
    where index = (_part.number + 1) * log_partition_size() - 1;
    exit when _newest is null or _newest > _until;
    if (select count(*) from log_bundles
        where number >= _part.number * log_partition_size() / 256
          and number < (_part.number + 1) * log_partition_size() / 256) <> log_partition_size() / 256 then
      raise exception 'bundles of partition % are missing', _part.number;
    end if;
    -- Readers and the writer queue behind this lock request. A short timeout limits their wait, and a later call tries again.
    perform set_config('lock_timeout', '200ms', true);
    execute format('drop table %I', _part.relname);
    _dropped := _dropped + 1;
  end loop;
  -- Deletes the checkpoints that need not be kept, except the last of each hour.
  delete from log_checkpoints where size in (
    select size from (
      select size, row_number() over (partition by time_ms / 3600000 order by size desc) as place
      from log_checkpoints where time_ms < _until and not is_kept
    ) old where place > 1
  );
  return _dropped;
end $$;

-- Creates the partition of the first entries.
select log_ensure_partition(0);
