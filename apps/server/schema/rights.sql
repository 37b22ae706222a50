-- The roles of the running server and all of their rights. They read what is listed and insert into tables of record.
-- Prices, outcomes and balances change only through functions that run with their owner's rights.
-- Only fairtick_chain, the login of the role `chain`, records payments on chains: a process that customers reach can't claim
-- one. The file revokes all rights first, so it lists every right that the roles have.

do $$
declare
  _role text;
begin
  foreach _role in array '{fairtick_server,fairtick_chain}'::text[] loop
    if not exists (select from pg_roles where rolname = _role) then execute format('create role %I login', _role); end if;
    -- The owner becomes a member, so that its connections can switch to this role.
    execute format('grant %I to %I', _role, current_user);
  end loop;
end $$;

revoke all on schema public from public;
revoke all on all functions in schema public, ledger from public, fairtick_server, fairtick_chain;
revoke all on all tables in schema public, ledger from fairtick_server, fairtick_chain;
revoke all on all sequences in schema public, ledger from fairtick_server, fairtick_chain;
-- Only the owner may execute a new function until this file grants it.
alter default privileges revoke execute on functions from public;

-- Functions in PL/pgSQL, and all with their owner's rights, find names in their own schema alone, whatever path a caller has set.
do $$
declare
  _function regprocedure;
  _schema regnamespace;
begin
  for _function, _schema in
    select p.oid, p.pronamespace from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace in ('public'::regnamespace, 'ledger'::regnamespace) and p.proowner = current_user::regrole
      and (p.prosecdef or l.lanname = 'plpgsql')
      and not exists (select from unnest(p.proconfig) c where starts_with(c, 'search_path='))
  loop
    execute format('alter function %s set search_path = %s, pg_temp', _function,
      case _schema when 'public'::regnamespace then 'public' else 'pg_catalog' end);
  end loop;
end $$;

grant usage on schema public, ledger to fairtick_server, fairtick_chain;
-- The role reads these tables. A new table is readable only after it is added here. Passwords' and codes' hashes are read,
-- because the server checks passwords and SQL can't. Left out are hashes of session tokens and codes, which only functions
-- compare, and what only functions use.
grant select on ledger.assets, ledger.transfers, ledger.postings, ledger.balances, ledger.house_movements, ledger.house_balances,
  ledger.house_watermark, house_settings, leases, throttles to fairtick_server;
grant select on customers, used_keys, login_events, session_log, sessions_known_since, recovery_codes, recovery_requests,
  customer_second_factors, customer_challenges, former_factors, former_passwords, data_exports, data_keys, uploads, verifications,
  verification_events, bank_cards, crypto_addresses, destinations, withdrawal_passwords, personal_data_views, notices,
  protected_customers, customer_limits, traded_days, protection_events, account_freezes, legal_holds, customer_notes,
  staff_searches, flag_rules, flag_tasks, screening_lists, screening_entries, screening_hits, vendors, vendor_inquiries to
  fairtick_server;
grant select (id, customer_id, created_at, last_used_at, fresh_until, proved_at, user_agent, address) on sessions to
  fairtick_server;
grant select on staff, staff_roles, staff_customers, staff_login_events, staff_session_log, staff_second_factors,
  staff_challenges, audit_log, audit_head, audit_runs, four_eyes_rules, four_eyes_amounts, proposals, content_edits, approvals,
  rules_change_products, report_exports to fairtick_server;
grant select (id, staff_id, created_at, last_used_at, proved_until, is_strong, user_agent, address) on staff_sessions to
  fairtick_server;
grant select on products, rules, rule_terms, product_states, candles, candle_histories, venue_candles, tick_statistics,
  source_statistics, live_sources, signed_updates, log_entries, log_nodes, log_bundles, log_head, log_checkpoints,
  log_cosignatures, log_keys, log_halts, logged_batches, logged_fixes, fixes_due, public_heads, feed_seeds to fairtick_server;
grant select on deposit_channels, withdrawal_terms, deposit_requests, withdrawal_requests, request_events, corrections,
  chain_customers, chain_addresses, chain_heads, chain_blocks, chain_deposits, address_leaves, address_roots,
  chain_holdings, payout_batches, payouts, payout_signatures, payout_accounts, payout_transactions, statement_imports,
  statement_lines, statement_explanations, deposit_references, bank_files, bank_file_payments, reconciliations, earning_rates,
  earning_accounts, earning_interest, earning_head, earning_set_aside to fairtick_server;
grant select on order_batches, placement_head, orders, order_results, orders_and_results, promised_income, settled_income,
  settled_promises, settlement_head, busy_products, minute_incomes, watched_products, order_counts, trading_halts,
  price_alerts, row_partitions to fairtick_server;
