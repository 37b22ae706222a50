-- Proposals of the rules that decide about orders: payouts and limits (payout_table), rules about prices (feed_rules), or the
-- last day of a product (product_end). The feed logs an approved change, and it applies to new orders from its effective time on.
-- The content names the effective time (ms of the log's clock), a note, and the hash of the rules of each product.
-- Functions alone write here. None sets a price, an outcome, or rules for one customer: rules name products and nothing else, and
-- an order keeps the rules and payout rate of its acceptance (orders.rules_id, payout_rate_bps). Those columns never change.

-- The complete rules of each product after the change. The feed logs exactly these, so the approved content is the logged
-- content.
create table rules_change_products (
  proposal_id bigint not null references proposals,
  product_id smallint not null references products,
  -- The rules from which the new ones were made.
  before_id bigint not null references rules,
  rules jsonb not null,
  primary key (proposal_id, product_id)
);

-- ## Functions

-- The longest cycle of an order, in ms. Rules take effect at least this long after they are logged, so that every order accepted
-- before has reached its settlement time by then.
create or replace function longest_cycle_ms() returns bigint immutable language sql as 'select 3600000::bigint';

-- The least delay D of any rules, in ms, as in packages/trading/src/rules.ts.
create or replace function least_delay_ms() returns int immutable language sql as 'select 2000';

-- Returns the payouts and limits of rules. The rest is about prices: the feed brings it.
create or replace function payout_part(_rules jsonb) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select jsonb_build_object('cycles', _rules -> 'cycles', 'limits', _rules -> 'limits', 'levels', _rules -> 'levels')
$$;

-- Whether the JSON is an object with exactly these keys.
create or replace function has_keys(_json jsonb, variadic _keys text[]) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select case when jsonb_typeof(_json) = 'object'
    then (select count(*) = cardinality(_keys) and bool_and(k = any (_keys)) from jsonb_object_keys(_json) k) else false end
$$;

-- Whether the text is an amount in the form that rules use: decimal, above zero, with at most `_scale` decimals.
create or replace function is_rule_amount(_text text, _scale int) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(_text ~ '^(0|[1-9][0-9]{0,11})(\.[0-9]{0,17}[1-9])?$' and length(split_part(_text, '.', 2)) <= _scale
    and _text <> '0', false)
$$;

-- Returns the name of the first part of payouts and limits that is out of bounds; null: none is.
create or replace function payout_fault(_rules jsonb) returns text stable language plpgsql as $$
declare
  _one jsonb; _step jsonb; _before int := 0; _longest int; _scale int; _assets text[] := '{}';
begin
  if jsonb_typeof(_rules -> 'cycles') is distinct from 'array' or jsonb_array_length(_rules -> 'cycles') not between 1 and 12 then
    return 'cycles';
  end if;
  for _one in select value from jsonb_array_elements(_rules -> 'cycles') loop
    if not has_keys(_one, 'minutes', 'payoutRate') or jsonb_typeof(_one -> 'minutes') <> 'number'
      or jsonb_typeof(_one -> 'payoutRate') <> 'string' or _one ->> 'minutes' !~ '^[1-9][0-9]?$' then return 'cycles'; end if;
    if (_one ->> 'minutes')::int not between _before + 1 and longest_cycle_ms() / 60000 then return 'cycles'; end if;
    -- A rate has one written form, without trailing zeros. It stays within the range that customers are promised.
    if _one ->> 'payoutRate' !~ '^0\.[0-9]{0,3}[1-9]$' then return 'payoutRate'; end if;
    if (_one ->> 'payoutRate')::numeric not between 0.80 and 0.93 then return 'payoutRate'; end if;
    _before := (_one ->> 'minutes')::int;
  end loop;
  _longest := _before;
  if jsonb_typeof(_rules -> 'limits') is distinct from 'array' or jsonb_array_length(_rules -> 'limits') not between 1 and 20 then
    return 'limits';
  end if;
  for _one in select value from jsonb_array_elements(_rules -> 'limits') loop
    if not has_keys(_one, 'asset', 'scale', 'minBalance', 'minPurchase', 'max') then return 'limits'; end if;
    select scale into _scale from ledger.assets where code = _one ->> 'asset';
    if not found or _one ->> 'asset' = any (_assets) or _one -> 'scale' <> to_jsonb(_scale) then return 'limits'; end if;
    _assets := _assets || (_one ->> 'asset');
    if not is_rule_amount(_one ->> 'minBalance', _scale) then return 'minBalance'; end if;
    if not is_rule_amount(_one ->> 'minPurchase', _scale) then return 'minPurchase'; end if;
    if jsonb_typeof(_one -> 'max') <> 'array' or jsonb_array_length(_one -> 'max') not between 1 and 12 then return 'max'; end if;
    _before := 0;
    for _step in select value from jsonb_array_elements(_one -> 'max') loop
      if not has_keys(_step, 'upToMinutes', 'amount') or _step ->> 'upToMinutes' !~ '^[1-9][0-9]?$'
        or jsonb_typeof(_step -> 'upToMinutes') <> 'number' or not is_rule_amount(_step ->> 'amount', _scale) then
        return 'max';
      end if;
      if (_step ->> 'upToMinutes')::int not between _before + 1 and 60
        or (_step ->> 'amount')::numeric < (_one ->> 'minPurchase')::numeric then return 'max'; end if;
      _before := (_step ->> 'upToMinutes')::int;
    end loop;
    if _before < _longest then return 'max'; end if;
  end loop;
  if not has_keys(_rules -> 'levels', 'bronze', 'silver', 'gold', 'platinum') or exists (
    select from jsonb_each(_rules -> 'levels') l
    where jsonb_typeof(l.value) <> 'null' and not (jsonb_typeof(l.value) = 'number' and l.value::text ~ '^[1-9][0-9]?$')) then
    return 'levels';
  end if;
  return null;
end $$;

-- Whether the JSON is a whole number from `_from` to `_to`.
create or replace function is_whole(_json jsonb, _from int, _to int) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(case when jsonb_typeof(_json) = 'number' and _json::text ~ '^[0-9]{1,8}$'
    then _json::text::int between _from and _to end, false)
$$;

-- Whether the JSON is a span of local time such as {"from": "09:30", "to": "16:00"}.
create or replace function is_window(_json jsonb) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select has_keys(_json, 'from', 'to') and _json ->> 'from' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' is true
    and _json ->> 'to' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' is true
$$;

-- The day must be in its month. PostgreSQL 15 has no pg_input_is_valid.
create or replace function is_rule_date(_text text) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select case when _text ~ '^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' then
    extract(month from make_date(left(_text, 4)::int, substr(_text, 6, 2)::int, 1) + right(_text, 2)::int - 1)
      = substr(_text, 6, 2)::int else false end
$$;

-- Returns the name of the first part of the feed's rules that is out of bounds; null: none is. `_own` are the rules that the
-- program shipped for this product. The feed knows no other sources than theirs, and the delay D may not be shorter than theirs.
create or replace function feed_fault(_rules jsonb, _own jsonb) returns text stable language plpgsql as $$
declare
  _schedule jsonb := _rules -> 'schedule';
  _one jsonb;
begin
  if jsonb_typeof(_rules -> 'sources') is distinct from 'array' or not (_own -> 'sources') @> (_rules -> 'sources')
    -- At least three sources stay where the feed has three, so that two people can't let a single source decide the price.
    or jsonb_array_length(_rules -> 'sources') < least(3, jsonb_array_length(_own -> 'sources'))
    or (select count(*) = 0 or array_agg(s order by place) <> array_agg(distinct s collate "C" order by s collate "C")
      from jsonb_array_elements_text(_rules -> 'sources') with ordinality as l (s, place)) then return 'sources'; end if;
  -- A price needs a majority of the sources.
  if not is_whole(_rules -> 'quorum', jsonb_array_length(_rules -> 'sources') / 2 + 1,
    jsonb_array_length(_rules -> 'sources')) then
    return 'quorum';
  end if;
  if not is_whole(_rules -> 'quietMs', 500, 60000) then return 'quietMs'; end if;
  if not is_whole(_rules -> 'waitMs', 0, 60000) then return 'waitMs'; end if;
  if not is_whole(_rules -> 'outlierBps', 1, 1000) then return 'outlierBps'; end if;
  if not is_whole(_rules -> 'delayMs', greatest(least_delay_ms(), (_own ->> 'delayMs')::int), 10000) then
    return 'delayMs';
  end if;
  if not has_keys(_schedule - 'shortDays' - 'until', 'zone', 'windows', 'holidays')
    or not exists (select from pg_timezone_names z where z.name = _schedule ->> 'zone') then return 'zone'; end if;
  if jsonb_typeof(_schedule -> 'windows') <> 'array' or jsonb_array_length(_schedule -> 'windows') > 20 then
    return 'windows';
  end if;
  for _one in select value from jsonb_array_elements(_schedule -> 'windows') loop
    if not is_window(_one - 'days') or jsonb_typeof(_one -> 'days') is distinct from 'array' then return 'windows'; end if;
    if (select count(*) = 0 or not bool_and(is_whole(d, 1, 7)) or count(distinct d) <> count(*)
      from jsonb_array_elements(_one -> 'days') d) then return 'windows'; end if;
  end loop;
  if jsonb_typeof(_schedule -> 'holidays') <> 'array' or jsonb_array_length(_schedule -> 'holidays') > 400 or exists (
    select from jsonb_array_elements_text(_schedule -> 'holidays') h where not is_rule_date(h)) then return 'holidays'; end if;
  if _schedule ? 'until' and not is_rule_date(_schedule ->> 'until') then return 'until'; end if;
  if not _schedule ? 'shortDays' then return null; end if;
  if jsonb_typeof(_schedule -> 'shortDays') <> 'array' or jsonb_array_length(_schedule -> 'shortDays') > 400 then
    return 'holidays';
  end if;
  for _one in select value from jsonb_array_elements(_schedule -> 'shortDays') loop
    if not has_keys(_one, 'date', 'windows') or not is_rule_date(_one ->> 'date') or _schedule -> 'holidays' ? (_one ->> 'date')
      or jsonb_typeof(_one -> 'windows') <> 'array' or jsonb_array_length(_one -> 'windows') not between 1 and 5
    then return 'holidays'; end if;
    if not (select bool_and(is_window(w)) from jsonb_array_elements(_one -> 'windows') w) then return 'holidays'; end if;
  end loop;
  if (select count(*) <> count(distinct d ->> 'date') from jsonb_array_elements(_schedule -> 'shortDays') d) then
    return 'holidays';
  end if;
  return null;
end $$;

-- What is wrong with the hours of a product that is to be closed for good; null: nothing is. Its last day ends after these rules
-- take effect. No order runs past the end of its hours, so all are settled by then.
create or replace function end_fault(_schedule jsonb, _effective_ms bigint) returns text
stable language sql set search_path = public, pg_temp as $$
  select case when _schedule ->> 'until' is null or jsonb_array_length(_schedule -> 'windows') = 0
    or extract(epoch from ((_schedule ->> 'until')::date + 1)::timestamp at time zone (_schedule ->> 'zone')) * 1000
      <= _effective_ms
    or (_schedule ->> 'until')::date > to_timestamp(_effective_ms / 1000.0)::date + 90 then 'until' end
$$;

-- Proposes other rules for these products, from `_effective_ms` on. `_patch` holds the complete new value of each part
-- that changes; the licence classes follow from the sources. Products that have these values already are left out. A change can't
-- concern the past, one customer, or a price. A refusal with RULES_OUT_OF_BOUNDS names the part at fault as its detail.
create or replace function rules_propose(_by bigint, _kind text, _effective_ms bigint, _note text, _products smallint[],
  _patch jsonb, out id bigint, out content bytea) language plpgsql security definer as $$
declare
  _allowed text[] := case _kind when 'payout_table' then '{cycles,limits,levels}'::text[]
    when 'feed_rules' then '{sources,quorum,quietMs,waitMs,outlierBps,delayMs,schedule}'::text[]
    when 'product_end' then '{schedule}'::text[] end;
  _product smallint; _last rules; _own jsonb; _after jsonb; _fault text; _changed jsonb := '[]'; _p proposals;
begin
  if _allowed is null then perform refuse('NO_RULE', format('no rule for %s', _kind)); end if;
  perform demand_role(_by, (select f.edit_role from four_eyes_rules f where f.kind = _kind));
  if jsonb_typeof(_patch) <> 'object' or exists (select from jsonb_object_keys(_patch) k where k <> all (_allowed)) then
    perform refuse('RULES_OUT_OF_BOUNDS', format('a %s may not say that', _kind), 'rules');
  end if;
  -- At least 15 minutes for the second person plus the longest cycle. At most 14 days, so that people still remember the change.
  if _effective_ms not between log_now() + longest_cycle_ms() + 900000 and log_now() + 14 * 86400000::bigint then
    perform refuse('RULES_TOO_SOON', 'rules take effect between 75 minutes and 14 days from now');
  end if;
  foreach _product in array _products loop
    _last := rules_latest(_product);
    if _last.id is null then
      perform refuse('RULES_OUT_OF_BOUNDS', format('product %s has no rules', _product), 'symbols');
    end if;
    if exists (select from products p where p.id = _product and p.closes_on is not null) then
      perform refuse('RULES_OUT_OF_BOUNDS', format('product %s is closed for good', _product), 'symbols');
    end if;
    if _effective_ms <= _last.effective_ms then
      perform refuse('RULES_TOO_SOON', 'rules that are logged already take effect later');
    end if;
    _after := rules_json(_last.entry) || _patch;
    if _kind = 'payout_table' then
      _fault := payout_fault(_after);
    else
      select rules_json(r.entry) into _own from rules r where r.product_id = _product and r.proposal_id is null
        order by r.n desc limit 1;
      _fault := feed_fault(_after, _own);
      if _fault is null then
        _after := _after || jsonb_build_object('licences', (
          select jsonb_object_agg(s, _own -> 'licences' -> s) from jsonb_array_elements_text(_after -> 'sources') s));
      end if;
      if _fault is null and _kind = 'product_end' then _fault := end_fault(_after -> 'schedule', _effective_ms); end if;
    end if;
    continue when _after = rules_json(_last.entry);
    if _fault is not null then
      perform refuse('RULES_OUT_OF_BOUNDS', format('%s of product %s is out of bounds', _fault, _product), _fault);
    end if;
    _changed := _changed || jsonb_build_array(jsonb_build_array(_product, _last.id, _after));
  end loop;
  if _changed = '[]' then perform refuse('NOTHING_NEW', 'that is so already'); end if;
  _p := propose(_by, _kind, null, jsonb_build_object('effectiveMs', _effective_ms, 'note', _note,
    'products', encode(content_hash(_changed), 'hex')),
    jsonb_build_object('kind', _kind, 'effectiveMs', _effective_ms, 'products', jsonb_array_length(_changed)));
  insert into rules_change_products
    select _p.id, (c ->> 0)::smallint, (c ->> 1)::bigint, c -> 2 from jsonb_array_elements(_changed) c;
  id := _p.id;
  content := _p.content_hash;
end $$;

-- The effective time of a proposal of rules, in ms of the log's clock.
create or replace function rules_effective_ms(_p proposals) returns bigint
immutable language sql set search_path = public, pg_temp as $$ select (_p.content ->> 'effectiveMs')::bigint $$;

-- Whether the feed can still log the change in time, and the change was made from the newest rules of each of its products.
create or replace function rules_fit(_p proposals) returns boolean stable language sql security definer as $$
  select rules_effective_ms(_p) >= log_now() + longest_cycle_ms() and not exists (
    select from rules_change_products c where c.proposal_id = _p.id
      and c.before_id is distinct from (rules_latest(c.product_id)).id)
$$;

-- A lapsed change can't be approved. It is proposed again, never moved.
create or replace function check_rules(_p proposals) returns void language plpgsql as $$
begin
  -- The feed gets a minute to log the change.
  if rules_effective_ms(_p) < log_now() + longest_cycle_ms() + 60000 then
    perform refuse('RULES_TOO_SOON', 'it can not be logged in time any more');
  end if;
  if not rules_fit(_p) then perform refuse('RULES_MOVED', 'the rules have changed since'); end if;
end $$;

-- The feed logs an approved change within a second or two, so only a further change undoes it. Here is nothing else to do.
create or replace function carry_out_rules(_p proposals) returns jsonb
language sql set search_path = public, pg_temp as $$
  select jsonb_build_object('content', encode(_p.content_hash, 'hex'), 'effectiveMs', rules_effective_ms(_p),
    'proposedBy', _p.proposed_by)
$$;

-- Returns the next change that the feed has to log, one row per product: the oldest approved one that is not logged and still
-- fits. A change takes effect at most 14 days after it is proposed, so older ones are not looked at.
create or replace function rules_due()
returns table (proposal_id bigint, product_id smallint, before_id bigint, effective_ms bigint, rules jsonb)
stable language sql security definer as $$
  select p.id, c.product_id, c.before_id, rules_effective_ms(p), c.rules
  from rules_change_products c join (
    select p.* from proposals p
    where p.kind in ('payout_table', 'feed_rules', 'product_end') and p.state = 'done'
      and p.decided_at > now() - interval '15 days'
      and rules_effective_ms(p) >= log_now() + longest_cycle_ms()
      and not exists (select from rules r where r.proposal_id = p.id) and rules_fit(p)
    order by p.id limit 1
  ) p on p.id = c.proposal_id
  order by c.product_id
$$;

-- Returns the standing of a change: proposed, approved, logged, in_force, refused or lapsed. A change lapses when its time comes
-- too near to log it, or when other rules are logged first. Another product stands as its first rules do.
create or replace function rules_standing(_p proposals) returns text stable language sql security definer as $$
  select case when _p.state = 'refused' then 'refused'
    when _p.kind = 'product_new' then case when _p.state = 'proposed' then 'proposed' else coalesce((
      select case when r.effective_ms <= log_now() then 'in_force' else 'logged' end
      from products n join rules r on r.product_id = n.id and r.n = 1 where n.proposal_id = _p.id), 'approved') end
    when exists (select from rules r where r.proposal_id = _p.id)
      then case when rules_effective_ms(_p) <= log_now() then 'in_force' else 'logged' end
    when not rules_fit(_p) then 'lapsed' when _p.state = 'done' then 'approved' else _p.state end
$$;
