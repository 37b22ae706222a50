-- Orders: batches of acceptances, the orders themselves, and what the house has promised.

-- One placement batch: what was read after the locks, and the signed root over its acceptances.
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted >= 0),
  -- Refused requests: how many, and by code.
  refused int not null check (refused >= 0),
  -- By reason whose orders, each as [customer, asset]; they are told apart by what the customer had won or lost.
  refusals jsonb not null,
  -- Merkle root and leaves (32 bytes each) over the acceptances in their order, and the signed note that carries it.
  root bytea not null check (octet_length(root) = 32),
  leaves bytea not null,
  signed text not null,
  check (octet_length(leaves) = accepted * 32)
);

create table orders (
  -- batch * 1024 + place in the batch, so that a batch is a range of ids and younger orders have higher ones.
  id bigint primary key,
  customer_id bigint not null,
  -- SHA-256 of the Idempotency-Key, and of the request's fields.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  accepted_at_ms bigint not null,
  settles_at_ms bigint not null,
  stake bigint not null check (stake > 0),
  -- What a win earns on top of the stake.
  income bigint not null check (income >= 0),
  rules_id bigint not null,
  seen_size bigint check (seen_size >= 0),
  seen_root bytea check (octet_length(seen_root) = 32),
  payout_rate_bps int not null check (payout_rate_bps between 1 and 9999),
  product_id smallint not null,
  asset_id smallint not null,
  minutes smallint not null check (minutes > 0),
  -- 1 up, -1 down
  direction smallint not null check (direction in (1, -1)),

  -- Settlement: all null until it happens, once.
  settled_at_ms bigint,
  -- 1 profit, -1 loss, 0 none
  result smallint check (result in (1, -1, 0)),
  credited bigint,
  void_reason text check (void_reason in ('not_logged', 'no_open', 'gap', 'stale')),
  open_index bigint,
  open_ms bigint,
  open_price bigint,
  settle_index bigint,
  settle_ms bigint,
  settle_price bigint,

  check ((seen_size is null) = (seen_root is null)),
  -- Acceptance + cycle, rounded up to a whole second.
  check (settles_at_ms = (accepted_at_ms + minutes * 60000::bigint + 999) / 1000 * 1000),
  -- floor(stake * payout rate) without a product that could overflow.
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  -- A tick comes with its place, time and price, or not at all.
  check (num_nulls(open_index, open_ms, open_price) in (0, 3) and num_nulls(settle_index, settle_ms, settle_price) in (0, 3)),
  check (credited = case result when 1 then stake + income when 0 then stake else 0 end),
  -- The outcome follows from the prices and from nothing else. An unknown (null) is a refusal here, hence "is true".
  check (case
    when result is null then num_nonnulls(void_reason, open_index, settle_index) = 0
    when void_reason in ('not_logged', 'no_open', 'gap') then
      result = 0 and num_nonnulls(open_index, settle_index) = 0 and settled_at_ms > accepted_at_ms
    else open_ms >= accepted_at_ms and open_ms <= settle_ms and settle_ms <= settles_at_ms and settles_at_ms < settled_at_ms
      and open_index <= settle_index and open_price > 0 and settle_price > 0
      and case
        when void_reason = 'stale' then
          result = 0 and settle_ms < settles_at_ms and sign(settle_price - open_price) * direction <= 0
        else result = sign(settle_price - open_price) * direction
      end
  end is true)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);
-- No index holds a settlement column, and each page keeps room for its orders once more: settling is a heap-only update.
create unique index orders_by_key on orders (customer_id, key_hash);
create index orders_by_customer on orders (customer_id, id);
create index orders_by_settlement on orders (settles_at_ms, product_id);
create index orders_by_product on orders (product_id, id);

-- Idempotency keys of everything else that moves money; those of orders stand with the orders.
create table used_keys (
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  at timestamptz not null default now(),
  primary key (customer_id, key_hash)
);

-- Until when a product has orders that settle, by the minute: which products tick faster. What the house has taken on per
-- minute is not stored: it follows from the orders (exposure-book.ts).
create table busy_products (
  product_id smallint primary key,
  until_ms bigint not null
) with (fillfactor = 20);

-- Income promised by all orders ever accepted, per asset. What has been settled since is in settled_income.
create table promised_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  -- The most the house may lose in one settlement minute.
  product_limit bigint not null check (product_limit >= 0),
  group_limit bigint not null check (group_limit >= 0)
) with (fillfactor = 40);

-- The promise of orders that were settled, one row per settlement chunk and asset; added up behind a watermark.
create table settled_promises (
  id bigint generated always as identity primary key,
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id()
);
create index settled_promises_by_xid on settled_promises (xid);
create table settled_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  xid xid8 not null default '0'
);