grant select on chats, chat_messages, chat_notes, chat_steps, canned_answers, news_covers, news_items, news_versions, news_texts,
  news_visible, liability_days, liability_leaves, liability_levels, order_statistics, void_statistics, customer_results,
  delay_statistics, gap_statistics, fix_statistics, source_aways, refusal_statistics, statistics_mark to fairtick_server;

-- Tables of record: the server adds rows and changes none.
grant insert on used_keys, signed_updates to fairtick_server;
-- The server records failed logins, at the time of the row; successful ones are recorded by the functions that begin a session.
grant insert (customer_id, is_success, user_agent, address) on login_events to fairtick_server;
grant insert (staff_id, is_success, user_agent, address) on staff_login_events to fairtick_server;
alter table login_events enable row level security;
drop policy if exists login_events_read on login_events;
create policy login_events_read on login_events for select to fairtick_server using (true);
drop policy if exists login_events_failed on login_events;
create policy login_events_failed on login_events for insert to fairtick_server with check (is_success is not true);
alter table staff_login_events enable row level security;
drop policy if exists staff_login_events_read on staff_login_events;
create policy staff_login_events_read on staff_login_events for select to fairtick_server using (true);
drop policy if exists staff_login_events_failed on staff_login_events;
create policy staff_login_events_failed on staff_login_events for insert to fairtick_server with check (is_success is not true);
-- A call for help: the customer's part of the row. Functions write the review.
grant insert (id, account, sealed, address, place) on recovery_requests to fairtick_server;

-- Working state of the processes.
grant insert, update on leases, order_counts to fairtick_server;
grant insert, update, delete on watched_products, throttles to fairtick_server;
grant select, insert, delete on outbox to fairtick_server;
grant insert on candle_histories to fairtick_server;
grant insert, delete on candles, venue_candles to fairtick_server;
grant insert (date, sealed_secret), update (is_committed, is_revealed) on feed_seeds to fairtick_server;

-- Customers: the server never changes the id, the account, the level or the state of a verification.
grant insert (account, nickname, password_hash, country, risk_accepted_at, language), update (nickname, password_hash, language,
  watchlist) on customers to fairtick_server;
-- The server makes recovery codes for customers, but no code that removes a factor.
grant insert (customer_id, code_hash), update (used_at), delete on recovery_codes to fairtick_server;
-- A factor's secret, key and owner never change.
grant insert, update (last_step, early_step, counter, confirmed_at, last_used_at), delete on customer_second_factors to
  fairtick_server;
grant update (last_step, early_step, counter, last_used_at) on former_factors to fairtick_server;
grant insert, delete on customer_challenges to fairtick_server;

-- A customer's number and addresses for deposits are never changed.
grant insert (customer_id) on chain_customers to fairtick_server;
grant insert (chain, number, address) on chain_addresses to fairtick_server;

-- Personal data: the server never changes a sealed value. The rotation of keys runs as the owner.
grant usage on sequence personal_data_ids to fairtick_server;
grant insert (id) on data_keys to fairtick_server;
grant insert (id, customer_id, purpose, file, key_id, width, height, bytes, sha256) on uploads to fairtick_server;
grant insert (id, card_id, customer_id, sealed, last4, number_index, country), update (removed_at) on bank_cards to
  fairtick_server;
grant insert (id, customer_id, asset, network, sealed, address_index), update (removed_at) on crypto_addresses to fairtick_server;
grant insert (staff_id, customer_id, what, subject_id) on personal_data_views to fairtick_server;

-- Staff: the server changes passwords, languages and factors, but never roles or whether an account is active.
grant update (password_hash, must_change_password, language) on staff to fairtick_server;
grant insert, update (last_step, early_step, counter, confirmed_at, last_used_at), delete on staff_second_factors to
  fairtick_server;
grant insert, delete on staff_challenges to fairtick_server;

-- Functions, about one statement per folder of the schema.
grant execute on function refuse, tell, ms_of, languages, lifecycles, log_kind, orders_per_batch, first_order, batch_of,
  asset_number to fairtick_server;
grant execute on function sealed_key, withdrawal_min_cap, rules_json, terms_of, bundle_texts, bundle_root, reference_key to
  fairtick_server;
grant execute on function ledger.external_account, ledger.trading_account, ledger.fees_account, ledger.lock_balances,
  ledger.open_balances, ledger.digest, ledger.reset_practice, ledger.practice_resets_a_day, roll_up_house,
  row_partitions_keep, row_ids_reached, ledger.earnings_account, ledger.violations to fairtick_server;
