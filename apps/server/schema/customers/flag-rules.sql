-- Rules that find customers whom staff should look at. A rule makes a task for staff, never an act: nothing that a customer may
-- do or get depends on it. Two people change a rule (the proposal `flag_rule`). A job runs each rule that is on once an hour.
--   shared_destination  `bound` accounts or more have the same bank account, card or address
--   improbable_wins     in `days` days the orders won are `bound` tenths of a standard deviation or more above one half
--                       (30 orders at least; those that settle in one minute count as one). audit-chance-check.ts judges all
--                       orders more strictly
--   pass_through        in `days` days `bound` percent or more of the deposits were withdrawn, and less than a tenth of them
--                       was staked
--   name_list           a submitted real name is on the list; its blind indices are kept, not the names
-- Lock order: the proposal -> staff -> the rule -> the audit log.

create table flag_rules (
  rule text primary key check (rule in ('shared_destination', 'improbable_wins', 'pass_through', 'name_list')),
  is_on boolean not null,
  bound int not null check (bound between 1 and 10000),
  days int not null check (days between 1 and 365),
  -- Blind indices of names, under every key at the time of the change.
  names bytea[] not null default '{}' check (cardinality(names) <= 20000)
);

insert into flag_rules (rule, is_on, bound, days) values
  ('shared_destination', true, 3, 365), ('improbable_wins', true, 40, 30), ('pass_through', true, 80, 30),
  ('name_list', false, 1, 365);

create table flag_tasks (
  id bigint generated always as identity primary key,
  rule text not null references flag_rules,
  customer_id bigint not null references customers,
  found_at timestamptz not null default clock_timestamp(),
  -- The findings, as numbers.
  facts jsonb not null,
  closed_by bigint references staff,
  closed_at timestamptz,
  note text check (length(note) between 5 and 500),
  check (num_nulls(closed_by, closed_at, note) in (0, 3))
);

-- A customer has one open task of a rule.
create unique index flag_tasks_open on flag_tasks (rule, customer_id) where closed_at is null;
create index flag_tasks_by_customer on flag_tasks (customer_id, id);

-- ## Functions

-- The customers whom a rule finds now, 500 at most, and what it found.
create or replace function flags_found(_rule flag_rules) returns table (customer_id bigint, facts jsonb)
stable language plpgsql as $$
declare
  _since constant timestamptz := now() - _rule.days * interval '1 day';
begin
  if _rule.rule = 'shared_destination' then
    return query with bound as (
      select d.number_index as index, d.customer_id from bank_cards d where d.removed_at is null and d.number_index is not null
      union select d.address_index, d.customer_id from crypto_addresses d where d.removed_at is null
        and d.address_index is not null
    ), shared as (select b.index, count(*) as accounts from bound b group by 1 having count(*) >= _rule.bound)
    select b.customer_id, jsonb_build_object('accounts', max(s.accounts)) from shared s join bound b using (index)
    group by 1 limit 500;
  elsif _rule.rule = 'improbable_wins' then
    return query select w.customer_id, jsonb_build_object('orders', w.won + w.lost, 'won', w.won,
      'score', round(((w.won - w.lost) / sqrt(w.won + w.lost))::numeric, 1))
    from (
      select m.customer_id, count(*) filter (where m.result > 0) as won, count(*) filter (where m.result < 0) as lost from (
        select o.customer_id, sum(o.result) as result from orders_and_results o
        where o.settles_at_ms >= ms_of(_since) and o.open_index is not null group by 1, minute_ms(o.settles_at_ms)
      ) m group by 1
    ) w where w.won + w.lost >= 30 and (w.won - w.lost) * 10 >= _rule.bound * sqrt(w.won + w.lost) limit 500;
  elsif _rule.rule = 'pass_through' then
    return query select p.customer_id, jsonb_build_object('percent', max(p.percent)) from (
      select d.customer_id, d.asset_id, (w.amount * 100 / d.amount)::int as percent, d.amount
      from (select r.customer_id, r.asset_id, sum(r.found_amount) as amount from deposit_requests r
        where r.status = 'success' and r.decided_at >= _since group by 1, 2) d
      join (select r.customer_id, r.asset_id, sum(r.amount) as amount from withdrawal_requests r
        where r.status = 'success' and r.decided_at >= _since group by 1, 2) w using (customer_id, asset_id)
      where w.amount * 100 >= d.amount * _rule.bound
    ) p where (select coalesce(sum(o.stake), 0) from orders o where o.customer_id = p.customer_id and o.asset_id = p.asset_id
      and o.accepted_at_ms >= ms_of(_since)) * 10 < p.amount
    group by 1 limit 500;
  else
    return query select v.customer_id, '{}'::jsonb from verifications v
    where v.name_index = any (_rule.names) and v.state in ('pending', 'verified') group by 1 limit 500;
  end if;
