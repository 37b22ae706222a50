-- The rules that decide about orders: one row per `rules` entry of the log, with the entry's index as id. Rows never change, and
-- an order keeps the rules of its acceptance. Only log_append inserts rows. The rules of a product are one sequence: numbered
-- from 1, each naming the hash of the one before. The trigger rules_admit admits only rules that two people approved
-- (office/rules-changes.sql) or that a feed brings without a change of payouts and limits.

create table rules (
  id bigint primary key,
  product_id smallint not null references products,
  n bigint not null check (n > 0),
  -- The leaf hash of the entry. Ticks, gaps and acceptances name rules by it.
  hash bytea not null unique check (octet_length(hash) = 32),
  effective_ms bigint not null,
  entry text not null,
  -- The proposal that the entry carries out; null if the feed brought the rules.
  proposal_id bigint references proposals,
  -- Payout rates in 1/10 000, by the minutes of the cycle.
  rates jsonb generated always as (rates_of(entry)) stored,
  delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  unique (product_id, n)
);

create unique index rules_by_proposal on rules (proposal_id, product_id) where proposal_id is not null;

-- The terms of an order by the rules, its asset and its length: the payout rate in 1/10 000, the least balance, the least stake,
-- and the greatest stake by level (a level that is absent has no bound). In smallest units. A trigger adds the rows.
create table rule_terms (
  rules_id bigint not null references rules,
  asset_id smallint not null references ledger.assets,
  minutes smallint not null,
  rate smallint not null,
  min_balance bigint not null,
  min_stake bigint not null,
  max_stakes jsonb not null,
  primary key (rules_id, asset_id, minutes)
);

-- ## Functions

-- The rows of rule_terms of a `rules` entry. Where a source is live, the cycle of one minute is for practice money only
-- (purchaseLimits in packages/trading/src/rules.ts).
create or replace function terms_of(_rules_id bigint, _entry text) returns setof rule_terms
stable language sql set search_path = public, pg_temp as $$
  select _rules_id, a.id, (c ->> 'minutes')::smallint, round((c ->> 'payoutRate')::numeric * 10000)::smallint,
    trunc((l ->> 'minBalance')::numeric * u.unit)::bigint, trunc((l ->> 'minPurchase')::numeric * u.unit)::bigint,
    (select jsonb_object_agg(v.key, trunc(m.amount * u.unit * v.value::int)) from jsonb_each_text(e.json -> 'levels') v
      where v.value is not null)
  from (select rules_json(_entry) as json offset 0) e
  cross join jsonb_array_elements(e.json -> 'limits') l
  join ledger.assets a on a.code = l ->> 'asset'
  cross join jsonb_array_elements(e.json -> 'cycles') c
  cross join lateral (select power(10::numeric, a.scale::numeric) as unit) u
  cross join lateral (
    select (s ->> 'amount')::numeric as amount from jsonb_array_elements(l -> 'max') with ordinality as e (s, n)
    where (c ->> 'minutes')::int <= (s ->> 'upToMinutes')::int order by n limit 1
  ) m
  where (c ->> 'minutes')::int > 1 or a.code = 'DEMO'
    or not exists (select from jsonb_each_text(e.json -> 'licences') n where n.value in ('public', 'licensed'))
$$;

create or replace function rules_add_terms() returns trigger language plpgsql security definer as $$
begin
  insert into rule_terms select * from terms_of(new.id, new.entry);
  return null;
end $$;

create or replace trigger rules_add_terms after insert on rules for each row execute function rules_add_terms();

-- The newest rules of a product, in force or not yet.
create or replace function rules_latest(_product smallint) returns rules stable language sql security definer as $$
  select r from rules r where r.product_id = _product order by r.n desc limit 1
$$;

-- Checks every new row, whoever appends it, and raises RULES_MISMATCH.
-- A price needs more than half of the sources, so that no absence of sources moves a price against a customer (decision 177).
-- The first rules of a product take effect at once, because no order can depend on them yet. They need no approval, but keep
-- within the bounds of payout_fault, and have the payouts and limits with which two people added it. A product that is closed for
-- good has no more. Later ones follow in number, hash and effective time, and take effect at least the longest cycle after they
-- are logged. Payouts and limits change only as two people approved.
create or replace function rules_admit() returns trigger language plpgsql security definer as $$
declare
  _symbol text := (select symbol from products where id = new.product_id);
  _json jsonb := rules_json(new.entry);
  _last rules := rules_latest(new.product_id);
  _before text := coalesce(encode(_last.hash, 'hex'), repeat('0', 64));
  _logged_ms bigint := (select time_ms from log_head);
