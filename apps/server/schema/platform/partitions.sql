-- Partitions of the tables that grow with each order: orders with their results, and the ledger's postings. A partition has a
-- range of ids of about a month, because ids are known ahead and the batch that a month begins with is not. One that nothing has
-- reached is always kept ahead. Old ones can be moved to other storage (`npm run admin -- partitions`).

create table row_partitions (
  -- `orders` (with order_results) or `postings`.
  family text not null,
  number int not null,
  -- Its ids: from_id <= id < to_id.
  from_id bigint not null,
  to_id bigint not null check (to_id > from_id),
  -- About when the partition before it was reached.
  made_at timestamptz not null default clock_timestamp(),
  primary key (family, number)
);

-- ## Functions

-- The number of ids of a new partition, if a month at the present pace has fewer.
create or replace function row_partition_least(_family text) returns bigint
immutable language sql as $$ select case _family when 'orders' then first_order(131072) else 16777216 end $$;

-- The first id that no row has yet, by family.
create or replace function row_ids_reached() returns table (family text, reached bigint)
language sql stable security definer as $$
  select 'orders', first_order(next_batch) from placement_head
  union all select 'postings', last_value + is_called::int from ledger.postings_id_seq
$$;

-- Makes the partitions that are missing. An empty table joins its parent under a lock that stops neither readers nor writers.
create or replace function row_partitions_keep() returns void
language plpgsql security definer set lock_timeout = '2s' as $$
declare
  _family record; _last row_partitions; _before row_partitions; _new row_partitions; _table text;
begin
  for _family in
    select r.*, case r.family when 'orders' then array['public.orders', 'public.order_results'] else array['ledger.postings'] end
      as tables from row_ids_reached() r
  loop
    loop
      select * into _last from row_partitions where family = _family.family order by number desc limit 1;
      exit when _last.from_id > _family.reached;
      perform pg_advisory_xact_lock(7060);
      -- Another process may have made it meanwhile.
      continue when exists (select from row_partitions where family = _family.family and number > _last.number);
      select * into _before from row_partitions where family = _family.family and number = _last.number - 1;
      _new := row(_family.family, coalesce(_last.number, 0) + 1, coalesce(_last.to_id, 0), null, clock_timestamp());
      -- The pace of the partition before the last one: it was full when the last one was reached, which is now.
      _new.to_id := _new.from_id + coalesce(greatest(row_partition_least(_new.family), least(
        16 * (_before.to_id - _before.from_id), ((_before.to_id - _before.from_id) * 2592000::numeric
          / greatest(1, extract(epoch from _new.made_at - _last.made_at)))::bigint)), row_partition_least(_new.family));
      insert into row_partitions select _new.*;
      foreach _table in array _family.tables loop
        execute format('create table %s_%s (like %1$s including all excluding identity)', _table, _new.number);
        if _table = 'public.orders' then
          execute format('create unique index on %s_%s (customer_id, key_hash)', _table, _new.number);
        end if;
        execute format('alter table %s attach partition %1$s_%s for values from (%s) to (%s)',
          _table, _new.number, _new.from_id, _new.to_id);
      end loop;
    end loop;
  end loop;
end $$;
