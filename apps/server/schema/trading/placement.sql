-- Placement: batches of orders, the orders themselves, and the sums that bound the house's exposure.
-- orders_open_batch and orders_close_batch are the only way to new orders. One transaction calls both; TypeScript decides between
-- them, and the second one refuses a batch that breaks a bound. They run with their owner's rights, so that the server needs no
-- right to insert orders or batches. bounds.sql has the bounds.
-- orders_settle writes the settlement columns of orders.
-- Lock order: balances (owner, asset, ascending) -> placement_head. Times `_ms` are Unix milliseconds of the log's clock.
-- Amounts are in smallest units.

-- A placement batch: the facts that were read after the locks, and the signed root of its acceptances.
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted > 0),
  -- The Merkle root and leaves (32 bytes each) of the acceptances in their order, and the signed note with the root.
  root bytea not null check (octet_length(root) = 32),
  leaves bytea not null,
  signed text not null,
  -- The session of each accepted order, in their order. Null in batches from before sessions were kept.
  sessions bigint[],
  check (octet_length(leaves) = accepted * 32),
  check (cardinality(sessions) = accepted)
);

-- Not compressed, which takes time.
alter table order_batches alter column sessions set storage external;

-- The refused requests of a batch, in the order of the batches, by refusal: {code: [[customer, asset], ...]}. Published counts are
-- split by the customer's earlier results.
create table order_refusals (
  id bigint generated always as identity primary key,
  at_ms bigint not null,
  refused int not null check (refused > 0),
  refusals jsonb not null
);

create table orders (
  -- See orders_per_batch.
  id bigint primary key,
  customer_id bigint not null,
  -- SHA-256 of the Idempotency-Key and of the request's fields.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  accepted_at_ms bigint not null,
  -- The times of the fixes that open and settle it.
  opens_at_ms bigint not null,
  settles_at_ms bigint not null,
  -- The hash by which the customer shows what was asked (the acceptance's fourth line); null if the customer named no opening time.
  -- The log's writer reads it by the range of ids of a batch, for the `orders` entry.
  asked bytea check (octet_length(asked) = 32),
  stake bigint not null check (stake > 0),
  -- The profit of a win, on top of the stake.
  income bigint not null check (income >= 0),
  rules_id bigint not null,
  -- The log's size and root as the customer saw them; null if the request had none.
  seen_size bigint check (seen_size >= 0),
  seen_root bytea check (octet_length(seen_root) = 32),
  payout_rate_bps int not null check (payout_rate_bps between 1000 and 9999),
  product_id smallint not null,
  asset_id smallint not null,
  minutes smallint not null check (minutes > 0),
  -- 1: up, -1: down.
  direction smallint not null check (direction in (1, -1)),

  -- The settlement: all null before it. It happens once; only a `close` with another price may make it better (orders_correct).
  settled_at_ms bigint,
  -- 1: profit, -1: loss, 0: none (a tie or a void). An order without prices that is not void wins: a fix is missing.
  result smallint check (result in (1, -1, 0)),
  credited bigint,
  void_reason text check (void_reason in ('not_logged', 'no_price')),
  -- The fixes of opens_at_ms and settles_at_ms, or their closes.
  open_index bigint,
  open_price bigint,
  settle_index bigint,
  settle_price bigint,

  check ((seen_size is null) = (seen_root is null)),
  -- D is 2 to 60 s, and the customer may name a time up to 10 s later.
  check (opens_at_ms % 1000 = 0 and opens_at_ms between accepted_at_ms + 2000 and accepted_at_ms + 70000),
  check (settles_at_ms = opens_at_ms + minutes * 60000::bigint),
  -- floor(stake * payout rate), without a product that could overflow.
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  check (num_nulls(open_index, open_price, settle_index, settle_price) in (0, 4)),
  -- A void by the house's fault pays a tenth of the stake on top.
  check (credited = case result when 1 then stake + income when 0 then stake + case void_reason when 'not_logged' then stake / 10 else 0 end else 0 end),
  -- The outcome follows from the prices alone. "is true" refuses an unknown (null), which a check would otherwise accept.
  check (case
    when result is null then num_nonnulls(void_reason, open_index) = 0
    when void_reason is not null then result = 0 and open_index is null and settled_at_ms > accepted_at_ms
    -- A fix is missing 24 hours after its time.
    when open_index is null then result = 1 and settled_at_ms > opens_at_ms + 86400000
    else open_price > 0 and settle_price > 0 and open_index <> settle_index and settles_at_ms <= settled_at_ms
      and result = sign(settle_price - open_price) * direction
  end is true)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);

-- No index has a settlement column, and the fill factor leaves room for a second version of each row. So settlement is a heap-only
-- update.
create unique index orders_by_key on orders (customer_id, key_hash);

create index orders_by_customer on orders (customer_id, id);

create index orders_by_settlement on orders (settles_at_ms, product_id);

create index orders_by_product on orders (product_id, id);

-- Idempotency keys of all other requests that move money. An order has its own key.
create table used_keys (
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  at timestamptz not null default now(),
  primary key (customer_id, key_hash)
);

-- The end of the last settlement minute in which a product has orders. Until then the product ticks faster.
create table busy_products (
  product_id smallint primary key,
  until_ms bigint not null
) with (fillfactor = 20);

-- The income promised by all accepted orders, per asset. settled_income has the part that is settled.
create table promised_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  -- The most that the house may lose in one settlement minute, per product and per correlated group.
  product_limit bigint not null check (product_limit >= 0),
  group_limit bigint not null check (group_limit >= 0)
) with (fillfactor = 40);

