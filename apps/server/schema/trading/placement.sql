-- Placement: batches of orders, the orders themselves, and the sums that bound the house's exposure.
-- orders_place and orders_seal are the only way to new orders. One transaction calls both; between them the server signs what the
-- first one accepted. They run with their owner's rights, so that the server needs no right to insert orders or batches.
-- placement-rules.sql has the rules by which orders_place judges.
-- settlement.sql has the results of orders, which are rows of their own.
-- Lock order: balances (owner, asset, ascending) -> placement_head. Times `_ms` are Unix milliseconds of the log's clock.
-- Amounts are in smallest units.

-- A placement batch: the facts that were read after the locks, and the signed root of its acceptances. orders_place writes the
-- facts, orders_seal the rest; no transaction commits between them (order_batches_demand_seal).
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted > 0),
  -- The Merkle root and leaves (32 bytes each) of the acceptances in their order, and the signed note with the root.
  root bytea check (octet_length(root) = 32),
  leaves bytea,
  signed text,
  -- The session of each accepted order, in their order. Null in batches from before sessions were kept.
  sessions bigint[],
  check (num_nulls(root, leaves, signed) in (0, 3)),
  check (octet_length(leaves) = accepted * 32),
  check (cardinality(sessions) = accepted)
);

-- Not compressed, which takes time.
alter table order_batches alter column sessions set storage external;

-- The refused requests of a batch, in the order of the batches, by refusal: {code: [[customer, asset], ...]}. Published counts
-- are split by the customer's earlier results.
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
  -- The first eight bytes of SHA-256 of the Idempotency-Key and of the request's fields: only the customer's own requests meet.
  key_hash bytea not null check (octet_length(key_hash) = 8),
  input_hash bytea not null check (octet_length(input_hash) = 8),
  accepted_at_ms bigint not null,
  -- The times of the fixes that open and settle it.
  opens_at_ms bigint not null,
  settles_at_ms bigint not null,
  -- The hash by which the customer shows what was asked (the acceptance's fourth line); null if the customer named no opening
  -- time. The log's writer reads it by the range of ids of a batch, for the `orders` entry.
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

  check ((seen_size is null) = (seen_root is null)),
  -- D is 2 to 60 s, and the customer may name a time up to 10 s later.
  check (opens_at_ms % 1000 = 0 and opens_at_ms between accepted_at_ms + 2000 and accepted_at_ms + 70000),
  check (settles_at_ms = opens_at_ms + minutes * 60000::bigint),
  -- floor(stake * payout rate), without a product that could overflow.
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000)
) partition by range (id);

-- Besides, each partition has a unique index of keys (row_partitions_keep).
create index orders_by_customer on orders (customer_id, id);
create index orders_by_settlement on orders (settles_at_ms, product_id);

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

-- Serialises placement: a batch holds the lock on this row from reading the clock to commit. So batches are numbered without
-- gaps, in the order of their clock readings and of their commits.
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  -- Counts all batches, also those without an accepted order, which have no number.
  turns bigint not null default 0,
  -- Stops new orders, and nothing else.
  is_halted boolean not null default false,
  -- The same for single products.
  halted_products smallint[] not null default '{}'
) with (fillfactor = 10);

-- The number of orders that each customer sent in the second that began at `since`, for the limit on orders. The table is
-- unlogged, so a crash resets the counts.
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
    select time_ms from log_entries where index = _size - 1
      and (kind in (log_kind('tick'), log_kind('gap'), log_kind('orders'), log_kind('fix'), log_kind('close'))
      or kind = log_kind('text') and (starts_with(body, 'halt|') or starts_with(body, 'away|')))), 0)
$$;

-- The keys that were used before, by the places of their requests. Orders are looked for from an id on; a request without one is
-- left out.
create or replace function orders_known(_customers bigint[], _keys bytea[], _inputs bytea[], _from bigint[])
returns table (ord bigint, id bigint, is_same boolean)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
begin
  return query
  select o.ord, u.id, substr(u.input_hash, 1, 8) = substr(o.input, 1, 8)
  from unnest(_customers, _keys, _inputs, _from) with ordinality as o (customer_id, key, input, from_id, ord)
  cross join lateral (
    select n.id, n.input_hash from orders n
    where n.customer_id = o.customer_id and n.key_hash = substr(o.key, 1, 8) and n.id >= o.from_id
    union all
    select 0, n.input_hash from used_keys n where n.customer_id = o.customer_id and n.key_hash = o.key
    offset 0
  ) u
  where o.from_id is not null;
end $$;

