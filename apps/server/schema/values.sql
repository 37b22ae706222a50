-- Functions that columns, indexes and constraints of tables use, and the one that refuses. They are applied before all tables.
create schema if not exists ledger;

-- Refuses what was asked, by name: an error of SQLSTATE FT000 with the refusal's name as its constraint.
create or replace function refuse(_name text, _message text, _detail text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'FT000', message = _message, detail = _detail, constraint = _name;
end $$;

-- A place in the order of postings for something that moves nothing, so that a statement can show both in one order.
create or replace function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;

create or replace function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;

create or replace function sealed_key(_sealed bytea) returns bytea immutable language sql as 'select substring(_sealed from 2 for 4)';

-- The highest minimum that a withdrawal may have: a tenth of what takes two approvals. Nobody's money is locked in by a bound
-- that it does not reach. Assets as seeded: 2 USDT, 3 USD, 4 BTC, 5 ETH.
create or replace function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _asset when 2 then 500000000 when 3 then 50000 when 4 then 1000000 when 5 then 20000000 end::bigint
$$;

-- One payment is one reference, however it is typed.
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$ select lower(regexp_replace(_reference, '\s', '', 'g')) $$;

-- The JSON of an entry of rules.
create or replace function rules_json(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select substring(_entry from '^rules\|1\|[^|]*\|[0-9]+\|(.*)$')::jsonb
$$;

-- How much of a rate in millionths makes one unit of interest a day: 365 days of a million.
create or replace function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';

-- Reads the payout rates in basis points, by minutes, out of the text of a rules entry.
create or replace function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;