-- Serialises placement: a batch holds the lock on this row from reading the clock to commit. So batches are numbered without gaps,
-- in the order of their clock readings and of their commits.
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  -- Counts all batches, also those without an accepted order, which have no number.
  turns bigint not null default 0,
  -- Stops new orders, and nothing else.
  is_halted boolean not null default false,
  -- While a batch is open: the hash of the stakes that are held for it (ledger.holds_hash), the time of acceptance, and the log then.
  -- No transaction commits before its batch is closed (orders_demand_closed).
  open_hash bytea,
  open_at_ms bigint,
  open_log_size bigint,
  open_log_root bytea,
  -- Customers who hold more than their share of what bounds the house.
  open_heavy bigint[],
  check (num_nulls(open_hash, open_at_ms, open_log_size, open_log_root) in (0, 4))
) with (fillfactor = 10);

-- The number of orders that each customer sent in the second that began at `since`, for the limit on orders. The table is unlogged,
-- so a crash resets the counts.
create unlogged table order_counts (
  customer_id bigint primary key,
  orders int not null,
  since timestamptz not null
) with (fillfactor = 50);

insert into placement_head default values;

-- ## Functions

-- The settlement time of an order that opens at a time, and the minute that it falls in, in ms.
create or replace function settles_ms(_opens_ms bigint, _minutes smallint) returns bigint
immutable language sql as $$ select _opens_ms + _minutes * 60000::bigint $$;

create or replace function minute_ms(_time_ms bigint) returns bigint immutable language sql as 'select _time_ms / 60000 * 60000';

-- The time of the log's last entry: a price of any kind, batches, a halt or a source that is away; 0 if it is of another kind.
create or replace function log_shown_ms(_size bigint) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select coalesce((
    select time_ms from log_entries where index = _size - 1 and (kind in (log_kind('tick'), log_kind('gap'), log_kind('orders'), log_kind('fix'),
      log_kind('close')) or kind = log_kind('text') and (starts_with(body, 'halt|') or starts_with(body, 'away|')))), 0)
$$;

