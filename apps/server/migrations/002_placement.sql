-- The door to new orders: two functions, called in one transaction, that decide nothing. They run with the rights of their
-- owner, so that nobody else needs any on what they write.

-- Opens a placement batch, of one request of each customer at most; `_keys` holds their hashes, 32 bytes each. Holds the
-- stakes of those who have them, which locks their balances, and looks for keys that were used before, beside a batch that is
-- still under way; then locks the placement head and only now, in statements of their own and so with newer snapshots, reads
-- the clock, the log's head and everything else that decides. What turns out to be refused is let go when the batch is closed.
-- What the house has taken on is read afterwards, by who knows what it has to know of it. Plans are made once, and look rows up by their keys even if the tables were empty then.
create function orders_open_batch(
  _customers bigint[], _assets smallint[], _stakes bigint[], _keys bytea, _products smallint[],
  out balances text, out levels json, out limits json, out known json, out facts json
) language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _batch bigint; _halted boolean; _log log_head; _now bigint; _holds int; _hash numeric;
begin
  select t.balances, t.holds, t.hash into strict balances, _holds, _hash from ledger.take(_customers, _assets, _stakes) t;
  select json_agg(json_build_array(k.ord - 1, used.id, encode(used.input_hash, 'hex'))) into known
  from unnest(_customers) with ordinality as k (customer_id, ord)
  cross join lateral (
    select o.id, o.input_hash from orders o
    where o.customer_id = k.customer_id and o.key_hash = substring(_keys from (k.ord * 32 - 31)::int for 32)
    union all
    select 0, u.input_hash from used_keys u
    where u.customer_id = k.customer_id and u.key_hash = substring(_keys from (k.ord * 32 - 31)::int for 32)
  ) used;
  select json_agg(json_build_array(c.id::text, c.level)) into levels
  from customers c where c.id = any (_customers) and c.level <> 'bronze';
  -- Customers' own limits and breaks (migration 026); whoever sets one waits for the balances that are locked now.
  limits := customer_limits_for(_customers, _assets, log_now());

  update placement_head set open_holds = _holds, open_hash = _hash where open_hash is null
  returning next_batch, is_halted into _batch, _halted;
  if not found then
    raise exception 'a placement batch is open already' using errcode = 'FT013';
  end if;
  select * into strict _log from log_head;
  -- The log's clock as log_now() tells it, from the head just read.
  _now := greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint + _log.offset_ms, _log.time_ms);
  facts := json_build_object(
    'batch', _batch, 'halted', _halted, 'now', _now,
    'logTime', _log.time_ms, 'logSize', _log.size, 'logRoot', encode(_log.root, 'hex'),
    'products', (
      select coalesce(json_agg(json_build_array(s.product_id, s.rules_id, s.orders_from_ms, p.exposure_group)), '[]')
      from product_states s join products p on p.id = s.product_id where s.product_id = any (_products)
    ),
    'assets', (
      select coalesce(json_agg(json_build_array(i.asset_id,
        (coalesce(h.balance, 0) - (i.amount - coalesce(s.amount, 0)))::text, i.product_limit::text, i.group_limit::text)), '[]')
      from promised_income i
      left join settled_income s using (asset_id)
      left join ledger.house_balances h on h.asset_id = i.asset_id and h.account = ledger.trading_account()
      where i.asset_id = any (_assets)
    )
  );
end $$;