begin
  if _json is null or _json ->> 'symbol' is distinct from _symbol or new.n <> coalesce(_last.n, 0) + 1
    or not starts_with(new.entry, format('rules|4|%s|%s|%s|%s|', _symbol, new.n, new.effective_ms, _before)) then
    perform refuse('RULES_MISMATCH', format('rules of %s do not follow those before', _symbol));
  end if;
  if not is_whole(_json -> 'delayMs', least_delay_ms(), 60000) then
    perform refuse('RULES_MISMATCH', format('the delay of %s is out of bounds', _symbol));
  end if;
  if not is_whole(_json -> 'quorum', jsonb_array_length(_json -> 'sources') / 2 + 1, jsonb_array_length(_json -> 'sources')) then
    perform refuse('RULES_MISMATCH', format('the quorum of %s is no majority of its sources', _symbol));
  end if;
  if not (is_whole(_json -> 'quietMs', 1, 86400000) and is_whole(_json -> 'waitMs', 0, 60000)) then
    perform refuse('RULES_MISMATCH', format('quietMs or waitMs of %s is out of bounds', _symbol));
  end if;
  if exists (select from products p where p.id = new.product_id and p.closes_on is not null) then
    perform refuse('RULES_MISMATCH', format('%s is closed for good', _symbol));
  end if;
  if _last.id is null then
    if payout_part(_json) <> (select p.payouts from products p where p.id = new.product_id) then
      perform refuse('RULES_MISMATCH', format('nobody approved these payouts and limits of %s', _symbol));
    end if;
    if payout_fault(_json) is not null then
      perform refuse('RULES_MISMATCH', format('%s of %s is out of bounds', payout_fault(_json), _symbol));
    end if;
    return new;
  end if;
  -- The head's time is old if the log had no writer for long. Then the wait counts from now, less a tolerance of a minute.
  if new.effective_ms < greatest(_logged_ms, log_now() - 60000) + longest_cycle_ms()
    or new.effective_ms <= _last.effective_ms then
    perform refuse('RULES_MISMATCH', format('rules of %s take effect too soon', _symbol));
  end if;
  select c.id into new.proposal_id from proposals c join rules_change_products p on p.proposal_id = c.id
    where c.kind in ('payout_table', 'feed_rules', 'product_end') and c.state = 'done'
      and (c.content ->> 'effectiveMs')::bigint = new.effective_ms
      and p.product_id = new.product_id and p.before_id = _last.id and p.rules = _json;
  if payout_part(_json) <> payout_part(rules_json(_last.entry))
    and not exists (select from proposals c where c.id = new.proposal_id and c.kind = 'payout_table') then
    perform refuse('RULES_MISMATCH', format('nobody approved these payouts and limits of %s', _symbol));
  end if;
  update products p set closes_on = (_json #>> '{schedule,until}')::date, revision = default
    from proposals c where p.id = new.product_id and c.id = new.proposal_id and c.kind = 'product_end';
  return new;
end $$;

create or replace trigger rules_admit before insert on rules for each row execute function rules_admit();

-- Checks that a product's state names the rules in force: those with the highest number whose effective time has come. It raises
-- RULES_MISMATCH. So replaced rules never come back. A product's first rules apply at once.
-- The trigger is deferred to the commit of the append, because the log's head has the append's time by then.
create or replace function rules_take_effect() returns trigger language plpgsql security definer as $$
declare
  _now bigint := log_now();
  _new rules;
begin
  select * into _new from rules r where r.id = new.rules_id and r.product_id = new.product_id;
  if _new.id is null or (old.rules_id is not null and _new.effective_ms > _now) then
    perform refuse('RULES_MISMATCH', format('rules %s of product %s are not in force', new.rules_id, new.product_id));
  end if;
  if exists (select from rules r where r.product_id = new.product_id and r.n > _new.n
    and r.effective_ms <= (select time_ms from log_head)) then
    perform refuse('RULES_MISMATCH', format('rules %s of product %s were replaced', new.rules_id, new.product_id));
  end if;
  return null;
end $$;

drop trigger if exists rules_take_effect on product_states;
create constraint trigger rules_take_effect after update on product_states deferrable initially deferred
  for each row when (new.rules_id is distinct from old.rules_id) execute function rules_take_effect();