-- Opens a placement batch with at most one request of each customer. `_tokens` and `_keys` hold the hashes of the requests' session
-- tokens and keys.
-- Each request needs a live and fresh session, which says whose it is. The function holds the stakes of customers who have enough,
-- which locks their balances, and looks up keys that were used before; the batch before may still be under way. Then it locks the
-- placement head. Only later statements, whose snapshots are newer, read the clock, the log's head and all other facts that decide.
-- Closing the batch releases the stakes of refused requests.
-- `sessions` has the session of each request, null where none is live and fresh; `balances` is the result of ledger.take, and `known`
-- has the request's index, the order or 0, and the input's hash in hex for each known key. `_opens` has the opening times that the
-- customers named.
-- `logTime` is the time of the log's last entry, 0 if its kind has none or no process leads the log: an acceptance follows an entry with a
-- time, and has to be logged.
-- The plans are made once and must not scan tables, even if the tables were empty at that time.
create or replace function orders_open_batch(
  _tokens bytea[], _assets smallint[], _stakes bigint[], _keys bytea[], _products smallint[], _minutes smallint[], _opens bigint[],
  out sessions json, out balances text, out levels json, out limits json, out known json, out facts json
) language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _customers bigint[]; _sessions bigint[]; _batch bigint; _halted boolean; _log log_head; _now bigint; _held record;
begin
  select array_agg(s.id order by t.ord), array_agg(s.customer_id order by t.ord) into _sessions, _customers
  from unnest(_tokens) with ordinality as t (token, ord)
  left join sessions s on s.token_hash = t.token and session_lives(s, true);
  sessions := to_json(_sessions);
  select * into strict _held from ledger.take(_customers, _assets, _stakes, _sessions,
    array(select s.smallest from generate_series(1, (select max(id) from ledger.assets)) a (id) left join house_shares() s on s.asset_id = a.id order by a.id));
  balances := _held.balances;
  select json_agg(json_build_object('place', k.ord - 1, 'order', used.id, 'inputHash', encode(used.input_hash, 'hex'))) into known
  from unnest(_customers, _keys) with ordinality as k (customer_id, key, ord)
  cross join lateral (
    select o.id, o.input_hash from orders o
    where o.customer_id = k.customer_id and o.key_hash = k.key
    union all
    select 0, u.input_hash from used_keys u
    where u.customer_id = k.customer_id and u.key_hash = k.key
  ) used;
  select json_agg(json_build_array(c.id::text, c.level)) into levels
  from customers c where c.id = any (_customers) and c.level <> 'bronze';
  -- Customers' own limits and breaks. A transaction that sets one waits for the balances that are locked here.
  limits := customer_limits_for(_customers, _assets, log_now());

  select next_batch, is_halted into _batch, _halted from placement_head where open_hash is null for update;
  if not found then
    perform refuse('BATCH_MISMATCH', 'a placement batch is open already');
  end if;
  select * into strict _log from log_head;
  -- The log's clock as log_now() computes it, from the head just read.
  _now := greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint + _log.offset_ms, _log.time_ms);
  update placement_head set open_hash = _held.hash, open_at_ms = _now, open_log_size = _log.size, open_log_root = _log.root,
    open_heavy = _held.heavy;
  perform trading_periods_keep(_products, _now);
  facts := json_build_object(
    'batch', _batch, 'halted', _halted, 'now', _now,
    'logTime', case when _log.holder is null then 0 else log_shown_ms(_log.size) end, 'logSize', _log.size, 'logRoot', encode(_log.root, 'hex'),
    'products', (
      select coalesce(json_agg(json_build_object('product', s.product_id, 'rules', t.rules_id, 'ordersFromMs', s.orders_from_ms,
        'tickMs', case when s.gap_reason is null then s.tick_ms end,
        'startMs', case when t.is_open then t.from_ms end, 'endMs', case when t.is_open then t.until_ms end)), '[]')
      from product_states s join trading_periods t on t.product_id = s.product_id
      where s.product_id = any (_products)
    ),
    'assets', (
      select coalesce(json_agg(json_build_object('asset', i.asset_id,
        'room', (coalesce(h.balance, 0) - (i.amount - coalesce(s.amount, 0)))::text, 'productLimit', i.product_limit::text,
        'groupLimit', i.group_limit::text, 'equity', coalesce(h.balance, 0)::text)), '[]')
      from promised_income i
      left join settled_income s using (asset_id)
      left join ledger.house_balances h on h.asset_id = i.asset_id and h.account = ledger.trading_account()
      where i.asset_id = any (_assets)
    ),
    'groups', (select json_object_agg(p.id, p.exposure_group) from products p),
    'incomes', (
      select json_agg(json_build_object('asset', i.asset_id, 'minuteMs', i.minute_ms, 'products', i.products, 'incomes', i.incomes::text[]))
      from (select distinct a.asset_id, minute_ms(settles_ms(coalesce(a.opens_ms, (_now + r.delay_ms + 999) / 1000 * 1000), a.minutes)) as minute_ms
        from unnest(_assets, _minutes, _products, _opens) as a (asset_id, minutes, product_id, opens_ms)
        join trading_periods t on t.product_id = a.product_id join rules r on r.id = t.rules_id) m
      join minute_incomes i using (asset_id, minute_ms)
    ),
    'own', (
      select json_agg(json_build_object('customer', o.customer_id::text, 'asset', o.asset_id, 'product', o.product_id,
        'minuteMs', o.minute_ms, 'income', o.income::text))
      from orders_own_incomes(_held.heavy, _now) o
    )
  );
end $$;