end $$;

-- Makes a task for each customer whom a rule finds, unless one is open or one with the same facts was closed within 90 days.
-- Returns the number of new tasks.
create or replace function flag_tasks_find(_rule text) returns int language plpgsql security definer as $$
declare
  _count int;
begin
  insert into flag_tasks (rule, customer_id, facts)
  select r.rule, f.customer_id, f.facts from flag_rules r cross join lateral flags_found(r) f
  where r.rule = _rule and r.is_on and not exists (select from flag_tasks t where t.rule = r.rule
    and t.customer_id = f.customer_id
    and t.facts = f.facts and t.closed_at > now() - interval '90 days')
  on conflict do nothing;
  get diagnostics _count = row_count;
  return _count;
end $$;

-- Closes a task with a note of what came of it. Raises REQUEST_NOT_FOUND or REQUEST_CLOSED.
create or replace function flag_task_close(_staff bigint, _id bigint, _note text) returns void
language plpgsql security definer as $$
declare
  _t flag_tasks;
begin
  perform demand_role(_staff, 'verification');
  select * into _t from flag_tasks where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no task %s', _id)); end if;
  if _t.closed_at is not null then perform refuse('REQUEST_CLOSED', format('task %s is closed', _id)); end if;
  perform demand_not_own(_staff, _t.customer_id);
  update flag_tasks set closed_by = _staff, closed_at = clock_timestamp(), note = _note where id = _id;
  perform audit_append(_staff, 'task.close', 'task:' || _id, jsonb_build_object('customer', _t.customer_id, 'kind', _t.rule));
end $$;

-- Proposes a change of a rule, and returns the proposal's id. `_names` null keeps the list.
create or replace function flag_rule_propose(_staff bigint, _rule text, _is_on boolean, _bound int, _days int, _names bytea[],
  _note text) returns bigint language plpgsql security definer as $$
declare
  _r flag_rules;
begin
  perform demand_role(_staff, 'verification');
  select * into _r from flag_rules where rule = _rule;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no rule %s', _rule)); end if;
  if (_r.is_on, _r.bound, _r.days) = (_is_on, _bound, _days) and _names is null then
    perform refuse('NOTHING_NEW', 'the rule is so');
  end if;
  return (propose(_staff, 'flag_rule', _rule,
    jsonb_strip_nulls(jsonb_build_object('rule', _rule, 'isOn', _is_on, 'bound', _bound, 'days', _days,
      'names', (select jsonb_agg(encode(n, 'hex')) from unnest(_names) n), 'note', _note)),
    jsonb_build_object('rule', _rule, 'isOn', _is_on, 'bound', _bound, 'days', _days))).id;
end $$;

create or replace function carry_out_flag_rule(_p proposals) returns jsonb language plpgsql as $$
begin
  update flag_rules set is_on = (_p.content ->> 'isOn')::boolean, bound = (_p.content ->> 'bound')::int,
    days = (_p.content ->> 'days')::int, names = case when _p.content ? 'names'
      then array(select decode(n, 'hex') from jsonb_array_elements_text(_p.content -> 'names') n) else names end
  where rule = _p.subject;
  return _p.content - 'names' - 'note';
end $$;
