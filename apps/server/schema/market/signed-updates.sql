-- Signed updates of Pyth: of products with unsettled orders, what the quotes of ticks are from. The writer of ticks inserts them, receipts
-- show those of the ticks that opened and settled an order. They decide nothing.

create table signed_updates (
  product_id smallint not null references products,
  -- The number of the quote, as ticks have it.
  source_seq bigint not null,
  -- When the writer took it from the feed, in the log's time.
  taken_ms bigint not null,
  -- The update with the price of the product's feed alone: about 630 bytes.
  signed bytea not null check (octet_length(signed) between 1 and 1200),
  primary key (product_id, source_seq)
);

-- Not compressed: hashes and signatures do not become smaller.
alter table signed_updates alter column signed set storage external;

create index signed_updates_by_time on signed_updates (taken_ms);

-- ## Functions

-- Deletes updates of a time span that no order needs: an order needs those that were the newest while it could open and when it settled,
-- and the next after them. All orders that need an update are placed 2 s before it at the latest. Returns how many were deleted.
create or replace function signed_updates_prune(_from_ms bigint, _before_ms bigint) returns int
language sql security definer set search_path = public, pg_temp as $$
  with deciding as (
    select product_id, settles_at_ms as from_ms, settles_at_ms as to_ms from orders
    where settles_at_ms between _from_ms - 60000 and _before_ms + 60000
    union
    -- An order opens at most 5 s after its opening time, which is at most 70 s after its acceptance.
    select product_id, opens_at_ms, opens_at_ms + 5000 from orders
    where id >= first_order(coalesce(
        (select number from order_batches where accepted_at_ms < _from_ms - 140000 order by number desc limit 1), 0))
      and opens_at_ms between _from_ms - 65000 and _before_ms + 60000
  ), placed as (
    select product_id, source_seq, taken_ms,
      lag(taken_ms) over w as before_ms, lead(taken_ms) over w as after_ms
    from signed_updates where taken_ms between _from_ms - 60000 and _before_ms + 60000
    window w as (partition by product_id order by source_seq)
  ), gone as (
    delete from signed_updates u using placed p
    where u.product_id = p.product_id and u.source_seq = p.source_seq and p.taken_ms >= _from_ms and p.taken_ms < _before_ms
      and not exists (
        select from deciding d where d.product_id = p.product_id
          and d.to_ms >= coalesce(p.before_ms, p.taken_ms - 60000) and d.from_ms < coalesce(p.after_ms, p.taken_ms + 60000)
      )
    returning 1
  )
  select count(*)::int from gone
$$;