-- Judges the requests of a batch in their order, each as if the ones accepted before it were orders already, and writes what it
-- accepts as orders. The transaction has to seal the batch (orders_seal). A batch has at most one request of each customer.
-- `_tokens`, `_keys`, `_inputs` and `_asked` hold the hashes of the session's token, of the key, of the request's fields and of
-- what the customer asked for; `_opens` has the opening times that customers named, `_not_after` their deadlines. Each request
-- needs a live and fresh session, which says whose it is. The function locks the balances and looks for keys that were used
-- before, while the batch before may still be under way; then it locks the placement head. Only later statements, whose snapshots
-- are newer, read the clock, the log's head and all other facts that decide.
-- The answer has a list for each of these fields, with a place for each request:
--   faults   null: it is an order. KNOWN: its key was used before, for the same request; KEY_REUSED: for another one. Else the
--            refusal
--   bounds   what the request missed, if the refusal names it; the order of a used key, 0 if that made none
--   ids, rules, rates, incomes, opens   the terms of orders
-- The plans are made once and must not scan tables, even if the tables were empty then: what is looked up by key is lateral.
create or replace function orders_place(
  _tokens bytea[], _keys bytea[], _inputs bytea[], _products smallint[], _assets smallint[], _minutes smallint[],
  _directions smallint[], _stakes bigint[], _not_after bigint[], _opens bigint[], _asked bytea[],
  _seen_sizes bigint[], _seen_roots bytea[]
) returns json
language plpgsql security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
declare
  _customers bigint[]; _sessions bigint[]; _available bigint[]; _held bigint[]; _faults text[]; _known record; _recent bigint;
  _is_new boolean; _bounds bigint[];
  _head placement_head; _log log_head; _now bigint; _terms record; _judged record; _ids bigint[]; _accepted int;
begin
  select array_agg(s.customer_id order by t.ord), array_agg(s.id order by t.ord),
    array_agg(case when s.id is null then 'REAUTH_REQUIRED' end order by t.ord), array_agg(null::bigint)
  into _customers, _sessions, _faults, _bounds
  from unnest(_tokens) with ordinality as t (token, ord)
  left join lateral (select * from sessions n where n.token_hash = t.token and session_lives(n, true) limit 1) s on true;
  if exists (select from unnest(_customers) c (id) where c.id is not null group by c.id having count(*) > 1) then
    perform refuse('BATCH_MISMATCH', 'a batch has two requests of one customer');
  end if;
  -- Locks the balances in ascending order.
  select array_agg(b.available order by o.ord), array_agg(b.held order by o.ord) into _available, _held
  from (select * from unnest(_customers, _assets) with ordinality as u (customer_id, asset_id, ord) order by 1, 2) o
  left join lateral (
    select n.available, n.held from ledger.balances n
    where n.owner_id = o.customer_id and n.asset_id = o.asset_id for no key update
  ) b on true;
  _recent := coalesce((select from_id from row_partitions where family = 'orders' order by number desc offset 2 limit 1), 0);
  for _known in select * from orders_known(_customers, _keys, _inputs, array(
    select case when o.ms is not null then _recent else 0 end from unnest(_opens) with ordinality as o (ms, ord) order by ord))
  loop
    _faults[_known.ord] := case when _known.is_same then 'KNOWN' else 'KEY_REUSED' end;
    _bounds[_known.ord] := _known.id;
  end loop;
  if array_position(_faults, null) is null then
    return json_build_object('faults', _faults, 'bounds', _bounds::text[]);
  end if;

  select * into strict _head from placement_head for update;
  -- The stakes of a batch are not held before its seal.
  if exists (select from order_batches where number = _head.next_batch - 1 and signed is null) then
    perform refuse('BATCH_MISMATCH', format('batch %s is not sealed yet', _head.next_batch - 1));
  end if;
  select * into strict _log from log_head;
  -- The log's clock as log_now() computes it, from the head just read.
  _now := greatest(ms_of(clock_timestamp()) + _log.offset_ms, _log.time_ms);
  perform trading_periods_keep(_products, _now);
  _terms := orders_judge(_head => _head, _log => _log, _now_ms => _now, _customers => _customers,
    _products => _products, _assets => _assets, _minutes => _minutes, _opens => _opens, _not_after => _not_after,
      _stakes => _stakes,
    _available => _available, faults => _faults, bounds => _bounds);
  -- Two more places of keys: older partitions, where the request is late and so refused; and, while a partition begins, the one
  -- before it, whose index does not stop a batch that waited for the head.
  _is_new := exists (select from row_partitions where family = 'orders'
    and first_order(_head.next_batch) >= from_id and first_order(_head.next_batch - 64) < from_id);
  if _recent > 0 or _is_new then
    for _known in select * from orders_known(_customers, _keys, _inputs, array(
      select case when o.fault is null then case when _is_new then _recent end when o.fault_before is null then 0 end
      from unnest(_terms.faults, _faults) with ordinality as o (fault, fault_before, ord) order by ord))
    loop
      _faults[_known.ord] := case when _known.is_same then 'KNOWN' else 'KEY_REUSED' end;
      _terms.faults[_known.ord] := _faults[_known.ord];
      _terms.bounds[_known.ord] := _known.id;
    end loop;
  end if;
  _judged := orders_judge_together(_now_ms => _now, _customers => _customers, _products => _products, _assets => _assets,
    _stakes => _stakes, _held => _held, _settles => _terms.settles, _rates => _terms.rates, _incomes => _terms.incomes,
    faults => _terms.faults, bounds => _terms.bounds);
  select array_agg(case when o.fault is null then first_order(_head.next_batch) - 1 + o.n end order by o.ord), max(o.n)
  into _ids, _accepted
  from (select u.*, count(*) filter (where u.fault is null) over (order by u.ord) as n
    from unnest(_judged.faults) with ordinality as u (fault, ord)) o;

  update placement_head set next_batch = _head.next_batch + sign(_accepted)::int, turns = turns + 1;
  insert into order_refusals (at_ms, refused, refusals)
  select _now, sum(r.refused), jsonb_object_agg(r.fault, r.refusals)
  from (
    select o.fault, count(*) as refused, jsonb_agg(jsonb_build_array(o.customer_id, o.asset_id) order by o.ord) as refusals
    from unnest(_judged.faults, _faults, _customers, _assets) with ordinality
      as o (fault, fault_before, customer_id, asset_id, ord)
    where o.fault is not null and o.fault_before is null group by 1
  ) r having count(*) > 0;
  if _accepted > 0 then
    insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, sessions)
    select _head.next_batch, _now, _log.size, _log.root, _accepted, array(
      select o.session from unnest(_ids, _sessions) with ordinality as o (id, session, ord) where o.id is not null
        order by o.ord);
    insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, asked, stake, income,
      rules_id, seen_size, seen_root, payout_rate_bps, product_id, asset_id, minutes, direction)
    select o.id, o.customer_id, substr(o.key, 1, 8), substr(o.input, 1, 8), _now, o.opens_ms, o.settles_ms, o.asked, o.stake,
      o.income, o.rules_id, o.seen_size, o.seen_root, o.rate, o.product_id, o.asset_id, o.minutes, o.direction
    from unnest(_ids, _customers, _keys, _inputs, _products, _assets, _minutes, _directions, _stakes, _asked, _seen_sizes,
      _seen_roots, _terms.opens, _terms.settles, _terms.rates, _terms.incomes, _terms.rules)
      as o (id, customer_id, key, input, product_id, asset_id, minutes, direction, stake, asked, seen_size, seen_root,
        opens_ms, settles_ms, rate, income, rules_id)
    where o.id is not null;
    insert into fixes_due (product_id, fix_ms)
    select distinct o.product_id, o.fix_ms
    from unnest(_ids || _ids, _products || _products, _terms.opens || _terms.settles) as o (id, product_id, fix_ms)
    where o.id is not null
    on conflict do nothing;
  end if;
  return json_build_object('batch', _head.next_batch, 'atMs', _now, 'logSize', _log.size, 'logRoot', encode(_log.root, 'hex'),
    'faults', _judged.faults, 'bounds', _judged.bounds::text[], 'ids', _ids, 'rules', _terms.rules, 'rates', _terms.rates,
    'incomes', _terms.incomes::text[], 'opens', _terms.opens);