-- Closes a placement batch: orders, the batch's signed root; the stakes of its orders are posted, those that were
-- held for the refused are let go, and together they are what was held. `_hashes` holds 96 bytes of each order: of its key, of
-- its input, and the root that the customer saw (zeros where none); `_left` what each customer has available now; `_busy_products` which products have orders for longer than before. The last
-- thing it does is read the clock again: whoever took longer than the rules allow gets LATE (FT010) and nothing happened.
create function orders_close_batch(
  _batch bigint, _accepted_at_ms bigint, _log_size bigint, _log_root bytea, _refused int, _refusals jsonb,
  _root bytea, _leaves bytea, _signed text, _late_after_ms bigint,
  _customers bigint[], _hashes bytea, _products smallint[], _assets smallint[], _minutes smallint[],
  _directions smallint[], _stakes bigint[], _incomes bigint[], _rates smallint[], _rules bigint[], _settles bigint[],
  _seen_sizes bigint[], _left bigint[],
  _let_go_customers bigint[], _let_go_assets smallint[], _let_go_stakes bigint[],
  _busy_products smallint[], _busy_until bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  _count int := coalesce(array_length(_customers, 1), 0);
  _first bigint := _batch * 1024;
  _ids bigint[] := array(select _first + i from generate_series(0, _count - 1) i);
  _holds int; _hash numeric;
begin
  select open_holds, open_hash into strict _holds, _hash from placement_head;
  if (_holds, _hash) is distinct from (
    select (count(*)::int, coalesce(sum(ledger.hold_hash(l.owner_id, l.asset_id, l.amount)), 0))
    from (
      select * from unnest(_customers, _assets, _stakes)
      union all
      select * from unnest(_let_go_customers, _let_go_assets, _let_go_stakes)
    ) l (owner_id, asset_id, amount)
  ) then
    raise exception 'batch % is to be closed with other stakes than were held for it', _batch using errcode = 'FT013';
  end if;
  insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, refused, refusals, root, leaves, signed)
  values (_batch, _accepted_at_ms, _log_size, _log_root, _count, _refused, _refusals, _root, _leaves, _signed);
  update placement_head set next_batch = _batch + 1, open_holds = null, open_hash = null;
  if cardinality(_let_go_customers) > 0 then
    perform ledger.let_go(_let_go_customers, _let_go_assets, _let_go_stakes);
  end if;
  if _count > 0 then
    perform demand_customer_limits(_customers, _assets, _stakes, _accepted_at_ms);
    insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, settles_at_ms, stake, income, rules_id,
      seen_size, seen_root, payout_rate_bps, product_id, asset_id, minutes, direction)
    select _first + o.ord - 1, o.customer_id, substring(_hashes from o.at for 32), substring(_hashes from o.at + 32 for 32),
      _accepted_at_ms, o.settles_at_ms, o.stake, o.income, o.rules_id,
      o.seen_size, case when o.seen_size is not null then substring(_hashes from o.at + 64 for 32) end,
      o.rate, o.product_id, o.asset_id, o.minutes, o.direction
    from (
      select *, (ord * 96 - 95)::int as at
      from unnest(_customers, _products, _assets, _minutes, _directions, _stakes, _incomes, _rates, _rules, _settles, _seen_sizes)
        with ordinality
        as u (customer_id, product_id, asset_id, minutes, direction, stake, income, rate, rules_id, settles_at_ms, seen_size, ord)
    ) o;
    if ledger.post_taken('orders:' || _batch, _root, _customers, _assets, _stakes, _left, _ids) is null then
      raise exception 'the stakes of batch % are held already', _batch using errcode = 'FT012';
    end if;
    if cardinality(_busy_products) > 0 then
      insert into busy_products as b (product_id, until_ms)
      select product_id, max(until_ms) from unnest(_busy_products, _busy_until) as n (product_id, until_ms) group by 1
      on conflict (product_id) do update set until_ms = greatest(b.until_ms, excluded.until_ms);
    end if;
    update promised_income p set amount = p.amount + n.amount
    from (select asset_id, sum(income) as amount from unnest(_assets, _incomes) as u (asset_id, income) group by 1) n
    where p.asset_id = n.asset_id;
    perform orders_tell(_customers, _ids);
  end if;
  if abs(log_now() - _accepted_at_ms) > _late_after_ms then
    raise exception 'the batch took too long' using errcode = 'FT010';
  end if;
end $$;

-- Stakes that were held for a batch never stay without one: the transaction that opened it can't commit before it is closed.
create function orders_demand_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from placement_head where open_hash is not null) then
    raise exception 'a placement batch was opened and not closed' using errcode = 'FT013';
  end if;
  return null;
end $$;
create constraint trigger placement_is_closed after update on placement_head deferrable initially deferred
  for each row when (new.open_hash is not null) execute function orders_demand_closed();