-- Serialises placement: whoever places holds this row from reading the clock to commit. It numbers the batches without
-- gaps and in the order of their clocks.
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  -- Stops new orders, and nothing else.
  is_halted boolean not null default false,
  -- While a batch is open: what ledger.take held for it, to be told apart from anything else by its hash. No transaction
  -- commits before its batch is closed.
  open_holds int,
  open_hash numeric,
  check ((open_holds is null) = (open_hash is null))
) with (fillfactor = 10);
insert into placement_head default values;

-- How far settlement has come; moved forward by the engine.
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  -- All orders that settle before this time are settled, those of a batch that is slow to commit among them.
  settled_before_ms bigint not null default 0,
  -- When the log stood at noted_ms, this was the next batch: once it has committed, no batch accepted before noted_ms can
  -- still come.
  noted_ms bigint not null default 0,
  noted_batch bigint not null default 0,
  -- Batches up to this number have opened, or their orders are void.
  opened_batch bigint not null default 0
) with (fillfactor = 10);
insert into settlement_head default values;

-- Who leads a role that only one process may fill; a standby takes over when the beat stands still.
create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);

create function settlement_time(_accepted_at_ms bigint, _minutes bigint) returns bigint
immutable language sql as 'select (_accepted_at_ms + _minutes * 60000 + 999) / 1000 * 1000';

-- Tells whoever listens which orders of which customers have changed, when the transaction has committed. A notice holds
-- less than 8 000 bytes.
create function orders_tell(_customers bigint[], _ids bigint[]) returns void
language sql as $$
  select pg_notify('orders', notice.pairs) from (
    select string_agg(o.customer_id || ':' || o.id, ',' order by o.ord) as pairs
    from unnest(_customers, _ids) with ordinality as o (customer_id, id, ord) group by (o.ord - 1) / 150
  ) notice;
$$;