end $$;

-- Seals the batch that orders_place has written in this transaction: keeps the signed root of its acceptances, and holds the
-- stakes by a transfer that has the root as its hash. Raises BATCH_MISMATCH for any other batch. At the end it reads the clock
-- again. It raises BATCH_LATE if the acceptance is more than 500 ms away.
create or replace function orders_seal(_batch bigint, _root bytea, _leaves bytea, _signed text) returns void
language plpgsql security definer set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _at_ms bigint; _ids bigint[]; _customers bigint[]; _assets smallint[]; _stakes bigint[];
begin
  update order_batches set root = _root, leaves = _leaves, signed = _signed where number = _batch and signed is null
  returning accepted_at_ms into _at_ms;
  if not found then
    perform refuse('BATCH_MISMATCH', format('batch %s was not placed by this transaction', _batch));
  end if;
  select array_agg(o.id), array_agg(o.customer_id), array_agg(o.asset_id), array_agg(o.stake)
  into _ids, _customers, _assets, _stakes from orders o where o.id >= first_order(_batch) and o.id < first_order(_batch + 1);
  if ledger.reserve('orders:' || _batch, _root, _customers, _assets, _stakes, _ids) is null then
    perform refuse('STAKES_MOVED', format('the stakes of batch %s are held already', _batch));
  end if;
  perform traded_days_add(_customers, _assets, _stakes, _at_ms);
  perform orders_tell(_customers, _ids);
  if abs(log_now() - _at_ms) > 500 then
    perform refuse('BATCH_LATE', 'the batch took too long');
  end if;
end $$;

-- Trigger at commit: a transaction that placed a batch can't commit before it seals the batch. So there is no order without a
-- stake and a signed acceptance.
create or replace function order_batches_demand_seal() returns trigger language plpgsql security definer as $$
begin
  if exists (select from order_batches where number = new.number and signed is null) then
    perform refuse('BATCH_MISMATCH', 'a placement batch was not sealed');
  end if;
  return null;
end $$;

drop trigger if exists order_batches_are_sealed on order_batches;
create constraint trigger order_batches_are_sealed after insert on order_batches deferrable initially deferred
  for each row execute function order_batches_demand_seal();
