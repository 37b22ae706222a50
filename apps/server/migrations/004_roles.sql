-- What the server may do. It reads; into the tables of record it only inserts; everything else, a price, an outcome or a
-- balance, goes through functions that their owner holds to the rules.
do $$ begin
  if not exists (select from pg_roles where rolname = 'fairtick_server') then
    create role fairtick_server login;
  end if;
  -- Where one address serves both, the server's connections become this role.
  execute format('grant fairtick_server to %I', current_user);
end $$;

revoke all on schema public from public;
revoke all on all functions in schema public, ledger from public;
-- Functions of later migrations are nobody's until they are granted.
alter default privileges revoke execute on functions from public;
grant usage on schema public, ledger to fairtick_server;
grant select on all tables in schema public, ledger to fairtick_server;

-- Tables of record.
grant insert on used_keys, login_events, recovery_requests, settled_promises to fairtick_server;

-- Whoever settles locks orders first, and a lock takes the right to change a column. This one alone, and while it is null: a
-- check of the table lets it change with the result only, which nobody but orders_settle may write.
grant update (settled_at_ms) on orders to fairtick_server;
alter table orders enable row level security;
create policy orders_read on orders for select to fairtick_server using (true);
create policy orders_settle on orders for update to fairtick_server
  using (settled_at_ms is null) with check (settled_at_ms is not null);

-- Working state that is not of record.
grant update on settlement_head to fairtick_server;
grant insert, update on leases to fairtick_server;
grant insert, update, delete on watched_products to fairtick_server;
grant insert, update, delete on throttles to fairtick_server;
grant insert, update on order_counts to fairtick_server;
grant insert on log_bundles, candle_histories, feed_seeds, candles to fairtick_server;
grant delete on candles to fairtick_server;
grant update (is_committed, is_revealed) on feed_seeds to fairtick_server;

-- Identity: never the id, the account, the level or the state of a verification.
grant insert (account, nickname, password_hash, country, risk_accepted_at, language) on customers to fairtick_server;
grant update (nickname, password_hash, language, watchlist) on customers to fairtick_server;
grant insert, delete on sessions to fairtick_server;
grant update (last_used_at, fresh_until, user_agent, address) on sessions to fairtick_server;
grant insert, update (used_at), delete on recovery_codes to fairtick_server;

grant execute on function
  ledger.external_account, ledger.trading_account, ledger.lock_balances, ledger.open_balances,
  ledger.reset_practice, ledger.violations,
  log_partition_size, log_begin, log_acquire, log_release, log_now, log_append, log_drop_archived,
  settlement_time, orders_tell, orders_open_batch, orders_close_batch, orders_due, orders_due_products, orders_settle, orders_advance_settlement,
  roll_up_house
  to fairtick_server;