grant execute on function hold_interval to fairtick_server;
grant execute on function levels_advance, identity_tidy, customer_close, data_export_begin, logins_held_tell, session_begin,
  sessions_look, session_touch, session_end, proof_holds, session_prove, verification_submit, verification_claim_time,
  verification_claim, verification_release, verification_decide, hold_until, withdrawal_password_try, withdrawal_password_right,
  withdrawal_password_set, recovery_propose, recovery_proposed, recovery_state, recovery_keep, recovery_refuse, take_back_time,
  first_loss, stood, account_take_back, claim_object, claim_hold_until, claim_holds_until, claim_waits, claim_approved,
  period_start_ms, period_end_ms, limits_used, limit_set, reminder_set, break_take, document_refused, freeze_start,
  freeze_propose, customer_note, flags_of, search_keep, flag_tasks_find, flag_task_close, flag_rule_propose, screening_version,
  screening_due, screening_record, screening_propose, vendor_take, vendor_answer, vendor_failed, vendor_event, legal_hold_propose,
  legal_hold_propose_lift, notices_read to fairtick_server;
grant execute on function staff_may, staff_session_begin, staff_session_look, staff_session_show, staff_session_end, audit_verify,
  audit_own, audit_due, audit_keep, record_edit, approve, approvals_of, approvals_needed, demand_approvals, amount_before,
  proposal_approve, proposal_refuse, staff_create, staff_propose, staff_disable, is_own_customer, staff_declare_customer,
  rules_propose, rules_due, product_propose, rules_standing, report_order, report_begin, report_end, ledger_head_now to
  fairtick_server;
grant execute on function day_start, log_partition_size, log_begin, log_acquire, log_release, log_now, log_append, log_archive,
  log_drop_archived, heads_take, head_fields, heads_owed, heads_logged, heads_verify, halt_begins, halts_owed, halts_logged,
  price_statistics_add, live_sources_report, lag_bounds, lag_quantile, log_cosign to fairtick_server;
grant execute on function channel_best, current_channels, channel_propose, withdrawal_terms_propose, house_capital_propose,
  deposit_submit, deposit_cancel, deposit_find, deposit_approve, deposit_refuse, deposit_standing, withdrawal_submit,
  withdrawal_max, withdrawal_cancel, withdrawal_propose, destination_seen, withdrawal_approve, withdrawal_send, withdrawal_paid,
  payout_answered, payout_end_propose, payout_prepare, payout_replace, payout_sign, withdrawal_refuse, withdrawal_standing,
  request_claim, request_release, request_lapses_at, request_lapse_one, correction_propose, correction_standing,
  statement_states, statement_import, statement_undo, statement_explain, statement_sign, deposit_reference, creditor_reference,
  bank_file_take, bank_file_sealed, bank_file_open, bank_file_book, reconciliation_findings, reconcile, reconcile_daily_step,
  trial_balance, earning_today, earning_rate_on, earning_rate_propose, earning_accrue, earning_look,
  earning_move to fairtick_server;
grant execute on function orders_place, orders_seal, orders_tell, orders_due, orders_void, orders_settle, orders_correct,
  settlement_lanes_lock,
  orders_advance_settlement, most_fix_wait_ms, longest_cycle_ms, trading_halt, trading_propose_lift, trading_lift_proposed,
  alerts_at_most, alert_add, alert_remove, alerts_fire to fairtick_server;
grant execute on function chat_wait, chat_send, chat_mark, chat_typing, chat_claim_time, chat_claim, chat_release, chat_hand_over,
  chat_answer, chat_note, chat_seen, chat_staff_typing, canned_set, canned_remove to fairtick_server;
grant execute on function news_save, news_publish, news_unschedule, news_withdraw, news_add_cover, news_import to fairtick_server;
grant execute on function address_roots_owed, address_root_logged, address_leaf_hash, merkle_root to fairtick_server;
grant execute on function chain_holdings_entry, chain_holdings_owed, chain_holdings_logged to fairtick_server;
grant execute on function liabilities_keep, liabilities_at, liabilities_due, liabilities_owed, liabilities_logged,
  liabilities_tidy, statistics_advance to fairtick_server;

-- The watcher of chains: its lease, what it compares, and what it records.
grant select, insert, update on leases to fairtick_chain;
grant select on ledger.assets, ledger.balances, log_head, chain_customers, chain_addresses, chain_heads, chain_blocks,
  chain_deposits, payout_batches, payouts, payout_signatures, payout_accounts to fairtick_chain;
grant execute on function chain_begin, chain_read, chain_rewind, chain_finalise, chain_credit, chain_refuse, chain_take_back,
  chain_holdings_due, chain_holdings_take, address_root_take, log_now, payout_account_look, payout_sent, payout_seen,
  payout_finish, payout_transactions_read, payout_expire to fairtick_chain;