-- Closes the open batch at the time at which it was opened: writes the signed root and the orders, posts their stakes, demands the
-- fixes that open and settle them, and releases the stakes of refused requests (`_let_go_*`). Raises BATCH_MISMATCH unless these are all the stakes that were held, each under its
-- session. An order that breaks a bound is refused with the batch, by the code that decidePlacements has for it.
-- `_left` is the customer's available balance after the hold.
-- `_keys`, `_inputs`, `_seen_roots` and `_asked` have hashes: of its key and input, the root that the customer saw and what the
-- customer asked for (null if none). A batch without accepted orders leaves its refusals alone, and no number.
-- At the end it reads the clock again. It raises BATCH_LATE if the acceptance is more than 500 ms away.
create or replace function orders_close_batch(
  _refusals jsonb, _root bytea, _leaves bytea, _signed text,
  _customers bigint[], _sessions bigint[], _keys bytea[], _inputs bytea[], _products smallint[], _assets smallint[], _minutes smallint[],
  _opens bigint[], _directions smallint[], _stakes bigint[], _left bigint[], _rules bigint[], _seen_sizes bigint[], _seen_roots bytea[], _asked bytea[],
  _let_go_customers bigint[], _let_go_sessions bigint[], _let_go_assets smallint[], _let_go_stakes bigint[], _let_go_left bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _count int := cardinality(_customers);
  _head placement_head; _first bigint; _ids bigint[]; _terms record;
  _settles bigint[] := array(select settles_ms(o.opens_ms, o.minutes) from unnest(_opens, _minutes) with ordinality
    as o (opens_ms, minutes, ord) order by o.ord);
begin
  select * into strict _head from placement_head;
  if _head.open_hash is distinct from ledger.holds_hash(_customers || _let_go_customers, _assets || _let_go_assets, _stakes || _let_go_stakes,
    _left || _let_go_left, _sessions || _let_go_sessions) then
    perform refuse('BATCH_MISMATCH', format('batch %s is to be closed with other stakes than were held for it', _head.next_batch));
  end if;
  _first := first_order(_head.next_batch);
  _ids := array(select _first + i from generate_series(0, _count - 1) i);
  insert into order_refusals (at_ms, refused, refusals)
  select _head.open_at_ms, r.refused, _refusals from (select sum(jsonb_array_length(value)) as refused from jsonb_each(_refusals)) r where r.refused > 0;
  update placement_head set next_batch = _head.next_batch + sign(_count)::int, turns = turns + 1, open_hash = null, open_at_ms = null, open_log_size = null, open_log_root = null,
    open_heavy = null;
  if cardinality(_let_go_customers) > 0 then
    perform ledger.let_go(_let_go_customers, _let_go_assets, _let_go_stakes);
  end if;
  if _count > 0 then
    if _head.is_halted then
      perform refuse('TRADING_HALTED', 'new orders are halted');
    end if;
    insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed, sessions)
    values (_head.next_batch, _head.open_at_ms, _head.open_log_size, _head.open_log_root, _count, _root, _leaves, _signed, _sessions);
    perform demand_customer_limits(_customers, _assets, _stakes, _head.open_at_ms);
    _terms := orders_demand_terms(_head => _head, _customers => _customers, _products => _products, _assets => _assets, _minutes => _minutes,
      _opens => _opens, _settles => _settles, _stakes => _stakes, _left => _left, _rules => _rules);
    insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, asked, stake, income, rules_id,
      seen_size, seen_root, payout_rate_bps, product_id, asset_id, minutes, direction)
    select _first + o.ord - 1, o.customer_id, o.key, o.input, _head.open_at_ms, o.opens_ms, o.settles_ms, o.asked, o.stake, o.income, o.rules_id,
      o.seen_size, o.seen_root, o.rate, o.product_id, o.asset_id, o.minutes, o.direction
    from unnest(_customers, _keys, _inputs, _products, _assets, _minutes, _opens, _settles, _directions, _stakes, _terms.incomes, _terms.rates, _rules,
        _seen_sizes, _seen_roots, _asked) with ordinality
      as o (customer_id, key, input, product_id, asset_id, minutes, opens_ms, settles_ms, direction, stake, income, rate, rules_id, seen_size,
        seen_root, asked, ord);
    insert into fixes_due (product_id, fix_ms)
    select distinct product_id, fix_ms from unnest(_products || _products, _opens || _settles) as u (product_id, fix_ms)
    on conflict do nothing;
    if ledger.post_taken('orders:' || _head.next_batch, _root, _customers, _assets, _stakes, _left, _ids) is null then
      perform refuse('STAKES_MOVED', format('the stakes of batch %s are held already', _head.next_batch));
    end if;
    perform orders_demand_exposure(_products, _assets, _settles, _terms.incomes);
    if _head.open_heavy is not null then
      perform orders_demand_shares(_head.open_at_ms, _head.open_heavy, _customers, _products, _assets, _settles);
    end if;
    perform orders_tell(_customers, _ids);
  end if;
  if abs(log_now() - _head.open_at_ms) > 500 then
    perform refuse('BATCH_LATE', 'the batch took too long');
  end if;
end $$;

-- Trigger at commit: a transaction that opened a batch can't commit before it closes the batch. So no stake stays held without an
-- order.
create or replace function orders_demand_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from placement_head where open_hash is not null) then
    perform refuse('BATCH_MISMATCH', 'a placement batch was opened and not closed');
  end if;
  return null;
end $$;

drop trigger if exists placement_is_closed on placement_head;
create constraint trigger placement_is_closed after update on placement_head deferrable initially deferred
  for each row when (new.open_hash is not null) execute function orders_demand_closed();
