-- The server reads what the ledger has of practice money (its migration 006), as it reads everything, and says how often it may
-- be set back.
grant select on ledger.practice_resets to fairtick_server;
grant execute on function ledger.practice_resets_a_day to fairtick_server;
