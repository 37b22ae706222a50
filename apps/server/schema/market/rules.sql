-- The rules that decide about orders: one row per `rules` entry of the log, with the entry's index as id. Rows never change, and
-- an order keeps the rules of its acceptance. Only log_append inserts rows. The trigger rules_admit admits only rules that two
-- people approved (office/rules-changes.sql) or that a feed brings without a change of payouts and limits.

create table rules (
  id bigint primary key,
  product_id smallint not null references products,
  -- The leaf hash of the entry. Ticks and acceptances name rules by it.
  hash bytea not null unique check (octet_length(hash) = 32),
  effective_ms bigint not null,
  entry text not null,
  -- The proposal that the entry carries out; null if the feed brought the rules.
  proposal_id bigint references proposals,
  -- Payout rates in 1/10 000, by the minutes of the cycle.
  rates jsonb generated always as (rates_of(entry)) stored,
  delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  settle_bound_ms bigint generated always as ((rules_json(entry) ->> 'settleBoundMs')::bigint) stored
);

create unique index rules_by_proposal on rules (proposal_id, product_id) where proposal_id is not null;

create index rules_by_product on rules (product_id, id);

-- ## Functions

-- The newest rules of a product in a feed's scope, in force or not yet.
create or replace function rules_latest(_feed text, _product smallint) returns rules
stable language sql security definer set search_path = public, pg_temp as $$
  select r from rules r join products p on p.id = r.product_id
  where r.product_id = _product and split_part(r.entry, '|', 3) = _feed || '/' || p.symbol order by r.id desc limit 1
$$;

-- Checks every new row, whoever appends it, and raises RULES_MISMATCH. A scope is a feed and a product.
-- The first entry of a scope takes effect at once, because no order can depend on it yet. A later entry takes effect after the
-- scope's entries before it, and at least the longest cycle after it is logged.
-- Payouts and limits belong to the product, not to the feed. Every entry has those that two people approved, even the first entry
-- of a feed that is new to the product. The first rules of a product need no approval, but keep within the bounds of payout_fault.
create or replace function rules_admit() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _scope text := split_part(new.entry, '|', 3);
  _json jsonb := rules_json(new.entry);
  _last rules := rules_latest(split_part(_scope, '/', 1), new.product_id);
  _logged_ms bigint := (select time_ms from log_head);
begin
  if _json is null or split_part(new.entry, '|', 4) <> new.effective_ms::text or _scope
      <> split_part(_scope, '/', 1) || '/' || (select symbol from products where id = new.product_id) then
    perform refuse('RULES_MISMATCH', 'rules of another product or time than their entry says');
  end if;
  if not exists (select from rules r where r.product_id = new.product_id) then
    if payout_fault(_json) is not null then
      perform refuse('RULES_MISMATCH', format('%s of %s is out of bounds', payout_fault(_json), _scope));
    end if;
    return new;
  end if;
  if _last.id is null then
    if payout_part(_json) <> payouts_standing(new.product_id, new.effective_ms) then
      perform refuse('RULES_MISMATCH', format('nobody approved these payouts and limits of %s', _scope));
    end if;
    return new;
  end if;
  -- The head's time is old if the log had no writer for long. Then the wait counts from now, less a tolerance of a minute.
  if new.effective_ms < greatest(_logged_ms, log_now() - 60000) + longest_cycle_ms() or new.effective_ms <= _last.effective_ms then
    perform refuse('RULES_MISMATCH', format('rules of %s take effect too soon', _scope));
  end if;
  select c.id into new.proposal_id from proposals c join rules_change_products p on p.proposal_id = c.id
    where c.kind in ('payout_table', 'feed_rules') and c.state = 'done' and c.content ->> 'feed' = split_part(_scope, '/', 1)
      and (c.content ->> 'effectiveMs')::bigint = new.effective_ms and p.product_id = new.product_id and p.before_id = _last.id and p.rules = _json;
  if payout_part(_json) <> payouts_standing(new.product_id, new.effective_ms)
    and not exists (select from proposals c where c.id = new.proposal_id and c.kind = 'payout_table') then
    perform refuse('RULES_MISMATCH', format('nobody approved these payouts and limits of %s', _scope));
  end if;
  return new;
end $$;

create or replace trigger rules_admit before insert on rules for each row execute function rules_admit();

-- Checks that a product's state names the newest rules in force of their scope, with the payouts that stand, and raises
-- RULES_MISMATCH. So replaced rules never come back, not even through another feed. A product's first rules apply at once.
-- The trigger is deferred to the commit of the append, because the log's head has the append's time by then.
create or replace function rules_take_effect() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _now bigint := log_now();
  _new rules;
begin
  select * into _new from rules r where r.id = new.rules_id and r.product_id = new.product_id;
  if _new.id is null or (old.rules_id is not null and _new.effective_ms > _now) then
    perform refuse('RULES_MISMATCH', format('rules %s of product %s are not in force', new.rules_id, new.product_id));
  end if;
  if exists (select from rules r where r.product_id = new.product_id and split_part(r.entry, '|', 3) = split_part(_new.entry, '|', 3)
      and r.effective_ms <= _now and (r.effective_ms, r.id) > (_new.effective_ms, _new.id))
    or payout_part(rules_json(_new.entry)) <> payouts_standing(new.product_id, _now) then
    perform refuse('RULES_MISMATCH', format('rules %s of product %s were replaced', new.rules_id, new.product_id));
  end if;
  return null;
end $$;

drop trigger if exists rules_take_effect on product_states;
create constraint trigger rules_take_effect after update on product_states deferrable initially deferred
  for each row when (new.rules_id is distinct from old.rules_id) execute function rules_take_effect();
