-- Functions that columns, indexes and constraints of tables use, and `refuse`, which raises all refusals. This file is applied
-- before all tables.

create schema if not exists ledger;

-- Refuses a request: raises an error of the project's own SQLSTATE, with the refusal's name as the constraint name.
create or replace function refuse(_name text, _message text, _detail text default '') returns void language plpgsql as $$
begin
  raise exception using errcode = 'FT000', message = _message, detail = _detail, constraint = _name;
end $$;

-- A time in whole Unix milliseconds.
create or replace function ms_of(_at timestamptz) returns bigint
stable language sql as $$ select floor(extract(epoch from _at) * 1000)::bigint $$;

-- The languages of the product, as in packages/protocol/src/languages.ts.
create or replace function languages() returns text[]
immutable language sql as $$ select array['zh', 'tw', 'en'] $$;

-- Tells whether `_texts` is an object with a text for each language, and each text has 1 to `_most` characters.
create or replace function is_localised(_texts jsonb, _most int) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _texts ?& languages() and not exists (
    select from jsonb_each(_texts) where jsonb_typeof(value) <> 'string' or length(value #>> '{}') not between 1 and _most)
$$;

-- The number of a kind of log entries, as in LOG_KINDS (apps/server/src/market/log/log-kinds.ts); `text` is any other entry. A
-- tick or a gap has at most the number of a gap.
create or replace function log_kind(_name text) returns smallint immutable language sql as $$
  select case _name when 'tick' then 1 when 'gap' then 2 when 'orders' then 3 when 'rules' then 4 when 'text' then 5
    when 'fix' then 6 when 'close' then 7 end::smallint
$$;

-- An order's id is batch * orders_per_batch() + place, so that a batch is a range of ids and later orders have higher ids.
create or replace function orders_per_batch() returns bigint immutable language sql as 'select 1024::bigint';

create or replace function first_order(_batch bigint) returns bigint
immutable language sql as 'select _batch * public.orders_per_batch()';

create or replace function batch_of(_order bigint) returns bigint
immutable language sql as 'select _order / public.orders_per_batch()';

-- The id of an asset, as apps/server/src/commands/seeded-assets.ts seeds it.
create or replace function asset_number(_code text) returns smallint immutable language sql as $$
  select case _code when 'DEMO' then 1 when 'USDT' then 2 when 'USD' then 3 when 'BTC' then 4 when 'ETH' then 5 end::smallint
$$;

-- The lifecycles of packages/protocol/src/lifecycles.ts; a test compares both. Of each status: its steps, and where they may
-- lead.
create or replace function lifecycles() returns jsonb immutable language sql as $$ select '{
  "deposit": {"review": {"found": ["review"], "approved": ["review"], "credited": ["success"], "failed": ["failure"],
    "ignored": ["ignored"], "cancelled": ["ignored"], "lapsed": ["ignored"]}, "success": {}, "failure": {}, "ignored": {}},
  "withdrawal": {
    "review": {"proposed": ["review"], "approved": ["review", "approved"], "failed": ["failure"], "cancelled": ["ignored"],
      "lapsed": ["ignored"], "answered": ["sending"]},
    "approved": {"proposed": ["review"], "taken": ["sending"], "failed": ["failure"], "answered": ["sending"]},
    "sending": {"paid": ["success"], "not_sent": ["approved"], "answered": ["sending"]},
    "success": {}, "failure": {}, "ignored": {}},
  "verification": {"pending": {"verified": ["verified"], "failed": ["failed"]}, "verified": {}, "failed": {}},
  "realName": {"none": {"submitted": ["pending"]}, "pending": {"verified": ["verified"], "failed": ["failed"]}, "verified": {},
    "failed": {"submitted": ["pending"]}},
  "proposal": {"proposed": {"replaced": ["proposed"], "done": ["done"], "refused": ["refused"]}, "done": {}, "refused": {}},
  "chainDeposit": {"seen": {"mined": ["confirming"], "dropped": ["reverted"]},
    "confirming": {"unmined": ["seen"], "credited": ["credited"], "held": ["held"], "refused": ["unmatched"]},
    "credited": {"finalised": ["final"], "dropped": ["reverted"]},
    "held": {"credited": ["credited"], "refused": ["unmatched"], "dropped": ["reverted"]},
    "unmatched": {"dropped": ["reverted"]}, "reverted": {"mined": ["confirming", "unmatched"]}, "final": {}},
  "payout": {"prepared": {"signed": ["sending"], "lost": ["failed"], "unsigned": ["failed"], "expired": ["failed"]},
    "sending": {"sent": ["sent"], "mined": ["confirmed"], "paid": ["paid"], "reverted": ["failed"], "lost": ["failed"],
      "expired": ["failed"]},
    "sent": {"mined": ["confirmed"], "paid": ["paid"], "reverted": ["failed"], "lost": ["failed"], "expired": ["failed"]},
    "confirmed": {"unmined": ["sent"], "paid": ["paid"], "reverted": ["failed"], "lost": ["failed"]}, "paid": {}, "failed": {}},
  "recovery": {"open": {"proposed": ["proposed"], "refused": ["refused"]},
    "proposed": {"proposed": ["proposed"], "approved": ["approved"], "refused": ["refused"]}, "approved": {}, "refused": {}}
}'::jsonb $$;

-- Whether a lifecycle has a step; null stands for any step or status.
create or replace function has_step(_lifecycle text, _from text, _step text default null, _to text default null) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select exists (select from jsonb_each(lifecycles() -> _lifecycle -> _from) s
    where s.key = coalesce(_step, s.key) and (_to is null or s.value ? _to))
$$;

-- Trigger: keeps a table to its lifecycle, the first argument. The second is the column or function of its status. A row may keep
-- a status that is not final.
create or replace function keep_lifecycle() returns trigger language plpgsql as $$
declare
  _status constant text := format('select ($1).%I', tg_argv[1]);
  _from text;
  _to text;
begin
  execute _status into _from using old;
  execute _status into _to using new;
  if not has_step(tg_argv[0], _from, _to => case when _from <> _to then _to end) then
    perform refuse('INVALID_REASON', format('a %s does not go from %s to %s', tg_argv[0], _from, _to));
  end if;
  return new;
end $$;

-- Takes the next posting id for something that moves no money, so that the fund log lists it among postings in one order.
create or replace function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;

-- The side of a staff role. All roles of an account are on one side.
create or replace function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;

create or replace function content_hash(_content jsonb) returns bytea
immutable language sql set search_path = public, pg_temp as $$ select sha256(convert_to(_content::text, 'UTF8')) $$;

-- The id of the key that a value is sealed with: its bytes 2 to 5.
create or replace function sealed_key(_sealed bytea) returns bytea
immutable language sql as 'select substring(_sealed from 2 for 4)';

-- The highest minimum that withdrawals of an asset may have, in its smallest unit: a tenth of the amount above which two
-- approvals are needed. So staff can't set a minimum that most balances don't reach.
create or replace function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select case _asset when asset_number('USDT') then 500000000 when asset_number('USD') then 50000
    when asset_number('BTC') then 1000000 when asset_number('ETH') then 20000000 end::bigint
$$;

-- Whether terms of withdrawals keep within their bounds. The fee takes at most a fifth of the smallest withdrawal.
create or replace function withdrawal_terms_hold(_asset smallint, _min bigint, _max bigint, _fee bigint) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _fee >= 0 and _fee * 5 <= _min and _min <= _max and _min <= withdrawal_min_cap(_asset)
$$;

-- The normal form of a payment's reference, so that two spellings count as one payment: compatible forms of a character are one
-- (NFKC), without ASCII spaces and punctuation and the two Chinese characters that are a stroke, in lower case, with o as 0 and i
-- and l as 1.
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select translate(lower(regexp_replace(normalize(_reference, NFKC), '[\u0001-/:-@\[-`{-\u007f\u4e00\u4e28]', '', 'g')
    collate "C"), 'oil', '011')
$$;

-- The creditor reference (ISO 11649) of a number of eight digits: RF, two check digits by which the whole is 1 modulo 97, the
-- number. `2715` is RF in digits.
create or replace function creditor_reference(_number bigint) returns text immutable strict language sql as $$
  select format('RF%s%s', lpad((98 - (_number * 1000000 + 271500) % 97)::text, 2, '0'), _number)
$$;

-- The number of the first creditor reference with right check digits in a text, however it is grouped; -1: only wrong ones; null:
-- none.
create or replace function creditor_number(_text text) returns bigint
immutable language sql set search_path = public, pg_temp as $$
  select (array_agg(case when creditor_reference(m[1]::bigint) = 'RF' || m[2] || m[1] then m[1]::bigint else -1 end
    order by creditor_reference(m[1]::bigint) = 'RF' || m[2] || m[1] desc, place))[1]
  from (
    select array[r[2], r[1]] as m, place
    from regexp_matches(regexp_replace(upper(normalize(_text, NFKC)), '[^0-9A-Z]', '', 'g'), 'RF(\d{2})([1-9]\d{7})', 'g')
      with ordinality as t (r, place)
  ) found
$$;

-- The form in which addresses of chains are compared: on Ethereum the letters' case is only a checksum.
create or replace function address_key(_address text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case when _address ~* '^0x' then lower(_address) else _address end
$$;

-- Raises EVIDENCE_UNCLEAR unless a reference has letters or digits and, once full-width forms are narrow, only ASCII and Chinese
-- characters: letters of other scripts and other dashes look the same as ASCII ones and would make one payment two.
create or replace function demand_reference(_reference text) returns void language plpgsql as $$
begin
  if normalize(_reference, NFKC) !~ '^[ -~\u3400-\u4dbf\u4e00-\u9fff]+$' or reference_key(_reference) = '' then
    perform refuse('EVIDENCE_UNCLEAR', 'the reference has other characters than ASCII and Chinese ones, or no letter or digit');
  end if;
end $$;

-- The JSON of a log entry `rules|4|symbol|n|effectiveMs|previousHash|json`; null if the text is no such entry.
create or replace function rules_json(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select substring(_entry from '^rules\|4\|[^|]*\|[0-9]+\|[0-9]+\|[0-9a-f]{64}\|(.*)$')::jsonb
$$;

-- A day's interest is principal * annual rate in millionths / earning_divisor(): 365 days times a million.
create or replace function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';

-- The payout rates of a `rules` entry, in 1/10 000, as an object by the minutes of the cycle.
create or replace function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;
