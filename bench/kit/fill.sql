-- Fills a fresh database with settled orders and ticks as they would stand after months of trade: every check holds, and
-- foreign references resolve. $ORDERS, $TICKS and $NOW_MS are put in by bench/pages.ts; every 100 orders have a customer, and
-- one customer has a thousandth of them all.
--
-- Indexes of the large tables that rows would not reach in order are made at the end, as they were.
create temp table later as
  select format('drop index %s', i.indexrelid::regclass) as away, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as again
  from pg_index i where not i.indisprimary and i.indrelid in ('orders'::regclass, 'log_entries'::regclass);
insert into later
  select format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where contype = 'p' and conrelid = 'ledger.postings'::regclass;
do $$ declare _statement text; begin
  for _statement in select away from later loop execute _statement; end loop;
end $$;

create temp table facts as select
  $ORDERS::bigint as orders, $TICKS::bigint as ticks, $NOW_MS::bigint as now_ms,
  (select count(*) from products)::bigint as products, (select size from log_head) as first_index,
  -- All products tick together, 8 s apart, up to now.
  $NOW_MS::bigint - $TICKS::bigint / (select count(*) from products) * 8000 as from_ms,
  -- Batches of 250.
  $ORDERS::bigint / 250 as batches;
create temp table product_list as
  select row_number() over (order by p.id) - 1 as place, p.id, r.id as rules_id from products p join rules r on r.product_id = p.id;
create unique index on product_list (place);
analyze product_list;

insert into customers (id, account, nickname, password_hash) overriding system value
select 1000 + i, 'bench' || i, 'bench', 'no hash' from facts, generate_series(0, orders / 100) i;
insert into ledger.balances (owner_id, asset_id, available) select id, 1, 10000000000 from customers;

select log_ensure_partition(n * log_partition_size())
from facts, generate_series(0, (ticks + first_index) / log_partition_size() + 1) n;
insert into log_entries (index, time_ms, n, price, rules_id, product_id, kind, quotes)
select first_index + i, from_ms + i / products * 8000, i / products + 1, 100000 + i % products * 1000 + i / products * 37 % 500,
  l.rules_id, l.id, 1, '\x$QUOTES'
from facts, generate_series(0, ticks - 1) i join product_list l on l.place = i % (select count(*) from product_list);
insert into log_nodes (level, index, hash)
select 8, i, sha256(int8send(i)) from facts, generate_series(0, (ticks + first_index) / 256 - 1) i;
insert into log_checkpoints (size, root, time_ms, note)
select first_index + (i + 1) * products, sha256(int8send(i)), from_ms + i * 8000, 'checkpoint'
from facts, generate_series(0, ticks / products - 1, 8) i;
update log_head set size = first_index + ticks, time_ms = now_ms from facts;
update product_states s set last_n = t.n, last_ms = from_ms + (t.n - 1) * 8000, tick_n = t.n, tick_ms = from_ms + (t.n - 1) * 8000, tick_price = 100000,
  tick_index = first_index + (t.n - 1) * products, orders_from_ms = from_ms
from (select ticks / products as n, * from facts) t;

insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
select l.id, p.period, start_ms, 100000, 100500, 99500, 100100, p.period * 7, p.period * 700000
from facts, product_list l, (values (1), (5), (30), (1440)) as p (period),
  generate_series(from_ms / (p.period * 60000) * p.period * 60000, now_ms, p.period * 60000::bigint) start_ms;

insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed)
select b, from_ms + (now_ms - 7200000 - from_ms) * b / batches, first_index, sha256(int8send(b)), 250, sha256(int8send(-b)),
  (select string_agg(sha256(int8send(first_order(b) + i)), '') from generate_series(0, 249) i), repeat('signature ', 30)
from facts, generate_series(1, batches) b;
insert into logged_batches (first_batch, last_batch, entry_index, time_ms)
select number, number, first_index + 1, accepted_at_ms + 250 from facts, order_batches;
insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id, payout_rate_bps,
  product_id, asset_id, minutes, direction)
select first_order(b.number) + i % 250,
  case when i % 1000 = 0 then 1000 else 1001 + hashint8(i)::bigint % (orders / 200) + orders / 200 end,
  int8send(i), int8send(i), b.accepted_at_ms, o.opens_at_ms, t.settles_at_ms, 10000000, 8000000, l.rules_id, 8000, l.id, 1, 1,
  case when i % 2 = 0 then 1 else -1 end
from facts, generate_series(0, orders - 1) i join order_batches b on b.number = i / 250 + 1
cross join lateral (select (b.accepted_at_ms + 2999) / 1000 * 1000 as opens_at_ms) o
cross join lateral (select o.opens_at_ms + 60000 as settles_at_ms) t
join product_list l on l.place = abs(hashint8(i)) % (select count(*) from product_list);
insert into order_results (order_id, settled_at_ms, credited, open_index, open_price, settle_index, settle_price, result)
select id, settles_at_ms + 300, case direction when 1 then 18000000 else 0 end, first_index + 2, 100000, first_index + 3, 100100, direction
from facts, orders;

-- The practice money of all customers in one transfer. One transfer for each batch that holds, and one that pays back: a posting for the
-- stake, and one or two for the result. What is left after a posting (available_after) is not kept up.
insert into ledger.transfers (idempotency_key, input_hash, kind, created_at)
select 'practice', sha256(''), 'practice', to_timestamp((from_ms - 1) / 1000.0) from facts;
insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
select t.id, c.id, 1, 4, c.id * 4, 10000000000, 10000000000, 0 from ledger.transfers t, customers c where t.kind = 'practice' order by c.id;
insert into ledger.transfers (idempotency_key, input_hash, kind, created_at)
select k.kind || b.number, b.root, k.kind, to_timestamp((b.accepted_at_ms + k.after_ms) / 1000.0)
from order_batches b cross join (values ('reserve', 0), ('resolve', 60500)) as k (kind, after_ms) order by b.number, k.after_ms;
insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
select (batch_of(o.id) - 1) * 2 + g.first_id + leg.resolves, o.customer_id, 1, case leg.debit when 8 then 8 else o.customer_id * 4 + leg.debit end,
  case leg.credit when 8 then 8 else o.customer_id * 4 + leg.credit end, leg.amount, leg.available, o.id
from (select min(id) as first_id from ledger.transfers where kind in ('reserve', 'resolve')) g, orders_and_results o
cross join lateral (
  select 0 as resolves, 0 as debit, 1 as credit, o.stake as amount, 10000000000 as available
  union all select 1, 1, 0, o.stake, 10000000000 where o.result = 1
  union all select 1, 8, 0, o.income, 10000000000 where o.result = 1
  union all select 1, 1, 8, o.stake, null where o.result = -1
) leg;
insert into ledger.house_movements (transfer_id, account, asset_id, amount)
select p.transfer_id, case when t.kind = 'practice' then 4 else 8 end, 1, sum(p.amount * ((p.credit < 4000)::int - (p.debit < 4000)::int))
from ledger.postings p join ledger.transfers t on t.id = p.transfer_id where t.kind in ('practice', 'resolve') group by 1, 2;
update ledger.balances b set available = m.amount from (
  select owner_id, sum(amount * ((credit / 4 = owner_id)::int - (debit / 4 = owner_id)::int)) as amount from ledger.postings where owner_id >= 1000 group by 1
) m where m.owner_id = b.owner_id;
update settlement_head set settled_before_ms = now_ms from facts;
update placement_head set next_batch = batches + 1 from facts;

do $$ declare _statement text; begin
  for _statement in select again from later loop execute _statement; end loop;
end $$;