-- Locks the next orders that are due, of every `_lanes`th customer: from the mark on, or from a settlement time and product
-- where the chunk before ended. What another engine has in hand is left to it. `ids` and `places` are arrays of one length; a place is that of the order's group,
-- from 1, among `groups`: [batch, product, rules, accepted at, settles at].
create function orders_due(
  _limit int, _lane int, _lanes int, _from_ms bigint, _from_product smallint,
  out log_time_ms bigint, out ids text, out places text, out groups json, out next_ms bigint, out next_product smallint
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  _mark bigint;
begin
  select h.time_ms, s.settled_before_ms into strict log_time_ms, _mark from log_head h, settlement_head s;
  if _from_ms < _mark then
    _from_ms := _mark;
    _from_product := 0;
  end if;
  with due as materialized (
    select o.id, o.product_id, o.rules_id, o.accepted_at_ms, o.settles_at_ms
    from orders o
    where (o.settles_at_ms, o.product_id) >= (_from_ms, _from_product) and o.settles_at_ms < orders_due.log_time_ms
      and o.settled_at_ms is null and o.customer_id % _lanes = _lane
    order by o.settles_at_ms, o.product_id limit _limit for update of o skip locked
  ), last as (
    select settles_at_ms, product_id from due order by settles_at_ms desc, product_id desc limit 1
  ), grouped as (
    select id / 1024 as batch, product_id, rules_id, accepted_at_ms, settles_at_ms,
      string_agg(id::text, ',') as ids, count(*)::int as orders, row_number() over () as place
    from due group by 1, 2, 3, 4, 5
  )
  select '{' || string_agg(g.ids, ',' order by place) || '}',
    '{' || string_agg(repeat(',' || g.place, g.orders), '' order by place) || '}',
    json_agg(json_build_array(batch, product_id, rules_id, accepted_at_ms, settles_at_ms) order by place),
    (select settles_at_ms from last), (select product_id from last)
  into ids, places, groups, next_ms, next_product from grouped g;
  -- Each group begins with a comma; the first has none before it.
  places := '{' || substr(places, 3);
end $$;

-- Products with orders that settle at one of these seconds. For each product and second the index on settlement times is asked
-- for the first entry from there on: every order of a second would be thousands. The order by is what keeps every planner to it,
-- whatever it believes of the table.
create function orders_due_products(_seconds bigint[]) returns smallint[]
stable language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
  return (
    select array_agg(distinct p.id)
    from products p
    cross join unnest(_seconds) as s (second_ms)
    cross join lateral (
      select o.settles_at_ms, o.product_id from orders o
      where (o.settles_at_ms, o.product_id) >= (s.second_ms, p.id) order by o.settles_at_ms, o.product_id limit 1
    ) next
    where next.settles_at_ms = s.second_ms and next.product_id = p.id);
end $$;

-- Settles orders by the verdicts over their groups: each once, each exactly as decided; fails as a whole (FT011) if one was
-- settled meanwhile. Money and orders in one go. Of each group: the results of down and of up (1, -1, 0), why each is void
-- (place in the list of reasons; 0: it is not), and index, time and price of the two ticks (-1: there is none). No array
-- holds a null, so that its elements are found without a search. It runs with its owner's rights, for the ledger pays nobody
-- else; what an order may be paid is bounded by the checks of its table. Anew in migration 038, which counts days of limits, too.
create function orders_settle(
  _key text, _hash bytea, _now_ms bigint, _ids bigint[], _places int[], _results smallint[], _voids smallint[],
  _open_indexes bigint[], _open_times bigint[], _open_prices bigint[],
  _settle_indexes bigint[], _settle_times bigint[], _settle_prices bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _reasons constant text[] := '{not_logged,no_open,gap,stale}';
  _owners bigint[]; _assets smallint[]; _stakes bigint[]; _back bigint[]; _refs bigint[];
begin
  with settled as (
    update orders o set settled_at_ms = _now_ms, result = _results[l.place * 2 - (1 - o.direction) / 2],
      credited = case _results[l.place * 2 - (1 - o.direction) / 2] when 1 then o.stake + o.income when 0 then o.stake else 0 end,
      void_reason = _reasons[_voids[l.place * 2 - (1 - o.direction) / 2]],
      open_index = nullif(_open_indexes[l.place], -1), open_ms = nullif(_open_times[l.place], -1),
      open_price = nullif(_open_prices[l.place], -1), settle_index = nullif(_settle_indexes[l.place], -1),
      settle_ms = nullif(_settle_times[l.place], -1), settle_price = nullif(_settle_prices[l.place], -1)
    from unnest(_ids, _places) as l (id, place)
    where o.id = l.id and o.settled_at_ms is null
    returning o.id, o.customer_id, o.asset_id, o.stake, o.income, o.credited
  ), promise as (
    insert into settled_promises (asset_id, amount) select asset_id, sum(income) from settled group by asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(stake), array_agg(credited), array_agg(id)
  into _owners, _assets, _stakes, _back, _refs from (select * from settled order by id) s;
  if cardinality(_refs) is distinct from cardinality(_ids) then
    raise exception 'an order of the chunk is settled already' using errcode = 'FT011';
  end if;
  if ledger.resolve(_key, _hash, _owners, _assets, _stakes, _back, _refs) is null then
    raise exception 'the stakes of the chunk are paid back already' using errcode = 'FT012';
  end if;
  perform orders_tell(_owners, _refs);
end $$;

-- Moves the mark below which everything is settled. Orders that settle before a time were accepted before it, but their
-- batch may commit late: the mark passes a time only when no batch accepted before it can still come. That is so at once
-- where nobody holds the placement head, else when the batch has committed that was the next when the time was noted.
create function orders_advance_settlement() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _is_idle boolean;
begin
  perform from placement_head for share skip locked;
  _is_idle := found;
  -- A statement of its own, and so a newer snapshot: it sees whatever committed before the head was free.
  update settlement_head s set
    settled_before_ms = greatest(s.settled_before_ms, coalesce((
      select o.settles_at_ms from orders o
      where o.settles_at_ms >= s.settled_before_ms and o.settles_at_ms < b.until_ms and o.settled_at_ms is null
      order by o.settles_at_ms limit 1), b.until_ms)),
    noted_ms = case when p.next_batch > s.noted_batch then h.time_ms else s.noted_ms end,
    noted_batch = greatest(p.next_batch, s.noted_batch)
  from log_head h, placement_head p, settlement_head t
  cross join lateral (
    select case when _is_idle then h.time_ms when p.next_batch > t.noted_batch then t.noted_ms else 0 end as until_ms
  ) b;
end $$;

-- Adds up what the house has: its balances, and the promises that were settled, both up to the same transaction, so that no
-- settlement is counted by half.
create function roll_up_house() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _to xid8;
begin
  if not pg_try_advisory_xact_lock(7021) then return; end if;
  perform ledger.roll_up_house();
  select xid into strict _to from ledger.house_watermark;
  update settled_income i set xid = _to,
    amount = i.amount + coalesce((select sum(s.amount) from settled_promises s
      where s.asset_id = i.asset_id and s.xid >= i.xid and s.xid < _to), 0)
  where i.xid < _to;
end $$;
